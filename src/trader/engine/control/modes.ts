/** The kill ladder: the trader's current mode and its reason. Exactly one mode holds: the strictest that applies. */

import type { OperatorCommand } from '../../../shared/protocol/seam.js';
import type { Converting } from '../../executor/contract.js';
import type { RiskStance } from '../../risk/controls.js';

export type Mode =
  | 'starting' // own orders, fills and assets have not been seen complete yet
  | 'quoting'
  | 'widened' // quotes keep away from the fair value: an operator said so, or a part of a loss limit is used up
  | 'reducing' // only orders that reduce: an operator said so, a part of a loss limit is used up, or the ledger differs
  | 'paused' // an operator said so, or what is ours cannot be seen; orders are pulled
  | 'canceling' // cancel-all: orders are pulled and the exchange is asked until it shows none, twice
  | 'flattening' // orders are pulled, then what is held is sold into the book; ends paused
  | 'halted' // a limit was reached; only a person with a reason resumes
  | 'killed' // an operator killed it; only a person with a reason lifts it
  | 'stopping' // as canceling, then `stopped`
  | 'stopped'; // nothing rests, proven; the process may end

/** Requests allowed on a rung. Cancels and reads are always allowed; this table cannot block them. */
export interface Rung {
  /** Allowed orders: strategies' quotes, the sales of a flatten, or none. With none, resting orders are canceled. */
  readonly orders: 'quotes' | 'sales' | 'none';
  /**
   * Allowed conversions. Merges and redeems add no risk but are signed drafts. A split binds currency, so no reducing
   * rung allows it.
   */
  readonly conversions: Converting;
  /** Stance with which risk judges the allowed orders. */
  readonly stance: RiskStance;
}

const NOTHING: Rung = { orders: 'none', conversions: 'none', stance: 'halted' };

/** The ladder. A request that the rung forbids is not begun, signed or sent, even if it was begun before. */
export const LADDER: Readonly<Record<Mode, Rung>> = {
  quoting: { orders: 'quotes', conversions: 'all', stance: 'normal' },
  widened: { orders: 'quotes', conversions: 'all', stance: 'widen' },
  reducing: { orders: 'quotes', conversions: 'to_currency', stance: 'reduce-only' },
  flattening: { orders: 'sales', conversions: 'to_currency', stance: 'flatten' },
  starting: NOTHING,
  paused: NOTHING,
  canceling: NOTHING,
  halted: NOTHING,
  killed: NOTHING,
  stopping: NOTHING,
  stopped: NOTHING,
};

/** Reason for each rung that an operator chose. */
interface ChosenModes {
  readonly widened: string | null;
  readonly reducing: string | null;
  readonly paused: string | null;
  /** Why everything was sold; quoting stays off until an operator resumes with a reason. */
  readonly flattened: string | null;
  readonly killed: string | null;
}

/** Name of the ledger note that stores the modes. */
export const MODES_NOTE = 'modes';

/** What survives a restart. */
export interface StoredModes extends ChosenModes {
  /**
   * Everything is to be canceled, and the exchange has not yet shown that nothing rests. The next process continues it.
   */
  readonly canceling: boolean;
}

const NO_MODES: ChosenModes = { widened: null, reducing: null, paused: null, flattened: null, killed: null };

/** Current mode and reason. */
export interface ModeNow {
  readonly mode: Mode;
  readonly reason: string;
}

/** Stops set by limits and reconciliation, with reasons; null where none applies. */
export interface Stops {
  /** A limit was reached; only an operator lifts it. */
  readonly halted: string | null;
  readonly reducing: string | null;
  readonly widened: string | null;
  /** Another trader may soon hold the wallet; absent without a fleet. */
  readonly fleet?: string | null;
  /** Own orders or trades could not be read for some time. */
  readonly unread?: string | null;
}

/** Rung caused by a partly used loss limit while nothing stricter holds, and its reason. */
export interface HeldBack {
  readonly rung: 'widened' | 'reducing';
  readonly reason: string;
}

/** Required number of complete reads of own resting orders that show none, each begun after nothing was in flight. */
const PROOFS_WANTED = 2;

export class Modes {
  #stored: ChosenModes;
  isStarted = false;
  #canceling: boolean;
  #stopping = false;
  #flattening = false;
  /** Our clock, ms, since no order or cancel is unsettled; null while one is. */
  settledMs: number | null = null;
  #proofs = 0;
  /**
   * Our clock, ms, of the newest proof after a cancel-all or stop; null before it. It stays when quoting resumes in the
   * same step.
   */
  provenMs: number | null = null;
  /** Last result; the same object until it changes, because each step reads it several times. */
  #said: ModeNow = { mode: 'starting', reason: '' };

  /** @param stored modes of an earlier process; fields may be missing */
  constructor(stored: Partial<StoredModes>) {
    const { canceling = false, ...chosen } = stored;
    this.#stored = { ...NO_MODES, ...chosen };
    // A killed process may have left orders: the kill is proven again.
    this.#canceling = canceling || this.#stored.killed !== null;
  }

  get stored(): StoredModes {
    return { ...this.#stored, canceling: this.#canceling };
  }

  mode({ halted, reducing, widened, fleet = null, unread = null }: Stops): ModeNow {
    const stored = this.#stored;
    if (this.#stopping) return this.#say(this.proven ? 'stopped' : 'stopping', 'the operator stopped it');
    if (stored.killed !== null) return this.#say('killed', stored.killed);
    // Sales also wait until the own state is known.
    const isSure = this.isStarted && fleet === null && unread === null;
    if (this.#flattening && isSure) return this.#say('flattening', 'the operator flattens');
    if (halted !== null) return this.#say('halted', halted);
    if (this.#canceling) return this.#say('canceling', 'the operator cancels everything');
    const paused = fleet ?? stored.flattened ?? stored.paused;
    if (paused !== null) return this.#say('paused', paused);
    if (!this.isStarted) return this.#say('starting', 'own orders, fills and assets are being read');
    if (unread !== null) return this.#say('paused', unread);
    const reduces = stored.reducing ?? reducing;
    if (reduces !== null) return this.#say('reducing', reduces);
    const widens = stored.widened ?? widened;
    if (widens !== null) return this.#say('widened', widens);
    return this.#say('quoting', '');
  }

  #say(mode: Mode, reason: string): ModeNow {
    if (this.#said.mode !== mode || this.#said.reason !== reason) this.#said = { mode, reason };
    return this.#said;
  }

  /**
   * Why a command is rejected now; null when it is accepted. Moving down the ladder needs no reason. Moving up needs
   * one, except from a plain pause or a milder rung.
   *
   * @param stopped why something other than an operator stopped the trader or a part of it; null when nothing did
   */
  refusal(command: OperatorCommand, stopped: string | null): string | null {
    const { killed, flattened } = this.#stored;
    if (command.kind === 'flatten' && killed !== null) {
      return `it is killed (${killed}): nothing is sold either. To sell all the same: pause, unkill --reason TEXT, flatten`;
    }
    if (command.kind === 'unkill') return command.reason === '' ? 'unkill needs a reason: unkill --reason TEXT' : null;
    if (command.kind !== 'resume' || command.reason !== '') return null;
    if (killed !== null) return `it is killed (${killed}): only unkill --reason TEXT lifts that`;
    const why = stopped ?? flattened;
    return why === null ? null : `this needs a reason (${why}): resume --reason TEXT`;
  }

  /**
   * Command that leads back up from a mode; empty when none exists or is needed.
   *
   * @param stopped as for `refusal`
   * @param isHeldBack whether a partly used loss limit is the cause
   */
  wayBack(mode: Mode, stopped: string | null, isHeldBack = false): string {
    if (mode === 'killed') return 'unkill --reason TEXT';
    const { paused, flattened, reducing, widened } = this.#stored;
    const isChosen =
      (mode === 'paused' && (paused ?? flattened) !== null) ||
      (mode === 'reducing' && reducing !== null) ||
      (mode === 'widened' && widened !== null);
    if (mode !== 'halted' && !isChosen && !isHeldBack) return '';
    return this.refusal({ kind: 'resume', reason: '' }, stopped) === null ? 'resume' : 'resume --reason TEXT';
  }

  /** Applies a command that is not rejected; false for a command that is not about modes. */
  apply(command: OperatorCommand): boolean {
    switch (command.kind) {
      case 'widen':
        this.#keep({ widened: command.reason });
        return true;
      case 'reduce-only':
        this.#keep({ reducing: command.reason });
        return true;
      case 'pause':
        this.#keep({ paused: command.reason });
        // A pause, cancel or kill after a flatten ends its sales too.
        this.#flattening = false;
        return true;
      case 'resume':
        this.#keep({ ...NO_MODES, killed: this.#stored.killed });
        this.#flattening = false;
        return true;
      case 'flatten':
        // Stored before the first sale: a restart in between must not quote again.
        this.#keep({ flattened: 'flattened by the operator' });
        this.#flattening = true;
        return true;
      case 'kill':
        this.#keep({ killed: command.reason });
        this.#flattening = false;
        // A kill ends only when the exchange has shown that nothing rests.
        this.cancelAll();
        return true;
      case 'unkill':
        this.#keep({ killed: null });
        return true;
      case 'cancel-all':
        this.#flattening = false;
        this.cancelAll();
        return true;
      case 'stop':
        this.#stopping = true;
        this.#proofAsked();
        return true;
      default:
        return false;
    }
  }

  /**
   * Cancels everything, then reads own orders until the exchange has shown twice that nothing rests. A limit that halts
   * does the same.
   */
  cancelAll(): void {
    this.#canceling = true;
    this.#proofAsked();
  }

  /** All own state at the exchange has been read once. */
  onStart(): void {
    this.isStarted = true;
  }

  /** No sellable holding is left. */
  onFlat(): void {
    this.#flattening = false;
  }

  /** True while the exchange must still show that nothing rests. */
  get wantsProof(): boolean {
    return (this.#stopping || this.#canceling) && !this.proven;
  }

  /** True when it was shown that nothing rests and nothing was begun since. */
  get proven(): boolean {
    return this.#proofs >= PROOFS_WANTED;
  }

  /** Takes in a complete read of own resting orders that began after nothing was in flight. */
  proof(resting: number, nowMs: number): void {
    if (!this.wantsProof) return;
    this.#proofs = resting === 0 ? this.#proofs + 1 : 0;
    if (!this.proven) return;
    this.#canceling = false;
    this.provenMs = nowMs;
  }

  /** A request is in flight again: the earlier proof is void. */
  onUnsettled(): void {
    this.settledMs = null;
    this.#proofs = 0;
  }

  #keep(change: Partial<ChosenModes>): void {
    this.#stored = { ...this.#stored, ...change };
  }

  #proofAsked(): void {
    this.#proofs = 0;
    this.provenMs = null;
  }
}
