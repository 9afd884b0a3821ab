/**
 * Invariants at every moment, for any behavior of network, disk and clock. No check uses the trader's own view: its
 * knowledge is read from the ledger's file by another connection, the truth from the exchange's core.
 *
 * | invariant | checked at | by |
 * |---|---|---|
 * | 1 an intent has at most one effect | each effect at the exchange | `effect` |
 * | 2 every fill exactly once | each booking; complete after calm | `PlainAccount`, `agreement.ts` |
 * | 3 no invented fill | each booking | `PlainAccount` |
 * | 4 money, shares, locks and fees agree, postings sum to zero | each booking; with the exchange after calm | `PlainAccount`, `agreement.ts`, `locks.ts` |
 * | 5 no unknown order rests | each effect; complete after calm | `effect`, `knowsWhatRests` |
 * | 6 no signature before its row | each request | `released` |
 * | 7 no end without proof | each change of an intent | `Proofs` |
 * | 8 no limit exceeded in the worst order | each submit, from the ledger; each effect, from the exchange | `WorstCase` |
 * | 9 no new order after a kill, nor after a restart | each request; complete after a kill | `released` |
 * | 10 no expired or orphaned draft takes effect | each effect | `effect` |
 *
 * After a crash, `restarted` asserts that all data once seen as committed still exists.
 */

import { declarationOf, type Scope } from '../../src/shared/protocol/endpoints.js';
import type { AnyCall, OperatorCommand, Outcome, Request } from '../../src/shared/protocol/seam.js';
import { isSettledMarket } from '../../src/shared/protocol/states.js';
import { money } from '../../src/shared/protocol/wire.js';
import { isFinalIntent } from '../../src/trader/ledger/contract.js';
import type { ExchangeSide } from './exchange-side.js';
import { FlattenedMarkets } from './flattened-markets.js';
import type { LedgerFile, StoredIntent } from './ledger-file.js';
import { PlainAccount } from './plain-account.js';
import { Proofs } from './proofs.js';
import type { Setting } from './setting.js';
import type { TraderProcess } from './trader-process.js';
import { TurnedTrades } from './turned-trades.js';
import { Watch } from './watch.js';
import { WorstCase } from './worst-case.js';

const WINDOW_MS = 60_000;
/** Drafts or submits of conversions. */
const CONVERSION = /^(merges|splits|redeems)\.(create|submit)$/;

export class Invariants {
  readonly violations: string[] = [];
  readonly #exchange: ExchangeSide;
  readonly #setting: Setting;
  readonly #proofs = new Proofs();
  readonly #watch: Watch;
  readonly #account: PlainAccount;
  readonly #turned: TurnedTrades;
  readonly #sent: Readonly<Record<Scope, number[]>> = { public: [], signed: [], bootstrap: [] };
  /** Operator commands in force that forbid new submits. */
  readonly #holds = new Set<'killed' | 'paused' | 'stopping'>();
  readonly #flattened = new FlattenedMarkets();
  /** Unfinished intents, as last read from the file. */
  readonly #active = new Map<string, StoredIntent>();
  /** By signature: its newest intent. A cancel that is drafted again has the same signature. */
  readonly #signed = new Map<string, string>();
  /** By intent: the record of its effect. */
  readonly #effects = new Map<string, string>();
  /** Signatures of cancels by a dying process without its ledger. */
  readonly #direct = new Set<string>();
  /** A command requested proof that no order rests, which is still missing. */
  #proving = false;

  constructor(exchange: ExchangeSide, setting: Setting) {
    this.#exchange = exchange;
    this.#setting = setting;
    this.#account = new PlainAccount(exchange, (violation) => this.say(violation));
    this.#turned = new TurnedTrades(exchange);
    this.#watch = new Watch(exchange, setting, (violation) => this.say(violation));
  }

  say(violation: string): void {
    // A repeat at every later step would only hide the others.
    if (this.violations.length < 20 && !this.violations.includes(violation)) this.violations.push(violation);
  }

  /** An unsigned fill is booked. */
  get wasLiedTo(): boolean {
    return this.#account.lies.size > 0;
  }

  /** A command was accepted, durably. */
  commanded(command: OperatorCommand): void {
    this.lifted(command);
    this.#watch.commanded(command);
    this.#flattened.commanded(command);
    const { kind } = command;
    if (kind === 'kill') this.#holds.add('killed');
    if (kind === 'pause') this.#holds.add('paused');
    if (kind === 'stop') this.#holds.add('stopping');
    if (kind === 'kill' || kind === 'cancel-all' || kind === 'stop') this.#proving = true;
  }

  /** A command may have taken effect: its lifted limits no longer hold, its new limits do not hold yet. */
  lifted(command: OperatorCommand): void {
    this.#flattened.lifted(command);
    const { kind } = command;
    if (kind === 'unkill') this.#holds.delete('killed');
    // Flattening sells held shares; afterwards the trader is paused.
    if (kind === 'resume' || kind === 'flatten') this.#holds.delete('paused');
    if (kind === 'resume') this.#watch.resumed();
  }

  /** A new process does not know the requests of the previous one; ages mean nothing across a step of our clock. */
  unsettled(nowMs: number): void {
    this.#watch.unsettled(nowMs);
  }

  /** A process has started on its predecessor's file. Stopping belongs to one process; kill and pause persist. */
  restarted({ file }: TraderProcess): void {
    this.#holds.delete('stopping');
    this.#proving = false;
    this.#watch.restarted();
    // The venue's first answers report the requests of the previous process.
    for (const sent of Object.values(this.#sent)) sent.length = 0;
    this.#account.survived(file);
    for (const { id, signature, state } of this.#active.values()) {
      const stored = file.intent(id);
      if (stored === null) this.say(`6: intent ${id}, which was committed as ${state}, is gone`);
      else if (signature !== null && stored.signature !== signature)
        this.say(`6: the signature of ${id}, which was committed, is gone`);
    }
    const now = file.activeIntents().map(({ id }) => id);
    for (const id of new Set([...this.#active.keys(), ...now])) this.#read(file, id);
  }

  /** A step has written and committed. */
  stepped({ file, touched }: TraderProcess): void {
    if (!touched.any) return;
    for (const id of touched.intents) this.#read(file, id);
    if (touched.booked) this.#booked(file);
    touched.clear();
  }

  #booked(file: LedgerFile): void {
    // Before the booking, because the current state of its order decides.
    this.#turned.look(this.#account);
    const before = this.#account.lies.size;
    this.#account.booked(file);
    if (this.#account.lies.size === before) return;
    this.#watch.differed();
    if (file.loud('fill_differs') < this.#account.lies.size)
      this.say('3: a fill that was never signed is booked in silence');
  }

  #read(file: LedgerFile, id: string): void {
    const intent = file.intent(id);
    if (intent === null) return;
    if (intent.signature !== null) this.#signed.set(intent.signature, id);
    if (!isFinalIntent(intent.state)) {
      this.#active.set(id, intent);
      return;
    }
    this.#active.delete(id);
    const objection = this.#proofs.objection(intent);
    if (objection !== null) this.say(`7: ${objection}`);
  }

  /** An outcome reaches the trader. */
  delivered(request: Request, outcome: Outcome, sentMs: number, nowMs: number): void {
    this.#proofs.delivered(request.call, outcome);
    this.#watch.delivered(request, outcome, sentMs, nowMs);
  }

  /** The trader's core has released this request. */
  released({ call }: Request): void {
    if (call.endpoint === 'orders.submit' && this.#holds.size > 0)
      this.say(`9: a submit left while ${[...this.#holds].join()}: ${call.params.pubkey}`);
    if (CONVERSION.test(call.endpoint) && this.#holds.size > 0)
      this.say(`9: ${call.endpoint} left while ${[...this.#holds].join()}: ${JSON.stringify(call.params)}`);
    if (call.endpoint === 'splits.create' || call.endpoint === 'splits.submit') this.#watch.split(call.endpoint);
    if (call.endpoint === 'splits.create' && this.#flattened.has(call.body.market_condition_id))
      this.say(`9: a split was drafted for market ${call.body.market_condition_id}, which was flattened`);
    const { body } = call;
    if (body === undefined || !('signature' in body)) return;
    const intent = this.#active.get(this.#signed.get(body.signature) ?? '');
    if (intent?.signature !== body.signature)
      this.say(`6: a signature left that is not stored: ${JSON.stringify(call.params)}`);
    if (call.endpoint === 'splits.submit' && this.#flattened.has(intent?.market ?? ''))
      this.say(`9: a split was submitted for market ${intent?.market}, which was flattened`);
    if (call.endpoint !== 'orders.submit') return;
    this.#mayAllFill();
    if (intent === undefined) return;
    const { market } = intent;
    const objection = this.#flattened.objection(intent);
    if (objection !== null) this.say(`9: ${objection}`);
    this.#watch.submitted(intent, this.#account.shares(market, true) - this.#account.shares(market, false));
  }

  /** A request is sent; never more than the venue allows. */
  left(request: Request, nowMs: number): void {
    this.#watch.left(request, nowMs);
    const { call } = request;
    const { body } = call;
    if (body !== undefined && 'signature' in body) this.#proofs.left(body.signature);
    const { scope } = declarationOf(call.endpoint);
    const sent = this.#sent[scope];
    sent.push(nowMs);
    while ((sent[0] ?? nowMs) <= nowMs - WINDOW_MS) sent.shift();
    const limit = this.#setting.profile.rate_limits[`${scope}_per_minute`];
    if (sent.length > limit) this.say(`more than ${limit} ${scope} requests left within a minute`);
  }

  /** A process with a broken ledger cancels with only the key. */
  directly(signature: string): void {
    this.#direct.add(signature);
  }

  /** The exchange has executed a signed request of ours. */
  effect(call: AnyCall, pubkey: string): void {
    const signature = call.body !== undefined && 'signature' in call.body ? call.body.signature : '';
    if (this.#direct.has(signature)) return;
    const id = this.#signed.get(signature);
    const intent = id === undefined ? undefined : this.#active.get(id);
    if (id === undefined) return this.say(`5: ${call.endpoint} ${pubkey} took effect, and no intent of ours signed it`);
    if (intent === undefined) this.say(`10: ${call.endpoint} ${pubkey} took effect after intent ${id} was over`);
    else if (intent.state !== 'signed' && intent.state !== 'unknown') {
      this.say(`10: ${call.endpoint} ${pubkey} took effect while its intent ${id} was ${intent.state}`);
    }
    const before = this.#effects.get(id);
    if (before !== undefined) this.say(`1: intent ${id} took effect twice, in ${before} and ${pubkey}`);
    this.#effects.set(id, pubkey);
    if (call.endpoint !== 'orders.submit') return;
    this.#watch.placed(pubkey);
    this.#mayAllRest();
  }

  /** Invariant 8 from the ledger: every order that may be at the exchange counts as resting. */
  #mayAllFill(): void {
    const worst = new WorstCase();
    const orders = [...this.#active.values()].filter(({ kind, state }) => kind === 'place' && state !== 'abandoned');
    // The trader may not know yet that the market of an order has settled, so its holdings count beside the order.
    const markets = new Set([...this.#tradedMarkets(), ...orders.map(({ market }) => market)]);
    for (const market of markets)
      worst.hold(market, this.#account.shares(market, true), this.#account.shares(market, false));
    for (const { market, is_yes, side, amount, draft_pubkey } of orders) {
      const remaining = (amount ?? 0) - this.#account.bookedOf(draft_pubkey ?? '');
      worst.work(market, is_yes === 1, side === 'buy', remaining);
    }
    this.#judge(worst, 'as the ledger knows it');
  }

  /** Invariant 8 from the exchange. */
  #mayAllRest(): void {
    const { core, account } = this.#exchange;
    const worst = new WorstCase();
    for (const market of this.#tradedMarkets()) {
      const { yes, no } = core.catalog.market(core.catalog.findIndex(market) ?? 0).shares.read(account);
      worst.hold(market, yes, no);
    }
    for (const { market, outcome, side, remaining_amount } of this.#exchange.resting())
      worst.work(market.condition_id, outcome.is_yes, side === 'buy', money.parse(remaining_amount ?? '0'));
    this.#judge(worst, 'as the exchange knows it');
  }

  #judge(worst: WorstCase, as: string): void {
    const { core } = this.#exchange;
    const eventOf = (market: string) => core.catalog.market(core.catalog.findIndex(market) ?? 0).card.eventIndex;
    const excused = this.#turned.look(this.#account);
    for (const text of worst.exceeded(this.#setting.limits, eventOf, excused)) this.say(`8: ${text}, ${as}`);
  }

  #tradedMarkets(): string[] {
    const { core } = this.#exchange;
    return this.#exchange.markets().filter((market) => {
      return !isSettledMarket(core.catalog.market(core.catalog.findIndex(market) ?? 0).state);
    });
  }

  /** Once a second: no order rests when the trader reports that as proven, and no quote is based on an old book. */
  looked(process: TraderProcess, ourMs: number, nowMs: number): void {
    this.#watch.looked(process, ourMs, nowMs);
    const { trader } = process;
    if (!this.#proving) return;
    const { proven, mode } = trader.snapshot(ourMs);
    if (!proven) return;
    const rests = this.#exchange.resting().length;
    if (rests > 0) this.say(`9: proven (${mode}) while ${rests} orders rest`);
    if (mode !== 'stopped') this.#proving = false;
  }

  /** The trader knows every resting order, as resting or as possibly resting. */
  knowsWhatRests(): void {
    const known = new Set([...this.#active.values()].map(({ draft_pubkey }) => draft_pubkey));
    for (const { pubkey } of this.#exchange.resting())
      if (!known.has(pubkey ?? null)) this.say(`5: order ${pubkey} rests and is not known`);
  }
}
