import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeOwner } from '../../../src/shared/protocol/request-owner.js';
import type { PlannedRequest } from '../../../src/shared/protocol/seam.js';
import { PollPlan } from '../../../src/trader/scheduler/poll-plan.js';
import { PollRecord, type PollResult } from '../../../src/trader/scheduler/poll-record.js';
import { times } from '../../support/effort.js';
import { forAll } from '../for-all.js';
import { pollFacts, pollSettings, quote, staleMarket, takePolls, targetOf, World } from './world.js';

type PolledMarket = Parameters<PollPlan['takeDue']>[1]['markets'][number];
type PollFacts = Parameters<PollPlan['takeDue']>[1];

const UNKNOWN = Number.POSITIVE_INFINITY;
const NOW = 1_700_000_000_000;
const SETTINGS = pollSettings({
  ownIntervalMs: 3_000,
  hotIntervalMs: 1_000,
  quietIntervalMs: 60_000,
  assetsIntervalMs: 30_000,
});

/** In the plan's form: our orders are a cent from a price of a half, on both sides. */
function polled(id: string, restingShares: number, known: Partial<PolledMarket> = {}): PolledMarket {
  const quotes = [quote('bid', 0.49, restingShares / 2), quote('ask', 0.51, restingShares / 2)];
  const market = staleMarket({ seenMs: null, jumpsPerS: 1 / 3600, quotes: restingShares > 0 ? quotes : [] });
  return { ...market, marketConditionId: id, isOver: false, ...known };
}

const factsOf = (changes: Partial<PollFacts> = {}) => pollFacts({ openMarketPages: UNKNOWN, ...changes });

interface Market {
  readonly id: string;
  readonly restingShares: number;
  /** Price move per square root of a second. */
  readonly sigma: number;
  /** Default false. */
  readonly isOver?: boolean;
}

/** A plan on these markets through a queue and a network, with the changes of a book's poll. */
class Watch {
  readonly world: World;
  readonly plan: PollPlan;
  readonly asked: { readonly kind: string; readonly market: string | null; readonly ms: number }[] = [];
  markets: readonly Market[];
  openOrders = 0;
  openMarketPages = UNKNOWN;
  failing = new Set<string>();
  largestPlan = 0;
  readonly #bookSeenMs = new Map<string, number>();
  #reported = 0;
  #unsent = 0;

  constructor(markets: readonly Market[], settings: Partial<ConstructorParameters<typeof PollPlan>[0]> = {}, seed = 1) {
    this.world = new World(seed, { meanMs: 40, lost: 0 });
    this.plan = new PollPlan({ ...SETTINGS, ...settings });
    this.markets = markets;
  }

  facts(): PollFacts {
    const { queue, nowMs } = this.world;
    const markets = this.markets.map(({ id, restingShares, sigma, isOver = false }): PolledMarket => {
      const seenMs = this.#bookSeenMs.get(id);
      return polled(id, restingShares, { seenMs: seenMs ?? null, sigmaPerSqrtS: sigma, isOver });
    });
    return {
      markets,
      openOrders: this.openOrders,
      openMarketPages: this.openMarketPages,
      publicPerMinute: queue.perMinute('public', nowMs),
      signedPerMinute: queue.perMinute('signed', nowMs),
      publicHeadroom: () => queue.headroom('public', 'quiet', nowMs),
    };
  }

  run(seconds: number, stepMs = 250): void {
    const end = this.world.nowMs + seconds * 1000;
    while (this.world.nowMs < end) {
      this.world.step(stepMs);
      for (const { request, ms } of this.world.done.slice(this.#reported)) this.#report(request, ms);
      for (const request of this.world.unsent.slice(this.#unsent))
        this.plan.onReport(targetOf(request), 'unsent', this.world.nowMs);
      this.#reported = this.world.done.length;
      this.#unsent = this.world.unsent.length;
      for (const request of this.plan.takeDue(this.world.nowMs, this.facts())) {
        const target = targetOf(request);
        const market = 'marketConditionId' in target ? target.marketConditionId : null;
        this.asked.push({ kind: target.kind, market, ms: this.world.nowMs });
        this.world.queue.push(request);
      }
      this.world.release();
      this.largestPlan = Math.max(this.largestPlan, this.plan.size);
    }
  }

  count(kind: string, market: string | null = null): number {
    return this.asked.filter((poll) => poll.kind === kind && (market === null || poll.market === market)).length;
  }

  /** The longest gap between two polls of any of these books, from its first poll after `fromMs`. */
  longestGapMs(markets: readonly string[], fromMs = 0): number {
    const gaps = markets.flatMap((id) => {
      const books = this.asked.filter(({ kind, market, ms }) => kind === 'book' && market === id && ms >= fromMs);
      const times = [...books.map(({ ms }) => ms), this.world.nowMs];
      return times.map((ms, i) => ms - (times[i - 1] ?? ms));
    });
    return Math.max(...gaps);
  }

  #report(request: PlannedRequest, ms: number): void {
    const target = targetOf(request);
    const market = 'marketConditionId' in target ? target.marketConditionId : '';
    const failed = this.failing.has(market);
    if (target.kind === 'details')
      for (const { id } of this.markets) this.plan.onSeen({ kind: 'detail', marketConditionId: id }, ms);
    if (target.kind === 'book' && !failed) this.#bookSeenMs.set(market, ms);
    this.plan.onReport(target, failed ? 'failed' : 'ok', ms);
  }
}

const market = (id: string, restingShares = 0, sigma = 0.001): Market => ({ id, restingShares, sigma });
const hundred = () => Array.from({ length: 100 }, (_, i) => market(`m${i}`, i < 10 ? 100 : 0));

describe('an hour with a hundred markets', () => {
  const watch = new Watch(hundred());
  watch.openOrders = 20;
  watch.run(3600, 500);

  it('shares the public budget between books, trades and details, and uses most of it', () => {
    const [books, trades, details] = [watch.count('book'), watch.count('trades'), watch.count('detail')];
    const total = books + trades + details + watch.count('catalog');
    expect(total / 60).toBeGreaterThan(95);
    expect(total / 60).toBeLessThanOrEqual(114);
    expect(books / total).toBeGreaterThan(0.6);
    expect(books / total).toBeLessThan(0.72);
    expect(trades / total).toBeGreaterThan(0.15);
    expect(details / total).toBeGreaterThan(0.05);
  });

  it('looks at hot markets often and starves none', () => {
    expect(watch.count('book', 'm0')).toBeGreaterThan(4 * watch.count('book', 'm50'));
    const everyMarket = watch.markets.map(({ id }) => id);
    const start = watch.asked[0]?.ms ?? 0;
    const firstLooks = everyMarket.map(
      (id) => watch.asked.find((poll) => poll.kind === 'book' && poll.market === id)?.ms,
    );
    // A detail and a book each, beside ten markets that are polled all the time.
    expect(Math.max(...firstLooks.map((ms) => ms ?? Infinity)) - start).toBeLessThan(300_000);
    // Then half of the 70 books a minute are for markets that wait longer than a minute: a hundred markets take three.
    expect(watch.longestGapMs(everyMarket, start + 300_000)).toBeLessThan(60_000 + 120_000);
    for (const id of everyMarket) expect(watch.count('trades', id)).toBeGreaterThan(2);
  });

  it('reads own trades every few seconds, own orders seldom, and is never throttled', () => {
    expect(watch.count('fills') / 60).toBeCloseTo(20, -1);
    expect(watch.count('orders') / 60).toBeCloseTo(4, 0);
    expect(watch.count('assets') / 60).toBeCloseTo(2, 0);
    expect(watch.world.windows.public.throttled).toBe(0);
  });

  it('remembers no more than it polls', () => expect(watch.largestPlan).toBeLessThanOrEqual(4 * 100 + 4));
});

it('an hour with a hundred and fifty markets leaves three quarters of the looks to books, and few to pages of details', () => {
  const watch = new Watch(Array.from({ length: 150 }, (_, i) => market(`m${i}`, 20 + i, 0.0001 * (1 + (i % 7)))));
  watch.openOrders = 60;
  watch.openMarketPages = 2;
  watch.run(3600, 500);
  expect(watch.world.windows.public.throttled + watch.world.windows.signed.throttled).toBe(0);
  const looks = new Set(['book', 'trades', 'detail', 'details', 'catalog']);
  const all = watch.asked.filter(({ kind }) => looks.has(kind)).length;
  expect(watch.count('book') / all).toBeGreaterThan(0.7);
  expect(watch.count('detail') + watch.count('details')).toBeLessThan(0.05 * all);
  expect(watch.count('details') / 60).toBeGreaterThan(1);
});

describe('what is looked at', () => {
  it('begins with the detail and then the book of every market, within seconds for a few', () => {
    const watch = new Watch([market('a'), market('b'), market('c'), market('d')]);
    watch.run(3, 100);
    for (const id of ['a', 'b', 'c', 'd']) {
      const kinds = watch.asked.filter((poll) => poll.market === id).map(({ kind }) => kind);
      expect(kinds[0]).toBe('detail');
      expect(kinds).toContain('book');
    }
  });

  it('is asked once at a time: nothing comes twice before its report', () => {
    const plan = new PollPlan(SETTINGS);
    const facts = factsOf({ markets: [polled('a', 5)], publicHeadroom: () => 100 });
    const names = new Set<string>();
    for (let i = 0; i < 1000; i++) {
      for (const { owner } of plan.takeDue(NOW + i * 1000, facts)) {
        const name = describeOwner(owner);
        expect(names.has(name)).toBe(false);
        names.add(name);
      }
    }
    expect([...names].sort()).toEqual(['poll/assets', 'poll/catalog', 'poll/detail/a', 'poll/fills', 'poll/orders']);
  });

  it('that is over is asked for its detail alone, and takes no turn from one that trades', () => {
    const over = Array.from({ length: 30 }, (_, i) => ({ ...market(`over${i}`), isOver: true }));
    const watch = new Watch([...over, market('trades', 10)]);
    const alone = new Watch([market('trades', 10)]);
    watch.run(300);
    alone.run(300);
    for (const { id } of over) {
      expect(watch.count('book', id) + watch.count('trades', id)).toBe(0);
      expect(watch.count('detail', id)).toBeGreaterThan(1);
    }
    expect(watch.count('book', 'trades')).toBeGreaterThan(0.8 * alone.count('book', 'trades'));
  });

  it('is never asked without room in the public budget', () => {
    const plan = new PollPlan(SETTINGS);
    const requests = plan.takeDue(NOW, factsOf({ markets: [polled('a', 5)], publicHeadroom: () => 0 }));
    expect(requests.map((request) => targetOf(request).kind).sort()).toEqual(['assets', 'catalog', 'fills', 'orders']);
  });

  it('follows the money: more at rest, or more movement, is never looked at less often', () => {
    const spot = fc.record({ resting: fc.integer({ min: 0, max: 500 }), sigma: fc.integer({ min: 1, max: 40 }) });
    const runs = { numRuns: times(6, 12) };
    forAll([spot, fc.integer({ min: 2, max: 8 }), fc.boolean()], runs, (one, factor, moreAtRest) => {
      const hotter = market(
        'hotter',
        moreAtRest ? one.resting * factor + 100 : one.resting,
        (one.sigma / 1e4) * (moreAtRest ? 1 : factor),
      );
      const others = Array.from({ length: 20 }, (_, i) => market(`o${i}`, 50, 0.002));
      const watch = new Watch([...others, market('cooler', one.resting, one.sigma / 1e4), hotter]);
      watch.run(600, 500);
      // A difference of one poll depends on the end of the run.
      expect(watch.count('book', 'hotter') + 1).toBeGreaterThanOrEqual(watch.count('book', 'cooler'));
    });
  });

  it('stays fresh where orders rest while many new markets appear', () => {
    const resting = [market('r0', 100), market('r1', 100)];
    const watch = new Watch(resting);
    watch.run(60);
    watch.markets = [...resting, ...Array.from({ length: 100 }, (_, i) => market(`new${i}`))];
    watch.run(120);
    expect(watch.longestGapMs(['r0', 'r1'])).toBeLessThan(10_000);
  });

  it('slows own trades when nothing rests, and reads orders at their pace where the venue has no own trades', () => {
    const idle = new Watch([market('a')]);
    idle.run(600);
    expect(idle.count('fills')).toBeLessThanOrEqual(41);
    const without = new Watch([market('a', 10)], { ownTrades: false });
    without.openOrders = 2;
    without.run(600);
    expect(without.count('fills')).toBe(0);
    expect(without.count('orders')).toBeGreaterThan(150);
  });

  it('takes a third of a small signed budget at most', () => {
    const plan = new PollPlan(SETTINGS);
    const facts = factsOf({ openOrders: 3, publicPerMinute: 100, signedPerMinute: 30, publicHeadroom: () => 100 });
    let asked = 0;
    for (let ms = 0; ms < 600_000; ms += 250)
      asked += takePolls(plan, NOW + ms, facts).filter(({ target }) => target.kind !== 'catalog').length;
    expect(asked / 10).toBeLessThan(10.5);
    expect(asked / 10).toBeGreaterThan(7);
  });
});

describe('a poll that fails', () => {
  it('backs off to one a minute, holds up no other market, and recovers', () => {
    const watch = new Watch(['sick', 'well0', 'well1', 'well2'].map((name) => market(name, 50)));
    watch.run(60);
    watch.failing = new Set(['sick']);
    const before = watch.count('book', 'sick');
    watch.run(1200);
    const tries = watch.count('book', 'sick') - before;
    expect(tries).toBeGreaterThan(18);
    expect(tries).toBeLessThan(32);
    expect(watch.longestGapMs(['well0', 'well1', 'well2'])).toBeLessThan(8_000);
    watch.failing = new Set();
    const sickAgain = watch.count('book', 'sick');
    watch.run(120);
    expect(watch.count('book', 'sick') - sickAgain).toBeGreaterThan(10);
  });

  it('is not silenced by a clock that stepped back', () => {
    const plan = new PollPlan(SETTINGS);
    takePolls(plan, NOW, factsOf(), 'failed');
    expect(plan.takeDue(NOW - 3_600_000, factsOf())).not.toEqual([]);
  });
});

describe('the plan', () => {
  it('looks at once at what is expedited', () => {
    const plan = new PollPlan(SETTINGS);
    const facts = factsOf();
    takePolls(plan, NOW, facts, 'failed');
    expect(plan.takeDue(NOW + 1, facts)).toEqual([]);
    plan.expedite({ kind: 'assets' });
    expect(plan.takeDue(NOW + 2, facts).map(({ owner }) => describeOwner(owner))).toEqual(['poll/assets']);
  });

  it('forgets markets that are no longer polled, also when one of their polls was under way', () => {
    const watch = new Watch(hundred());
    watch.run(120);
    watch.markets = [];
    watch.run(10);
    expect(watch.plan.size).toBeLessThanOrEqual(4);
  });

  it('ignores reports of what it did not ask', () => {
    const plan = new PollPlan(SETTINGS);
    plan.onReport({ kind: 'book', marketConditionId: 'never-asked' }, 'failed', NOW);
    plan.onReport({ kind: 'catalog' }, 'ok', NOW);
    expect(plan.size).toBe(0);
  });
});

describe('a poll that is seldom due', () => {
  const MINUTE_MS = 60_000;

  /** Times, s, of the requests for the list of markets, due each minute; `endOf` gives the result of the nth. */
  function asked(endOf: (nth: number) => PollResult, untilS: number): readonly number[] {
    const poll = new PollRecord({ kind: 'catalog' }, 20);
    const seconds: number[] = [];
    for (let nowMs = 0; nowMs <= untilS * 1000; nowMs = Math.max(nowMs + 1, poll.readyFromMs(MINUTE_MS, nowMs))) {
      if (!poll.ready(MINUTE_MS, nowMs)) continue;
      poll.onAsk(nowMs);
      poll.onEnd(endOf(seconds.length), nowMs);
      seconds.push(Math.round(nowMs / 1000));
    }
    return seconds;
  }

  it('is asked again soon while it has never been answered', () =>
    expect(asked((nth) => (nth < 4 ? 'failed' : 'ok'), 100)).toEqual([0, 1, 3, 7, 15, 75]));

  it('waits its time when its request never left', () =>
    expect(asked((nth) => (nth === 0 ? 'failed' : 'unsent'), 130)).toEqual([0, 1, 61, 121]));

  it('waits its time once it has been answered', () =>
    expect(asked((nth) => (nth === 1 ? 'failed' : 'ok'), 200)).toEqual([0, 60, 120, 180]));
});
