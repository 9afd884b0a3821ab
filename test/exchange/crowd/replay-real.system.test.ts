/** Real recordings through the exchange core, compared with a plain count. Skipped where the data is missing. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ASK, BID } from '../../../src/exchange/core/contract.js';
import type { ExchangeCore } from '../../../src/exchange/core/core.js';
import { Replay } from '../../../src/exchange/crowd/replay.js';
import { EVENT, type Recording } from '../../../src/recording/contract.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { micros } from '../../../src/shared/base/micros.js';
import { REAL_DATA } from '../../recording/samples.js';
import { newCore, START_MS } from './world.js';

const KALSHI = join(REAL_DATA, 'kalshi-gold15m');

interface Tally {
  levels: number;
  trades: number;
  tradedMicros: number;
}

/** Counts the events that reach the core. */
function counted(core: ExchangeCore): Tally {
  const tally: Tally = { levels: 0, trades: 0, tradedMicros: 0 };
  const { feed } = core;
  const [level, trade] = [feed.level.bind(feed), feed.trade.bind(feed)];
  feed.level = (...args) => {
    tally.levels++;
    return level(...args);
  };
  feed.trade = (...args) => {
    tally.trades++;
    tally.tradedMicros += args[3];
    return trade(...args);
  };
  return tally;
}

/** The same counts from the stream itself, with the final book. */
async function plain(
  recording: Recording,
): Promise<Tally & { book: Map<string, number>; endMs: number; startMs: number }> {
  const all = { levels: 0, trades: 0, tradedMicros: 0, book: new Map<string, number>(), endMs: 0, startMs: 0 };
  for await (const chunk of recording.chunks()) {
    for (let at = 0; at < chunk.length; at++) {
      const amount = chunk.amountMicros[at] ?? 0;
      if (all.startMs === 0) all.startMs = chunk.timeMs[at] ?? 0;
      all.endMs = chunk.timeMs[at] ?? 0;
      if (chunk.kind[at] === EVENT.level) {
        all.levels++;
        all.book.set(`${chunk.side[at]} ${chunk.priceMicros[at]}`, amount);
      } else if (chunk.kind[at] === EVENT.trade) {
        all.trades++;
        all.tradedMicros += amount;
      }
    }
  }
  return all;
}

function bookOf(core: ExchangeCore, market: number): Map<string, number> {
  const levels: [string, number][] = [];
  for (let price = 10_000; price < 1_000_000; price += 10_000) {
    for (const side of [BID, ASK] as const) {
      const amount = core.catalog.market(market).levelAmount(side, micros(price));
      if (amount > 0) levels.push([`${side} ${price}`, amount]);
    }
  }
  return new Map(levels.sort());
}

/** Plays at a hundred times the speed in ticks of 50 ms until this exchange time. */
async function playUntil(replay: Replay, untilMs: number): Promise<void> {
  for (let ms = START_MS; ms < untilMs; ms += 50) {
    await replay.ready();
    replay.tick(ms);
  }
  for (let round = 0; round < 1000 && replay.nextDueMs() <= untilMs; round++) {
    replay.tick(untilMs);
    await replay.ready();
  }
}

const SPEED = 100;

describe.skipIf(!existsSync(KALSHI))('a replay of a real Kalshi window (needs ../shared/data)', () => {
  it('applies every event once: the book, the trades and the volume are those of the recording', async () => {
    const [recording] = await openRecordings([join(KALSHI, 'events', 'KXGOLD15M-26AUG101900-00')]);
    if (recording === undefined) throw new Error('no recording');
    const expected = await plain(recording);
    const core = newCore();
    const tally = counted(core);
    const replay = await Replay.attach(core, [recording], { speed: SPEED }, START_MS);
    const endMs = START_MS + Math.ceil((expected.endMs - expected.startMs) / SPEED);
    // The last event before the market closes clears its recorded book.
    let finalBook: Map<string, number> | null = null;
    const clear = core.feed.clear.bind(core.feed);
    core.feed.clear = (market) => {
      finalBook = tally.levels > 0 ? bookOf(core, market) : null;
      clear(market);
    };
    await playUntil(replay, endMs);
    expect(finalBook).toEqual(new Map([...expected.book].filter(([, amount]) => amount > 0).sort()));
    expect(tally).toEqual({ levels: expected.levels, trades: expected.trades, tradedMicros: expected.tradedMicros });
    expect(core.marketFacts(0)).toMatchObject({ state: 'resolved', outcome: true });
    expect(replay.notes()).toMatchObject({ notes: [], failures: [] });
    expect(replay.done).toBe(true);
  });
});
