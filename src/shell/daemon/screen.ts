/** Output of the status: redrawn in place on a terminal, occasional lines elsewhere. */

import { plainLine } from '../../shared/base/plain-text.js';
import { measureText } from '../../shared/base/text-width.js';
import type { Snapshot } from '../../trader/engine/snapshot.js';
import { statusBlock, statusLine } from './status-text.js';

/** Interval of status lines in a file, ms: a day is a few thousand lines. */
const LINE_EVERY_MS = 10_000;
/** The first line comes sooner, so that a person sees progress. */
const FIRST_LINE_AFTER_MS = 2_000;

export interface Terminal {
  readonly out: (text: string) => void;
  /** Moves the cursor: never for text from elsewhere. */
  readonly move: (sequence: string) => void;
  /** Whether earlier output is still unread: the screen then drops lines and keeps the newest status. */
  readonly isUnread: () => boolean;
  /** Columns of the terminal; null without one. */
  readonly columns: () => number | null;
}

export class Screen {
  readonly #terminal: Terminal;
  /** Widths of the last block's lines; on a terminal made narrower since, each may take several rows. */
  #drawn: readonly number[] = [];
  #last: { readonly snapshot: Snapshot; readonly runningMs: number } | null = null;
  #lineMs: number | null = null;
  /** Lines dropped since the last one shown. */
  #dropped = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** A permanent line: a fill, a warning. Text of the venue can neither break it nor control the terminal. */
  say(text: string): void {
    if (this.#terminal.isUnread()) {
      this.#dropped++;
      return;
    }
    this.#erase();
    this.#print([text]);
  }

  show(snapshot: Snapshot, runningMs: number): void {
    if (this.#terminal.isUnread()) return;
    const columns = this.#terminal.columns();
    if (columns === null) return this.#line(snapshot, runningMs);
    const block = statusBlock(snapshot, runningMs, columns);
    this.#erase();
    this.#print(block);
    this.#drawn = block.map(measureText);
    this.#last = { snapshot, runningMs };
  }

  /** The terminal's width changed: the block is drawn again to fit. */
  redraw(): void {
    if (this.#last !== null && this.#drawn.length > 0) this.show(this.#last.snapshot, this.#last.runningMs);
  }

  #line(snapshot: Snapshot, runningMs: number): void {
    const due = this.#lineMs === null ? FIRST_LINE_AFTER_MS : this.#lineMs + LINE_EVERY_MS;
    if (runningMs < due) return;
    this.#lineMs = runningMs;
    this.#print([statusLine(snapshot, runningMs)]);
  }

  #print(lines: readonly string[]): void {
    const dropped = this.#dropped === 0 ? [] : [`${this.#dropped} lines were not shown: this output was not read`];
    this.#dropped = 0;
    this.#terminal.out(`${[...dropped, ...lines].map(plainLine).join('\n')}\n`);
  }

  #erase(): void {
    const columns = Math.max(1, this.#terminal.columns() ?? 1);
    const rows = this.#drawn.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / columns)), 0);
    if (rows > 0) this.#terminal.move(`\r\u001b[${rows}A\u001b[0J`);
    this.#drawn = [];
  }
}
