import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../../../src/lab/backtest/run.js';
import type { Request } from '../../../../src/shared/protocol/seam.js';
import { decidePull, isFlat, isShort } from '../../../../src/trader/engine/control/complete-sets.js';
import { CoreSets, NO_CORE } from '../../../../src/trader/engine/own/account.js';
import type { QuotedOrder } from '../../../../src/trader/engine/quoting/changes.js';
import { QuoteSlot } from '../../../../src/trader/engine/quoting/quote-slot.js';
import type { MarketFacts } from '../../../../src/trader/market/view.js';
import { NO_QUOTES, type Quotes, type SetsWish } from '../../../../src/trader/strategy/contract.js';
import { USUAL_ECONOMICS } from '../../../../src/trader/strategy/economics.js';
import bands from '../../../../strategies/bands.js';
import { plan } from '../../../lab/backtest/plans.js';
import { ASK, BID, end, FIRST_MS, level, source } from '../../../lab/backtest/recordings.js';
import { limitsOf, m, ONE } from '../../risk/states.js';
import { strategyWith } from '../played-trader.js';

const shares = (n: number) => m(n * ONE);
const slotOf = (name: string, conditionId = 'a') =>
  new QuoteSlot(conditionId, {
    name,
    module: bands,
    params: {},
    markets: { ids: [conditionId], state: 'open', categories: [], max: 1 },
    quoteHours: null,
    risk: limitsOf(),
  });
const quoting = (sets?: SetsWish): Quotes => ({
  ...NO_QUOTES('it quotes'),
  fairMicros: m(500_000),
  ...(sets === undefined ? {} : { sets }),
});
const wish = (n: number, merge: SetsWish['merge'] = 'auto'): SetsWish => ({ coreSharesMicros: shares(n), merge });

function notes() {
  const kept = new Map<string, string>();
  let writes = 0;
  return {
    note: (key: string) => kept.get(key) ?? null,
    setNote: (key: string, value: string) => {
      writes += 1;
      kept.set(key, value);
    },
    count: () => writes,
  };
}

it('a wish holds while nothing is quoted and over a restart, and ends with quotes that have none', () => {
  const kept = notes();
  const slot = slotOf('maker');
  const sets = new CoreSets(kept);
  sets.take(slot, quoting(wish(50)));
  for (let look = 0; look < 5; look++) {
    sets.take(slot, NO_QUOTES('its book is old'));
    sets.take(slot, quoting(wish(50)));
  }
  expect([sets.of([slot]).sharesMicros, kept.count()]).toEqual([50 * ONE, 1]);
  const again = new CoreSets(kept);
  expect(again.of([slotOf('maker')])).toMatchObject({ sharesMicros: 50 * ONE, merges: true });
  again.take(slot, quoting());
  expect(new CoreSets(kept).of([slot])).toMatchObject({ sharesMicros: 0, merges: true, slot: null });
});

it('of two strategies the larger core holds, and the one that merges nothing; of a strategy that is gone, nothing does', () => {
  const sets = new CoreSets(notes());
  const [small, large, elsewhere] = [slotOf('small'), slotOf('large'), slotOf('large', 'b')];
  sets.take(small, quoting(wish(10, 'never')));
  sets.take(large, quoting(wish(30)));
  expect(sets.of([small, large])).toEqual({ sharesMicros: 30 * ONE, merges: false, slot: large });
  expect(sets.of([large])).toEqual({ sharesMicros: 30 * ONE, merges: true, slot: large });
  large.leftOutBecause = 'others are worth more';
  expect(sets.of([small, large])).toEqual({ sharesMicros: 10 * ONE, merges: false, slot: small });
  expect([sets.of([]).sharesMicros, sets.of([elsewhere]).sharesMicros]).toEqual([0, 0]);
});

it('is short once a batch is missing, or all of a core that is smaller than a batch', () => {
  const short = (core: number, held: number) => isShort(shares(core), shares(held), USUAL_ECONOMICS);
  expect([short(100, 80), short(10, 0)]).toEqual([true, true]);
  expect([short(100, 81), short(10, 1), short(0, 0)]).toEqual([false, false, false]);
});

/** A market with a minimum order of 5 shares, in lots of a hundredth. */
const FACTS = { minAmountMicros: m(5_000_000), lotMicros: m(10_000) } as MarketFacts;

it.each([
  [0, 0, true],
  [2.31, 0, true],
  [0, 4.99, true],
  [5, 0, false],
  // Any number of complete sets is merged: the minimum order does not apply to merges.
  [2.99, 2.99, false],
  [0.01, 2.3, false],
  [0.009, 2.3, true],
])('with %d YES and %d NO a market is flat: %s', (yes, no, expected) => {
  expect(isFlat(m(yes * 1_000_000), m(no * 1_000_000), FACTS)).toBe(expected);
});

it('all sell orders on the shares of sets give way to one merge', async () => {
  const levels = (...prices: number[]) =>
    prices.map((price) => ({ priceMicros: m(price * ONE), amountMicros: shares(15) }));
  // The bids move shortly before the asks have waited long enough.
  const bidsAt = (nowMs: number) => (nowMs < FIRST_MS + 77_000 ? levels(0.4, 0.38) : levels(0.39, 0.37));
  const strategy = strategyWith(({ nowMs }) =>
    nowMs < FIRST_MS + 60_000
      ? quoting(wish(30, 'never'))
      : { ...quoting(wish(0)), bids: bidsAt(nowMs), asks: levels(0.6, 0.62) },
  );
  const sources = [source([level(0, BID, 0.3, 100), level(0, ASK, 0.7, 100), end(600_000)])];
  const given = plan(sources, { strategy, params: {} });
  const economics = { ...USUAL_ECONOMICS, requestPrice: 0.00001 };
  const sent: string[] = [];
  const onSent = ({ call: { endpoint, body } }: Request) => {
    const side = body !== undefined && 'side' in body ? body.side : endpoint;
    if (/^(merges.create|orders.(create|cancel))$/.test(endpoint)) sent.push(side);
  };
  await runBacktest({ ...given, trader: { ...given.trader, economics }, onSent });
  const times = (count: number, what: string) => Array<string>(count).fill(what);
  const moved = [...times(4, 'sell'), ...times(2, 'orders.cancel'), ...times(2, 'sell')];
  // No quote sells the sets until the merge; the trader buys instead.
  expect(sent.slice(0, 15)).toEqual([...moved, ...times(4, 'orders.cancel'), 'buy', 'buy', 'merges.create']);
  expect(sent.filter((each) => each === 'merges.create')).toHaveLength(1);
});

describe('a decision to cancel sell orders for a merge', () => {
  type Decided = Parameters<typeof decidePull>;
  const facts = { ...FACTS, conditionId: 'a', phase: 'open' } as MarketFacts;
  const order = (phase: 'pending' | 'resting', count: number, isYes = true) =>
    ({
      side: isYes ? 'ask' : 'bid',
      isYes,
      submittedMs: -600_000,
      phase,
      remainingMicros: shares(count),
    }) as QuotedOrder;
  /** Returns, for 100 held sets, the times in s of each change of the blocked sets, and their number. */
  const blockedSets = (
    orders: readonly QuotedOrder[],
    minShares: number,
    untilS: number,
    held = (_: number) => 100,
  ) => {
    const entry = { feed: { facts }, nextConversionMs: 0, pulledMs: Number.NEGATIVE_INFINITY } as Decided[0];
    const rules = { merge: { enabled: true, minSharesMicros: shares(minShares) }, core: NO_CORE } as Decided[1];
    const changes: (readonly [number, number])[] = [];
    for (let second = 0; second <= untilS; second++) {
      const sets = shares(held(second));
      const freeShares = (_: string, yes: boolean) =>
        orders.reduce((free, { isYes, remainingMicros }) => (isYes === yes ? m(free - remainingMicros) : free), sets);
      const exposure = { freeShares, setsMicros: () => sets };
      const funds = { availableMicros: shares(90), cashMicros: shares(100) };
      const own = {
        orders: new Map([['a', orders]]),
        held: new Map([['a', { yesMicros: sets, noMicros: sets }]]),
        exposure,
      };
      const executor = { pendingConversion: () => null };
      const economics = { requestPrice: 0.00001, currencyPricePerS: 0.000001 };
      const context = { own: { ...own, ...funds }, nowMs: second * 1000, economics, executor } as unknown as Decided[2];
      const blocked = decidePull(entry, rules, context).sharesMicros / ONE;
      if (blocked !== (changes.at(-1)?.[1] ?? 0)) changes.push([second, blocked]);
    }
    return changes;
  };

  it('ends after 30 s, and the next follows 10 s later', () => {
    const blocked = [
      [0, 100],
      [30, 0],
      [40, 100],
      [70, 0],
    ];
    expect(blockedSets([order('resting', 90), order('resting', 5, false)], 80, 75)).toEqual(blocked);
  });

  it('waits for no order with an unknown outcome, unless enough shares become free without the order', () => {
    expect(blockedSets([order('pending', 90)], 80, 75)).toEqual([]);
    expect(blockedSets([order('pending', 50), order('resting', 45)], 50, 5)).toEqual([[0, 100]]);
  });

  it('ends with the sets', () => {
    const held = (second: number) => (second === 5 ? 0 : 100);
    expect(blockedSets([order('resting', 90)], 80, 40, held)).toEqual([
      [0, 100],
      [5, 0],
      [6, 100],
      [36, 0],
    ]);
  });
});
