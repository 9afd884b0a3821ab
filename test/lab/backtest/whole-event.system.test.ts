/** An event of ten outcomes on the paper exchange: the whole trader quotes them together, without a sure loss. */

import { expect, it } from 'vitest';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { must } from '../../../src/shared/base/errors.js';
import { Random } from '../../../src/shared/base/random.js';
import eventMaker from '../../../strategies/event-maker.js';
import { plan } from './plans.js';
import { ASK, BID, end, level, type Row, source, trade } from './recordings.js';

const OUTCOMES = 10;
const LASTS_MS = 100_000;
const STEP_MS = 2_000;
const IDS = [...'ABCDEFGHJK'].map((letter) => letter.padEnd(44, '1'));

/** As near to the fair price as possible, in any case. */
const BOLD = {
  order_shares: '10',
  max_sum_error: 1,
  half_spread_ticks: 1,
  uncertainty_sds: 0,
  improve_ticks: 9,
  jump_pause_s: 0,
  min_fair_price: 0,
  risk_aversion: 0,
  // Its own half-spreads alone would leave a tenth.
  sum_edge: 0.15,
};

/** Books around moving probabilities that sum to one; sometimes one lags behind and a taker arrives. */
function eventRows(seed: number): readonly Row[][] {
  const random = Random.fromSeed(seed, 'ten outcomes');
  const scores = Array.from({ length: OUTCOMES }, () => random.uniform());
  /** By outcome and side: the only shown price, cents. */
  const shown = scores.map((): [number | null, number | null] => [null, null]);
  const rows = scores.map((): Row[] => []);
  for (let atMs = 0; atMs < LASTS_MS; atMs += STEP_MS) {
    for (const index of scores.keys()) scores[index] = (scores[index] ?? 0) + (random.uniform() - 0.5) * 0.3;
    const total = scores.reduce((sum, score) => sum + Math.exp(score), 0);
    for (const [index, score] of scores.entries()) {
      if (atMs > 0 && random.chance(0.5)) continue;
      const middle = Math.min(96, Math.max(4, Math.round((100 * Math.exp(score)) / total)));
      for (const side of [BID, ASK] as const) {
        const prices = must(shown[index], 'the outcome');
        const [old, wanted] = [prices[side], side === BID ? middle - 2 : middle + 2];
        if (old === wanted) continue;
        if (old !== null) rows[index]?.push(level(atMs, side, old / 100, 0));
        rows[index]?.push(level(atMs, side, wanted / 100, 50));
        prices[side] = wanted;
      }
      if (random.chance(0.1)) rows[index]?.push(trade(atMs + 1, random.chance(0.5) ? BID : ASK, middle / 100, 5));
    }
  }
  return rows.map((own) => [...own, end(LASTS_MS)]);
}

it('an event of ten outcomes never arbitrages itself', async () => {
  const sources = eventRows(3).map((rows, index) => {
    const about = { conditionId: IDS[index] ?? '', title: `Outcome ${index}`, outcome: index === 0 };
    return source(rows, { ...about, eventTitle: 'Which?' });
  });
  const usual = plan(sources, { strategy: eventMaker, params: BOLD });
  // A recording does not store its event's id: the markets determine it.
  const rule = { eventConditionId: 'by its markets', outcomes: 'exhaustive' as const, marketConditionIds: IDS };
  const { session } = await runBacktest({ ...usual, trader: { ...usual.trader, events: [rule] } });
  const series = session.markets.map((market) => market.series);
  const [first] = series;
  let quotedTogether = 0;
  for (const [at, timeMs] of (first?.timeMs ?? []).entries()) {
    for (const each of series) expect(each.timeMs[at]).toBe(timeMs);
    const bids = series.map(({ ourBidMicros }) => ourBidMicros[at] ?? null);
    const asks = series.map(({ ourAskMicros }) => ourAskMicros[at] ?? null);
    expect(bids.reduce<number>((sum, bid) => sum + (bid ?? 0), 0)).toBeLessThanOrEqual(850_000);
    if (asks.includes(null)) continue;
    quotedTogether += 1;
    expect(asks.reduce<number>((sum, ask) => sum + (ask ?? 0), 0)).toBeGreaterThanOrEqual(1_150_000);
  }
  expect(session.markets).toHaveLength(OUTCOMES);
  expect(quotedTogether).toBeGreaterThan(5);
  expect(session.markets.reduce((sum, { fills }) => sum + fills.length, 0)).toBeGreaterThan(0);
  expect(session.notices.filter(({ text }) => text.includes('is stopped in'))).toEqual([]);
});

it('an event is known by the id that was recorded of it', async () => {
  const rows = [level(0, BID, 0.3, 50), level(0, ASK, 0.36, 50), end(30_000)];
  const sources = IDS.slice(0, 2).map((conditionId) =>
    source(rows, { conditionId, eventTitle: 'Which?', eventConditionId: 'RECORDED' }),
  );
  const usual = plan(sources, { strategy: eventMaker, params: {} });
  const rule = { eventConditionId: 'RECORDED', outcomes: 'exclusive' as const, marketConditionIds: [] };
  const { session } = await runBacktest({ ...usual, trader: { ...usual.trader, events: [rule] } });
  for (const { quoting } of session.markets) expect(quoting.ordersPlaced).toBeGreaterThan(0);
});
