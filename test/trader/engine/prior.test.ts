/** Price bars are read once a market, if any exist, and the conclusions outlive the run. */

import { describe, expect, it } from 'vitest';
import type { Candle } from '../../../src/shared/protocol/records.js';
import type { PlannedRequest, RequestResult } from '../../../src/shared/protocol/seam.js';
import {
  findGoodUntilMs,
  forgetNotes,
  type MarketEntry,
  restorePrior,
  takeCandles,
  wantsCandles,
} from '../../../src/trader/engine/markets.js';
import { BAR_S, CANDLES_S } from '../../../src/trader/market/estimators.js';
import { MarketTracker } from '../../../src/trader/market/market-tracker.js';
import { SlowAverages } from '../../../src/trader/risk/slow-average.js';
import { PollPlan } from '../../../src/trader/scheduler/poll-plan.js';
import { pollCall } from '../../../src/trader/scheduler/poll-record.js';
import { at, detail, snapshot, trade } from '../market/fixtures.js';
import { pollFacts, pollSettings, staleMarket, takePolls } from '../scheduler/world.js';

const NOW_MS = 1_700_000_000_000;
const ON = { polling: { candlesPrior: true } } as unknown as Parameters<typeof wantsCandles>[1];
const OFF = { polling: {} } as unknown as Parameters<typeof wantsCandles>[1];

/** A market with a book, whose oldest visible trade has this age. */
function entryOf(secondsAgo: number | null, feed = new MarketTracker('M')): MarketEntry {
  feed.onDetail(detail(), at(NOW_MS - 1_000, 1));
  feed.onBook(snapshot([[0.48, 10]], [[0.52, 10]]), at(NOW_MS, 2), []);
  feed.onTrades(secondsAgo === null ? [] : [trade(Math.floor(NOW_MS / 1000) - secondsAgo, 0.5, 1)], at(NOW_MS, 3));
  const candles = { isAsked: false, goodUntilMs: Number.NEGATIVE_INFINITY };
  // Only the used fields of an entry.
  return { conditionId: 'M', feed, excludedBecause: null, slots: [{}], candles } as unknown as MarketEntry;
}

const request: PlannedRequest = {
  lane: 'quiet',
  call: pollCall({ kind: 'candles', marketConditionId: 'M' }, 20, NOW_MS),
  latestMs: NOW_MS,
  owner: { kind: 'poll', target: { kind: 'candles', marketConditionId: 'M' } },
};
const toS = BAR_S * Math.floor(NOW_MS / 1000 / BAR_S);

const bars = (closes: readonly number[]): readonly Candle[] =>
  closes.map((close, i) => {
    const price = String(close);
    const timestamp = toS - (closes.length - i) * BAR_S;
    return { timestamp, open: price, high: price, low: price, close: price, volume: '1', is_yes: true };
  });
const WILD = bars(Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 0.3 : 0.7)));

function memory() {
  const notes = new Map<string, string>();
  const said: string[] = [];
  return {
    said,
    account: { valuation: { averages: new SlowAverages() } },
    ledger: {
      note: (key: string) => notes.get(key) ?? null,
      setNote: (key: string, value: string) => void notes.set(key, value),
    },
    notices: { notify: (_atMs: number, _kind: string, text: string) => void said.push(text) },
  };
}

const answered = (data: readonly Candle[]): RequestResult => ({
  request,
  outcome: { kind: 'answered', data: data as never, nextCursor: null },
  nowMs: NOW_MS,
  sentMs: NOW_MS,
  venueTimeMs: null,
});
const failed = (outcome: RequestResult['outcome']): RequestResult => ({ ...answered([]), outcome });

const sigma = ({ feed }: MarketEntry) => feed.glance(NOW_MS).sigmaLogOddsPerSqrtS;

describe('price bars', () => {
  it('are asked for two days up to the last that has ended', () =>
    expect(request.call).toMatchObject({
      endpoint: 'markets.candles',
      query: { start_time: toS - CANDLES_S, end_time: toS, interval: '5m', is_yes: true },
    }));

  it('are wanted of a quoted market that has a past, where it is set', () => {
    expect(wantsCandles(entryOf(3600), ON, NOW_MS)).toBe(true);
    expect(wantsCandles(entryOf(3600), OFF, NOW_MS)).toBe(false);
    expect(wantsCandles(entryOf(60), ON, NOW_MS)).toBe(false);
    expect(wantsCandles(entryOf(null), ON, NOW_MS)).toBe(false);
    expect(wantsCandles({ ...entryOf(3600), slots: [] }, ON, NOW_MS)).toBe(false);
  });

  it('are read once, and what they say is there after a restart, for as long as the bars reached back', () => {
    const { ledger, ...around } = memory();
    const entry = entryOf(3600);
    const before = sigma(entry);
    takeCandles({ ledger, ...around }, entry, answered(WILD), 'a market');
    expect(sigma(entry)).toBeGreaterThan(4 * before);
    expect(wantsCandles(entry, ON, NOW_MS)).toBe(false);

    const feed = new MarketTracker('M');
    restorePrior(feed, ledger);
    const again = entryOf(3600, feed);
    again.candles.goodUntilMs = findGoodUntilMs('M', ledger);
    expect(sigma(again)).toBe(sigma(entry));
    expect(wantsCandles(again, ON, NOW_MS + 100 * BAR_S * 1000)).toBe(false);
    expect(wantsCandles(again, ON, NOW_MS + 100 * BAR_S * 1000 + 1)).toBe(true);

    forgetNotes('M', ledger);
    expect(findGoodUntilMs('M', ledger)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('start the slow average of the price with their mean', () => {
    const around = memory();
    takeCandles(around, entryOf(3600), answered(bars(Array.from({ length: 288 }, () => 0.9))), 'a market');
    expect(around.account.valuation.averages.caps('M').yesMicros).toBe(900_000);
  });

  it('that make no sense, are refused or get lost change nothing and are not asked for again; those that never left are', () => {
    const [first, ...others] = WILD;
    if (first === undefined) return expect.unreachable();
    const nonsense = answered([{ ...first, close: '1.5' }, ...others]);
    const refused = failed({ kind: 'refused', status: 404, slug: 'not_found', message: '', details: [] });
    const lost = failed({ kind: 'unknown', reason: 'timeout', sent: true });
    for (const [report, said] of [
      [nonsense, 1],
      [refused, 0],
      [lost, 0],
      [answered([]), 0],
    ] as const) {
      const around = memory();
      const entry = entryOf(3600);
      const before = sigma(entry);
      takeCandles(around, entry, report, 'a market');
      expect([sigma(entry), wantsCandles(entry, ON, NOW_MS), around.said.length]).toEqual([before, false, said]);
      expect(findGoodUntilMs('M', around.ledger)).toBe(Number.NEGATIVE_INFINITY);
    }
    const entry = entryOf(3600);
    takeCandles(memory(), entry, failed({ kind: 'unknown', reason: 'too late', sent: false }), 'a market');
    expect(wantsCandles(entry, ON, NOW_MS)).toBe(true);
  });
});

it('the plan asks for bars among the looks of a market, as long as they are wanted', () => {
  const plan = new PollPlan(pollSettings());
  let wantsCandles = false;
  const market = {
    ...staleMarket({ seenMs: NOW_MS }),
    marketConditionId: 'M',
    isOver: false,
    get wantsCandles() {
      return wantsCandles;
    },
  };
  const facts = pollFacts({ publicHeadroom: () => 100, markets: [market] });
  const asked = (nowMs: number) =>
    takePolls(plan, nowMs, facts).flatMap(({ call }) => (call.endpoint === 'markets.candles' ? [call] : []));
  for (let i = 0; i < 20; i++) expect(asked(NOW_MS + i * 1000)).toEqual([]);
  wantsCandles = true;
  const calls = [20, 21, 22].flatMap((i) => asked(NOW_MS + i * 1000));
  expect(calls[0]).toMatchObject({ params: { condition_id: 'M' }, query: { end_time: toS } });
  wantsCandles = false;
  for (let i = 30; i < 40; i++) expect(asked(NOW_MS + i * 1000)).toEqual([]);
});
