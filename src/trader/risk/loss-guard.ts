/**
 * Losses per UTC day and from the high-water mark. Days and high-water marks start from equity at marks; the present loss
 * counts in full what others' bids do not pay now. Such a loss can pass: it holds orders back as long as it lasts. Once
 * equity itself has reached a limit, trading stays halted, over restarts and midnights, until a person resumes it with a
 * reason. Its state is plain data that the engine keeps in the ledger.
 */

import { add, type Micros, mul, sub, ZERO } from '../../shared/base/micros.js';
import { showFigure } from './intent.js';
import type { RiskLimits } from './limits.js';

/** Plain data, stored as JSON in the transaction of its cause. */
export interface LossState {
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string;
  readonly dayStartEquityMicros: Micros;
  readonly highWaterMicros: Micros;
  /** Newest equity seen. */
  readonly equityMicros: Micros;
  /** Why trading is halted, in one sentence; null while it is not. */
  readonly halted: string | null;
  /** Equity at the start of the day; accepting a loss does not change it. */
  readonly dayBeganMicros: Micros;
  /** The newest ended day; null before the first. */
  readonly endedDay: DayResult | null;
}

/** The result of one UTC day, `YYYY-MM-DD`. */
export interface DayResult {
  readonly day: string;
  readonly resultMicros: Micros;
}

/** Results by day, regardless of accepted losses. */
export interface DayResults {
  readonly current: DayResult;
  readonly ended: DayResult | null;
}

/** What control 8 compares. */
export interface LossFacts {
  /** Loss since the UTC day began, positive; negative for a gain. */
  readonly dayLossMicros: Micros;
  /** Below the high-water mark, never negative. */
  readonly drawdownMicros: Micros;
  readonly halted: string | null;
}

type LossLimits = Pick<RiskLimits, 'maxLossDayMicros' | 'maxDrawdownMicros'>;

/** A longer gap between two valuations means a clock jump, a sleeping machine or a start. */
const LONGEST_PAUSE_MS = 300_000;
/** Time without a clock jump before a new day may begin. */
const BELIEVED_AFTER_MS = 300_000;

/** Each write costs a sync: stored marks may lag by this fraction of the smaller limit. */
const STORED_WITHIN = 100;

export class LossGuard {
  #state: LossState;
  readonly #calendar = new Calendar();
  /** The newest valuation; null before the first of this process. */
  #lookedMs: number | null = null;
  /** Time of the valuation since which the clock has not jumped. */
  #steadySinceMs = Number.POSITIVE_INFINITY;
  /** Final equity of the old day, while the new one is unconfirmed. */
  #endedWith: Micros | null = null;
  /** Part of the newest equity that others' bids do not cover. */
  #passingMicros: Micros = ZERO;

  private constructor(state: LossState) {
    this.#state = state;
  }

  /** Starts now from the current worth: currency plus shares at their marks. */
  static start(nowMs: number, equityMicros: Micros): LossGuard {
    return new LossGuard({
      day: new Calendar().formatDay(nowMs),
      dayStartEquityMicros: equityMicros,
      highWaterMicros: equityMicros,
      equityMicros,
      halted: null,
      dayBeganMicros: equityMicros,
      endedDay: null,
    });
  }

  /** A state of an older version has no day results: its day counts from its loss mark. */
  static restore(state: Omit<LossState, 'dayBeganMicros' | 'endedDay'> & Partial<LossState>): LossGuard {
    return new LossGuard({ endedDay: null, dayBeganMicros: state.dayStartEquityMicros, ...state });
  }

  get state(): LossState {
    return this.#state;
  }

  /**
   * True when the state must be stored again: `stored` differs by more than a hundredth of a limit, or lacks a halt or
   * a day.
   */
  hasMovedFrom(stored: LossState, limits: LossLimits): boolean {
    const { day, halted, equityMicros, highWaterMicros } = this.#state;
    if (day !== stored.day || halted !== stored.halted) return true;
    const moved = Math.max(
      Math.abs(equityMicros - stored.equityMicros),
      Math.abs(highWaterMicros - stored.highWaterMicros),
    );
    return moved * STORED_WITHIN >= Math.min(limits.maxLossDayMicros, limits.maxDrawdownMicros);
  }

  get facts(): LossFacts {
    const { dayStartEquityMicros, highWaterMicros, halted } = this.#state;
    return {
      dayLossMicros: sub(dayStartEquityMicros, this.#payable),
      drawdownMicros: sub(highWaterMicros, this.#payable),
      halted,
    };
  }

  get days(): DayResults {
    const { day, equityMicros, dayBeganMicros, endedDay } = this.#state;
    return { current: { day, resultMicros: sub(equityMicros, dayBeganMicros) }, ended: endedDay };
  }

  /** Equity with holdings at others' bids. */
  get #payable(): Micros {
    return sub(this.#state.equityMicros, this.#passingMicros);
  }

  /**
   * Takes in what we are worth now, and the part of it that others' bids do not pay; `nowMs` is the exchange's clock where
   * it is known. A clock that has jumped begins no day before it has run on for some minutes: one wrong look must not give
   * a fresh limit. Returns the reason when this very look halts trading, else null. A figure that is no safe integer halts
   * too: a loss that cannot be computed is not a loss of zero.
   */
  observe(nowMs: number, equityMicros: Micros, limits: LossLimits, passingMicros: Micros = ZERO): string | null {
    const before = this.#state;
    if (!Number.isSafeInteger(equityMicros)) return this.#halt(`the equity cannot be computed (got ${equityMicros})`);
    // ISO text sorts by time, so a clock set back does not begin a new day.
    const today = this.#calendar.formatDay(nowMs);
    const isSteady = this.#isSteadyAt(nowMs);
    // A new day begins with the last equity of the old one: a loss over midnight belongs to the new day.
    this.#endedWith = today > before.day ? (this.#endedWith ?? before.equityMicros) : null;
    const begunWith = isSteady ? this.#endedWith : null;
    if (begunWith !== null) this.#endedWith = null;
    this.#state = {
      day: begunWith === null ? before.day : today,
      dayStartEquityMicros: begunWith ?? before.dayStartEquityMicros,
      highWaterMicros: equityMicros > before.highWaterMicros ? equityMicros : before.highWaterMicros,
      equityMicros,
      halted: before.halted,
      dayBeganMicros: begunWith ?? before.dayBeganMicros,
      endedDay:
        begunWith === null ? before.endedDay : { day: before.day, resultMicros: sub(begunWith, before.dayBeganMicros) },
    };
    this.#passingMicros = passingMicros;
    const dayLossMicros = sub(this.#state.dayStartEquityMicros, equityMicros);
    const drawdownMicros = sub(this.#state.highWaterMicros, equityMicros);
    if (dayLossMicros > ZERO && dayLossMicros >= limits.maxLossDayMicros) {
      return this.#halt(`lost ${showFigure(dayLossMicros)} today, the limit is ${showFigure(limits.maxLossDayMicros)}`);
    }
    if (drawdownMicros > ZERO && drawdownMicros >= limits.maxDrawdownMicros) {
      return this.#halt(
        `${showFigure(drawdownMicros)} below the high-water mark, the limit is ${showFigure(limits.maxDrawdownMicros)}`,
      );
    }
    return null;
  }

  /** Takes in the time of a valuation; true when the clock has run long enough without a jump. */
  #isSteadyAt(nowMs: number): boolean {
    const hasJumped = this.#lookedMs === null || Math.abs(nowMs - this.#lookedMs) > LONGEST_PAUSE_MS;
    this.#lookedMs = nowMs;
    // A small step back, as by a clock correction, is no jump.
    this.#steadySinceMs = hasJumped ? nowMs : Math.min(this.#steadySinceMs, nowMs);
    return nowMs - this.#steadySinceMs >= BELIEVED_AFTER_MS;
  }

  /** Capital was added or removed: neither gain nor loss. */
  capitalMoved(amount: Micros): void {
    const { dayStartEquityMicros, dayBeganMicros, highWaterMicros, equityMicros } = this.#state;
    this.#state = {
      ...this.#state,
      dayBeganMicros: add(dayBeganMicros, amount),
      dayStartEquityMicros: add(dayStartEquityMicros, amount),
      highWaterMicros: add(highWaterMicros, amount),
      equityMicros: add(equityMicros, amount),
    };
    if (this.#endedWith !== null) this.#endedWith = add(this.#endedWith, amount);
  }

  /**
   * An operator accepts the loss that halted trading or holds it back: both measures restart from the value at others'
   * bids. Without such a loss nothing changes: a resume after a plain pause must not renew a limit.
   */
  resume(isHeldBack = false): void {
    if (this.#state.halted === null && !isHeldBack) return;
    const equityMicros = this.#payable;
    this.#state = { ...this.#state, dayStartEquityMicros: equityMicros, highWaterMicros: equityMicros, halted: null };
    if (this.#endedWith !== null) this.#endedWith = equityMicros;
  }

  /** The first reason stays: later ones follow from it. */
  #halt(reason: string): string | null {
    if (this.#state.halted !== null) return null;
    this.#state = { ...this.#state, halted: reason };
    return reason;
  }
}

const DAY_MS = 86_400_000;

/** The UTC day of a time, `YYYY-MM-DD`; caches the newest. */
class Calendar {
  #number = Number.NaN;
  #text = '';

  formatDay(nowMs: number): string {
    const number = Math.floor(nowMs / DAY_MS);
    if (number !== this.#number) this.#text = new Date(nowMs).toISOString().slice(0, 10);
    this.#number = number;
    return this.#text;
  }
}

/** Why quotes must widen, and why only reducing orders are allowed; null where neither applies. */
export interface LossRung {
  readonly widened: string | null;
  readonly reducing: string | null;
}

export const NO_LOSS_RUNG: LossRung = { widened: null, reducing: null };

type RungLimits = Pick<
  RiskLimits,
  'maxLossDayMicros' | 'maxDrawdownMicros' | 'widenAtLossMicros' | 'reduceAtLossMicros'
>;

/** Reversible: a smaller loss moves back up. Only the halt at the whole limit needs an operator. */
export function lossRung(loss: LossFacts, limits: RungLimits): LossRung {
  const widened = describeReached(loss, limits, limits.widenAtLossMicros);
  const reducing = describeReached(loss, limits, limits.reduceAtLossMicros);
  return widened === null && reducing === null ? NO_LOSS_RUNG : { widened, reducing };
}

/** @param part fraction of either limit: 0.5 is 500000 */
function describeReached(
  { dayLossMicros, drawdownMicros }: LossFacts,
  limits: RungLimits,
  part: Micros,
): string | null {
  const reached = (amount: Micros, limit: Micros) => amount > ZERO && amount >= mul(limit, part, 'ceil');
  const describe = (amount: Micros, what: string, limit: Micros) =>
    `${showFigure(amount)} ${what}, that is ${showFigure(part)} of the limit of ${showFigure(limit)} or more`;
  const { maxLossDayMicros, maxDrawdownMicros } = limits;
  if (reached(dayLossMicros, maxLossDayMicros)) return describe(dayLossMicros, 'lost today', maxLossDayMicros);
  if (!reached(drawdownMicros, maxDrawdownMicros)) return null;
  return describe(drawdownMicros, 'below the high-water mark', maxDrawdownMicros);
}
