/**
 * Plays the recordings of one source in their own order. Recordings that overlap in time are one act and play together;
 * an act starts when the one before it has ended, so the time between two acts is skipped. Inside an act recorded time
 * runs at `speed`.
 */

import { EVENT, type Recording } from '../../recording/contract.js';
import { toldCloseMs } from '../../recording/told-close.js';
import type { ExchangeCore } from '../core/core.js';
import type { Driver } from './contract.js';
import { Playback } from './playback.js';
import type { ReplayMarket } from './replay-market.js';

/** How soon a tick looks again when the next events were not read yet, ms. */
const STALL_POLL_MS = 10;

/** One recording in the plan of a replay; times as recorded, Unix ms. */
export interface Part {
  readonly recording: Recording;
  readonly market: ReplayMarket;
  /** Recorded time of its first event, Unix ms. */
  readonly firstMs: number;
}

/** Where recorded and exchange time meet. */
interface Anchor {
  readonly exchangeMs: number;
  readonly recordedMs: number;
}

/** The plan of a replay: which recordings play together, and when each event is due on the exchange's clock. */
export class Timeline implements Driver {
  readonly #speed: number;
  readonly #acts: readonly (readonly Part[])[];
  readonly #playing = new Map<Part, Playback>();
  #act = 0;
  #anchor: Anchor;
  /** The exchange's time of the last thing done; what follows is never before it. */
  #lastMs: number;
  #stalled = false;
  readonly #failed: { part: Part; reason: string }[] = [];
  /** What `#findNext` found. */
  #next: Part | null = null;
  #nextPlayback: Playback | null = null;
  #untilMs = Number.POSITIVE_INFINITY;

  /** Parts that are finished must have been left out. Starts at `nowMs` (the exchange's clock). */
  constructor(parts: readonly Part[], speed: number, nowMs: number) {
    this.#speed = speed;
    this.#acts = groupActs(parts);
    this.#lastMs = nowMs;
    this.#anchor = { exchangeMs: nowMs, recordedMs: this.#acts[0]?.[0]?.firstMs ?? 0 };
    this.#preload();
  }

  get done(): boolean {
    return this.#act >= this.#acts.length;
  }

  /** Why recordings could not be read to their end. */
  failures(): { part: Part; reason: string }[] {
    return [...this.#failed, ...listFailures(this.#playing)];
  }

  /**
   * Takes up what an earlier run of the exchange left half played: the first act with an open market goes on from where
   * the exchange's clock stood. An open market of a later act (its recordings were given differently then) is closed.
   */
  async resume(core: ExchangeCore, nowMs: number): Promise<void> {
    const act = this.#acts[this.#act] ?? [];
    for (const part of this.#acts.slice(this.#act + 1).flat())
      if (part.market.state === 'open') part.market.close(nowMs);
    const open = act.filter((part) => part.market.state === 'open');
    if (open.length === 0) return;
    const recordedMs = Math.max(...open.map((part) => this.#computePosition(part, core.nowMs)));
    this.#anchor = { exchangeMs: nowMs, recordedMs };
    for (const part of open) {
      const book = await this.#playing.get(part)?.skipTo(recordedMs);
      if (book !== undefined) part.market.restore(nowMs, book);
    }
  }

  /** Resolves when everything that can be read ahead was read. */
  async ready(): Promise<void> {
    await Promise.all([...this.#playing.values()].map((playback) => playback.waitForLoad()));
  }

  /** Gives up reading and lets go of the files. Nothing is played after it. */
  async close(): Promise<void> {
    await Promise.all([...this.#playing.values()].map((playback) => playback.close()));
  }

  nextDueMs(): number {
    if (this.done) return Number.POSITIVE_INFINITY;
    if (this.#stalled || !this.#findNext()) return this.#lastMs + STALL_POLL_MS;
    return this.#nextPlayback === null ? this.#lastMs : this.#dueMs(this.#nextPlayback.timeMs());
  }

  tick(nowMs: number): void {
    this.#stalled = false;
    while (!this.done) {
      if (!this.#findNext()) {
        // Others must wait too, or the order between the markets would depend on the disk.
        this.#stalled = true;
        this.#lastMs = Math.max(this.#lastMs, nowMs);
        return;
      }
      if (this.#next === null || this.#nextPlayback === null) {
        this.#nextAct();
        continue;
      }
      if (this.#dueMs(this.#nextPlayback.timeMs()) > nowMs) return;
      this.#play(this.#next, this.#nextPlayback, nowMs);
    }
  }

  /** Plays one recording up to the moment when another one is due. */
  #play(part: Part, playback: Playback, nowMs: number): void {
    const { market } = part;
    const chunk = playback.chunk;
    if (chunk === null) return;
    if (market.state === 'absent') {
      this.#lastMs = this.#dueMs(playback.timeMs());
      const closeMs = toldCloseMs(market.recorded, part.firstMs);
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

  /**
   * Finds the recording whose event is next (none: the act is over) and the time of the next event of another one.
   * False when that cannot be told yet, because a chunk is still being read.
   */
  #findNext(): boolean {
    this.#next = null;
    this.#nextPlayback = null;
    this.#untilMs = Number.POSITIVE_INFINITY;
    let firstMs = Number.POSITIVE_INFINITY;
    for (const part of this.#acts[this.#act] ?? NOBODY) {
      const playback = this.#playing.get(part);
      if (playback === undefined) continue;
      if (!playback.available()) {
        if (!playback.ended) return false;
        // Read to its end, or as far as it can be read: then it ends here.
        if (part.market.state === 'open') part.market.close(this.#lastMs);
        continue;
      }
      const timeMs = playback.timeMs();
      if (timeMs < firstMs) {
        this.#untilMs = firstMs;
        firstMs = timeMs;
        this.#next = part;
        this.#nextPlayback = playback;
      } else if (timeMs < this.#untilMs) {
        this.#untilMs = timeMs;
      }
    }
    return true;
  }

  #nextAct(): void {
    const over = this.#acts[this.#act] ?? NOBODY;
    for (const failure of listFailures(this.#playing)) if (over.includes(failure.part)) this.#failed.push(failure);
    for (const part of over) this.#playing.delete(part);
    this.#act++;
    this.#preload();
    this.#anchor = { exchangeMs: this.#lastMs, recordedMs: this.#acts[this.#act]?.[0]?.firstMs ?? 0 };
  }

  /** Reads ahead in this act and the next, so that an act does not start with a wait. */
  #preload(): void {
    for (const part of [...(this.#acts[this.#act] ?? []), ...(this.#acts[this.#act + 1] ?? [])]) {
      if (!this.#playing.has(part)) this.#playing.set(part, new Playback(part.recording));
    }
  }

  #dueMs(recordedMs: number): number {
    const dueMs = Math.ceil(this.#anchor.exchangeMs + (recordedMs - this.#anchor.recordedMs) / this.#speed);
    return Math.max(this.#lastMs, dueMs);
  }

  /** How far a half-played recording had come when the exchange's clock stood there, at today's speed. */
  #computePosition(part: Part, stoppedMs: number): number {
    const played = (stoppedMs - (part.market.openedMs ?? stoppedMs)) * this.#speed;
    const closeMs = toldCloseMs(part.market.recorded, part.firstMs) ?? Number.POSITIVE_INFINITY;
    return Math.min(part.firstMs + Math.max(0, played), closeMs);
  }
}

const NOBODY: readonly Part[] = [];

function listFailures(playing: ReadonlyMap<Part, Playback>): { part: Part; reason: string }[] {
  return [...playing].flatMap(([part, { failure }]) => (failure === null ? [] : [{ part, reason: failure.message }]));
}

/** Recordings that overlap, together. Acts with a half-played market come first. */
function groupActs(parts: readonly Part[]): Part[][] {
  const acts: Part[][] = [];
  let endMs = Number.NEGATIVE_INFINITY;
  for (const part of [...parts].sort((a, b) => a.firstMs - b.firstMs)) {
    const last = acts.at(-1);
    if (last === undefined || part.firstMs >= endMs) acts.push([part]);
    else last.push(part);
    endMs = Math.max(endMs, part.recording.market.closeTimeMs);
  }
  const hasBegun = (act: readonly Part[]) => act.some((part) => part.market.state === 'open');
  return [...acts.filter(hasBegun), ...acts.filter((act) => !hasBegun(act))];
}
