/**
 * Recorded markets on the exchange: drives what was recorded into the core as time passes. Every recording is one market.
 * It opens with its first event, takes recorded levels and trades beside the real orders, and closes with its last
 * one; if the outcome is known it resolves at once, else it stays closed and unresolved.
 *
 * Each source (Kalshi, Polymarket) starts at once and plays in its own order (`timeline.ts`). After a restart of the
 * exchange a market that had closed is not played again, one that was half played goes on from where the exchange's
 * clock stood (trades of the moment of the stop may be missing, levels are not).
 *
 * Reading is asynchronous and runs ahead; `tick` is synchronous, and waits with everything when a chunk is late.
 */

import type { Recording, RecordingWarning } from '../../recording/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { ExchangeCore } from '../core/core.js';
import type { Driver, ReplayNotes } from './contract.js';
import { Playback } from './playback.js';
import { ReplayMarket } from './replay-market.js';
import { type Part, Timeline } from './timeline.js';

/** Plays all recordings of one source, each into its own market. */
export class Replay implements Driver {
  readonly #timelines: readonly Timeline[];
  readonly #parts: readonly Part[];
  /** Replayed recordings and their durations, one line each. */
  readonly plan: readonly string[];

  private constructor(timelines: readonly Timeline[], parts: readonly Part[], plan: readonly string[]) {
    this.#timelines = timelines;
    this.#parts = parts;
    this.plan = plan;
  }

  /**
   * Prepares the recordings; nothing is played before the first `tick`, which is due at `nowMs` (the exchange's clock,
   * Unix ms). `core` is the exchange's core with its state already restored. `speed`: recorded ms
   * in one of the exchange's; 1 is as recorded. Throws TwinbookError `recording_invalid` or `file_unreadable` when one
   * of them has nothing that can be read, or names a market that the exchange has from elsewhere, `usage` for a speed that is not a positive number.
   */
  static async attach(
    core: ExchangeCore,
    recordings: readonly Recording[],
    { speed }: { readonly speed: number },
    nowMs: number,
  ): Promise<Replay> {
    if (!Number.isFinite(speed) || speed <= 0) {
      throw new TwinbookError(
        'usage',
        `the replay speed must be above 0, got ${speed}`,
        '1 is as recorded, 10 ten times as fast',
      );
    }
    const bySource = new Map<string, Part[]>();
    const plan: string[] = [];
    for (const recording of recordings) {
      const market = new ReplayMarket(core, recording.market);
      plan.push(planText(recording, market.state, speed));
      if (market.state === 'finished') {
        // Closed but not resolved: the exchange stopped in between.
        market.close(nowMs);
        continue;
      }
      const part = { recording, market, firstMs: await firstEventMs(recording) };
      const { kind: format, origin } = recording.market.source;
      // For our own format the venue is the source, not the files.
      const kind = origin ?? format;
      bySource.set(kind, [...(bySource.get(kind) ?? []), part]);
    }
    const timelines = [...bySource.values()].map((parts) => new Timeline(parts, speed, nowMs));
    for (const timeline of timelines) await timeline.resume(core, nowMs);
    await Promise.all(timelines.map((timeline) => timeline.ready()));
    return new Replay(timelines, [...bySource.values()].flat(), plan);
  }

  /** Applies all events due by `nowMs` that were read. */
  tick(nowMs: number): void {
    for (const timeline of this.#timelines) timeline.tick(nowMs);
  }

  nextDueMs(): number {
    return Math.min(...this.#timelines.map((timeline) => timeline.nextDueMs()));
  }

  /** Every recording was played to its end. */
  get done(): boolean {
    return this.#timelines.every((timeline) => timeline.done);
  }

  /** Facts about the data for the user, as far as it was read. */
  notes(): ReplayNotes {
    const notes = this.#parts.flatMap(({ recording, market }): readonly RecordingWarning[] => {
      const path = recording.market.source.path;
      const refused = market.refusedEvents;
      if (refused === 0) return recording.warnings;
      return [...recording.warnings, { path, message: `${refused} events are off the market's price grid: skipped` }];
    });
    const failures = this.#timelines.flatMap((timeline) => timeline.failures());
    return {
      markets: this.#parts.length,
      unresolved: this.#parts.filter(({ recording }) => recording.market.outcome === null).length,
      notes,
      failures: failures.map(({ part, reason }) => ({ path: part.recording.market.source.path, message: reason })),
    };
  }

  /** Closes the recordings, even partly read ones. Nothing is played afterwards. */
  async close(): Promise<void> {
    await Promise.all(this.#timelines.map((timeline) => timeline.close()));
  }

  /** Resolves when everything that can be read ahead was read: ticks between two calls do not depend on the disk. */
  async ready(): Promise<void> {
    await Promise.all(this.#timelines.map((timeline) => timeline.ready()));
  }
}

function planText({ market, summary }: Recording, state: ReplayMarket['state'], speed: number): string {
  const name = `"${market.title}" (${market.source.origin ?? market.source.kind})`;
  if (state === 'finished') return `not replayed again: ${name}, which is over in this folder`;
  const lengthMs = (summary?.lastMs ?? market.closeTimeMs) - (summary?.firstMs ?? market.openTimeMs);
  const minutes = (ms: number): string => `${Math.round(ms / 6_000) / 10} min`;
  const faster = speed === 1 ? '' : `, in ${minutes(lengthMs / speed)} at speed ${speed}`;
  return `${state === 'open' ? 'replay goes on' : 'replay'}: ${name}, ${minutes(lengthMs)}${faster}`;
}

/** Reads the beginning of a recording. */
async function firstEventMs(recording: Recording): Promise<number> {
  const playback = new Playback(recording);
  await playback.waitForLoad();
  const found = playback.available() ? playback.timeMs() : null;
  const failure = playback.failure;
  await playback.close();
  if (found !== null) return found;
  throw (
    failure ??
    new TwinbookError(
      'recording_invalid',
      `no event can be read from ${recording.market.source.path}`,
      '`twinbook data verify` says what is wrong with a recording.',
    )
  );
}
