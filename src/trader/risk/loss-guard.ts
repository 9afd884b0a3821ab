/**
 * Measures the loss of the UTC day and the loss from the high-water mark, and halts trading at their limits.
 *
 * The equity at the day's start and at the high-water mark values shares at marks. The present loss values them at
 * other traders' bids. A loss at bids alone blocks orders while the loss lasts. A loss at marks halts trading until an
 * operator resumes with a reason; a restart or a new day does not end the halt.
 */

import { add, type Micros, maxMicros, minMicros, mul, sub, ZERO } from '../../shared/base/micros.js';
import { showFigure } from './intent.js';
import type { RiskLimits } from './limits.js';

/** State of the loss guard, stored as JSON in the transaction that caused the state's change. */
interface LossState {
  /** The loss guard's current UTC day, `YYYY-MM-DD`. */
  readonly day: string;
  readonly dayStartEquityMicros: Micros;
  readonly highWaterMicros: Micros;
  readonly equityMicros: Micros;
  /** Sentence that says why trading is halted; null while it is not halted. */
  readonly halted: string | null;
  /** Equity at the start of the day, used for the day's result. A resume does not change this equity. */
  readonly dayBeganMicros: Micros;
  /** Result of the newest ended UTC day; null before the first day has ended. */
  readonly endedDay: Readonly<{ day: string; resultMicros: Micros }> | null;
  /** Loss at bids (`HoldingsWorth.passingMicros`) that an operator accepted by a resume; at most the present loss. */
  readonly acceptedMicros?: Micros;
  /** Final equity of the old day, and start of the new day's loss, while the new UTC day is not confirmed; else null. */
  readonly ended?: { readonly equity: Micros; readonly lossStart: Micros } | null;
}

/** Value of the currency and shares that the trader holds. */
export interface HoldingsWorth {
  /** Equity: currency plus shares at their marks, each mark capped by its slow average. */
  readonly equityMicros: Micros;
  /** Loss at bids: value of the shares at marks less their sale proceeds at other traders' bids; never negative. */
  readonly passingMicros: Micros;
}

/** Losses that risk control 8 compares with its limits. */
export interface LossFacts {
  /** Loss since the start of the UTC day; negative for a gain. */
  readonly dayLossMicros: Micros;
  /** Drawdown: distance of equity below the high-water mark, never negative. */
  readonly drawdownMicros: Micros;
  readonly halted: string | null;
}

type LossLimits = Pick<RiskLimits, 'maxLossDayMicros' | 'maxDrawdownMicros'>;

/** Longest normal gap between two valuations, ms. A longer gap means a clock jump, a suspended machine or a restart. */
const LONGEST_PAUSE_MS = 300_000;
/** Time without a clock jump that must pass before a new day can begin, ms. */
const BELIEVED_AFTER_MS = 300_000;
/** A new day's loss starts with the highest equity less accepted loss of the one to two periods before it, ms. */
const HIGH_PERIOD_MS = 300_000;

/** Stored equity may differ from the newest by 1/100 of the smaller loss limit, since each write needs a disk sync. */
const STORED_WITHIN = 100;

export class LossGuard {
  state: LossState;
  /** Time of the newest valuation, ms; null before this process's first valuation. */
  #lookedMs: number | null = null;
  /** Time of the first valuation after the newest clock jump, ms. */
  #steadySinceMs = Number.POSITIVE_INFINITY;
  /** `HoldingsWorth.passingMicros` of the newest valuation. */
  #passingMicros: Micros = ZERO;
  #day = { number: Number.NaN, text: '' };
  /** Highest equity less accepted loss of the newest and the previous period; each lasts `HIGH_PERIOD_MS`. */
  #highs: { sinceMs: number; newest: Micros; previous: Micros };

  constructor(state: LossState) {
    this.state = state;
    const high = sub(state.equityMicros, state.acceptedMicros ?? ZERO);
    this.#highs = { sinceMs: Number.NEGATIVE_INFINITY, newest: high, previous: high };
  }

  static start(nowMs: number, equityMicros: Micros): LossGuard {
    return new LossGuard({
      day: formatDay(nowMs),
      dayStartEquityMicros: equityMicros,
      highWaterMicros: equityMicros,
      equityMicros,
      halted: null,
      dayBeganMicros: equityMicros,
      endedDay: null,
    });
  }

  /** True if the state must be stored: equity moved by a hundredth of a limit, or the halt, `ended` or the day changed. */
  hasMovedFrom(stored: LossState, limits: LossLimits): boolean {
    const { day, halted, equityMicros, highWaterMicros, ended = null } = this.state;
    if (day !== stored.day || halted !== stored.halted || (ended !== null) !== Boolean(stored.ended)) return true;
    const risen = Math.abs(highWaterMicros - stored.highWaterMicros);
    const moved = Math.max(Math.abs(equityMicros - stored.equityMicros), risen);
    return moved * STORED_WITHIN >= Math.min(limits.maxLossDayMicros, limits.maxDrawdownMicros);
  }

  get facts(): LossFacts {
    const { dayStartEquityMicros, highWaterMicros, halted } = this.state;
    return {
      dayLossMicros: sub(dayStartEquityMicros, this.#payable),
      drawdownMicros: sub(highWaterMicros, this.#payable),
      halted,
    };
  }

  /** Results of the current and the newest ended day. A resume does not change these results. */
  get days() {
    const { day, equityMicros, dayBeganMicros, endedDay } = this.state;
    return { current: { day, resultMicros: sub(equityMicros, dayBeganMicros) }, ended: endedDay };
  }

  /** Equity with the shares valued at other traders' bids. */
  get #payable(): Micros {
    return sub(this.state.equityMicros, this.#passingMicros);
  }

  /**
   * Processes a valuation. Returns the reason if this valuation halts trading, else null. After a clock jump, a new day
   * begins only some minutes later, so that a wrong time does not reset the day's loss. Equity that is not a safe
   * integer halts trading.
   *
   * @param nowMs exchange clock if known, else our clock
   * @param passingMicros as in `HoldingsWorth`
   */
  observe(nowMs: number, equityMicros: Micros, limits: LossLimits, passingMicros: Micros = ZERO): string | null {
    const before = this.state;
    if (!Number.isSafeInteger(equityMicros)) return this.#halt(`the equity cannot be computed (got ${equityMicros})`);
    // ISO dates sort by time, so a clock that was set back does not begin a new day.
    const today = this.#findDay(nowMs);
    const hasJumped = this.#lookedMs === null || Math.abs(nowMs - this.#lookedMs) > LONGEST_PAUSE_MS;
    this.#lookedMs = nowMs;
    // A small step back, for example by a clock correction, is not a jump.
    this.#steadySinceMs = hasJumped ? nowMs : Math.min(this.#steadySinceMs, nowMs);
    const isSteady = nowMs - this.#steadySinceMs >= BELIEVED_AFTER_MS;
    // A new day's result starts with the last equity of the old day, so that a loss over midnight belongs to the new day.
    // The new day's loss starts at the highest equity of the last minutes, so that a false price hides no loss.
    const lossStart = maxMicros(this.#highs.newest, this.#highs.previous);
    const ended = today > before.day ? (before.ended ?? { equity: before.equityMicros, lossStart }) : null;
    // Soon after a start, books may not have been read yet, so a smaller loss at the bids proves nothing.
    const accepted = before.acceptedMicros ?? ZERO;
    const acceptedMicros = isSteady ? minMicros(accepted, passingMicros) : accepted;
    const heldMicros = sub(equityMicros, acceptedMicros);
    // The minutes before a start are not known, so the minutes until the confirmation of the day count too.
    const waiting = ended === null ? null : { ...ended, lossStart: maxMicros(ended.lossStart, heldMicros) };
    const highWaterMicros = maxMicros(heldMicros, before.highWaterMicros);
    const isNewDay = ended !== null && isSteady;
    const { day, dayBeganMicros, endedDay } = before;
    // Written out, because object spreads made valuations slow.
    this.state = {
      day: isNewDay ? today : day,
      dayStartEquityMicros: isNewDay ? ended.lossStart : before.dayStartEquityMicros,
      highWaterMicros,
      equityMicros,
      halted: before.halted,
      dayBeganMicros: isNewDay ? ended.equity : dayBeganMicros,
      endedDay: isNewDay ? { day, resultMicros: sub(ended.equity, dayBeganMicros) } : endedDay,
      acceptedMicros,
      ended: isSteady ? null : waiting,
    };
    this.#passingMicros = passingMicros;
    const highs = this.#highs;
    if (Math.abs(nowMs - highs.sinceMs) >= HIGH_PERIOD_MS) {
      highs.sinceMs = nowMs;
      highs.previous = highs.newest;
      highs.newest = heldMicros;
    } else if (heldMicros > highs.newest) highs.newest = heldMicros;
    const dayLossMicros = sub(this.state.dayStartEquityMicros, equityMicros);
    const drawdownMicros = sub(this.state.highWaterMicros, equityMicros);
    if (dayLossMicros > ZERO && dayLossMicros >= limits.maxLossDayMicros)
      return this.#halt(`lost ${showFigure(dayLossMicros)} today, the limit is ${showFigure(limits.maxLossDayMicros)}`);
    if (drawdownMicros > ZERO && drawdownMicros >= limits.maxDrawdownMicros) {
      return this.#halt(
        `equity ${showFigure(drawdownMicros)} below the high-water mark, the limit is ${showFigure(limits.maxDrawdownMicros)}`,
      );
    }
    return null;
  }

  /** Returns the UTC day; kept until the day changes, because each valuation needs it. */
  #findDay(nowMs: number): string {
    const number = Math.floor(nowMs / DAY_MS);
    if (number !== this.#day.number) this.#day = { number, text: formatDay(nowMs) };
    return this.#day.text;
  }

  /** Shifts every stored equity by a deposit or withdrawal, because capital is neither gain nor loss. */
  capitalMoved(amount: Micros): void {
    const { dayStartEquityMicros, dayBeganMicros, highWaterMicros, equityMicros } = this.state;
    this.state = {
      ...this.state,
      dayBeganMicros: add(dayBeganMicros, amount),
      dayStartEquityMicros: add(dayStartEquityMicros, amount),
      highWaterMicros: add(highWaterMicros, amount),
      equityMicros: add(equityMicros, amount),
    };
    const { newest, previous } = this.#highs;
    this.#highs = { ...this.#highs, newest: add(newest, amount), previous: add(previous, amount) };
    const { ended = null } = this.state;
    if (ended === null) return;
    const moved = { equity: add(ended.equity, amount), lossStart: add(ended.lossStart, amount) };
    this.state = { ...this.state, ended: moved };
  }

  /**
   * Accepts the loss that halts or restricts trading: day loss and drawdown restart at 0 from the equity at others'
   * bids. Changes nothing if no loss halts or restricts trading, for example after a plain pause.
   */
  resume(isHeldBack = false): void {
    if (this.state.halted === null && !isHeldBack) return;
    const equityMicros = this.#payable;
    const restarted = { dayStartEquityMicros: equityMicros, highWaterMicros: equityMicros, halted: null };
    this.state = { ...this.state, ...restarted, acceptedMicros: this.#passingMicros };
    this.#highs = { ...this.#highs, newest: equityMicros, previous: equityMicros };
    const { ended = null } = this.state;
    if (ended !== null) this.state = { ...this.state, ended: { ...ended, lossStart: equityMicros } };
  }

  /** Halts trading. The first reason for the halt stays, because later reasons follow from it. */
  #halt(reason: string): string | null {
    if (this.state.halted !== null) return null;
    this.state = { ...this.state, halted: reason };
    return reason;
  }
}

const DAY_MS = 86_400_000;
const formatDay = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** Reasons to widen quotes and to allow only reducing orders; a reason is null if the loss is too small for it. */
interface LossRung {
  readonly widened: string | null;
  readonly reducing: string | null;
}

export const NO_LOSS_RUNG: LossRung = { widened: null, reducing: null };

type RungLimits = LossLimits & Pick<RiskLimits, 'widenAtLossMicros' | 'reduceAtLossMicros'>;

/** Compares the losses with fractions of their limits. Unlike a halt, the restrictions end when the loss shrinks. */
export const lossRung = (loss: LossFacts, limits: RungLimits): LossRung => ({
  widened: describeLoss(loss, limits, limits.widenAtLossMicros),
  reducing: describeLoss(loss, limits, limits.reduceAtLossMicros),
});

/** Describes a loss of at least the fraction `part` (Micros) of its limit; null if no loss is that large. */
function describeLoss({ dayLossMicros, drawdownMicros }: LossFacts, limits: LossLimits, part: Micros): string | null {
  const losses = [
    [dayLossMicros, 'lost today', limits.maxLossDayMicros],
    [drawdownMicros, 'below the high-water mark', limits.maxDrawdownMicros],
  ] as const;
  for (const [lost, what, limit] of losses) {
    if (lost > ZERO && lost >= mul(limit, part, 'ceil'))
      return `${showFigure(lost)} ${what}, at least ${showFigure(part)} of the limit of ${showFigure(limit)}`;
  }
  return null;
}

/** State of the fill guard, stored as JSON in the same transaction as the fill. */
export interface FillState {
  /** Exchange times of the newest fills, Unix s, ascending. */
  readonly timesS: readonly number[];
  /** Sentence that says why quoting is halted; null while it is not halted. */
  readonly halted: string | null;
}

type FillLimits = Pick<RiskLimits, 'maxFills' | 'fillsWindowS'>;

export const NO_FILLS: FillState = { timesS: [], halted: null };

/** At most this multiple of (fill limit + 1) fill times is stored, because later pages may contain older fills. */
const KEPT_TIMES = 4;

/**
 * Halts quoting after too many fills in a short time, because the prices may be wrong or takers better informed. The
 * halt lasts until an operator resumes with a reason; a restart does not end it. Fills count by exchange time, so old
 * fills that the trader reads at its start are not a burst.
 */
export class FillGuard {
  state: FillState;

  constructor(state: FillState) {
    this.state = state;
  }

  /** Counts a fill by its exchange time, Unix s. Returns the reason if this fill halts quoting, else null. */
  observe(timeS: number, limits: FillLimits): string | null {
    const before = this.state.halted;
    const timesS = [...this.state.timesS, timeS].sort((a, b) => a - b).slice(-KEPT_TIMES * (limits.maxFills + 1));
    // Only fills near this one count, so that an earlier burst does not count again after a change of the limits.
    const inWindow = fullest(
      timesS.filter((each) => Math.abs(each - timeS) < limits.fillsWindowS),
      limits.fillsWindowS,
    );
    const burst = `${inWindow} fills within ${limits.fillsWindowS} s, the limit is ${limits.maxFills}`;
    const halted = before ?? (inWindow > limits.maxFills ? burst : null);
    this.state = { timesS, halted };
    return before === null ? halted : null;
  }

  resume(): void {
    this.state = NO_FILLS;
  }
}

/** Returns the largest number of fills within any `windowS` seconds; `timesS` is ascending. */
function fullest(timesS: readonly number[], windowS: number): number {
  let most = 0;
  let first = 0;
  for (const [last, timeS] of timesS.entries()) {
    while (timeS - (timesS[first] ?? timeS) >= windowS) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** Counts that risk control 9 compares with its limits. */
interface PaceFacts {
  /** Number of orders and cancels in the last second and in the last minute. */
  readonly lastSecond: number;
  readonly lastMinute: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/**
 * Counts the orders and cancels of the last second and minute. Cancels count but are never blocked; their count may
 * block the next order. A restart does not reset the count, because actions in the ledger are counted at the start.
 */
export class ActionPace {
  /** Times of the orders and cancels of the last minute, our clock, ms. */
  #timesMs: number[];
  /** @param timesMs times of actions from the ledger, in any order and of any age */
  constructor(timesMs: readonly number[]) {
    this.#timesMs = [...timesMs];
  }

  /** Counts an action, and drops the times of actions older than a minute. */
  note(nowMs: number): void {
    this.#timesMs = this.#timesMs.filter((timeMs) => Math.abs(nowMs - timeMs) < MINUTE_MS);
    this.#timesMs.push(nowMs);
  }

  /** Returns the counts at `nowMs`. After our clock was set back, actions later than `nowMs` also count. */
  facts(nowMs: number): PaceFacts {
    let [lastSecond, lastMinute] = [0, 0];
    for (const timeMs of this.#timesMs) {
      const distanceMs = Math.abs(nowMs - timeMs);
      if (distanceMs < SECOND_MS) lastSecond += 1;
      if (distanceMs < MINUTE_MS) lastMinute += 1;
    }
    return { lastSecond, lastMinute };
  }
}
