/** Reasons to stop outside the socket: the stop file, a signal, a ledger that is gone or replaced. */

import type { OperatorCommand } from '../../shared/protocol/seam.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { leaveStopFile, locateStopFile, readStopFile, removeStopFile } from '../control/stop-file.js';

/** Two checks of a usually missing file cost nothing at this pace; a loop that was stopped checks first. */
const LOOK_EVERY_MS = 100;

export class StopWatch {
  readonly #path: string;
  /** By a clock that never steps: a wall clock that was set back must not delay the check. */
  readonly #steadyMs: () => number;
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** The file is there and has been obeyed. */
  #obeyed = false;
  #asked: string | null = null;
  #ledger: Pick<Ledger, 'checkFile'> | null = null;

  constructor(ledgerPath: string, steadyMs: () => number = () => performance.now()) {
    this.#path = locateStopFile(ledgerPath);
    this.#steadyMs = steadyMs;
  }

  /** From here on it also looks whether this ledger, which is open, is still the file of its name. */
  guard(ledger: Pick<Ledger, 'checkFile'>): void {
    this.#ledger = ledger;
  }

  /**
   * Keeps the reason where the next start finds it too, whatever becomes of this process, and obeys at the next step.
   * False when it cannot be kept there: a disk that takes nothing more.
   */
  kill(reason: string): boolean {
    this.#asked = reason;
    try {
      leaveStopFile(this.#path, reason);
      return true;
    } catch {
      return false; // the ledger will say so too, which cancels everything
    }
  }

  /**
   * A kill that the core must obey before anything else; null when there is none.
   * Throws `ledger_broken` when the ledger's file is gone or replaced: later writes would be lost.
   */
  due(): OperatorCommand | null {
    const reason = this.#asked;
    this.#asked = null;
    if (reason !== null) {
      this.#obeyed = true;
      return { kind: 'kill', reason };
    }
    const steadyMs = this.#steadyMs();
    if (steadyMs - this.#lookedMs < LOOK_EVERY_MS) return null;
    this.#lookedMs = steadyMs;
    return this.#look();
  }

  /** Before a kill is lifted. Throws `file_unreadable` when the file stays. */
  clear(): void {
    this.#asked = null;
    removeStopFile(this.#path);
    this.#obeyed = false;
  }

  /** After a kill was lifted: a file that came while that was done is newer than the word that lifted it. */
  onLift(): void {
    this.#obeyed = false;
    this.#lookedMs = Number.NEGATIVE_INFINITY;
  }

  #look(): OperatorCommand | null {
    const reason = readStopFile(this.#path);
    const isNew = reason !== null && !this.#obeyed;
    this.#obeyed = reason !== null;
    if (isNew) return { kind: 'kill', reason };
    this.#ledger?.checkFile();
    return null;
  }
}
