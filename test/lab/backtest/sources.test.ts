/** Recordings shared by several runs: decoded once if they fit, and an incomplete one never counts as complete. */

import { describe, expect, it } from 'vitest';
import { keepInMemory, streamRecording } from '../../../src/lab/backtest/replay-driver.js';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import type { EventChunk, Recording } from '../../../src/recording/contract.js';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { times } from '../../support/effort.js';
import { plan } from './plans.js';
import { chunk, market, type Row, wanderingRows } from './recordings.js';

const ROWS = wanderingRows(7, times(1, 4));

/** A recording in pieces of this number of events that counts its decodings. */
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
  it('are decoded once for all of them, one after the other or at once, and give the same result again', async () => {
    const { recording, decodings } = recordingOf(ROWS);
    const shared = { events: 0 };
    const source = keepInMemory(recording, shared);
    const [first, second] = await Promise.all([runBacktest(plan([source])), runBacktest(plan([source]))]);
    expect(await runBacktest(plan([source]))).toEqual(first);
    expect(second).toEqual(first);
    expect(decodings).toEqual({ begun: 1, whole: 1 });
    expect(shared.events).toBe(ROWS.length);
    expect(first).toEqual(await runBacktest(plan([streamRecording(recording)])));
  });

  it('are decoded anew for each run where they do not fit into the memory', async () => {
    const { recording, decodings } = recordingOf(ROWS);
    const shared = { events: 4_000_000 - 500 };
    const source = keepInMemory(recording, shared);
    const first = await runBacktest(plan([source]));
    const { begun } = decodings;
    expect(await runBacktest(plan([source]))).toEqual(first);
    expect(decodings.begun).toBeGreaterThan(begun);
    expect(shared.events).toBe(4_000_000 - 500);
  });

  it('are played as far as they can be read by every run', async () => {
    const { recording } = recordingOf(ROWS);
    async function* broken(): AsyncGenerator<EventChunk> {
      yield chunk(ROWS.slice(0, 300));
      throw new TwinbookError('recording_invalid', 'a page is damaged', 'Copy it anew.');
    }
    const source = keepInMemory({ ...recording, chunks: broken }, { events: 0 });
    for (let run = 0; run < 2; run++) {
      const { session, events } = await runBacktest(plan([source]));
      expect(events).toBe(300);
      expect(session.notices[0]?.text).toContain('only up to the first unreadable event: a page is damaged');
    }
  });
});
