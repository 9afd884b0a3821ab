/** Reasons to stop outside the socket: the stop file, a signal, a ledger file that was removed or replaced. */

import type { OperatorCommand } from '../../shared/protocol/seam.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { leaveStopFile, locateStopFile, readStopFile, removeStopFile } from '../control/stop-file.js';

/** Two checks of a usually missing file cost nothing at this interval; a loop that was stopped checks first. */
const LOOK_EVERY_MS = 100;

export class StopWatch {
  readonly #path: string;
  /** A monotonic clock: a wall clock set back must not delay the check. */
  readonly #steadyMs: () => number;
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** The file exists and was obeyed. */
  #obeyed = false;
  #asked: string | null = null;
  #ledger: Pick<Ledger, 'checkFile'> | null = null;

  constructor(ledgerPath: string, steadyMs: () => number = () => performance.now()) {
    this.#path = locateStopFile(ledgerPath);
    this.#steadyMs = steadyMs;
  }

  /** From now on also checks that the open ledger is still the file at its path. */
  guard(ledger: Pick<Ledger, 'checkFile'>): void {
    this.#ledger = ledger;
  }

  /**
   * Stores the reason where the next start finds it, whatever happens to this process, and obeys at the next step.
   * False when it cannot be stored: a full disk.
   */
  kill(reason: string): boolean {
    this.#asked = reason;
    try {
      leaveStopFile(this.#path, reason);
      return true;
    } catch {
      return false; // The ledger will fail too, which cancels everything.
    }
  }

  /**
   * A kill that the core must obey first; null without one. Throws `ledger_broken` when the ledger's file was removed
   * or replaced: later writes would be lost.
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

  /** Before a kill is lifted. Throws `file_unreadable` when the file cannot be removed. */
  clear(): void {
    this.#asked = null;
    removeStopFile(this.#path);
    this.#obeyed = false;
  }

  /** After a lift: a file created meanwhile is newer than the lift. */
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
