/** The exchange and the plain model side by side: every call goes to both, and both answers must be equal. */

import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { REFUSED_BALANCE, REFUSED_GRID, REFUSED_MARKET, type Result } from '../../../src/exchange/core/contract.js';
import { type Command, ExchangeCore } from '../../../src/exchange/core/core.js';
import { memoryArchive } from '../../../src/exchange/core/records/archive.js';
import { detailRow } from '../../../src/exchange/core/records/market-rows.js';
import { wallet } from '../core/venue.js';
import { type Call, type Caller, type Grid, MARKETS, type Trouble } from './calls.js';
import { CROWD, IDS, MAKER, openWorld, settings, WALLETS } from './opening.js';
import { draftConversion, draftRedeem, submitConversion, submitRedeem } from './plain-conversions.js';
import { draftCancel, draftOrder, placeInternal, submitCancel, submitOrder, withdraw } from './plain-orders.js';
import * as rows from './plain-rows.js';
import {
  isSettled,
  isUnfinished,
  mayMove,
  ONE,
  type PlainConversion,
  type PlainOrder,
  type PlainRedeem,
  PlainState,
} from './plain-state.js';
import { conversionText, orderRequest, type PlainSize, sizeOf } from './sizes.js';

const START_MS = 1_700_000_000_000;
const REFUSALS: Readonly<Record<string, number>> = {
  market: REFUSED_MARKET,
  grid: REFUSED_GRID,
  balance: REFUSED_BALANCE,
};

type Submitted = Extract<Call, { do: 'submit' }>;

export class Pair {
  readonly #archive = memoryArchive();
  core = new ExchangeCore(settings, undefined, this.#archive);
  readonly plain: PlainState;
  readonly journal: Command[] = [];
  /** Accounts 1 to 3 have wallets, 4 has unlimited funds, 5 is internal as well. */
  readonly accounts = [0, ...WALLETS, CROWD, MAKER] as const;
  readonly #names = new Set<string>();
  readonly #handles: { readonly handle: number; readonly order: PlainOrder }[] = [];
  readonly #seen: (what: string) => void;
  #nowMs = START_MS;

  constructor(grids: readonly [Grid, Grid], seen: (what: string) => void) {
    this.#seen = seen;
    this.plain = new PlainState(seen);
    this.plain.pass(START_MS);
    openWorld((method, ...args) => this.#do(method, ...args), this.plain, grids);
    for (const account of WALLETS)
      for (const market of [MARKETS.first, MARKETS.second]) this.#giveSets(account, market, 12 - 4 * market);
  }

  #giveSets(account: number, market: number, units: number): void {
    this.#convert('split', account, market, { text: String(units), micros: units * ONE });
    this.run({ do: 'submit', what: 'split', pick: 1, by: 'owner', valid: true });
    this.run({ do: 'wait', ms: 400 });
  }

  #do(method: Command[1], ...args: readonly unknown[]): unknown {
    const command: Command = [this.#nowMs, method, args];
    this.journal.push(command);
    this.plain.pass(this.#nowMs);
    return this.core.apply(command);
  }

  run(call: Call): void {
    switch (call.do) {
      case 'order':
        return this.#draftOrder(call);
      case 'cancel':
        return this.#cancel(call.pick, call.by);
      case 'submit':
        return this.#submit(call);
      case 'merge':
      case 'split': {
        const account = this.#wallet(call.by);
        const { funds, yes, no } = this.#means(account, call.market);
        const all = call.do === 'split' ? funds : Math.min(yes, no);
        const underWay = this.#underWay(call.do, account, call.market);
        const size = conversionText(call, this.#rules(call.market)?.lot ?? ONE, all, underWay);
        return this.#convert(call.do, account, call.market, size);
      }
      case 'redeem':
        return this.#redeem(this.#wallet(call.by), call.market);
      case 'deposit':
        return this.#deposit(this.#wallet(call.by), call.funds);
      case 'wait':
        this.#nowMs += call.ms;
        this.#do('advance');
        return;
      case 'resolve':
        return this.#resolve(call.market, call.outcome);
      case 'state':
        return this.#setState(call.market, call.state);
      case 'while':
        return this.#while(call.trouble, call.market, call.calls);
      case 'internal':
        return this.#internal(call);
      case 'withdraw':
        return this.#withdraw(call.pick);
      case 'restart':
        this.core = new ExchangeCore(settings, JSON.parse(JSON.stringify(this.core.snapshot())), this.#archive);
        this.#seen('restart');
    }
  }

  #wallet(by: number): number {
    return WALLETS[by % WALLETS.length] ?? 1;
  }

  #id = (market: number): string => IDS[market] ?? 'nowhere';
  #known = (market: number): number | null => (market < MARKETS.unknown ? market : null);
  #rules = (market: number) => (this.#known(market) === null ? null : this.plain.market(market).rules);

  /** Available funds and shares of an account. */
  #means(account: number, market: number): { readonly funds: number; readonly yes: number; readonly no: number } {
    this.plain.pass(this.#nowMs);
    const shares = (isYes: boolean) => this.plain.availableShares(account, market, isYes);
    return { funds: this.plain.availableFunds(account), yes: shares(true), no: shares(false) };
  }

  /** Amount of the unfinished conversion. */
  #underWay(kind: PlainConversion['kind'], account: number, market: number): number | null {
    const isIt = (record: PlainConversion) => record.account === account && record.market === market;
    const all = this.plain.conversions.filter((record) => record.kind === kind && isIt(record));
    return all.find(isUnfinished)?.amount ?? null;
  }

  /** Both return the same error and field, or the real answer equals the row of the plain record. */
  #same<R extends object>(what: string, real: unknown, plain: R | string, row: (record: R) => unknown): void {
    // The answer of a mutator with a Result; the type of `apply` covers all mutators.
    const result = real as Result<unknown>;
    const heard = result.ok ? result.value : refusalText(result);
    const expected = typeof plain === 'string' ? plain : row(plain);
    if (!isDeepStrictEqual(heard, expected)) expect({ [what]: heard }).toEqual({ [what]: expected });
    this.#seen(`${what}: ${typeof plain === 'string' ? plain : 'ok'}`);
  }

  /** Gives a new draft the exchange's pubkey, which must be new. */
  #sameDraft<R extends { pubkey: string }>(what: string, real: unknown, plain: R | string, text: (of: R) => string) {
    if (typeof plain !== 'string' && plain.pubkey === '') {
      plain.pubkey = pubkeyOf(real);
      expect(this.#names.has(plain.pubkey)).toBe(false);
      this.#names.add(plain.pubkey);
    }
    this.#same(what, real, plain, (record) => ({ pubkey: record.pubkey, message: text(record) }));
  }

  #draftOrder(call: Extract<Call, { do: 'order' }>): void {
    const account = this.#wallet(call.by);
    const { funds, yes, no } = this.#means(account, call.market);
    const request = orderRequest(call, this.#rules(call.market), { funds, shares: call.isYes ? yes : no });
    const real = this.#do('orders.draft', account, {
      market_condition_id: this.#id(call.market),
      is_yes: call.isYes,
      side: call.buys ? 'buy' : 'sell',
      order_type: call.isLimit ? 'limit' : 'market',
      ...request,
    });
    const { isYes, buys, isLimit } = call;
    const wanted = { market: this.#known(call.market), isYes, buys, isLimit, ...request };
    const plain = draftOrder(this.plain, account, wanted);
    this.#sameDraft('order', real, plain, (order) => rows.orderText(this.plain, order));
  }

  #cancel(pick: number, by: Caller): void {
    const all = this.plain.orders.filter((order) => order.pubkey !== '');
    const found = this.#pick(all, (order) => order.place !== null, pick, by);
    const real = this.#do('orders.draftCancel', this.#caller(found, by), found?.pubkey ?? 'none');
    const plain = draftCancel(this.plain, this.#caller(found, by), found);
    this.#sameDraft('cancel', real, plain, (order) => rows.cancelText(this.plain, order));
  }

  /** The newest but `pick` of the records that match; sometimes of all, so that finished ones are requested as well. */
  #pick<R>(all: readonly R[], suits: (record: R) => boolean, pick: number, by: Caller): R | null {
    if (by === 'nobody') return null;
    const suited = all.filter(suits);
    const from = suited.length === 0 || pick % 10 === 0 ? all : suited;
    return from[from.length - 1 - (pick % Math.max(1, from.length))] ?? null;
  }

  #caller(record: { readonly account: number } | null, by: Caller): number {
    const owner = record?.account ?? 1;
    return by === 'stranger' ? (owner % WALLETS.length) + 1 : owner;
  }

  #submit(call: Submitted): void {
    const { what, pick, by, valid } = call;
    const label = `submit ${what}`;
    if (what === 'order' || what === 'cancel') {
      const suits = (order: PlainOrder) =>
        what === 'order' ? order.status === 'waiting_to_sign' : order.cancel !== null && !order.cancel.submitted;
      const all = this.plain.orders.filter((order) => order.pubkey !== '');
      const found = this.#pick(all, suits, pick, by);
      const account = this.#caller(found, by);
      const method = what === 'order' ? 'orders.submit' : 'orders.submitCancel';
      const real = this.#do(method, account, found?.pubkey ?? 'none', valid);
      const plain = (what === 'order' ? submitOrder : submitCancel)(this.plain, account, found, valid);
      this.#same(label, real, plain, (order) => rows.orderRow(this.plain, order));
    } else if (what === 'redeem') this.#submitRedeem(call);
    else this.#submitConversion(what, call);
  }

  #submitConversion(kind: PlainConversion['kind'], { pick, by, valid }: Submitted): void {
    const all = this.plain.conversions.filter((record) => record.kind === kind);
    const found = this.#pick(all, (record) => record.state === 'waiting_to_sign', pick, by);
    const account = this.#caller(found, by);
    const real = this.#do('conversions.submit', kind, account, found?.pubkey ?? 'none', valid);
    const plain = submitConversion(this.plain, account, found, valid);
    this.#same(`submit ${kind}`, real, plain, (record) => rows.conversionRow(this.plain, record));
  }

  #submitRedeem({ pick, by, valid }: Submitted): void {
    const waits = (record: PlainRedeem) => record.state === 'waiting_to_sign';
    const found = this.#pick(this.plain.redeems, waits, pick, by);
    const account = this.#caller(found, by);
    const real = this.#do('redeems.submit', account, found?.pubkey ?? 'none', valid);
    const plain = submitRedeem(this.plain, account, found, valid);
    this.#same('submit redeem', real, plain, (record) => rows.redeemRow(this.plain, record));
  }

  #convert(kind: PlainConversion['kind'], account: number, market: number, size: PlainSize): void {
    const real = this.#do('conversions.draft', kind, account, this.#id(market), size.text);
    const plain = draftConversion(this.plain, kind, account, this.#known(market), size.micros);
    this.#sameDraft(kind, real, plain, (record) => rows.conversionText(this.plain, record));
  }

  #redeem(account: number, market: number): void {
    const real = this.#do('redeems.draft', account, this.#id(market));
    const plain = draftRedeem(this.plain, account, this.#known(market));
    this.#sameDraft('redeem', real, plain, (record) => rows.redeemText(this.plain, record));
  }

  #deposit(account: number, funds: number): void {
    const own = this.plain.account(account);
    const real = this.#do('identity.deposit', own.wallet, funds);
    if (funds > 0) {
      own.funds += funds;
      this.plain.deposited += funds;
    }
    this.#same('deposit', real, funds > 0 ? own : 'invalid_request_params funds', () => this.#fundsRow(account));
  }

  #fundsRow(account: number): object {
    const { funds, custodial } = this.plain.account(account);
    const locked = this.plain.lockedFunds(account);
    const texts = { total: rows.decimal(funds), locked: rows.decimal(locked) };
    return { funds: { ...texts, available: rows.decimal(funds - locked) }, custodial };
  }

  #resolve(market: number, outcome: boolean | null): void {
    const real = this.#do('markets.resolve', this.#id(market), outcome);
    this.#same('resolve', real, this.#plainResolve(market, outcome), () => this.#detail(market));
  }

  #detail = (market: number) => detailRow(this.core.catalog, this.core.catalog.market(market));

  #plainResolve(market: number, outcome: boolean | null): object | string {
    const found = this.plain.market(market);
    if (isSettled(found)) return 'invalid_request_params is_yes';
    found.outcome = outcome;
    this.#moveTo(market, outcome === null ? 'canceled' : 'resolved');
    return found;
  }

  /** A market that is not open has no resting orders. */
  #moveTo(market: number, state: string): void {
    this.plain.market(market).state = state;
    if (state !== 'open') for (const order of this.plain.resting(market)) withdraw(order);
  }

  #setState(market: number, state: string): void {
    const real = this.#do('markets.setState', this.#id(market), state);
    const plain = this.#plainSetState(market, state);
    this.#same('state', real, plain, () => this.#detail(market));
    const index = this.#known(market);
    if (index !== null) expect(this.core.catalog.market(index).state).toBe(this.plain.market(index).state);
  }

  #plainSetState(market: number, state: string): object | string {
    if (this.#known(market) === null) return 'not_found';
    const found = this.plain.market(market);
    if (state === 'resolved' || !mayMove(found.state, state)) return 'invalid_request_params state';
    this.#moveTo(market, state);
    return found;
  }

  #while(trouble: Trouble, market: number, calls: readonly Call[]): void {
    this.#setTrouble(trouble, market, true);
    for (const call of calls) this.run('market' in call ? { ...call, market } : call);
    this.#setTrouble(trouble, market, false);
  }

  #setTrouble(trouble: Trouble, market: number, on: boolean): void {
    const found = this.plain.market(market);
    switch (trouble) {
      case 'paused':
        this.#do('markets.setPaused', found.id, on);
        found.paused = on;
        return;
      case 'interrupted':
        return this.#setState(market, on ? 'interrupted' : 'open');
      case 'unbacked':
        this.#do('markets.setUnbacked', found.id, on);
        found.unbacked = on;
        return;
      case 'custodial':
        for (const account of WALLETS) {
          this.#do('identity.setCustodial', wallet(account), on);
          this.plain.account(account).custodial = on;
        }
        return;
      case 'no signing':
        this.#do('setSigningAvailable', !on);
        this.plain.signing = !on;
    }
  }

  #internal(call: Extract<Call, { do: 'internal' }>): void {
    const { market, bid, immediate } = call;
    if (this.#known(market) === null) return;
    const account = call.by === 0 ? CROWD : MAKER;
    const { price, amount } = sizeOf(call, this.#rules(market));
    const handle = this.#do('internal.place', account, market, bid ? 0 : 1, price, amount, immediate);
    const order = placeInternal(this.plain, account, market, bid, price, amount, immediate);
    const outcome = typeof handle === 'number' && handle > 0 ? 'rests' : handle;
    const rests = typeof order !== 'string' && order.place !== null;
    expect(outcome).toBe(typeof order === 'string' ? REFUSALS[order] : rests ? 'rests' : 0);
    if (typeof order === 'string') return this.#seen(`internal: ${order}`);
    expect(this.core.internal.lastFilled).toBe(order.filled);
    if (rests && typeof handle === 'number') this.#handles.push({ handle, order });
    this.#seen(`internal: ${rests ? 'rests' : 'gone'}`);
  }

  #withdraw(pick: number): void {
    const chosen = this.#handles[this.#handles.length - 1 - (pick % Math.max(1, this.#handles.length))];
    if (chosen === undefined) return;
    const rests = chosen.order.place !== null;
    expect(this.#do('internal.cancel', chosen.handle)).toBe(rests);
    if (rests) withdraw(chosen.order);
    this.#seen(`withdraw: ${rests}`);
  }
}

function pubkeyOf(real: unknown): string {
  // See #same; an error has no pubkey and fails in the next comparison.
  const result = real as Result<{ readonly pubkey: string }>;
  return result.ok ? result.value.pubkey : 'refused';
}

function refusalText(result: Extract<Result<unknown>, { ok: false }>): string {
  const fields = (result.fault.details ?? []).flatMap((row) => Object.keys(row));
  return [result.fault.slug, ...fields].join(' ');
}
