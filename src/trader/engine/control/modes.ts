/** Determines the trader's mode and its reason (the kill ladder). If several modes apply, the strictest is used. */

import type { OperatorCommand } from '../../../shared/protocol/seam.js';
import type { Converting } from '../../executor/contract.js';
import type { RiskFacts } from '../../risk/controls.js';

export type Mode =
  | 'starting' // own orders, fills and assets are not completely read yet
  | 'quoting'
  | 'widened' // quotes keep a minimum distance from the fair price; caused by the operator or a loss
  | 'reducing' // only orders that reduce holdings; caused by the operator, a loss, a wrong fill or a ledger difference
  | 'paused' // orders are canceled; caused by the operator, the fleet, or unreadable own orders or trades
  | 'canceling' // orders are canceled until the exchange shows none in two reads
  | 'flattening' // orders are canceled, then holdings are sold; ends in `paused`
  | 'halted' // a limit was reached, or the API key is rejected; ends only by an operator's resume with a reason
  | 'killed' // killed by the operator; ends only by an operator's `unkill` with a reason
  | 'stopping' // as `canceling`, then `stopped`
  | 'stopped'; // verified that no order rests; the process may end

/** Requests allowed in a trader mode. Cancels and reads are always allowed; the table of modes cannot block them. */
interface ModeRule {
  /** Allowed orders: strategies' quotes, sales of a flatten, or none. With `none`, resting orders are canceled too. */
  readonly orders: 'quotes' | 'sales' | 'none';
  /** Allowed conversions. Merges and redeems add no risk. Splits use up currency, so reducing modes forbid them. */
  readonly conversions: Converting;
  readonly stance: RiskFacts['stance'];
}

const NOTHING: ModeRule = { orders: 'none', conversions: 'none', stance: 'halted' };

/** The modes and their allowed requests. A forbidden request is not sent, even if its intent began in another mode. */
export const LADDER: Readonly<Record<Mode, ModeRule>> = {
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

/** Reasons of the modes that an operator chose; null for a mode that was not chosen. */
interface ChosenModes {
  readonly widened: string | null;
  readonly reducing: string | null;
  readonly paused: string | null;
  /** Operator's reason for a flatten; quoting stays off until an operator resumes with a reason. */
  readonly flattened: string | null;
  readonly killed: string | null;
}

interface StoredModes extends ChosenModes {
  /** True while a cancel-all is not verified; after a restart, the trader continues it. */
  readonly canceling: boolean;
}

const NO_MODES: ChosenModes = { widened: null, reducing: null, paused: null, flattened: null, killed: null };

export interface ModeNow {
  readonly mode: Mode;
  readonly reason: string;
}

/** Reasons for stops by risk limits and reconciliation; null for a stop that does not apply. */
interface Stops {
  /** Reason of a halt by a limit or a rejected API key; only an operator's resume ends the halt. */
  readonly halted: string | null;
  readonly reducing: string | null;
  readonly widened: string | null;
  /** Why another trader may soon have the lease on the wallet; null if none may, absent without a fleet. */
  readonly fleet?: string | null;
  /** Why own orders or own trades have been unreadable for long; null or absent while they are readable. */
  readonly unread?: string | null;
}

/** Number of consecutive reads without own orders that verify a cancel-all; each begins with no request in flight. */
const PROOFS_WANTED = 2;

export class Modes {
  #stored: ChosenModes;
  /** True after own orders, trades and holdings at the exchange have been read once. */
  isStarted = false;
  #canceling: boolean;
  #stopping = false;
  #flattening = false;
  /** Time since which all own orders have been settled, our clock, ms; null while an order is unsettled. */
  settledMs: number | null = null;
  #proofs = 0;
  /** Time when the newest cancel-all or stop was verified, our clock, ms; null until then, unchanged by a resume. */
  provenMs: number | null = null;
  /** Last returned mode object; replaced only when mode or reason changes. */
  #said: ModeNow = { mode: 'starting', reason: '' };

  /** @param stored modes of an earlier process; missing fields count as null */
  constructor(stored: Partial<StoredModes>) {
    const { canceling = false, ...chosen } = stored;
    this.#stored = { ...NO_MODES, ...chosen };
    // A process killed by the operator may have left orders at the exchange, so all orders are canceled again.
    this.#canceling = canceling || this.#stored.killed !== null;
  }

  get stored(): StoredModes {
    return { ...this.#stored, canceling: this.#canceling };
  }

  mode({ halted, reducing, widened, fleet = null, unread = null }: Stops): ModeNow {
    const stored = this.#stored;
    if (this.#stopping) return this.#say(this.proven ? 'stopped' : 'stopping', 'the operator stopped the trader');
    if (stored.killed !== null) return this.#say('killed', stored.killed);
    // The sales of a flatten wait until own orders and holdings are known.
    const isSure = this.isStarted && fleet === null && unread === null;
    if (this.#flattening && isSure) return this.#say('flattening', 'the operator flattens');
    if (halted !== null) return this.#say('halted', halted);
    if (this.#canceling) return this.#say('canceling', 'the operator cancels all orders');
    const paused = fleet ?? stored.flattened ?? stored.paused;
    if (paused !== null) return this.#say('paused', paused);
    if (!this.isStarted) return this.#say('starting', 'the trader is reading its orders, fills and assets');
    if (unread !== null) return this.#say('paused', unread);
    const reduces = stored.reducing ?? reducing;
    if (reduces !== null) return this.#say('reducing', reduces);
    const widens = stored.widened ?? widened;
    return widens !== null ? this.#say('widened', widens) : this.#say('quoting', '');
  }

  #say(mode: Mode, reason: string): ModeNow {
    if (this.#said.mode !== mode || this.#said.reason !== reason) this.#said = { mode, reason };
    return this.#said;
  }

  /**
   * Returns why an operator's command is rejected now; null if it is accepted. A command for a stricter mode needs no
   * reason. A resume needs a reason, except after `pause`, `widen` or `reduce-only` by the operator.
   *
   * @param stopped reason of a stop or restriction that did not come from the operator; null without one
   */
  refusal(command: OperatorCommand, stopped: string | null): string | null {
    const { killed, flattened } = this.#stored;
    if (command.kind === 'flatten' && this.#stopping)
      return 'the trader is stopping, so nothing is sold; flatten again after the next start';
    if (command.kind === 'flatten' && killed !== null)
      return `the trader is killed (${killed}), so nothing is sold; to sell, use pause, unkill --reason TEXT, flatten`;
    if (command.kind === 'pause-market' && this.#flattening)
      return 'all markets are being flattened; `twinbook pause` ends the flatten';
    if (command.kind === 'unkill') return command.reason === '' ? 'unkill needs a reason: unkill --reason TEXT' : null;
    if (command.kind !== 'resume' || command.reason !== '') return null;
    if (killed !== null) return `the trader is killed (${killed}): only unkill --reason TEXT lifts this`;
    const why = stopped ?? flattened;
    return why === null ? null : `this command needs a reason (${why}): resume --reason TEXT`;
  }

  /** Returns the operator's command that ends a mode; empty if none is needed. `stopped`: as for `refusal`. */
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

  apply(command: OperatorCommand): void {
    switch (command.kind) {
      case 'widen':
        return this.#keep({ widened: command.reason });
      case 'reduce-only':
        return this.#keep({ reducing: command.reason });
      case 'pause':
        // A pause, cancel-all or kill also ends the sales of an earlier flatten.
        this.#flattening = false;
        return this.#keep({ paused: command.reason });
      case 'resume':
        this.#flattening = false;
        return this.#keep({ ...NO_MODES, killed: this.#stored.killed });
      case 'flatten':
        this.#flattening = true;
        // The caller stores the flatten before the first sale, so that nothing is quoted after a restart.
        return this.#keep({ flattened: 'flattened by the operator' });
      case 'kill':
        this.#flattening = false;
        this.#keep({ killed: command.reason });
        // A kill is complete only when the exchange has shown that no own order rests.
        return this.cancelAll();
      case 'unkill':
        return this.#keep({ killed: null });
      case 'cancel-all':
        this.#flattening = false;
        return this.cancelAll();
      case 'stop':
        this.#stopping = true;
        this.#proofAsked();
    }
  }

  /** Cancels all orders, and reads own orders until the exchange has shown twice that no order rests. */
  cancelAll(): void {
    this.#canceling = true;
    this.#proofAsked();
  }

  /** Ends the sales of a flatten, when no sellable holding is left. */
  onFlat(): void {
    this.#flattening = false;
  }

  /** True while a stop or a cancel-all waits for reads that show no own order. */
  get wantsProof(): boolean {
    return (this.#stopping || this.#canceling) && !this.proven;
  }

  /** True if two reads have shown that no own order is open, and no request has begun since. */
  get proven(): boolean {
    return this.#proofs >= PROOFS_WANTED;
  }

  /** Counts a complete read that found `resting` own orders. No request was in flight when the read began. */
  proof(resting: number, nowMs: number): void {
    if (!this.wantsProof) return;
    this.#proofs = resting === 0 ? this.#proofs + 1 : 0;
    if (!this.proven) return;
    this.#canceling = false;
    this.provenMs = nowMs;
  }

  /** Discards the proof that no order rests, because a request is in flight again. */
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
