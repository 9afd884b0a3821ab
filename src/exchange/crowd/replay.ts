/**
 * Plays recorded markets on the exchange. Each recording is one market, which opens at its first event and closes at
 * its last. A closed market is resolved if its outcome is known. Recorded levels and trades mix with real orders.
 *
 * After a restart, a closed market is not played again, and a partly played market continues. Chunks of recordings are
 * read in advance. If the next chunk is not read yet, the replay of its source pauses.
 */

import { EVENT, type Recording, type RecordingWarning, toldCloseMs } from '../../recording/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { ExchangeCore } from '../core/core.js';
import { Playback, ReplayMarket } from './replay-market.js';

/** Retry interval while a recording's next chunk is not read yet, ms. */
const STALL_POLL_MS = 10;

interface ReplayPart {
  readonly market: ReplayMarket;
  /** Recorded time of the recording's first event, Unix ms. */
  readonly firstMs: number;
  readonly playback: Playback;
}

/**
 * Plays the recordings of one source, such as Kalshi, in order of time. Recordings that overlap in time form an act
 * and play together at `speed`. An act begins when the previous act ends, so gaps between acts are skipped.
 */
class ReplayTimeline {
  readonly #speed: number;
  readonly #acts: readonly (readonly ReplayPart[])[];
  #act = 0;
  /** One moment in exchange time and in recorded time, Unix ms, to convert recorded times to exchange times. */
  #anchor: { readonly exchangeMs: number; readonly recordedMs: number };
  /** Exchange time of the last played event, Unix ms. No event is played with an earlier exchange time. */
  #lastMs: number;
  #stalled = false;
  /** Recording that has the next event, from `#findNext`; null if the act has no more events. */
  #next: ReplayPart | null = null;
  /** Recorded time of the earliest event of the act's other recordings, Unix ms. */
  #untilMs = Number.POSITIVE_INFINITY;

  constructor(parts: readonly ReplayPart[], speed: number, nowMs: number) {
    this.#speed = speed;
    this.#acts = groupActs(parts);
    this.#lastMs = nowMs;
    this.#anchor = { exchangeMs: nowMs, recordedMs: this.#acts[0]?.[0]?.firstMs ?? 0 };
    this.#preload();
  }

  get done(): boolean {
    return this.#act >= this.#acts.length;
  }

  /** Continues partly played recordings of the first act. Closes the open markets of later acts. */
  async resume(stoppedMs: number, nowMs: number): Promise<void> {
    const act = this.#acts[this.#act] ?? [];
    for (const part of this.#acts.slice(this.#act + 1).flat())
      if (part.market.state === 'open') part.market.close(nowMs);
    const open = act.filter((part) => part.market.state === 'open');
    if (open.length === 0) return;
    const recordedMs = Math.max(...open.map((part) => this.#computePosition(part, stoppedMs)));
    this.#anchor = { exchangeMs: nowMs, recordedMs };
    for (const { market, firstMs } of open) market.setStart(nowMs, nowMs - (recordedMs - firstMs) / this.#speed);
    for (const part of open) part.market.restore(nowMs, await part.playback.skipTo(recordedMs));
  }

  nextDueMs(): number {
    if (this.done) return Number.POSITIVE_INFINITY;
    if (this.#stalled || !this.#findNext()) return this.#lastMs + STALL_POLL_MS;
    return this.#next === null ? this.#lastMs : this.#dueMs(this.#next.playback.timeMs());
  }

  tick(nowMs: number): void {
    this.#stalled = false;
    while (!this.done) {
      if (!this.#findNext()) {
        // All recordings wait for the missing chunk, so that the order of events does not depend on the disk.
        this.#stalled = true;
        this.#lastMs = Math.max(this.#lastMs, nowMs);
        return;
      }
      if (this.#next === null) {
        this.#act++;
        this.#preload();
        this.#anchor = { exchangeMs: this.#lastMs, recordedMs: this.#acts[this.#act]?.[0]?.firstMs ?? 0 };
        continue;
      }
      if (this.#dueMs(this.#next.playback.timeMs()) > nowMs) return;
      this.#play(this.#next, nowMs);
    }
  }

  /** Plays one recording until another recording has an earlier event. */
  #play({ market, playback, firstMs }: ReplayPart, nowMs: number): void {
    const { chunk } = playback;
    if (chunk === null) return;
    if (market.state === 'absent') {
      this.#lastMs = this.#dueMs(playback.timeMs());
      const closeMs = toldCloseMs(market.recorded, firstMs);
      market.open(this.#lastMs, closeMs === null ? null : this.#dueMs(closeMs));
    }
    for (; playback.at < chunk.length; playback.at++) {
      const timeMs = playback.timeMs();
      if (timeMs > this.#untilMs) return;
      const dueMs = this.#dueMs(timeMs);
      if (dueMs > nowMs) return;
      this.#lastMs = dueMs;
      if (chunk.kind[playback.at] === EVENT.end) market.close(dueMs);
      else market.apply(dueMs, chunk, playback.at);
    }
  }

  /** Sets `#next` and `#untilMs` to the next events. Returns false while a missing chunk is being read. */
  #findNext(): boolean {
    this.#next = null;
    this.#untilMs = Number.POSITIVE_INFINITY;
    let firstMs = Number.POSITIVE_INFINITY;
    for (const part of this.#acts[this.#act] ?? []) {
      const { playback } = part;
      if (!playback.available()) {
        if (!playback.ended) return false;
        // The recording has no more readable events, so its market closes.
        if (part.market.state === 'open') part.market.close(this.#lastMs);
        continue;
      }
      const timeMs = playback.timeMs();
      if (timeMs < firstMs) {
        this.#untilMs = firstMs;
        firstMs = timeMs;
        this.#next = part;
      } else this.#untilMs = Math.min(this.#untilMs, timeMs);
    }
    return true;
  }

  /** Begins to read the recordings of this act, and those of the next act, so that the next act can begin at once. */
  #preload(): void {
    for (const { playback } of this.#acts.slice(this.#act, this.#act + 2).flat()) playback.begin();
  }

  #dueMs(recordedMs: number): number {
    const dueMs = Math.ceil(this.#anchor.exchangeMs + (recordedMs - this.#anchor.recordedMs) / this.#speed);
    return Math.max(this.#lastMs, dueMs);
  }

  /** Returns the recorded time that a recording had reached when the exchange stopped; assumes the present speed. */
  #computePosition(part: ReplayPart, stoppedMs: number): number {
    const played = (stoppedMs - part.market.startMs) * this.#speed;
    const closeMs = toldCloseMs(part.market.recorded, part.firstMs) ?? Number.POSITIVE_INFINITY;
    return Math.min(part.firstMs + Math.max(0, played), closeMs);
  }
}

/** Groups overlapping recordings into acts. Acts with a partly played market come first. */
function groupActs(parts: readonly ReplayPart[]): ReplayPart[][] {
  const acts: ReplayPart[][] = [];
  let endMs = Number.NEGATIVE_INFINITY;
  for (const part of [...parts].sort((a, b) => a.firstMs - b.firstMs)) {
    const last = acts.at(-1);
    if (last === undefined || part.firstMs >= endMs) acts.push([part]);
    else last.push(part);
    endMs = Math.max(endMs, part.playback.recording.summary?.lastMs ?? part.market.recorded.closeTimeMs);
  }
  const hasBegun = (act: readonly ReplayPart[]) => act.some((part) => part.market.state === 'open');
  return [...acts.filter(hasBegun), ...acts.filter((act) => !hasBegun(act))];
}

/** Plays recordings, each on its own market. */
export type Replay = Awaited<ReturnType<typeof attachReplay>>;

/**
 * Prepares a replay. The first `tick` is due at `nowMs` (Unix ms of the exchange's clock). `speed`: recorded ms per ms
 * of the exchange. Throws TwinbookError `usage` for an invalid speed. Throws `recording_invalid` or `file_unreadable`
 * if a recording has no readable event, or if another market has its id.
 */
export async function attachReplay(core: ExchangeCore, recordings: readonly Recording[], speed: number, nowMs: number) {
  if (!Number.isFinite(speed) || speed <= 0) {
    const hint = 'Speed 1 replays as fast as recorded, speed 10 ten times as fast.';
    throw new TwinbookError('usage', `the replay speed must be above 0, got ${speed}`, hint);
  }
  // The calls below advance the core's clock.
  const stoppedMs = core.nowMs;
  const bySource = new Map<string, ReplayPart[]>();
  const plan: string[] = [];
  for (const recording of recordings) {
    const market = new ReplayMarket(core, recording.market);
    plan.push(planText(recording, market.state, speed));
    if (market.state === 'finished') {
      // The exchange may have stopped between a market's close and its resolution.
      market.close(nowMs);
      continue;
    }
    const part = { market, firstMs: await Playback.readFirstMs(recording), playback: new Playback(recording) };
    // A recording in Twinbook's own format counts as a recording of its venue.
    const kind = recording.market.source.origin ?? recording.market.source.kind;
    bySource.set(kind, [...(bySource.get(kind) ?? []), part]);
  }
  const timelines = [...bySource.values()].map((parts) => new ReplayTimeline(parts, speed, nowMs));
  for (const timeline of timelines) await timeline.resume(stoppedMs, nowMs);
  const parts = [...bySource.values()].flat();
  const ready = async () => void (await Promise.all(parts.map(({ playback }) => playback.waitForLoad())));
  await ready();
  return {
    /** One line for each recording: its title, its source and the duration of its replay. */
    plan: plan as readonly string[],
    tick(nowMs: number): void {
      for (const timeline of timelines) timeline.tick(nowMs);
    },
    nextDueMs: () => Math.min(...timelines.map((timeline) => timeline.nextDueMs())),
    get done() {
      return timelines.every((timeline) => timeline.done);
    },
    notes: () => listNotes(parts),
    /** Stops the replay: no event is played after this call. */
    async close(): Promise<void> {
      await Promise.all(parts.map(({ playback }) => playback.close()));
    },
    /** Resolves when all chunks that can be read in advance are read. */
    ready,
  };
}

/** Notes for the user about the parts of the recordings that are already read. */
function listNotes(parts: readonly ReplayPart[]) {
  const notes = parts.flatMap(({ playback, market }): readonly RecordingWarning[] => {
    const { warnings } = playback.recording;
    const { refusedEvents: refused, recorded } = market;
    if (refused === 0) return warnings;
    const { path } = recorded.source;
    return [...warnings, { path, message: `${refused} events were skipped: price off the grid, or market closed` }];
  });
  return {
    markets: parts.length,
    unresolved: parts.filter(({ market }) => market.recorded.outcome === null).length,
    notes,
    failures: parts.flatMap(({ market, playback: { failure } }) =>
      failure === null ? [] : [{ path: market.recorded.source.path, message: failure.message }],
    ),
  };
}

function planText({ market, summary }: Recording, state: ReplayMarket['state'], speed: number): string {
  const name = `"${market.title}" (${market.source.origin ?? market.source.kind})`;
  if (state === 'finished') return `not replayed again: ${name}, whose replay has already ended in this data folder`;
  const lengthMs = (summary?.lastMs ?? market.closeTimeMs) - (summary?.firstMs ?? market.openTimeMs);
  const minutes = (ms: number): string => `${Math.round(ms / 6_000) / 10} min`;
  const faster = speed === 1 ? '' : `, played in ${minutes(lengthMs / speed)} at speed ${speed}`;
  return `${state === 'open' ? 'replay continues' : 'replay'}: ${name}, ${minutes(lengthMs)}${faster}`;
}
