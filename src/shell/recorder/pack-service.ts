/**
 * Packs what a recorder has closed, beside the recording and never in its way: where that fails, files of single markets stay, are
 * read as ever, and are packed by the next pass or the next start.
 */

import { nowMs } from '../runtime/clock.js';

const PASS_EVERY_MS = 3_600_000;

export interface PackServiceOptions {
  /** Absolute path of the folder of recordings. */
  readonly folder: string;
  /** Runs while the recorder writes and closes nothing. */
  readonly exclusively: (run: () => void) => Promise<void>;
  readonly say: (text: string) => void;
}

export class PackService {
  readonly #options: PackServiceOptions;
  readonly #timer: NodeJS.Timeout;
  #pass: Promise<void>;
  #isOver = false;
  /** What was said last; null while there is nothing to say. */
  #trouble: string | null = null;

  /** Begins with what an earlier recorder left. */
  constructor(options: PackServiceOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.pass(), PASS_EVERY_MS);
    this.#timer.unref();
    this.#pass = this.#run(true);
  }

  /** One at a time. Never throws: it is said once, and again when it is over. */
  pass(): Promise<void> {
    this.#pass = this.#pass.then(() => this.#run(true));
    return this.#pass;
  }

  /** Packs the rest, once the recorder has closed its files. Never throws. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pass;
    await this.#run(false);
  }

  /** Takes nothing more out of the markets' folders: another process may record there from now on. */
  stop(): void {
    clearInterval(this.#timer);
    this.#isOver = true;
  }

  async #run(isRead: boolean): Promise<void> {
    const { folder, say } = this.#options;
    const exclusively = (run: () => void): Promise<void> =>
      this.#options.exclusively(() => {
        if (!this.#isOver) run();
      });
    let trouble: string | null;
    try {
      const { packClosed } = await import('../../recording/packed/pack-closed.js');
      const left = await packClosed(folder, { nowMs: nowMs(), exclusively, isRead });
      trouble = left.length === 0 ? null : left.join('; ');
    } catch (error) {
      trouble = error instanceof Error ? error.message : String(error);
    }
    if (trouble === this.#trouble) return;
    if (trouble === null) say('recordings are packed again, all that waited too');
    else say(`recordings stay as files of single markets for now: ${trouble}`);
    this.#trouble = trouble;
  }
}
