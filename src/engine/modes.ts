/** What the trader is allowed to do, and why: one mode at a time, the strictest that applies. */

import type { OperatorCommand } from '../protocol/seam.js';

export type Mode =
  | 'starting' // own orders, fills and assets have not been seen complete yet
  | 'quoting'
  | 'paused' // an operator said so; orders are pulled
  | 'canceling' // cancel-all: orders are pulled and the exchange is asked until it shows none, twice
  | 'flattening' // orders are pulled, then what is held is sold into the book; ends paused
  | 'halted' // a loss limit was reached; only a person resumes
  | 'killed' // an operator killed it; only a person with a reason lifts it
  | 'stopping' // as canceling, then `stopped`
  | 'stopped'; // nothing rests, proven; the process may end

/** What survives a restart. */
export interface StoredModes {
  readonly paused: string | null;
  readonly killed: string | null;
}

/** Complete reads of our resting orders, all begun after nothing was under way, that must show none. */
const PROOFS_WANTED = 2;

export class Modes {
  #paused: string | null;
  #killed: string | null;
  #started = false;
  #canceling = false;
  #stopping = false;
  #flattening = false;
  #proofs = 0;
  #provenMs: number | null = null;

  constructor(stored: StoredModes) {
    this.#paused = stored.paused;
    this.#killed = stored.killed;
  }

  get stored(): StoredModes {
    return { paused: this.#paused, killed: this.#killed };
  }

  /** @param halted why a loss limit halts trading, or null */
  mode(halted: string | null): { readonly mode: Mode; readonly reason: string } {
    if (this.#stopping) {
      return { mode: this.proven ? 'stopped' : 'stopping', reason: 'the operator stopped it' };
    }
    if (this.#killed !== null) return { mode: 'killed', reason: this.#killed };
    // Nothing is sold either before it is known what is ours.
    if (this.#flattening && this.#started) return { mode: 'flattening', reason: 'the operator flattens' };
    if (halted !== null) return { mode: 'halted', reason: halted };
    if (this.#canceling) return { mode: 'canceling', reason: 'the operator cancels everything' };
    if (this.#paused !== null) return { mode: 'paused', reason: this.#paused };
    if (!this.#started) return { mode: 'starting', reason: 'own orders, fills and assets are being read' };
    return { mode: 'quoting', reason: '' };
  }

  /** Takes a command; false when it is none of ours. */
  apply(command: OperatorCommand): boolean {
    switch (command.kind) {
      case 'pause':
        this.#paused = command.reason;
        // Whatever was going on: who says pause, or kill, after a flatten wants no more sales either.
        this.#flattening = false;
        return true;
      case 'resume':
        this.#paused = null;
        this.#flattening = false;
        return true;
      case 'flatten':
        // Paused first: a restart in the middle must not quote again.
        this.#paused = 'flattened by the operator';
        this.#flattening = true;
        return true;
      case 'kill':
        this.#killed = command.reason;
        this.#flattening = false;
        // A kill is only over when the exchange has shown that nothing rests.
        this.#canceling = true;
        this.#proofAsked();
        return true;
      case 'unkill':
        this.#killed = null;
        return true;
      case 'cancel-all':
        this.#canceling = true;
        this.#proofAsked();
        return true;
      case 'stop':
        this.#stopping = true;
        this.#proofAsked();
        return true;
      default:
        return false;
    }
  }

  /** Everything of ours at the exchange has been seen once. */
  started(): void {
    this.#started = true;
  }

  get isStarted(): boolean {
    return this.#started;
  }

  /** Nothing that could be sold is held any more. */
  flattened(): void {
    this.#flattening = false;
  }

  /** Whether the exchange is being asked to show that nothing rests. */
  get wantsProof(): boolean {
    return (this.#stopping || this.#canceling) && !this.proven;
  }

  /** Nothing rests now: shown, and nothing was begun since. */
  get proven(): boolean {
    return this.#proofs >= PROOFS_WANTED;
  }

  /**
   * Our clock, ms, when the newest cancel-all or stop was proven; null until it is. Stays when quoting goes on at once,
   * which it does in the same step.
   */
  get provenMs(): number | null {
    return this.#provenMs;
  }

  /** A complete read of our resting orders that began after nothing was under way. */
  proof(resting: number, nowMs: number): void {
    if (!this.wantsProof) return;
    this.#proofs = resting === 0 ? this.#proofs + 1 : 0;
    if (!this.proven) return;
    this.#canceling = false;
    this.#provenMs = nowMs;
  }

  /** Something is under way again: what was proven before says nothing now. */
  unsettled(): void {
    this.#proofs = 0;
  }

  #proofAsked(): void {
    this.#proofs = 0;
    this.#provenMs = null;
  }
}
