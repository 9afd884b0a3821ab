import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Micros } from '../../../src/base/micros.js';
import { Random } from '../../../src/base/random.js';
import { type Command, MUTATORS, type Mutator } from '../../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { MARGIN_MUTATORS } from '../../../src/exchange/core/margin/contract.js';
import { MemoryArchive } from '../../../src/exchange/core/memory-archive.js';
import type { Snapshot } from '../../../src/exchange/core/parts.js';
import { copyOf, rowsOf } from './archives.js';
import { m, settings, wallet } from './venue.js';

const hash = (core: ExchangeCore): string => createHash('sha256').update(JSON.stringify(core.snapshot())).digest('hex');
const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** Draws commands that mostly make sense: real pubkeys, markets and handles of a running exchange. */
class Drawer {
  readonly archive = new MemoryArchive();
  readonly core = new ExchangeCore(settings, undefined, this.archive);
  readonly random: Random;
  readonly journal: Command[] = [];
  #nowMs = 1_700_000_000_000;
  #handles: number[] = [];
  #nonce = 0;

  constructor(seed: number) {
    this.random = Random.seeded(seed, 'replay');
    for (const precision of [2, 3]) {
      const rates = { maker_fee_rate: m('0.003'), taker_fee_rate: m('0.01') };
      this.#do('createMarket', {
        config: { kind: 'orderbook', price_precision: precision, amount_precision: 2 * precision, ...rates },
        event: 'both',
      });
    }
    for (let i = 1; i <= 4; i++) this.#key(i);
    this.#do('openInternalAccount', 'crowd', { unlimited: true });
    this.#do('openInternalAccount', 'maker', { unlimited: false, funds: m('2000') });
  }

  /** Runs a command here, as JSON would bring it, and writes it down. */
  #do(method: Mutator, ...args: readonly unknown[]): unknown {
    const command = throughJson([this.#nowMs, method, args] as const);
    this.journal.push(command);
    return this.core.apply(command);
  }

  #key(number: number): void {
    this.#nonce += 1;
    const nonce = `n${this.#nonce}`;
    this.#do('createChallenge', wallet(number), nonce);
    const message = `Create SVC API credential | Wallet: ${wallet(number)} | Nonce: ${nonce}`;
    const valid = this.random.chance(0.9) || this.#nonce <= 4;
    this.#do('createKey', { wallet_address: wallet(number), message, nonce }, valid, `key${this.#nonce}`, 'secret');
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[this.random.below(from.length)];
  }

  step(): void {
    const { random } = this;
    if (random.chance(0.4)) this.#nowMs += random.below(random.chance(0.1) ? 40_000 : 300);
    const account = 1 + random.below(4);
    const market = random.below(this.core.marketCount);
    const id = this.core.marketFacts(market).conditionId;
    const valid = random.chance(0.9);
    const dice = random.uniform();
    if (dice < 0.2) this.#draftOrder(account, id);
    else if (dice < 0.4) this.#submit(account, 'submitOrder', this.core.orders(account, { limit: 3 }).rows, valid);
    else if (dice < 0.46) this.#cancel(account, valid);
    else if (dice < 0.62) this.#internal(market);
    else if (dice < 0.66) this.#do('cancelInternal', this.#pick(this.#handles) ?? 7);
    else if (dice < 0.8) this.#recorded(market);
    else if (dice < 0.86) this.#convert(account, id, valid);
    else if (dice < 0.9) this.#submit(account, 'submitSplit', this.core.splits(account, { limit: 2 }).rows, valid);
    else if (dice < 0.94) this.#submit(account, 'submitMerge', this.core.merges(account, { limit: 2 }).rows, valid);
    else if (dice < 0.955) this.#redeem(account, valid);
    else if (dice < 0.97) this.#submit(account, 'submitRedeem', this.core.redeems(account, { limit: 2 }).rows, valid);
    else this.#control(market, id, account);
  }

  #submit(
    account: number,
    method: Mutator,
    rows: readonly { pubkey?: string | null | undefined }[],
    valid: boolean,
  ): void {
    this.#do(method, account, this.#pick(rows)?.pubkey ?? 'nobody', valid);
  }

  #draftOrder(account: number, id: string): void {
    const { random } = this;
    const side = random.chance(0.7) ? 'buy' : 'sell';
    const order = { market_condition_id: id, is_yes: random.chance(0.5), side };
    const amount = (1 + random.below(40)) * 1_000_000 + (random.chance(0.3) ? random.below(100) * 10_000 : 0);
    if (random.chance(0.8)) {
      const price = (40 + random.below(21)) * 10_000;
      this.#do('draftOrder', account, { ...order, order_type: 'limit', price, amount });
    } else if (side === 'buy') this.#do('draftOrder', account, { ...order, order_type: 'market', funds: amount });
    else this.#do('draftOrder', account, { ...order, order_type: 'market', amount });
  }

  #convert(account: number, id: string, valid: boolean): void {
    const { random, core } = this;
    const merges = random.chance(0.5);
    this.#do(merges ? 'draftMerge' : 'draftSplit', account, id, String(1 + random.below(merges ? 10 : 60)));
    if (random.chance(0.4)) return;
    const { rows } = merges ? core.merges(account, { limit: 1 }) : core.splits(account, { limit: 1 });
    this.#submit(account, merges ? 'submitMerge' : 'submitSplit', rows, valid);
  }

  #redeem(account: number, valid: boolean): void {
    const all = Array.from({ length: this.core.marketCount }, (_, index) => this.core.marketFacts(index));
    const settled = all.filter(({ state }) => state === 'resolved' || state === 'canceled');
    this.#do('draftRedeem', account, this.#pick(settled)?.conditionId ?? all[0]?.conditionId);
    if (this.random.chance(0.6))
      this.#submit(account, 'submitRedeem', this.core.redeems(account, { limit: 1 }).rows, valid);
  }

  #cancel(account: number, valid: boolean): void {
    const pubkey = this.#pick(
      this.core.orders(account, { limit: 5, statuses: ['open', 'partially_filled'] }).rows,
    )?.pubkey;
    this.#do('draftCancel', account, pubkey ?? 'nobody');
    if (this.random.chance(0.8)) this.#do('submitCancel', account, pubkey ?? 'nobody', valid);
  }

  #internal(market: number): void {
    const { random } = this;
    const [price, amount] = [(40 + random.below(21)) * 10_000, (1 + random.below(30)) * 1_000_000];
    const handle = this.#do(
      'placeInternal',
      5 + random.below(2),
      market,
      random.below(2),
      price,
      amount,
      random.chance(0.3),
    );
    if (typeof handle === 'number' && handle > 0) this.#handles.push(handle);
  }

  #recorded(market: number): void {
    const { random } = this;
    const [side, price] = [random.below(2), (40 + random.below(21)) * 10_000];
    const amount = random.below(50) * 1_000_000 + random.below(3);
    if (random.chance(0.6)) this.#do('recordedLevel', market, side, price, amount);
    else if (random.chance(0.95)) this.#do('recordedTrade', market, side, price, amount);
    else this.#do('recordedClear', market);
  }

  #control(market: number, id: string, account: number): void {
    const { random } = this;
    const dice = random.below(12);
    if (dice === 0) this.#do('setMarketPaused', id, random.chance(0.3));
    else if (dice === 1) this.#do('setUnbackedCollateral', id, random.chance(0.3));
    else if (dice === 2) this.#do('setMarketState', id, random.chance(0.7) ? 'open' : 'interrupted');
    else if (dice === 3) this.#do('setSigningAvailable', random.chance(0.8));
    else if (dice === 4) this.#do('deposit', wallet(account), 1 + random.below(1_000_000));
    else if (dice === 5) this.#do('setCustodial', wallet(account), random.chance(0.2));
    else if (dice === 6) this.#key(1 + random.below(5));
    else if (dice === 7) this.#do('revokeKey', account, `key${1 + random.below(this.#nonce)}`);
    else if (dice < 11) {
      this.#do('resolveMarket', id, [true, false, null][random.below(3)] ?? null);
      this.#do('createMarket', { config: { kind: 'orderbook', amount_precision: market % 6 }, event: 'both' });
    } else this.#do('advance');
  }
}

/** Currency, shares and fees: nothing is made or lost. */
function checkConservation(core: ExchangeCore): void {
  const { funds } = core.snapshot() as Snapshot;
  const accounts = Array.from({ length: funds.count }, (_, slot) => slot);
  const markets = Array.from({ length: core.marketCount }, (_, index) => core.marketFacts(index));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const currency = sum(accounts.map((slot) => core.fundsOf(slot).total));
  const collateral = sum(markets.map((market) => market.setsOutstanding));
  expect(currency + collateral + core.feesCollected).toBe(core.fundsDeposited);
  for (const market of markets) {
    const holdings = accounts.map((slot) => core.holdingOf(slot, market.index));
    const [yes, no] = [sum(holdings.map((held) => held.yes)), sum(holdings.map((held) => held.no))];
    if (market.state === 'resolved') expect(market.setsOutstanding).toBe(market.outcomeIsYes === true ? yes : no);
    else if (market.state === 'canceled') expect(2 * market.setsOutstanding).toBeGreaterThanOrEqual(yes + no);
    else expect([yes, no]).toEqual([market.setsOutstanding, market.setsOutstanding]);
  }
}

/** Every lock belongs to an open order, draft or conversion, and no more is locked than is there. */
function checkLocks(core: ExchangeCore): void {
  const { funds, resting, orders, conversions, redeems } = core.snapshot() as Snapshot;
  const locks = new Map<string, number>();
  const add = (key: string, amount: number) => locks.set(key, (locks.get(key) ?? 0) + amount);
  const addLeg = (account: number, market: number, leg: number, inFunds: number, inShares: number) => {
    if (leg % 2 === 0) add(`${account}`, inFunds);
    else add(`${account}/${market}/${leg === 1 ? 'yes' : 'no'}`, inShares);
  };
  for (const [market, values] of resting.entries()) {
    for (let at = 0; at < values.length; at += 8) {
      const [, , account = 0, , leg = 0, remaining = 0, locked = 0] = values.slice(at, at + 8);
      addLeg(account, market, leg, locked, remaining);
    }
  }
  for (const order of orders.records) addLeg(order.account, order.market, order.leg, order.draftLock, order.draftLock);
  for (const { state, kind, account, market, amount } of [...conversions.merges, ...conversions.splits]) {
    if (state !== 'waiting_to_sign' && state !== 'in_process') continue;
    for (const key of kind === 'split' ? [`${account}`] : [`${account}/${market}/yes`, `${account}/${market}/no`])
      add(key, amount);
  }
  for (const { state, account, market, yes, no } of redeems.records) {
    if (state !== 'waiting_to_sign') continue;
    add(`${account}/${market}/yes`, yes);
    add(`${account}/${market}/no`, no);
  }
  const unlimited = new Set(funds.unlimited.filter((_, at) => at % 2 === 0));
  for (let slot = 0; slot < funds.count; slot++) {
    const { total, locked, available } = core.fundsOf(slot);
    expect(locked).toBe(locks.get(`${slot}`) ?? 0);
    if (!unlimited.has(slot)) expect(Math.min(total, available)).toBeGreaterThanOrEqual(0);
    for (let market = 0; market < core.marketCount; market++) {
      const held = core.holdingOf(slot, market);
      expect(held.yesLocked).toBe(locks.get(`${slot}/${market}/yes`) ?? 0);
      expect(held.noLocked).toBe(locks.get(`${slot}/${market}/no`) ?? 0);
      expect(Math.min(held.yes - held.yesLocked, held.no - held.noLocked)).toBeGreaterThanOrEqual(0);
    }
  }
}

describe('the exchange under random commands', () => {
  it('creates and loses nothing, and every lock has its reason, after each command', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const drawer = new Drawer(seed);
        for (let step = 0; step < 120; step++) {
          drawer.step();
          checkConservation(drawer.core);
          checkLocks(drawer.core);
        }
      }),
      { numRuns: 12 },
    );
  });

  it('is the same after a snapshot and the journal since, and after the journal alone', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(400), (seed, cut) => {
        const drawer = new Drawer(seed);
        for (let step = 0; step < cut; step++) drawer.step();
        const snapshot = throughJson(drawer.core.snapshot());
        const before = hash(drawer.core);
        const done = drawer.journal.length;
        for (let step = 0; step < 400 - cut; step++) drawer.step();
        // As after a crash: the archive knows more than the snapshot.
        const archive = copyOf(drawer.archive);
        const copy = ExchangeCore.restored(settings, snapshot, archive);
        expect(hash(copy)).toBe(before);
        for (const command of drawer.journal.slice(done)) copy.apply(command);
        const anew = new MemoryArchive();
        const core = new ExchangeCore(settings, undefined, anew);
        for (const command of drawer.journal) core.apply(command);
        expect([hash(copy), hash(core)]).toEqual([hash(drawer.core), hash(drawer.core)]);
        expect(rowsOf(drawer.archive).length).toBeGreaterThan(0);
        expect([rowsOf(archive), rowsOf(anew)]).toEqual([rowsOf(drawer.archive), rowsOf(drawer.archive)]);
        expect(copy.bookRow(0, true, 100)).toEqual(drawer.core.bookRow(0, true, 100));
      }),
      { numRuns: 25 },
    );
  });

  it('draws every mutator', () => {
    const drawn = new Set<string>();
    for (let seed = 0; seed < 6; seed++) {
      const drawer = new Drawer(seed);
      for (let step = 0; step < 400; step++) drawer.step();
      for (const [, method] of drawer.journal) drawn.add(method);
    }
    // Those of margin are drawn in margin/replay.test.ts.
    const ours = MUTATORS.filter((method) => !MARGIN_MUTATORS.some((other) => other === method));
    expect([...drawn].sort()).toEqual([...ours].sort());
  });

  it('reads without changing anything', () => {
    const drawer = new Drawer(3);
    for (let step = 0; step < 300; step++) drawer.step();
    const { core } = drawer;
    const before = hash(core);
    for (let account = 0; account < 7; account++) {
      core.orders(account, { limit: 100 });
      core.ownTrades(account, { limit: 100 });
      core.assets(account, { limit: 200 });
      core.fundsOf(account);
      core.holdingOf(account, 0);
    }
    core.bookRow(0, false, 100);
    core.statsRow(0);
    core.priceRow(0, true);
    core.publicTrades(0, { limit: 100 });
    core.levelAmount(0, 0, 400_000 as Micros);
    expect(hash(core)).toBe(before);
  });

  it('keeps the names of its trades under settings with another seed', () => {
    const drawer = new Drawer(5);
    for (let step = 0; step < 300; step++) drawer.step();
    const copy = ExchangeCore.restored({ ...settings, seed: 99 }, throughJson(drawer.core.snapshot()), drawer.archive);
    const trades = [1, 2, 3, 4].flatMap((account) => drawer.core.ownTrades(account, { limit: 100 }).rows);
    expect(trades.length).toBeGreaterThan(5);
    expect([1, 2, 3, 4].flatMap((account) => copy.ownTrades(account, { limit: 100 }).rows)).toEqual(trades);
  });

  it('refuses what is no snapshot of this version', () => {
    for (const nonsense of [null, 7, {}, { version: 1 }, { version: '2' }]) {
      expect(() => ExchangeCore.restored(settings, nonsense)).toThrow(RangeError);
    }
  });
});
