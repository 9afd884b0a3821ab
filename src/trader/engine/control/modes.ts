/** The kill ladder: what the trader may do now, and why. One mode at a time, the strictest that applies. */

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

/** What may leave. Cancels and reads always may; nothing in this table can hold them back. */
export interface Rung {
  /** Which orders: those that strategies wish, the sales of a flatten, or none (then what rests is pulled). */
  readonly orders: 'quotes' | 'sales' | 'none';
  /**
   * Which conversions may. Merges and redeems raise no risk, but are drafts that are signed; a split binds currency, so
   * nothing that is to reduce does it.
   */
  readonly conversions: Converting;
  /** How risk judges the orders that may leave. */
  readonly stance: RiskStance;
}

const NOTHING: Rung = { orders: 'none', conversions: 'none', stance: 'halted' };

/** The ladder. Whatever is not allowed here is neither begun, nor signed, nor sent when it was begun before. */
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

/** For each rung that an operator chose, the reason. */
interface ChosenModes {
  readonly widened: string | null;
  readonly reducing: string | null;
  readonly paused: string | null;
  /** Why everything was sold; it stays out until a person resumes with a reason. */
  readonly flattened: string | null;
  readonly killed: string | null;
}

/** The ledger's note that keeps them. */
export const MODES_NOTE = 'modes';

/** What survives a restart. */
export interface StoredModes extends ChosenModes {
  /** Everything is to be canceled, and the exchange has not shown yet that nothing rests: the next process takes it up. */
  readonly canceling: boolean;
}

const NO_MODES: ChosenModes = { widened: null, reducing: null, paused: null, flattened: null, killed: null };

/** Where the trader stands on the ladder, and why. */
export interface ModeNow {
  readonly mode: Mode;
  readonly reason: string;
}

/** Where limits and reconciliation put the trader, with the reasons; null where they do not. */
export interface Stops {
  /** A limit was reached that only a person lifts. */
  readonly halted: string | null;
  readonly reducing: string | null;
  readonly widened: string | null;
  /** The wallet may be another's soon; absent for a trader by itself. */
  readonly fleet?: string | null;
  /** What is ours at the exchange has not been seen for some time. */
  readonly unread?: string | null;
}

/** The rung that a part of a loss limit leads to while nothing stricter holds, and why. */
export interface HeldBack {
  readonly rung: 'widened' | 'reducing';
  readonly reason: string;
}

/** Complete reads of our resting orders, all begun after nothing was under way, that must show none. */
const PROOFS_WANTED = 2;

export class Modes {
  #stored: ChosenModes;
  #started = false;
  #canceling: boolean;
  #stopping = false;
  #flattening = false;
  #proofs = 0;
  #provenMs: number | null = null;
  /** As last said: the same object for as long as nothing of it has changed, for it is asked several times in every step. */
  #said: ModeNow = { mode: 'starting', reason: '' };

  /** @param stored what an earlier process left; a ledger of an older version lacks some of it */
  constructor(stored: Partial<StoredModes>) {
    const { canceling = false, ...chosen } = stored;
    this.#stored = { ...NO_MODES, ...chosen };
    // A process that was killed may have left orders behind: a kill is proven anew.
    this.#canceling = canceling || this.#stored.killed !== null;
  }

  get stored(): StoredModes {
    return { ...this.#stored, canceling: this.#canceling };
  }

  mode({ halted, reducing, widened, fleet = null, unread = null }: Stops): ModeNow {
    const stored = this.#stored;
    if (this.#stopping) return this.#say(this.proven ? 'stopped' : 'stopping', 'the operator stopped it');
    if (stored.killed !== null) return this.#say('killed', stored.killed);
    // Nothing is sold either before it is known what is ours.
    const isSure = this.#started && fleet === null && unread === null;
    if (this.#flattening && isSure) return this.#say('flattening', 'the operator flattens');
    if (halted !== null) return this.#say('halted', halted);
    if (this.#canceling) return this.#say('canceling', 'the operator cancels everything');
    const paused = fleet ?? stored.flattened ?? stored.paused;
    if (paused !== null) return this.#say('paused', paused);
    if (!this.#started) return this.#say('starting', 'own orders, fills and assets are being read');
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
   * Why a command is not obeyed as things stand; null when it is. Going down the ladder needs nothing. Going up needs a
   * reason; only from a plain pause, or a rung above it, it may be missing.
   *
   * @param stopped why something other than an operator's word has stopped the trader or a part of it; null when nothing
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
   * The command that leads back up from a mode; empty when none does, or none is needed.
   *
   * @param stopped as for `refusal`
   * @param isHeldBack whether a part of a loss limit is why
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

  /** Takes a command that is not refused; false when it is none of ours. */
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
        // Whatever was going on: who says pause, cancel or kill after a flatten wants no more sales either.
        this.#flattening = false;
        return true;
      case 'resume':
        this.#keep({ ...NO_MODES, killed: this.#stored.killed });
        this.#flattening = false;
        return true;
      case 'flatten':
        // Out before anything is sold: a restart in the middle must not quote again.
        this.#keep({ flattened: 'flattened by the operator' });
        this.#flattening = true;
        return true;
      case 'kill':
        this.#keep({ killed: command.reason });
        this.#flattening = false;
        // A kill is only over when the exchange has shown that nothing rests.
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

  /** Pulls everything, and asks the exchange until it has shown twice that nothing rests. A limit that halts does so too. */
  cancelAll(): void {
    this.#canceling = true;
    this.#proofAsked();
  }

  /** Everything of ours at the exchange has been seen once. */
  onStart(): void {
    this.#started = true;
  }

  get isStarted(): boolean {
    return this.#started;
  }

  /** Nothing that could be sold is held any more. */
  onFlat(): void {
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
  onUnsettled(): void {
    this.#proofs = 0;
  }

  #keep(change: Partial<ChosenModes>): void {
    this.#stored = { ...this.#stored, ...change };
  }

  #proofAsked(): void {
    this.#proofs = 0;
    this.#provenMs = null;
  }
}
