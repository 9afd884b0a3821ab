/**
 * The trader's side: its heart. The loop beats it after each step of the core, so that a loop that hangs,
 * a strategy that never returns or a ledger that cannot be written stops the heart.
 *
 * A beat that cannot be written does not stop the trader. The guardian misses it and cancels everything: where not
 * even a byte can be written beside the ledger, that is right.
 */

import { randomBytes } from 'node:crypto';
import { unreadable } from '../../shared/base/errors.js';
import { readMark } from '../../shared/base/process-mark.js';
import { BeatWriter, readBeatNow } from './beat-file.js';
import { type Heartbeat, heartbeatSchema, locateHeartbeatFile } from './contract.js';

/** Far below any time-out, far above the time of a write. */
const BEAT_EVERY_MS = 200;

export class Heart {
  readonly #writer: BeatWriter;
  readonly #run = randomBytes(8).toString('hex');
  readonly #process = readMark(process.pid);
  readonly #cannotBeat: (error: unknown) => void;
  /** Orders of an earlier run may rest until this one ends regularly. */
  readonly #mayHaveRested: boolean;
  #count = 0;
  #steppedMs: number | null = null;
  #beatenMs = Number.NEGATIVE_INFINITY;
  #phase: Heartbeat['phase'] = 'starting';
  #nothingMayRest = false;
  #oursForMs: number | null = null;
  #starting: NodeJS.Timeout | null = null;
  #syncedPhase: Heartbeat['phase'] | null = null;
  #failed = false;

  /**
   * Starts to beat, on a timer until the first step of the core. The ledger must be locked: one heart per ledger.
   *
   * @param knowsOrders whether the ledger has ever had an order, for a first start with a heart
   * @param cannotBeat called at the first beat that fails after one that did not
   * Throws `file_unreadable`.
   */
  constructor(ledgerPath: string, knowsOrders: boolean, cannotBeat: (error: unknown) => void) {
    const path = locateHeartbeatFile(ledgerPath);
    this.#cannotBeat = cannotBeat;
    const last = readBeatNow(path, heartbeatSchema);
    this.#mayHaveRested =
      last === null ? knowsOrders : last === 'unreadable' || (last.phase !== 'ended' && last.mayRest);
    this.#writer = openWriter(path);
    this.#write();
    this.#starting = setInterval(() => this.#write(), BEAT_EVERY_MS);
    this.#starting.unref();
  }

  /**
   * A step of the core was taken: orders may rest now, or must not. Cheap: most calls only read the clock. Returns the
   * time since the previous step, ms; 0 for the first.
   */
  beat(nothingMayRest = false, oursForMs: number | null = null): number {
    this.#nothingMayRest = nothingMayRest;
    this.#oursForMs = oursForMs;
    const nowMs = performance.now();
    const sinceMs = this.#steppedMs === null ? 0 : nowMs - this.#steppedMs;
    this.#steppedMs = nowMs;
    if (this.#phase === 'ended' || nowMs - this.#beatenMs < BEAT_EVERY_MS) return sinceMs;
    this.#beatenMs = nowMs;
    this.#enter('trading');
    return sinceMs;
  }

  /** Two reads have proven that nothing rests, and nothing will be placed. */
  end(): void {
    this.#enter('ended');
  }

  get hasEnded(): boolean {
    return this.#phase === 'ended';
  }

  /** Without `end` before it, the guardian treats it as a death. */
  close(): void {
    this.#beNoLonger();
    this.#writer.close();
  }

  #enter(phase: Heartbeat['phase']): void {
    this.#beNoLonger();
    this.#phase = phase;
    this.#write();
  }

  #beNoLonger(): void {
    if (this.#starting !== null) clearInterval(this.#starting);
    this.#starting = null;
  }

  #write(): void {
    const phase = this.#phase;
    const mayRest = phase === 'trading' || (phase === 'starting' && this.#mayHaveRested);
    this.#count += 1;
    const nothingMayRest = phase === 'trading' && this.#nothingMayRest;
    const beat: Heartbeat = {
      run: this.#run,
      process: this.#process,
      count: this.#count,
      phase,
      mayRest,
      nothingMayRest,
      oursForMs: this.#oursForMs,
    };
    try {
      // The next guardian needs the phase after a power cut; the beat itself is outdated by then.
      this.#writer.write(beat, phase !== this.#syncedPhase);
      this.#syncedPhase = phase;
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) this.#cannotBeat(error);
      this.#failed = true;
    }
  }
}

function openWriter(path: string): BeatWriter {
  try {
    return new BeatWriter(path);
  } catch (cause) {
    const hint = 'It lies beside the ledger; without it the guardian would take this trader for dead.';
    throw unreadable(`the heartbeat file ${path} cannot be written`, cause, hint);
  }
}
