import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASK, BID } from '../../../../src/exchange/core/contract.js';
import type { Micros } from '../../../../src/shared/base/micros.js';
import { Random } from '../../../../src/shared/base/random.js';
import { times } from '../../../support/effort.js';
import { PlainExchange, type PlainRules } from '../plain-exchange.js';
import { m, Venue } from '../venue.js';

/** The fast exchange and the plain one, given the same commands. */
class Pair {
  readonly venue: Venue;
  readonly plain: PlainExchange;
  readonly accounts: number[] = [];
  readonly #handles = new Map<number, number>();
  #id = 0;
  #compared = 0;

  constructor(pricePrecision: number, amountPrecision: number, makerRate: string, takerRate: string) {
    const config = { price_precision: pricePrecision, amount_precision: amountPrecision };
    const rates = { maker_fee_rate: m(makerRate), taker_fee_rate: m(takerRate) };
    this.venue = new Venue({ ...config, ...rates, min_price: m('0.01'), max_price: m('0.99') });
    const rules: PlainRules = {
      tick: 10n ** BigInt(6 - pricePrecision),
      lot: 10n ** BigInt(6 - amountPrecision),
      least: 10_000n,
      most: 990_000n,
      makerRate: BigInt(m(makerRate)),
      takerRate: BigInt(m(takerRate)),
    };
    this.plain = new PlainExchange(rules);
  }

  open(unlimited: boolean, funds: string): void {
    const name = `account ${this.accounts.length}`;
    this.accounts.push(this.venue.core.openInternalAccount(0, name, { unlimited, funds: m(funds) }));
    this.plain.open(unlimited, BigInt(m(funds)));
  }

  place(account: number, bid: boolean, price: number, amount: number, immediate: boolean): void {
    this.#id += 1;
    const { core } = this.venue;
    const slot = this.accounts[account] ?? 0;
    const handle = core.placeInternal(0, slot, 0, bid ? BID : ASK, price as Micros, amount as Micros, immediate);
    const outcome = this.plain.place(this.#id, account, bid, BigInt(price), BigInt(amount), immediate);
    const kind = handle > 0 ? 'rests' : handle === 0 ? 'gone' : 'refused';
    if (kind !== outcome.kind || BigInt(core.lastInternalFilled) !== outcome.filled) {
      expect({ kind, filled: BigInt(core.lastInternalFilled) }).toEqual(outcome);
    }
    if (handle > 0) this.#handles.set(this.#id, handle);
  }

  /** Cancels the order that was placed as number `id`; it may have gone already. */
  cancel(id: number): void {
    const known = this.#handles.get(id);
    const did = known !== undefined && this.venue.core.cancelInternal(0, known);
    if (did !== this.plain.cancel(id)) expect(did).toBe(!did);
  }

  get placed(): number {
    return this.#id;
  }

  /** Every fill since the last comparison: its amount, its price and both fees. */
  #compareTrades(): void {
    const { core } = this.venue;
    expect(core.marketFacts(0).tradeCount).toBe(this.plain.trades.length);
    const fresh = this.plain.trades.slice(this.#compared).reverse();
    const seen = core
      .publicTrades(0, { limit: fresh.length })
      .rows.map((row) => [
        ...[row.amount, row.price, row.maker_fee ?? '', row.taker_fee ?? ''].map((text) => BigInt(m(text))),
        row.is_yes,
      ]);
    const wanted = fresh.map(({ amount, price, makerFee, takerFee, isYes }) => [
      ...[amount, isYes ? price : 1_000_000n - price, makerFee, takerFee],
      isYes,
    ]);
    if (!isDeepStrictEqual(seen, wanted)) expect(seen).toEqual(wanted);
    this.#compared = this.plain.trades.length;
  }

  compare(): void {
    const { core } = this.venue;
    const levels = (side: 'bid' | 'ask') =>
      core.bookRow(0, true, 1000)[side].map(({ price, total_amount }) => `${m(price)}:${m(total_amount)}`);
    expect(levels('bid')).toEqual(this.plain.levels(true));
    expect(levels('ask')).toEqual(this.plain.levels(false));
    expect(BigInt(core.feesCollected)).toBe(this.plain.fees);
    for (const [index, slot] of this.accounts.entries()) {
      const { total, locked } = core.readFunds(slot);
      const held = core.readHolding(slot, 0);
      const plain = this.plain.accounts[index];
      const seen = { total, locked, ...held };
      expect(seen).toEqual({
        total: Number(plain?.funds),
        locked: Number(this.plain.lockedFunds(index)),
        yes: Number(plain?.yes),
        yesLocked: Number(this.plain.lockedShares(index, true)),
        no: Number(plain?.no),
        noLocked: Number(this.plain.lockedShares(index, false)),
      });
    }
    this.#compareTrades();
  }
}

const grids = [
  { price: 2, amount: 2, maker: '0', taker: '0.01' },
  { price: 4, amount: 2, maker: '0.0025', taker: '0.0175' },
  // Prices times amounts that do not come out even: every rounding rule at work.
  { price: 6, amount: 6, maker: '0.01', taker: '0.005' },
] as const;

/** A million commands together; usually a tenth of them. */
const long = [
  { price: 4, amount: 2, maker: '0.001', taker: '0.01', steps: times(50_000, 500_000) },
  { price: 2, amount: 0, maker: '0', taker: '0', steps: times(25_000, 250_000) },
  { price: 5, amount: 6, maker: '0.003333', taker: '0.007', steps: times(25_000, 250_000) },
];

describe('the matching engine', () => {
  it.each(grids)('does what the plain exchange does, command by command (%o)', (grid) => {
    const tick = 10 ** (6 - grid.price);
    const lot = 10 ** (6 - grid.amount);
    const command = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          account: fc.nat(3),
          bid: fc.boolean(),
          price: fc.integer({ min: 45, max: 55 }).map((ticks) => Math.round(ticks * 10_000 + (ticks % 3) * tick)),
          amount: fc.oneof(
            fc.integer({ min: 1, max: 40 }).map((lots) => lots * lot),
            fc.integer({ min: 1, max: 40 }).map((shares) => shares * 1_000_000),
            fc.integer({ min: 1, max: 9_999_999 }).map((lots) => lots * lot),
          ),
          immediate: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ cancel: fc.nat(1000) }) },
      { weight: 1, arbitrary: fc.record({ account: fc.nat(3), price: fc.nat(1_100_000), amount: fc.nat(3_000_000) }) },
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 120 }), (commands) => {
        const pair = new Pair(grid.price, grid.amount, grid.maker, grid.taker);
        pair.open(true, '0');
        pair.open(false, '30');
        pair.open(false, '5000');
        pair.open(false, '100000');
        for (const command of commands) {
          if ('cancel' in command) pair.cancel(pair.placed === 0 ? 0 : 1 + (command.cancel % pair.placed));
          else if ('bid' in command)
            pair.place(command.account, command.bid, command.price, command.amount, command.immediate);
          else pair.place(command.account, true, command.price, command.amount, false);
        }
        pair.compare();
      }),
      { numRuns: times(60, 150) },
    );
  });

  it.each(long)('fills like the plain exchange over $steps commands ($price, $amount)', (grid) => {
    const tick = 10 ** (6 - grid.price);
    const lot = 10 ** (6 - grid.amount);
    const random = Random.fromSeed(20_261_121, `matching ${grid.price}`);
    const pair = new Pair(grid.price, grid.amount, grid.maker, grid.taker);
    pair.open(true, '0');
    for (let i = 0; i < 7; i++) pair.open(false, String(200 * (i + 1)));
    let resting: number[] = [];
    for (let step = 0; step < grid.steps; step++) {
      if (step % 200 === 0) resting = pair.plain.orders.map((order) => order.id);
      const dice = random.uniform();
      if (dice < 0.45 && pair.plain.orders.length > 60) {
        pair.cancel(resting[random.below(resting.length)] ?? 0);
      } else {
        const bid = random.chance(0.5);
        // Mostly passive around a middle that drifts, sometimes through the spread.
        const middle = 0.5 + 0.2 * Math.sin(step / 9_000);
        const away = dice > 0.9 ? -random.below(40) : 1 + random.below(60);
        const ticks = Math.round((middle * 1e6) / tick) + Math.ceil((bid ? -away : away) * Math.min(1, 500 / tick));
        const amount = Math.max(1, Math.round((random.below(4_000) * 10_000) / lot)) * lot;
        pair.place(random.below(8), bid, ticks * tick, amount, random.chance(0.1));
      }
      if (step % 2_000 === 0) pair.compare();
    }
    pair.compare();
    expect(pair.plain.trades.length).toBeGreaterThan(grid.steps / 10);
    expect(pair.plain.orders.length).toBeGreaterThan(20);
    for (const leg of ['BUY YES', 'SELL YES', 'BUY NO', 'SELL NO']) {
      expect([leg, (pair.plain.legs.get(leg) ?? 0) > grid.steps / 100]).toEqual([leg, true]);
    }
  });

  it('hears no old handle of a recycled slot', () => {
    const { core } = new Venue();
    const account = core.openInternalAccount(0, 'maker', { unlimited: true });
    const place = () => core.placeInternal(0, account, 0, BID, m('0.4'), m('1'), false);
    const first = place();
    expect(core.cancelInternal(0, first)).toBe(true);
    const second = place();
    expect(second).not.toBe(first);
    expect(core.cancelInternal(0, first)).toBe(false);
    expect(core.internalRemaining(second)).toBe(m('1'));
    for (const nonsense of [0, -1, 1, 5_000_000, 2 ** 52, 0.5, Number.NaN]) {
      if (nonsense !== first && nonsense !== second) expect(core.cancelInternal(0, nonsense)).toBe(false);
    }
  });
});
