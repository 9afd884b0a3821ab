/** Faults of a venue's files: unreadable lines, of which too many refuse the file, and times that step back. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { RecordingWarning } from '../contract.js';

/** A file with a larger fraction of broken lines is of another kind, or damaged throughout. */
const MOST_BROKEN = 0.01;

const SHOWN = 240;

export class LineCount {
  #lines = 0;
  #broken = 0;
  #example: string | null = null;
  #isLastBroken = false;
  #failure: string | null = null;
  readonly #good: string;

  constructor(good: string) {
    this.#good = good;
  }

  addLine(): void {
    this.#lines++;
    this.#isLastBroken = false;
  }

  markBroken(line: string): void {
    this.#broken++;
    this.#example ??= line;
    this.#isLastBroken = true;
  }

  /** Reading stopped before the end of the file. False when nothing was read before. */
  stop(reason: string): boolean {
    this.#failure = reason;
    return this.#lines > this.#broken;
  }

  /** Warnings about the file. Throws TwinbookError `recording_invalid` for a refused one. */
  finish(path: string): RecordingWarning[] {
    const end = this.#failure ?? (this.#isLastBroken ? 'its last line is broken' : null);
    const cut = end === null ? [] : [`the file is cut or damaged (${end})`];
    refuseBroken(path, this.#lines, this.#broken, [this.#example ?? '', this.#good], cut);
    const broken = this.#broken === 0 ? [] : [`${this.#broken} broken lines were skipped`];
    const used = cut.map((damage) => `${damage}: only what could be read of it is used`);
    return [...broken, ...used].map((message) => ({ path, message, isDamage: true }));
  }
}

/** Throws TwinbookError `recording_invalid` for too many broken lines, with a broken line and a good one. */
export function refuseBroken(
  path: string,
  lines: number,
  broken: number,
  [bad, good]: readonly [bad: string, good: string],
  reasons: readonly string[] = [],
): void {
  if (broken <= MOST_BROKEN * lines) return;
  const what = `${broken} of ${lines} lines of ${path} cannot be read, such as ${shorten(bad)}`;
  throw new TwinbookError(
    'recording_invalid',
    [what, ...reasons].join('; '),
    `A line that can be read: ${shorten(good)}`,
  );
}

/** Control characters are shown as a question mark. */
function shorten(line: string): string {
  const plain = line.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '?');
  return plain.length > SHOWN ? `${plain.slice(0, SHOWN)}…` : plain;
}

/** Venue clocks step back by some seconds at most; more means a wrong order or a single wrong time. */
const MOST_USUAL_MS = 10_000;

/** Counts events with a time before an earlier event's: their times are raised, and the user is warned. */
export class ClockRegression {
  readonly #quietMs: number;
  #latestMs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #farthestMs = 0;

  /** @param quietMs shorter steps have no visible effect */
  constructor(quietMs: number) {
    this.#quietMs = quietMs;
  }

  saw(timeMs: number): void {
    if (timeMs >= this.#latestMs) {
      this.#latestMs = timeMs;
      return;
    }
    this.#count++;
    this.#farthestMs = Math.max(this.#farthestMs, this.#latestMs - timeMs);
  }

  warning(path: string): RecordingWarning | null {
    if (this.#farthestMs <= this.#quietMs) return null;
    const events = this.#count === 1 ? '1 event has a time' : `${this.#count} events have times`;
    const message = `${events} before that of an event before it, by up to ${this.#farthestMs / 1000} s: raised to it`;
    return this.#farthestMs > MOST_USUAL_MS ? { path, message, isDamage: true } : { path, message };
  }
}
