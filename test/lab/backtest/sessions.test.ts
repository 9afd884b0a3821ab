/** A backtest's report on markets and account: crossings, the curve and settlement, gaps, an operator's orders. */

import { describe, expect, it } from 'vitest';
import type { EventSource } from '../../../src/lab/backtest/contract.js';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { analyse } from '../../../src/lab/report/analysis/analyse.js';
import type { RecordedGap } from '../../../src/recording/contract.js';
import { must } from '../../../src/shared/base/errors.js';
import type { OperatorCommand } from '../../../src/shared/protocol/seam.js';
import { bidder, plan } from './plans.js';
import { ASK, BID, end, FIRST_MS, level, market, type Row, source, trade, wanderingRows } from './recordings.js';

const ONE = 1_000_000;

/** An ask of four shares is added at 0.44, below our bid, and removed 1.5 s later; then the market falls. */
const CROSSING_ROWS: readonly Row[] = [
  ...[level(0, BID, 0.4, 100), level(0, ASK, 0.6, 100)],
  ...[level(120_000, ASK, 0.44, 4), level(121_500, ASK, 0.44, 0)],
  ...[level(123_000, BID, 0.4, 0), level(123_000, BID, 0.3, 50), level(123_000, ASK, 0.6, 0)],
  ...[level(123_000, ASK, 0.5, 50), end(200_000)],
];

const ONE_BID = { strategy: bidder({ price: 0.45, fairPrice: 0.5 }), params: {} };

async function played(fillModel: string, rows: readonly Row[] = CROSSING_ROWS) {
  const { session } = await runBacktest(plan([source(rows, { outcome: false })], { ...ONE_BID, fillModel }));
  const market = must(session.markets[0], 'a played market');
  return { session, market, shares: analyse(session).trading.atCrossingMicros };
}

describe('an amount that comes to our price', () => {
  it('fills us as far as it reaches, at our price, with the middle before it came', async () => {
    const { market, shares } = await played('risk-averse');
    expect(market.fills).toMatchObject([
      { priceMicros: 450_000, amountMicros: 4 * ONE, isMaker: true, atCrossing: true, markMicros: 500_000 },
    ]);
    // Its value a second later is measured on the recorded book, in which the ask still rested.
    expect(market.fills[0]?.marksAfterMicros[0]).toBe(420_000);
    expect(shares).toBe(4 * ONE);
  });

  it('fills nothing where recorded makers post only', async () => {
    const { session, market, shares } = await played('posts-only');
    expect(market.fills).toEqual([]);
    expect(session.assumptions).toMatchObject({ fillModel: 'posts-only', postsOnly: true });
    expect(shares).toBe(0);
  });
});

const EQUITY_ROWS: readonly Row[] = [
  ...[level(0, BID, 0.4, 100), level(0, ASK, 0.6, 100)],
  ...[trade(120_000, ASK, 0.44, 50), end(180_000)],
];
/** The price moves in the last moment, between two samples. */
const LATE_EQUITY_ROWS: readonly Row[] = [...EQUITY_ROWS.slice(0, -1), level(180_050, BID, 0.56, 10), end(180_090)];

it('a loss at the settlement of the last market is in the drawdown and in the curve', async () => {
  for (const [outcome, lossMicros] of [
    [false, 5_000_000],
    [true, 0],
  ] as const) {
    const { session } = await runBacktest(plan([source(EQUITY_ROWS, { outcome })], ONE_BID));
    expect(session.markets[0]?.fills.length).toBe(1);
    // Bought at 0.45 and marked at 0.50: ten shares were worth 5 before they were worthless.
    expect(session.maxDrawdownMicros).toBe(lossMicros);
    expect(session.account.equityMicros.at(-1)).toBe(analyse(session).equity.endEquityMicros);
    expect(session.account.timeMs.at(-1)).toBe(session.toMs);
    expect(session.account.lockedMicros.at(-1)).toBe(0);
  }
});

it('an account that holds shares without a mid has no known equity and drawdown', async () => {
  const rows: readonly Row[] = [level(0, BID, 0.4, 100), trade(120_000, ASK, 0.44, 50), end(180_000)];
  const { session } = await runBacktest(plan([source(rows)], ONE_BID));
  expect(session.markets[0]?.fills.length).toBe(1);
  expect(session.account.equityMicros).toContain(null);
  expect(session.account.equityMicros).not.toContain(1_000_000_000 - 4_500_000);
  expect(session.maxDrawdownMicros).toBeNull();
});

it('what is held at the close is marked at the last middle before it', async () => {
  for (const [rows, markMicros] of [
    [EQUITY_ROWS, 500_000],
    [LATE_EQUITY_ROWS, 580_000],
  ] as const) {
    const { session } = await runBacktest(plan([source(rows)], ONE_BID));
    expect(session.markets[0]?.endMarkMicros).toBe(markMicros);
  }
});

/** Takes the ask once, from a given time on. */
const taker = (fromMs: number) => bidder({ price: 0.6, fairPrice: 0.65, fromMs });

const GAP_ROWS: readonly Row[] = [
  ...[level(0, BID, 0.4, 100), level(0, ASK, 0.6, 100)],
  ...[level(200_000, BID, 0.3, 50), end(240_000)],
];

function withGaps(gaps: readonly RecordedGap[]): EventSource {
  const events = { level: 3, trade: 0, clear: 0, end: 1 };
  const counts = { refused: 0, bytes: 0 };
  return { ...source(GAP_ROWS), summary: { firstMs: FIRST_MS, lastMs: FIRST_MS + 240_000, events, gaps, ...counts } };
}

describe('a gap in a recording', () => {
  const gap = { fromMs: FIRST_MS + 100_000, toMs: FIRST_MS + 200_000, reason: 'the poll failed' };

  it.each([
    ['in its summary', withGaps([gap])],
    ['while a raw recording was played', { ...source(GAP_ROWS), gaps: [gap] }],
  ])('that was found %s is counted, from the first event to the last', async (_, recording) => {
    const { session } = await runBacktest(plan([recording]));
    expect(session.markets[0]?.coverage).toMatchObject({ spanMs: 240_000, gapMs: 100_000, gaps: 1 });
  });

  it('makes what was bought in it a matter to be told, and nothing else', async () => {
    for (const [fromMs, told] of [
      [FIRST_MS + 70_000, 0],
      [FIRST_MS + 120_000, 1],
    ] as const) {
      const { session } = await runBacktest(plan([withGaps([gap])], { strategy: taker(fromMs), params: {} }));
      expect(session.markets[0]?.fills.length).toBe(1);
      const loud = session.notices.filter(({ severity }) => severity === 'loud').map(({ text }) => text);
      expect(loud.length, `${loud}`).toBe(told);
      if (told > 0) expect(loud[0]).toMatch(/^1 fill lies in gaps of the recording of "Will it\?"/);
    }
  });

  it('includes its first and its last moment', async () => {
    const rows = [...GAP_ROWS.slice(0, 2), trade(100_000, ASK, 0.4, 5), trade(200_000, ASK, 0.4, 6), end(240_000)];
    const { summary } = withGaps([gap]);
    const { session } = await runBacktest(plan([{ ...source(rows), ...(summary && { summary }) }], ONE_BID));
    expect(session.markets[0]?.fills.map(({ timeMs }) => timeMs - FIRST_MS)).toEqual([100_000, 200_000]);
    expect(session.notices.find(({ severity }) => severity === 'loud')?.text).toMatch(/^2 fills lie in gaps/);
  });
});

it('a market whose outcome nobody knows is called off when we hold nothing in it, and stays when we do', async () => {
  const rows: readonly Row[] = [level(0, BID, 0.4, 100), level(0, ASK, 0.6, 100), end(120_000)];
  const ends: string[] = [];
  for (const fromMs of [FIRST_MS + 60_000, FIRST_MS + 600_000]) {
    const given = plan([source(rows, { outcome: null })], { strategy: taker(fromMs), params: {} });
    const { session } = await runBacktest(given);
    ends.push(...session.notices.map(({ text }) => text).filter((text) => text.includes('is now')));
    expect(session.markets[0]?.outcome).toBeNull();
    expect(session.endCashMicros).toBe(fromMs > FIRST_MS + 120_000 ? 1_000_000_000 : 994_000_000);
  }
  expect(ends).toEqual([`"${market().title}" is now waiting_to_resolve`, `"${market().title}" is now canceled`]);
});

const MINUTE_MS = 60_000;

async function commanded(...commands: readonly (readonly [atMs: number, command: OperatorCommand])[]) {
  const given = plan([source(wanderingRows(3, 8))], { fillModel: 'optimistic' });
  return (await runBacktest({ ...given, commands: commands.map(([atMs, command]) => ({ atMs, command })) })).session;
}

it('nothing is filled while the trader is paused, and trading goes on when it is resumed', async () => {
  const [fromMs, toMs] = [FIRST_MS + 2 * MINUTE_MS, FIRST_MS + 5 * MINUTE_MS];
  const reason = 'the test';
  const session = await commanded([fromMs, { kind: 'pause', reason }], [toMs, { kind: 'resume', reason }]);
  const times = session.markets.flatMap(({ fills }) => fills.map(({ timeMs }) => timeMs));
  // Cancels are two round trips away.
  expect(times.filter((timeMs) => timeMs > fromMs + 2_000 && timeMs < toMs)).toEqual([]);
  expect(times.filter((timeMs) => timeMs < fromMs).length).toBeGreaterThan(0);
  expect(times.filter((timeMs) => timeMs > toMs).length).toBeGreaterThan(0);
});

it('a stop ends the run once nothing rests, whatever is recorded beyond', async () => {
  const stopMs = FIRST_MS + 3 * MINUTE_MS;
  const session = await commanded([stopMs, { kind: 'stop' }]);
  expect(session.toMs).toBeGreaterThan(stopMs);
  expect(session.toMs).toBeLessThan(stopMs + 30_000);
  expect(session.notices.filter(({ text }) => text.includes('come to rest'))).toEqual([]);
  expect(session.markets[0]?.fills.length).toBeGreaterThan(0);
});
