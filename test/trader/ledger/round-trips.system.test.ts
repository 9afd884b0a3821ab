/** Without fees, the choice of YES or NO orders and the time of splits and merges do not change the equity at all. */

import { expect, it } from 'vitest';
import { complement, minMicros, ZERO } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';
import { openMemoryLedger } from '../../../src/trader/ledger/ledger.js';
import { conversionOf, fillOf, intentOf, m, ONE, orderOf } from './books.js';

const MARKET = 'a';
const CAPITAL = 1_000_000 * ONE;

/** Way in which bids and asks are executed: in one outcome, by buying both outcomes, or at random. */
type Way = 'YES only' | 'NO only' | 'both bought' | 'as it comes';

/** Bids and asks by turns, at YES prices. */
function wishes(count: number, seed: number) {
  const random = Random.fromSeed(seed, 'wishes');
  const one = (isBid: boolean) => ({
    isBid,
    price: 10_000 * (1 + random.below(99)),
    amount: 10_000 * (1 + random.below(5_000)),
  });
  return Array.from({ length: count }, () => [one(true), one(false)]).flat();
}

/** Returns the equity at a YES price of 0.37, and YES minus NO, after all orders. */
function played(way: Way, all: ReturnType<typeof wishes>, seed: number) {
  const random = Random.fromSeed(seed, way);
  const ledger = openMemoryLedger();
  const convert = (kind: 'merge' | 'split', sets: number, at: number) => {
    const id = `${kind}-${at}`;
    const cost = { yesCostMicros: kind === 'merge' ? null : m(Math.floor(sets / 3)), seenMs: at };
    ledger.addIntent(intentOf({ id, kind }));
    ledger.bookConversion(conversionOf(kind, kind === 'merge' ? sets : -sets, { pubkey: id, intentId: id, ...cost }));
  };
  ledger.transaction(() => {
    ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
    ledger.setCapital(m(CAPITAL), 1);
    ledger.addIntent(intentOf({ id: 'order' }));
    ledger.addOrder(orderOf({ pubkey: 'order', intentId: 'order' }));
    convert('split', 100_000 * ONE, 0);
    for (const [at, { isBid, price, amount }] of all.entries()) {
      const buys =
        way === 'both bought' || (way === 'as it comes' ? random.chance(0.5) : isBid === (way === 'YES only'));
      const isYes = buys === isBid;
      const priceMicros = isYes ? m(price) : complement(m(price));
      const side = buys ? 'buy' : 'sell';
      const trade = { pubkey: `t-${at}`, orderPubkey: 'order', marketConditionId: MARKET, feeMicros: ZERO };
      ledger.bookFill(fillOf({ ...trade, isYes, side, priceMicros, amountMicros: m(amount), seenMs: at + 1 }));
      if (way === 'as it comes' && random.chance(0.1)) convert(random.chance(0.5) ? 'merge' : 'split', ONE, at + 1);
    }
  });
  expect(ledger.verify()).toEqual([]);
  const [yes, no] = [ledger.shares(MARKET, true), ledger.shares(MARKET, false)];
  const pairs = minMicros(yes, no);
  const alone = Math.floor(((yes - pairs) * 37 + (no - pairs) * 63) / 100);
  const { totalMicros } = ledger.pnl(new Map([[MARKET, m(370_000)]]));
  return { equity: ledger.cash() + pairs + alone, net: yes - no, total: totalMicros };
}

it('ends with the same position and the same equity, in one outcome, by buying both, or as it comes', () => {
  for (const seed of [1, 2, 3]) {
    const all = wishes(300, seed);
    const { equity, net } = played('YES only', all, seed);
    for (const way of ['NO only', 'both bought', 'as it comes'] as const)
      expect(played(way, all, seed), way).toMatchObject({ equity, net });
  }
});

it('and after ten thousand round trips the ledger still adds up, to what a single sum makes of them', () => {
  const all = wishes(10_000, 7);
  const { equity, net } = played('as it comes', all, 7);
  const sum = all.reduce(
    ({ cash, held }, { isBid, price, amount }) => {
      const [paid, sign] = [Number((BigInt(price) * BigInt(amount)) / BigInt(ONE)), isBid ? 1 : -1];
      return { cash: cash - sign * paid, held: held + sign * amount };
    },
    { cash: CAPITAL, held: 0 },
  );
  expect(net).toBe(sum.held);
  const worth = sum.held >= 0 ? Math.floor(sum.held * 0.37) : sum.held + Math.floor(-sum.held * 0.63);
  expect(Math.abs(equity - (sum.cash + worth))).toBeLessThanOrEqual(1);
});
