import { describe, expect, it } from 'vitest';
import type { FeedValue } from '../../../src/shared/protocol/seam.js';
import { Feeds } from '../../../src/trader/engine/feeds.js';
import type { AnyEvent } from '../../../src/trader/strategy/contract.js';

const NOW_MS = 1_700_000_000_000;

const KNOWN = { p: 0.6, bid: null, ask: null, sd: 0.1, atMs: NOW_MS, validUntilMs: null };
const value = (conditionId: string, more: Partial<FeedValue> = {}): FeedValue => ({ conditionId, ...KNOWN, ...more });

/** A trader that quotes market A from the feed named model. */
function around() {
  const said: string[] = [];
  const told: AnyEvent[] = [];
  const slot = { feeds: ['model'], dirty: false, observe: (event: AnyEvent) => void told.push(event) };
  const markets = {
    get: (id: string) => (id === 'A' ? {} : undefined),
    listSlots: (id: string) => (id === 'A' ? [slot] : []),
    hasCatalog: true,
  };
  return {
    said,
    told,
    slot,
    markets,
    settings: { strategies: [{ markets: { ids: [] } }] },
    notices: {
      notify: (_timeMs: number, kind: string) => void said.push(kind),
      alert: (_timeMs: number, kind: string, text: string) => void said.push(`${kind}: ${text}`),
    },
  };
}

const feeds = () => new Feeds([{ name: 'model', maxAgeMs: 10_000 }]);
const take = (into: Feeds, values: readonly FeedValue[], nowMs = NOW_MS, trader = around()) => {
  // Only the used parts of a trader.
  into.take({ feed: 'model', values, nowMs }, trader as never);
  return trader;
};

describe('the feeds of a trader', () => {
  it('are shown with their age, to who names them, and wake who quotes by them', () => {
    const all = feeds();
    const { slot, told } = take(all, [value('A')]);
    expect(slot.dirty).toBe(true);
    expect(told).toEqual([{ kind: 'feed', nowMs: NOW_MS, feed: 'model' }]);
    const { conditionId: _, ...shown } = value('A');
    expect(all.of('A', ['model'], NOW_MS + 3000)).toEqual({ model: { ...shown, ageMs: 3000 } });
    expect(all.of('A', [], NOW_MS)).toEqual({});
    expect(all.of('B', ['model'], NOW_MS)).toEqual({});
    expect(Object.isFrozen(all.of('A', ['model'], NOW_MS)['model'])).toBe(true);
  });

  it('are shown until they are too old or have expired, and not a millisecond longer', () => {
    const all = feeds();
    take(all, [value('A'), value('B', { validUntilMs: NOW_MS + 500 })]);
    const isShown = (id: string, afterMs: number) => all.of(id, ['model'], NOW_MS + afterMs)['model'] !== undefined;
    expect([isShown('A', 10_000), isShown('A', 10_001)]).toEqual([true, false]);
    expect([isShown('B', 499), isShown('B', 500)]).toEqual([true, false]);
    const [reading] = all.readings('B', ['model'], NOW_MS + 500);
    expect(reading?.withheld).toBe('the value has expired');
  });

  it('pass over a value from before the one that is known', () => {
    const all = feeds();
    take(all, [value('A', { p: 0.7 })]);
    take(all, [value('A', { p: 0.2, atMs: NOW_MS - 1 })]);
    expect(all.of('A', ['model'], NOW_MS)['model']?.p).toBe(0.7);
  });

  it('say once that one is silent, and once that it is back', () => {
    const all = feeds();
    const trader = around();
    for (let afterMs = 0; afterMs <= 12_000; afterMs += 500) all.look(trader.notices, NOW_MS + afterMs);
    take(all, [value('A', { atMs: NOW_MS + 12_000 })], NOW_MS + 12_000, trader);
    for (let afterMs = 12_000; afterMs <= 40_000; afterMs += 500) all.look(trader.notices, NOW_MS + afterMs);
    take(all, [value('A', { atMs: NOW_MS + 40_000 })], NOW_MS + 40_000, trader);
    all.look(trader.notices, NOW_MS + 40_000);
    expect(trader.said).toEqual([
      'feed_silent: feed model has sent no value yet: strategies that need it do not quote',
      'feed_current',
      'feed_silent: feed model has no current value, its newest value is 11 s old: strategies that need it do not quote',
      'feed_current',
    ]);
  });

  it('name a market that nobody quotes once, and not before the markets are known', () => {
    const all = feeds();
    const trader = around();
    trader.markets.hasCatalog = false;
    take(all, [value('X')], NOW_MS, trader);
    expect(trader.said).toEqual([]);
    trader.markets.hasCatalog = true;
    take(all, [value('A'), value('X'), value('Y\u001b[2J')], NOW_MS, trader);
    take(all, [value('X')], NOW_MS, trader);
    expect(trader.said).toEqual([
      'feed_unknown_market: feed model names market X, which no strategy quotes; reported once',
    ]);
  });

  it('keep their ages and expire no later when the clock is set back, and a newer value replaces them', () => {
    const all = feeds();
    const hourMs = 3_600_000;
    take(all, [value('A'), value('B', { validUntilMs: NOW_MS + 500 }), value('C', { atMs: NOW_MS - 10_000 })]);
    all.clockSetBack(hourMs);
    const now = NOW_MS - hourMs;
    const ageOf = (id: string, afterMs: number) => all.of(id, ['model'], now + afterMs)['model']?.ageMs;
    expect([ageOf('A', 0), ageOf('A', 10_000), ageOf('A', 10_001)]).toEqual([0, 10_000, undefined]);
    expect([ageOf('B', 499), ageOf('B', 500)]).toEqual([499, undefined]);
    expect([ageOf('C', 0), ageOf('C', 1)]).toEqual([10_000, undefined]);
    take(all, [value('A', { atMs: now + 50 })], now + 50);
    expect(ageOf('A', 60)).toBe(10);
  });

  it('say that one falls silent also when the clock is set back meanwhile', () => {
    const all = feeds();
    const { notices, said } = take(all, [value('A')]);
    all.look(notices, NOW_MS);
    all.clockSetBack(5);
    for (const afterMs of [0, 10_000, 10_001]) all.look(notices, NOW_MS - 5 + afterMs);
    expect(said).toEqual(['feed_current', expect.stringContaining('feed_silent: feed model has no current value')]);
    const unheard = feeds();
    const trader = around();
    unheard.look(trader.notices, NOW_MS);
    unheard.clockSetBack(20_000);
    for (const afterMs of [0, 10_001]) unheard.look(trader.notices, NOW_MS - 20_000 + afterMs);
    expect(trader.said).toEqual([expect.stringContaining('feed_silent: feed model has sent no value yet')]);
  });

  it('remember so many markets and no more, and are deaf to a feed that is not configured', () => {
    const all = feeds();
    const values = Array.from({ length: 3000 }, (_, index) => value(`M${index}`));
    take(all, values);
    all.take({ feed: 'unheard', values: [value('A')], nowMs: NOW_MS }, around() as never);
    const [model, ...others] = all.snapshot(NOW_MS);
    expect([model?.current, model?.values, others]).toEqual([2000, 3000, []]);
    expect(all.of('M2999', ['model'], NOW_MS)['model']).toBeDefined();
    expect(all.of('M0', ['model'], NOW_MS)).toEqual({});
  });
});
