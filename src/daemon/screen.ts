/** Where the status is shown: redrawn in place on a terminal, a line now and then anywhere else. */

import { plainLine } from '../base/plain-text.js';
import type { Snapshot } from '../engine/snapshot.js';
import { statusBlock, statusLine } from './status-text.js';

/** Between two status lines in a file, ms: a day is a few thousand lines. */
const LINE_EVERY_MS = 10_000;
/** The first one comes sooner, so that a person sees that it works. */
const FIRST_LINE_AFTER_MS = 2_000;

export interface Terminal {
  readonly out: (text: string) => void;
  /** What moves the cursor: never a text that came from elsewhere. */
  readonly move: (sequence: string) => void;
  /** Columns of the terminal; null when it is none. */
  readonly columns: () => number | null;
}

export class Screen {
  readonly #terminal: Terminal;
  #drawn = 0;
  #lineMs: number | null = null;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** A line that stays: a fill, a warning. What the venue said in it can neither break it nor steer the terminal. */
  say(text: string): void {
    this.#erase();
    this.#print([text]);
  }

  show(snapshot: Snapshot, runningMs: number): void {
    const columns = this.#terminal.columns();
    if (columns === null) return this.#line(snapshot, runningMs);
    const block = statusBlock(snapshot, runningMs, columns);
    this.#erase();
    this.#print(block);
    this.#drawn = block.length;
  }

  #line(snapshot: Snapshot, runningMs: number): void {
    const due = this.#lineMs === null ? FIRST_LINE_AFTER_MS : this.#lineMs + LINE_EVERY_MS;
    if (runningMs < due) return;
    this.#lineMs = runningMs;
    this.#print([statusLine(snapshot, runningMs)]);
  }

  #print(lines: readonly string[]): void {
    this.#terminal.out(`${lines.map(plainLine).join('\n')}\n`);
  }

  /** Takes the last block away, so that what follows takes its place. */
  #erase(): void {
    if (this.#drawn > 0) this.#terminal.move(`\r\u001b[${this.#drawn}A\u001b[0J`);
    this.#drawn = 0;
  }
}
