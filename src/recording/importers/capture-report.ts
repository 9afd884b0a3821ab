/** Report on one Polymarket file after it was read. */

import type { RecordingWarning } from '../contract.js';
import { ClockRegression } from './file-faults.js';

/** Rows with a best price, and those that contradict the book. */
interface Disagreement {
  readonly rows: number;
  readonly disagreeing: number;
}

function disagreementText({ rows, disagreeing }: Disagreement): string {
  const percent = ((disagreeing / rows) * 100).toFixed(2);
  return `the best prices of ${percent} % of the rows (${disagreeing} of ${rows}) disagree with the book`;
}

/** Pattern of that sentence: an import keeps only the sentence. */
const SENTENCE = /^the best prices of .* % of the rows \((\d+) of (\d+)\) disagree with the book$/;

/** Of all files together; null when no sentence reports a disagreement. */
export function disagreementIn(sentences: readonly { readonly message: string }[]): Disagreement | null {
  const told = sentences.flatMap(({ message }): Disagreement[] => {
    const [, disagreeing, rows] = SENTENCE.exec(message) ?? [];
    return rows === undefined ? [] : [{ rows: Number(rows), disagreeing: Number(disagreeing) }];
  });
  if (told.length === 0) return null;
  return {
    rows: told.reduce((sum, { rows }) => sum + rows, 0),
    disagreeing: told.reduce((sum, { disagreeing }) => sum + disagreeing, 0),
  };
}

export class CaptureReport {
  unpairedTrades = 0;
  /** Trades before the first known book: left out. */
  unseenTrades = 0;
  readonly #stepsBack = new ClockRegression(0);
  #firstMs: number | null = null;
  #knownMs: number | null = null;
  #isTold = false;
  /** Rows with a best price, and those that contradict the book. */
  #rows = 0;
  #disagreeing = 0;

  saw(timeMs: number): void {
    this.#stepsBack.saw(timeMs);
    this.#firstMs ??= timeMs;
  }

  countRow(agrees: boolean): void {
    this.#rows++;
    if (!agrees) this.#disagreeing++;
  }

  /** The book is known from this time on, Unix ms. @param isTold by a snapshot, or by the previous file */
  knownFrom(timeMs: number, isTold: boolean): void {
    this.#knownMs = timeMs;
    this.#isTold = isTold;
  }

  warnings(path: string): RecordingWarning[] {
    const back = this.#stepsBack.warning(path);
    const messages = [this.#describeUnseen(), this.#disagreement(), this.#describeUnpaired()];
    const told = messages.filter((message) => message !== '').map((message) => ({ path, message }));
    return back === null ? told : [...told, back];
  }

  #describeUnseen(): string {
    const left = this.unseenTrades === 0 ? '' : `; trades left out of that time: ${this.unseenTrades}`;
    if (this.#knownMs === null) {
      return `there is no starting snapshot, and the best prices of no row agree with the book: nothing of it is known${left}`;
    }
    if (this.#isTold && left === '') return '';
    const seconds = (Math.max(0, this.#knownMs - (this.#firstMs ?? this.#knownMs)) / 1000).toFixed(1);
    return `there is no starting snapshot: the book is not known for the first ${seconds} s, until the best prices of a row agree with it${left}`;
  }

  #disagreement(): string {
    if (this.#rows === 0) return 'no row names its best prices: nothing can be compared with the book';
    return disagreementText({ rows: this.#rows, disagreeing: this.#disagreeing });
  }

  #describeUnpaired(): string {
    return this.unpairedTrades === 0 ? '' : `${this.unpairedTrades} trades have no level decrease of their own`;
  }
}
