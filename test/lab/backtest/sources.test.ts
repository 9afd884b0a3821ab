/** Recordings that several runs play: decoded once, as long as they fit, and never wrongly taken for whole. */

import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { keepInMemory, streamRecording } from '../../../src/lab/backtest/sources.js';
import type { EventChunk, Recording } from '../../../src/recording/contract.js';
import { times } from '../../support/effort.js';
import { plan } from './plans.js';
import { chunk, FIRST_MS, market, type Row, wanderingRows } from './recordings.js';

const ROWS = wanderingRows(7, times(1, 4));

/** A recording in pieces of so many events that counts how often it was decoded. */
function recordingOf(rows: readonly Row[], pieces = 300) {
  const decodings = { begun: 0, whole: 0 };
  async function* chunks(): AsyncGenerator<EventChunk> {
    decodings.begun += 1;
    for (let from = 0; from < rows.length; from += pieces) yield chunk(rows.slice(from, from + pieces));
    decodings.whole += 1;
  }
  const recording: Recording = { market: market(), warnings: [], chunks };
  return { recording, decodings };
}

describe('recordings that several runs play', () => {
  it('are decoded once for all of them, and give the same result again', async () => {
    const { recording, decodings } = recordingOf(ROWS);
    const shared = { events: 0 };
    const source = keepInMemory(streamRecording(recording), shared);
    const first = await runBacktest(plan([source]));
    // The first look at its beginning, and the run.
    expect(decodings.begun).toBe(2);
    expect(shared.events).toBe(ROWS.length);
    const second = await runBacktest(plan([source]));
    expect(decodings.begun).toBe(2);
    expect(second).toEqual(first);
  });

  it('are decoded anew after a run that did not play them to their end', async () => {
    const { recording } = recordingOf(ROWS);
    const shared = { events: 0 };
    const source = keepInMemory(streamRecording(recording), shared);
    const whole = await runBacktest(plan([source]));
    const other = keepInMemory(streamRecording(recording), { events: 0 });
    const commands = [{ atMs: FIRST_MS + 60_000, command: { kind: 'stop' } }] as const;
    await runBacktest({ ...plan([other]), commands });
    expect(await runBacktest(plan([other]))).toEqual(whole);
  });

  it('count once when two runs play them at the same time', async () => {
    const { recording } = recordingOf(ROWS);
    const shared = { events: 0 };
    const source = keepInMemory(streamRecording(recording), shared);
    const [one, two] = await Promise.all([runBacktest(plan([source])), runBacktest(plan([source]))]);
    expect(two).toEqual(one);
    expect(shared.events).toBe(ROWS.length);
  });
});
