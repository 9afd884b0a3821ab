/** Says what a replay has to say about its data, once each: some of it is only known after hours of reading. */

import type { RecordingWarning } from '../../recording/contract.js';
import type { Driver } from '../crowd/contract.js';

/** Between two looks, ms. */
const LOOK_EVERY_MS = 5_000;

/** Looks now and then for warnings of a replay that were not said yet. */
export class ReplayNotices implements Driver {
  readonly #warnings: () => readonly RecordingWarning[];
  readonly #say: (warning: RecordingWarning) => void;
  readonly #said = new Set<string>();
  #dueMs = 0;

  constructor(warnings: () => readonly RecordingWarning[], say: (warning: RecordingWarning) => void) {
    this.#warnings = warnings;
    this.#say = say;
  }

  tick(nowMs: number): void {
    this.#dueMs = nowMs + LOOK_EVERY_MS;
    for (const warning of this.#warnings()) {
      const text = `${warning.path}: ${warning.message}`;
      if (this.#said.has(text)) continue;
      this.#said.add(text);
      this.#say(warning);
    }
  }

  nextDueMs(): number {
    return this.#dueMs;
  }
}
