/** Progress of a long command: a rewritten bar on a terminal, occasional lines elsewhere. */

import { plainLine } from '../../shared/base/text.js';
import type { CliIo } from '../output/io.js';

/** On a terminal, often enough for a visible motion. */
const TERMINAL_EVERY_MS = 100;
const ELSEWHERE_EVERY_MS = 10_000;

export class ProgressLine {
  readonly #io: CliIo;
  readonly #quiet: boolean;
  readonly #terminal = process.stderr.isTTY === true;
  #shownMs = Date.now();
  #isOpen = false;

  /** @param quiet shows nothing outside a terminal */
  constructor(io: CliIo, quiet: boolean) {
    this.#io = io;
    this.#quiet = quiet;
  }

  /** `share` of 1, and a word on the present work. Cheap when called often. */
  show(share: number, what: string): void {
    const nowMs = Date.now();
    if (nowMs - this.#shownMs < (this.#terminal ? TERMINAL_EVERY_MS : ELSEWHERE_EVERY_MS)) return;
    if (this.#quiet && !this.#terminal) return;
    this.#shownMs = nowMs;
    const text = `${String(Math.floor(share * 100)).padStart(3)} %  ${what}`;
    if (this.#terminal) this.#rewrite(`${bar(share)}${text}`);
    else this.#io.err(`${plainLine(text)}\n`);
    this.#isOpen = this.#terminal;
  }

  end(): void {
    if (this.#isOpen) this.#rewrite('');
    this.#isOpen = false;
  }

  #rewrite(line: string): void {
    this.#io.raw.err('\r');
    // A wrapped line could not be rewritten.
    this.#io.err(plainLine(line).slice(0, (process.stderr.columns ?? 80) - 1));
    this.#io.raw.err('\u001b[K');
  }
}

const BAR_CELLS = 24;

function bar(share: number): string {
  const done = Math.min(BAR_CELLS, Math.max(0, Math.floor(share * BAR_CELLS)));
  return '█'.repeat(done) + '░'.repeat(BAR_CELLS - done);
}
