/** Runs one order from draft to cancel, through the trader's own risk checks, executor, signer and ledger. */

import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { PAPER_DEFAULTS, startExchange } from '../../exchange/exchange.js';
import { must, TwinbookError } from '../../shared/base/errors.js';
import { complement, formatDecimal, type Micros, ONE, ZERO } from '../../shared/base/micros.js';
import { readTransaction } from '../../shared/protocol/drafts/solana-message.js';
import type { Scope } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { Outcome, PlannedRequest } from '../../shared/protocol/seam.js';
import { ServiceClient } from '../../shell/client/client.js';
import type { ClientAnswer } from '../../shell/client/contract.js';
import type { Config } from '../../shell/config/config.js';
import { VERSION } from '../../shell/config/shipped.js';
import { locateStopFile, readStopFile } from '../../shell/control/stop-file.js';
import { cancelUntilNothingRests } from '../../shell/daemon/direct-cancel.js';
import { judgeMessage, nameProgram, signingRules } from '../../shell/wallet/draft-signer.js';
import { Wallet } from '../../shell/wallet/wallet.js';
import { OutboundCheck } from '../../trader/engine/outbound-check.js';
import type { ExecutorEvent, Reaction } from '../../trader/executor/contract.js';
import { Executor } from '../../trader/executor/executor.js';
import { type IntentRow, isFinalIntent, type Ledger } from '../../trader/ledger/contract.js';
import { openLedger } from '../../trader/ledger/ledger.js';
import { amountAt, readBook } from '../../trader/market/book.js';
import { Comparison } from '../../trader/reconcile/comparison.js';
import { inWords } from '../../trader/reconcile/confirmed-differences.js';
import type { Difference } from '../../trader/reconcile/differences.js';
import type { RiskFacts } from '../../trader/risk/controls.js';
import { Exposure } from '../../trader/risk/exposure.js';
import type { Intent, PlaceIntent } from '../../trader/risk/intent.js';
import { type Approved, judge } from '../../trader/risk/risk.js';
import { oneRound, performAsk, restingOrders } from '../ledger/reconcile.js';
import { compareClocks, openKeys, openWallet, reachTrader } from '../reach.js';
import { chooseMarket, marketText, orderText } from './market-choice.js';
import { ask, difference, failure, isStrange, lineOf, type Rehearsal, type RehearsalPlace, step } from './steps.js';

const LOOK_MS = 1_000;
/** Number of requested book levels; a book with exactly this number of levels may be incomplete. */
const MOST_LEVELS = 100;
/** Time limit to cancel the rehearsal's orders, ms; a venue that is down for longer needs an operator. */
const TAKE_BACK = { withinMs: 60_000, pauseMs: 1_000 };

/** Rehearses on a new exchange, without network, with a temporary wallet. The exchange is deleted afterwards. */
export async function onPaper(rehearsal: Rehearsal, ledgerPath: string): Promise<void> {
  const { profile } = rehearsal.config.venue;
  const draftLifetimeS = profile.draft_lifetime_s;
  const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, draftLifetimeS });
  const wallet = Wallet.makeUnkept();
  const client = new ServiceClient({ profile, baseUrl: exchange.url });
  const place: RehearsalPlace = { ...rehearsal, where: 'paper', client, wallet, ledgerPath };
  try {
    await step(place, 'keys', async () => {
      const { config, io } = rehearsal;
      const { file } = config.wallet;
      // The real wallet is opened early, so that a wrong passphrase fails before the live part. Here it signs nothing.
      const own = existsSync(file)
        ? `the wallet file can be opened (${(await openWallet(config, io)).address})`
        : `there is no wallet file ${file} yet`;
      await client.bootstrap(wallet);
      return `${own}; this rehearsal uses ${wallet.address}, whose key is not stored, and new API credentials`;
    });
    await rehearseAt(place);
  } finally {
    await client.close();
    await exchange.close();
  }
}

/** Rehearses at the venue, with a real order and the real wallet. The live part runs only after success on paper. */
export async function atTheVenue(rehearsal: Rehearsal, ledgerPath: string): Promise<void> {
  const { config, io } = rehearsal;
  const { profile } = config.venue;
  const live = { ...rehearsal, where: 'live', ledgerPath } as const;
  const open = async () => {
    // A running trader would consider the rehearsal's order as foreign.
    if ((await reachTrader(config)) !== 'not running')
      throw failure('the trader of this configuration file is running', 'Run `twinbook stop`, then rehearse again.');
    const killed = readStopFile(locateStopFile(config.ledger.path));
    if (killed !== null)
      throw failure(`the trader is killed: ${killed}`, 'Run `twinbook unkill --reason TEXT`, then rehearse again.');
    return openKeys(config, io);
  };
  const describe = (keys: Awaited<ReturnType<typeof open>>) =>
    `wallet ${keys.wallet.address}, credentials for ${profile.base_url}`;
  const { wallet, credentials } = await step(live, 'keys', open, describe);
  const client = new ServiceClient({ profile, credentials });
  await rehearseAt({ ...live, client, wallet }).finally(() => client.close());
}

const timedOut = (text: string, todo: string) => new TwinbookError('timed_out', text, todo);

function clockText(client: ServiceClient, { clock_tolerance_s }: VenueProfile): string {
  const apart = compareClocks(client);
  if (apart === null) return 'the venue does not report its time; this clock is assumed to be correct';
  if (apart.apartMs > clock_tolerance_s * 1000) {
    const todo = 'Synchronise this clock (NTP), and compare the venue’s clock with a third clock.';
    throw difference('the clocks differ', `clock_tolerance_s: ${clock_tolerance_s}`, apart.text, todo);
  }
  return apart.agrees
    ? 'this clock agrees with the venue’s clock'
    : `${apart.text}; signed calls are corrected for the difference`;
}

/** Describes a scope's rate limit by an answer's headers. Throws if the limit is below the profile's. */
function limitText({ budget }: ClientAnswer, scope: Scope, profile: VenueProfile): string {
  const key = `${scope}_per_minute` as const;
  const due = profile.rate_limits[key];
  if (budget === null) return `${scope}: the venue sends no limit, so at most ${due} requests a minute are sent`;
  if (budget.limit < due) {
    const text = `the venue allows fewer ${scope} requests than the profile says`;
    const todo = `Write ${key}: ${budget.limit} under rate_limits of your copy of the profile.`;
    throw difference(text, `${key}: ${due}`, `X-RateLimit-Limit: ${budget.limit}`, todo);
  }
  const more = budget.limit === due ? '' : ` (the profile limits the rate to ${due})`;
  return `${scope}: ${budget.limit} a minute${more}`;
}

/** Performs all steps of a rehearsal, from the clock check to the ledger comparison. The client needs credentials. */
async function rehearseAt(place: RehearsalPlace): Promise<void> {
  const { client, config, ledgerPath } = place;
  const { profile } = config.venue;
  const markets = () => ask(client, 'markets.list', { query: { limit: 1 } }, 'its markets');
  const { answer } = await step(place, 'clock', markets, () => clockText(client, profile));
  const own = () => ask(client, 'orders.list', { query: { limit: 1 } }, 'own orders');
  await step(place, 'rate limits and headers', own, ({ answer: signed }) => {
    const limits = [limitText(answer, 'public', profile), limitText(signed, 'signed', profile)];
    return `${limits.join('; ')}; the venue accepts the headers ${profile.header_prefix}-…`;
  });
  const ledger = openLedger(ledgerPath, { pid: process.pid, startedMs: Date.now() });
  try {
    await new OrderLife(place, ledger).perform();
  } finally {
    ledger.close();
  }
}

class OrderLife {
  readonly #place: RehearsalPlace;
  readonly #ledger: Ledger;
  readonly #executor: Executor;
  readonly #comparison: Comparison;
  readonly #outgoing: OutboundCheck;
  readonly #events: ExecutorEvent[] = [];
  readonly #runId = `rehearsal${Date.now().toString(36)}`;
  readonly #placeId = `${this.#runId}-1`;
  readonly #cancelId = `${this.#runId}-2`;
  #waiting: PlannedRequest[] = [];
  #chosen: Awaited<ReturnType<typeof chooseMarket>> | null = null;
  /** End of the order's time limit, monotonic ms. The time limit begins with the choice of the market. */
  #endMs = 0;

  constructor(place: RehearsalPlace, ledger: Ledger) {
    const { config, wallet } = place;
    const { configHash, venue } = config;
    const { profile } = venue;
    const runId = this.#runId;
    this.#place = place;
    this.#ledger = ledger;
    this.#outgoing = new OutboundCheck(ledger);
    const rules = signingRules(profile, venue.allowBlindSigning);
    const signer = wallet.draftSigner({ ...rules, loadDraft: (intentId) => ledger.storedDraft(intentId) });
    ledger.transaction(() => {
      ledger.startRun({ id: runId, version: VERSION, configHash, startedMs: Date.now() });
      ledger.setCapital(config.capitalMicros, Date.now());
    });
    const ownPollMs = config.polling.ownIntervalMs;
    this.#executor = new Executor(ledger, signer, profile, { runId, configHash, ownPollMs });
    this.#comparison = new Comparison(ledger, ledger, this.#executor, profile.own_trades);
    this.#react(() => this.#executor.recover(Date.now()));
  }

  /** Performs all steps; each returns a line of the report. No order may rest afterwards, even after an error. */
  async perform(): Promise<void> {
    const steps = {
      account: () => this.#openAccount(),
      market: () => this.#chooseMarket(),
      draft: () => this.#draftPlace(),
      signed: () => this.#sign(this.#placeId),
      submitted: () => this.#submit(),
      seen: () => this.#awaitShown(),
      canceled: () => this.#cancel(),
      gone: () => this.#awaitGone(),
      ledger: () => this.#compareLedger(),
    };
    try {
      for (const [name, work] of Object.entries(steps)) await step(this.#place, name, work);
    } catch (error) {
      throw await this.#takeBack(error);
    }
  }

  /** Checks that no order rests, and marks the account's earlier records at the venue as compared. */
  async #openAccount(): Promise<string> {
    const { rows } = await this.#resting();
    // Another resting order could be mistaken for the rehearsal's own order.
    const count = rows.length === 1 ? 'an order rests' : `${rows.length} orders rest`;
    const todo = 'Stop the trader or run `twinbook cancel-all --verify`, then rehearse again.';
    if (rows.length > 0) throw failure(`${count} under this wallet`, todo);
    const found = await this.#compare();
    if (typeof found === 'string')
      throw failure(`the lists of the account are incomplete: ${found}`, 'Rehearse again.');
    return 'the lists of the account are complete, and no order rests';
  }

  async #chooseMarket(): Promise<string> {
    const chosen = await chooseMarket(this.#place);
    const text = marketText(chosen, this.#place.config.venue.profile);
    this.#ledger.transaction(() => this.#ledger.saveMarket(chosen.record));
    this.#chosen = chosen;
    this.#endMs = performance.now() + this.#place.withinMs;
    return text;
  }

  async #draftPlace(): Promise<string> {
    const { order, view } = this.#market;
    const intent: PlaceIntent = {
      kind: 'place',
      intentId: this.#placeId,
      side: 'buy',
      strategy: 'rehearsal',
      ...order,
      marketConditionId: view.market.conditionId,
      eventConditionId: view.market.eventConditionId,
      fairYesMicros: order.isYes ? order.priceMicros : complement(order.priceMicros),
    };
    const verdict = judge(intent, this.#facts());
    if (verdict.verdict === 'approved') return this.#draft(verdict);
    const text = `our own risk check refuses ${orderText(order)}: ${verdict.name}, ${verdict.text}`;
    throw failure(text, 'Change the limits under `risk:` in the file, or name another market with --market.');
  }

  async #submit(): Promise<string> {
    const outcome = await this.#performNext();
    if (!(await this.#goOnUntil(() => this.#isSettled, this.#endMs)))
      throw timedOut('it is unknown whether the order rests', LOST_TODO);
    const { state, lastReason } = this.#intent(this.#placeId);
    this.#throwTrouble();
    if (state !== 'live') throw failure(`the order does not rest: it is ${state}, ${lastReason}`, REFUSED_TODO);
    this.#throwOddAnswer(outcome, 'the order rests');
    return `order ${this.#pubkey} rests`;
  }

  async #awaitShown(): Promise<string> {
    const row = await this.#until('the list of own orders does not show the order', async () => {
      const { rows, startedMs } = await this.#resting();
      this.#react(() => this.#executor.onOwnOrders(rows, startedMs, Date.now()));
      this.#throwTrouble();
      return rows.find(({ pubkey }) => pubkey === this.#pubkey) ?? null;
    });
    const book = await this.#until('the book does not show the order', () => this.#inBook());
    return `the list of own orders shows the order: ${row.status}, ${row.remaining_amount === null ? '' : formatDecimal(row.remaining_amount)} left; ${book}`;
  }

  /** Repeats a read until it returns a value. At the time limit, throws an error with the text `missing`. */
  async #until<T>(missing: string, read: () => Promise<T | null>): Promise<T> {
    for (;;) {
      const found = await read();
      if (found !== null) return found;
      if (this.#place.isStopped()) throw failure('stopped by you', '');
      if (performance.now() > this.#endMs)
        throw difference(missing, 'the venue shows every resting order', 'nothing', LOST_TODO);
      await pause(LOOK_MS);
    }
  }

  async #inBook(): Promise<string | null> {
    const { order, view } = this.#market;
    const input = { params: { condition_id: view.market.conditionId }, query: { depth: MOST_LEVELS } };
    const { book } = readBook((await ask(this.#place.client, 'markets.book', input, 'the book')).data);
    const [side, levels] = order.isYes ? (['bid', book.bids] as const) : (['ask', book.asks] as const);
    const price = order.isYes ? order.priceMicros : complement(order.priceMicros);
    if (amountAt(book, side, price) >= order.amountMicros) return `the book shows the order at ${formatDecimal(price)}`;
    return levels.length >= MOST_LEVELS ? `the order is beyond the ${MOST_LEVELS} levels that the book shows` : null;
  }

  async #cancel(): Promise<string> {
    const intent: Extract<Intent, { kind: 'cancel' }> = {
      kind: 'cancel',
      intentId: this.#cancelId,
      orderPubkey: this.#pubkey,
      marketConditionId: this.#market.view.market.conditionId,
    };
    const verdict = judge(intent, this.#facts());
    if (verdict.verdict === 'refused') throw failure(`our own risk check refuses the cancel: ${verdict.text}`, '');
    const words = await this.#draft(verdict);
    await this.#sign(this.#cancelId);
    const outcome = await this.#performNext();
    const isClosed = () => must(this.#ledger.order(this.#pubkey), 'the order').closedMs !== null;
    const isOver = () => isFinalIntent(this.#intent(this.#cancelId).state) && isClosed();
    if (!(await this.#goOnUntil(isOver, this.#endMs)))
      throw timedOut('it is unknown whether the order is canceled', LOST_TODO);
    this.#throwTrouble();
    this.#throwOddAnswer(outcome, 'the order is gone');
    return `${words}; signed and submitted`;
  }

  /** Waits until two complete lists show no order of this wallet, then reads the order's own record. */
  async #awaitGone(): Promise<string> {
    for (let reads = 0; ; await pause(LOOK_MS)) {
      const { rows } = await this.#resting();
      reads = rows.length === 0 ? reads + 1 : 0;
      if (reads === 2) break;
      if (performance.now() > this.#endMs) throw timedOut(`${rows.length} orders still rest`, LOST_TODO);
    }
    const { data } = await ask(this.#place.client, 'orders.detail', { params: { pubkey: this.#pubkey } }, 'the order');
    const filled = data.filled_amount ?? ZERO;
    const much = filled === ZERO ? 'nothing was filled' : `${formatDecimal(filled)} shares were filled and are held`;
    return `nothing rests (read twice); the record of the order says ${data.status}, ${much}`;
  }

  /** Books the fills that the venue lists, then checks that venue and ledger agree. */
  async #compareLedger(): Promise<string> {
    const { client, config, ledgerPath } = this.#place;
    if (config.venue.profile.own_trades) {
      const { data } = await ask(client, 'trades.list', { query: { limit: 50 } }, 'own trades');
      this.#react(() => this.#executor.onOwnTrades(data, Date.now()));
    }
    const inside = this.#ledger.verify();
    if (inside.length > 0)
      throw failure(`the sums of the ledger are inconsistent: ${inside.join('; ')}`, `Keep ${ledgerPath}.`);
    let found: readonly Difference[] | string = 'no reconciliation round was made';
    // The first differences may come from lists that lag.
    for (let rounds = 0; rounds < 4; rounds++) {
      if (rounds > 0) await pause(3_000);
      found = await this.#compare();
      if (found.length === 0)
        return `ledger and venue agree: orders, trades, conversions, shares (${this.#ledger.newestSeq('fills')} fills)`;
    }
    if (typeof found === 'string') throw timedOut(`the lists of the venue are incomplete: ${found}`, 'Rehearse again.');
    const first = must(found[0], 'a difference');
    const todo = `Keep the ledger ${ledgerPath}, and ask the venue.`;
    throw difference('ledger and venue differ', `the ledger has: ${first.ledger}`, inWords(first), todo);
  }

  /** Cancels the order after an error. Returns this error, or a new error if an order may still rest. */
  async #takeBack(error: unknown): Promise<unknown> {
    const { where, config, note } = this.#place;
    // An order that was never signed cannot rest at the venue.
    if (this.#ledger.intent(this.#placeId)?.signature == null) return error;
    this.#ledger.transaction(() => this.#executor.withdraw(null, Date.now()));
    for (const request of this.#waiting.splice(0)) {
      const nowMs = Date.now();
      const outcome = { kind: 'unknown', reason: 'the rehearsal ended', sent: false } as const;
      this.#react(() => this.#executor.onReport({ request, outcome, nowMs, sentMs: nowMs, venueTimeMs: null }));
    }
    let isGone = await this.#nothingLeft();
    if (!this.#isSettled) {
      // The submit got no answer. The order's record shows the result, at the latest after the draft has expired.
      const endMs = performance.now() + 2_000 * config.venue.profile.draft_lifetime_s + TAKE_BACK.withinMs;
      const isKnown = await this.#goOnUntil(() => this.#isSettled, endMs);
      isGone = (await this.#nothingLeft()) && isKnown;
    }
    const todo = `Cancel the order by hand at the venue, or with \`twinbook cancel-all --verify\`; its pubkey is ${this.#pubkey}.`;
    const rests = failure('THE ORDER MAY STILL REST', todo);
    if (isGone) note({ where, step: 'taken back', result: 'ok', text: 'nothing rests (read twice)', todo: '' });
    else note({ where, step: 'taken back', ...lineOf(rests) });
    return isGone || !(error instanceof TwinbookError) ? error : rests;
  }

  async #nothingLeft(): Promise<boolean> {
    const { client, wallet, config } = this.#place;
    return (await cancelUntilNothingRests({ client, wallet, ...config.venue }, TAKE_BACK)).verified;
  }

  get #market() {
    return must(this.#chosen, 'the market');
  }

  get #pubkey(): string {
    return must(this.#intent(this.#placeId).draftPubkey, 'pubkey of the order');
  }

  /** True if the order's state is certain: the order rests, or can no longer rest. */
  get #isSettled(): boolean {
    const intent = this.#ledger.intent(this.#placeId);
    return intent === null || intent.state === 'live' || isFinalIntent(intent.state);
  }

  #intent(id: string): IntentRow {
    return must(this.#ledger.intent(id), `intent ${id}`);
  }

  #compare(): Promise<readonly Difference[] | string> {
    return oneRound(this.#comparison, this.#place.client, (work) => this.#ledger.transaction(work));
  }

  async #draft(approved: Approved): Promise<string> {
    const { client, config, wallet } = this.#place;
    const { intentId } = approved.intent;
    const reason = JSON.stringify({ rehearsal: true });
    // `begin` writes the intent's row; the request for its draft is queued.
    this.#waiting.push(...this.#ledger.transaction(() => this.#executor.begin(approved, Date.now(), reason)));
    const outcome = await this.#performNext();
    if (outcome.kind !== 'answered') throw notDrafted(outcome);
    const stored = this.#ledger.storedDraft(intentId);
    this.#throwTrouble();
    if (stored === null) throw failure(`no draft was stored: ${this.#intent(intentId).lastReason}`, '');
    const venueNowMs = Date.now() + (client.clockOffset?.offsetMs ?? 0);
    return draftWords(stored.message, config.venue, wallet.address, venueNowMs);
  }

  async #sign(intentId: string): Promise<string> {
    this.#signDrafts();
    const { signature, lastReason, message } = this.#intent(intentId);
    if (signature !== null) return 'the ledger has our 64-byte signature, which agrees with the intent';
    if (!this.#events.some((event) => event.kind === 'signingRefused' && event.intentId === intentId))
      throw failure(`the draft was not signed: ${lastReason}`, 'Rehearse again.');
    const todo = 'Nothing was signed. Do not trade at this venue until it explains the draft.';
    const due = 'a draft agrees with its request';
    throw difference('our signer refuses the draft', due, lastReason, todo, message ?? '');
  }

  async #resting() {
    const resting = await restingOrders(this.#place.client);
    if (typeof resting === 'string') throw failure(resting, 'The list of own orders must be complete: rehearse again.');
    return resting;
  }

  /** Throws if a submit had its effect but no normal answer: the executor accepts this, but operators must know. */
  #throwOddAnswer(outcome: Outcome, became: string): void {
    if (outcome.kind === 'answered') return;
    const came = `${outcome.kind === 'refused' ? `${outcome.slug}: ${outcome.message}` : outcome.reason}; ${became} nevertheless`;
    if (outcome.kind === 'unknown' && !isStrange(outcome)) throw timedOut(`the answer was lost: ${came}`, LOST_TODO);
    const todo =
      'The trader reads the order’s record before it decides, so no order is placed twice. Rehearse again; if the error returns, ask the venue.';
    throw difference('the venue answered the submit with an error', 'the order’s record shows the result', came, todo);
  }

  #throwTrouble(): void {
    const found = this.#events.find((event) => event.kind === 'trouble');
    if (found === undefined) return;
    const due = 'the record of the venue agrees with the request';
    const todo = 'Do not trade at this venue until it explains the order.';
    throw difference('the venue shows another order than requested', due, found.text, todo);
  }

  /** Makes the facts for risk checks. The exposure is empty, because a rehearsal ends early if another order rests. */
  #facts(): RiskFacts {
    const { config } = this.#place;
    const { view } = this.#market;
    const health = { ...view.health, bookAgeMs: view.health.bookAgeMs + Date.now() - view.nowMs };
    return {
      sight: { ...view, health },
      limits: config.risk,
      exposure: new Exposure(),
      cashMicros: config.capitalMicros,
      stance: 'normal',
      stanceReason: '',
      loss: { dayLossMicros: ZERO, drawdownMicros: ZERO, halted: null },
      findCaps: () => ({ yesMicros: ONE, noMicros: ONE }),
      fills: { halted: null },
      pace: { lastSecond: 0, lastMinute: 0 },
      requestHeadroom: config.venue.profile.rate_limits.signed_per_minute,
    };
  }

  /** Performs one queued request, books its outcome and queues the requests that result from it. */
  async #performNext(): Promise<Outcome> {
    const request = must(this.#waiting.shift(), 'the next waiting request');
    this.#outgoing.check(request.call, request.owner);
    const report = await performAsk(request, this.#place.client);
    this.#react(() => this.#executor.onReport(report));
    return report.outcome;
  }

  /** Signs the drafts. The executor reports a refusal among its events. */
  #signDrafts(): void {
    this.#react(() => this.#executor.signDrafts(Date.now()));
  }

  /** Runs the executor until a condition holds. Returns false after the time limit. */
  async #goOnUntil(isSo: () => boolean, endMs: number): Promise<boolean> {
    for (;;) {
      this.#react(() => this.#executor.tick(Date.now(), null));
      this.#signDrafts();
      while (this.#waiting.length > 0) {
        await this.#performNext();
        this.#signDrafts();
      }
      if (isSo()) return true;
      if (performance.now() >= endMs) return false;
      await pause(200);
    }
  }

  #react(work: () => Reaction): void {
    const { requests, events } = this.#ledger.transaction(work);
    this.#waiting.push(...requests);
    this.#events.push(...events);
  }
}

const LOST_TODO = 'Check whether the venue works, then rehearse again; --timeout allows more time.';
const REFUSED_TODO = 'Read the reason, then rehearse again.';

function notDrafted(outcome: Exclude<Outcome, { kind: 'answered' }>): TwinbookError {
  if (outcome.kind === 'refused')
    return failure(`the venue refuses the draft: ${outcome.slug}, ${outcome.message}`, REFUSED_TODO);
  const { reason } = outcome;
  if (!isStrange(outcome)) return timedOut(`no draft was received: ${reason}`, LOST_TODO);
  return difference('the answer to the draft request is no draft', 'a draft has pubkey and message', reason, LOST_TODO);
}

/** Describes the draft. Throws if the signer would refuse the draft, or if its lifetime differs from the profile's. */
function draftWords(message: string, venue: Config['venue'], wallet: string, venueNowMs: number) {
  const { profile, allowBlindSigning } = venue;
  const shape = shapeText(message, profile, wallet);
  const judged = judgeMessage(message, signingRules(profile, allowBlindSigning), wallet);
  if (!judged.ok) {
    const todo = 'Nothing was signed. Change your copy of the profile only if the venue confirms the change.';
    const came = `${judged.reason}; ${shape}`;
    throw difference('our signer would refuse the draft', signersDue(profile, wallet), came, todo, message);
  }
  const { draft } = judged;
  if (draft === null) return `an unreadable draft; ${shape}`;
  const leftS = draft.expires - Math.floor(venueNowMs / 1000);
  // The venue rounds times to whole seconds, and transmission takes time.
  if (Math.abs(leftS - profile.draft_lifetime_s) > 3) {
    const todo = `Write draft_lifetime_s: ${leftS} into your copy of the profile, if the venue documents it.`;
    const due = `draft_lifetime_s: ${profile.draft_lifetime_s}`;
    throw difference('the lifetime of the draft is not the profile’s', due, `${leftS} s`, todo, message);
  }
  const { action, ...terms } = draft.terms;
  // All numbers among the order's terms are in Micros.
  const format = (value: unknown) => (typeof value === 'number' ? formatDecimal(value as Micros) : value);
  const words = Object.entries(terms).map(([name, value]) => `${name} ${format(value)}`);
  const asked = `${draft.serviceName} asks to ${action} (${words.join(', ')}) in market ${draft.marketConditionId}`;
  return `${asked}, draft ${draft.draftPubkey}, until ${draft.expires} (Unix seconds); ${shape}`;
}

function shapeText(message: string, { draft_message }: VenueProfile, wallet: string): string {
  if (draft_message !== 'solana_tx') return 'our signature over the text is the draft’s only signature';
  const read = readTransaction(message);
  if (!read.ok) return read.problem;
  const { signers, feePayer, instructions } = read.transaction;
  const nameAccount = (key: string) => (key === wallet ? 'our wallet' : key);
  const programs = instructions.map(({ program }) => nameProgram(program) ?? program);
  const signed = `signers ${signers.map(nameAccount).join(' and ')}; the fee is paid by ${nameAccount(feePayer)}`;
  return `${signed}; programs ${programs.join(', ')}`;
}

function signersDue({ draft_message, draft_cosigners, solana_programs = [] }: VenueProfile, wallet: string): string {
  if (draft_message !== 'solana_tx') return `draft_message: ${draft_message}`;
  return [
    `signers ${[wallet, ...(draft_cosigners?.keys ?? [])].join(' and ')}`,
    `the fee is paid by ${draft_cosigners?.fee_payer ?? 'our wallet'}`,
    `programs ${['Memo', ...solana_programs].join(', ')}`,
  ].join('; ');
}
