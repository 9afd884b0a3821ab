/** The readers on real recordings, compared with a plain rebuild of the files. Skipped where the data is missing. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { EVENT, type Recording, SIDE } from '../../src/recording/contract.js';
import { openRecordings } from '../../src/recording/recording.js';
import { REAL_DATA } from './samples.js';

const KALSHI = join(REAL_DATA, 'kalshi-gold15m');
const POLYMARKET = join(REAL_DATA, 'polymarket-tickscope');

/** Totals of a stream; prices in cents or tenths, amounts in millionths. */
const newSummary = () => ({
  /** Side and price → total at the end. */
  book: new Map<string, number>(),
  ...{ tradedMicros: 0, trades: 0, unexplainedTrades: 0 },
  /** Sum of the sizes of all changes of all levels. */
  turnoverMicros: 0,
});
type Summary = ReturnType<typeof newSummary>;

function setLevel(summary: Summary, key: string, total: number): void {
  summary.turnoverMicros += Math.abs(total - (summary.book.get(key) ?? 0));
  if (total === 0) summary.book.delete(key);
  else summary.book.set(key, total);
}

async function summaryOf(recording: Recording, toleranceMicros = 0): Promise<Summary> {
  const summary = newSummary();
  let lastMs = 0;
  let ends = 0;
  // Trades at a level since its last change, for the rule that a trade precedes its decrease.
  let pending: { key: string; amount: number }[] = [];
  for await (const chunk of recording.chunks()) {
    for (let at = 0; at < chunk.length; at++) {
      const timeMs = chunk.timeMs[at] ?? 0;
      if (timeMs < lastMs || ends > 0) throw new Error(`event ${at} at ${timeMs} after ${lastMs}`);
      lastMs = timeMs;
      const amount = chunk.amountMicros[at] ?? 0;
      const price = chunk.priceMicros[at] ?? 0;
      if (chunk.kind[at] === EVENT.trade) {
        summary.trades++;
        summary.tradedMicros += amount;
        pending.push({ key: `${chunk.side[at] === SIDE.bid ? 'ask' : 'bid'} ${price}`, amount });
      } else if (chunk.kind[at] === EVENT.level) {
        const key = `${chunk.side[at] === SIDE.bid ? 'bid' : 'ask'} ${price}`;
        const decrease = (summary.book.get(key) ?? 0) - amount;
        for (const trade of pending)
          if (trade.key !== key || decrease + toleranceMicros < trade.amount) summary.unexplainedTrades++;
        pending = [];
        setLevel(summary, key, amount);
      } else if (chunk.kind[at] === EVENT.end) ends++;
    }
  }
  expect(ends).toBe(1);
  return summary;
}

/** The window as in its files, message by message, without reordering. */
function plainKalshi(window: string): Summary {
  const folder = join(KALSHI, 'events', window);
  const summary = newSummary();
  const read = (file: string) =>
    String(gunzipSync(readFileSync(join(folder, file))))
      .trim()
      .split('\n');
  const lines = readdirSync(folder).sort().flatMap(read);
  const micros = (text: string) => Math.round(Number(text) * 1e6);
  const yesKey = (side: string, price: string) =>
    side === 'yes' ? `bid ${micros(price)}` : `ask ${1_000_000 - micros(price)}`;
  for (const line of lines) {
    const { type, msg } = JSON.parse(line).event;
    if (type === 'trade') {
      summary.trades++;
      summary.tradedMicros += micros(msg.count_fp);
    } else if (type === 'orderbook_delta') {
      const key = yesKey(msg.side, msg.price_dollars);
      setLevel(summary, key, (summary.book.get(key) ?? 0) + micros(msg.delta_fp));
    } else if (msg.yes_dollars_fp !== undefined || msg.no_dollars_fp !== undefined) {
      const sides: [string, [string, string][]][] = [
        ['yes', msg.yes_dollars_fp ?? []],
        ['no', msg.no_dollars_fp ?? []],
      ];
      const next = new Map(
        sides.flatMap(([side, levels]) => levels.map(([price, size]) => [yesKey(side, price), micros(size)] as const)),
      );
      for (const key of [...summary.book.keys()]) if (!next.has(key)) setLevel(summary, key, 0);
      for (const [key, total] of next) setLevel(summary, key, total);
    }
  }
  return summary;
}

const sorted = (book: Map<string, number>) => [...book].sort();

describe.skipIf(!existsSync(KALSHI))('the Kalshi set (needs ../shared/data)', () => {
  it('has 22 markets with title, times and outcome', async () => {
    const markets = (await openRecordings([KALSHI])).map(({ market }) => market);
    expect(markets).toHaveLength(22);
    expect(new Set(markets.map((market) => market.conditionId)).size).toBe(22);
    for (const market of markets) {
      expect(market.closeTimeMs - market.openTimeMs).toBe(900_000);
      expect(market.outcome).not.toBeNull();
      expect(market.title).toMatch(/^Gold price up in next 15 mins\? Target Price: \$/);
    }
    expect(markets.filter((market) => market.outcome === true)).toHaveLength(13);
  });

  // A plain window, one in two files, one with a second snapshot in mid-stream.
  it.each(['KXGOLD15M-26AUG050800-00', 'KXGOLD15M-26AUG102000-00', 'KXGOLD15M-26AUG102030-30'])(
    'gives of %s the book, the volume and the changes that a plain rebuild gives',
    async (window) => {
      const [recording] = await openRecordings([join(KALSHI, 'events', window)]);
      if (recording === undefined) throw new Error('no recording');
      const summary = await summaryOf(recording);
      const plain = plainKalshi(window);
      expect(sorted(summary.book)).toEqual(sorted(plain.book));
      expect(summary.book.size).toBeGreaterThan(5);
      expect([summary.trades, summary.tradedMicros, summary.turnoverMicros]).toEqual([
        plain.trades,
        plain.tradedMicros,
        plain.turnoverMicros,
      ]);
      expect(summary.unexplainedTrades).toBe(0);
      expect(recording.warnings).toEqual([]);
    },
  );
});

it.skipIf(!existsSync(POLYMARKET))(
  'the Polymarket set has six markets of twelve tokens, whose books do not end crossed and whose trades find their levels',
  async () => {
    const recordings = await openRecordings([POLYMARKET]);
    expect(recordings).toHaveLength(6);
    let trades = 0;
    let unexplained = 0;
    let tradesLeftOut = 0;
    for (const recording of recordings) {
      const summary = await summaryOf(recording, 10_001);
      const best = (side: string) =>
        [...summary.book.keys()].filter((key) => key.startsWith(side)).map((key) => Number(key.slice(4)));
      expect(Math.max(...best('bid'))).toBeLessThan(Math.min(...best('ask')));
      trades += summary.trades;
      unexplained += summary.unexplainedTrades;
      expect(recording.market.outcome).toBeNull();
      for (const { message } of recording.warnings)
        tradesLeftOut += Number(/trades left out: (\d+)/.exec(message)?.[1] ?? 0);
    }
    // Two of the 483 happened while the book was unknown.
    expect([trades, tradesLeftOut]).toEqual([481, 2]);
    // One in ten took a level that the incomplete book knew only partly, or was printed together with others.
    expect(unexplained).toBeLessThan(48);
  },
);
