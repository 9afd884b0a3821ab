/**
 * What a backtest does when a limit halts the trader. Live it stays halted until a person resumes it with a reason; here
 * nobody would, and the rest of the recordings would not be played. So it is resumed when the next event begins, or the next
 * UTC day, unless the run is to end there. A part of a loss limit that holds it back (quotes widened, reduce only) is lifted
 * in the same way: else the limit would never be reached, and the rest be played by half.
 */

import type { HeldBack } from '../../trader/engine/control/modes.js';
import type { OperatorEvent } from '../../trader/ledger/contract.js';
import type { HaltRecord } from '../session/contract.js';

/** `resume`: at the next event or UTC day; `end`: never, as live while nobody looks. */
export type AfterHalt = 'resume' | 'end';

export const AFTER_HALT: readonly AfterHalt[] = ['resume', 'end'];

/** What is given as the reason of the resume. */
export const RESUME_REASON = 'the next event of the backtest begins';
/** The same once the markets are over: a halted trader redeems nothing, and the loss of that would halt the next event. */
export const SETTLE_REASON = 'the markets that were open are over';

const DAY_MS = 86_400_000;

/** The halts of one run, in order of time. */
export class Halts {
  readonly #after: AfterHalt;
  readonly #records: HaltRecord[] = [];
  /** While it is halted or held back. */
  #since: Omit<HaltRecord, 'resumedMs'> | null = null;
  readonly #begun = new Set<string>();
  #hasNewEvent = false;
  #isSettling = false;

  constructor(after: AfterHalt) {
    this.#after = after;
  }

  onNotices(notices: readonly OperatorEvent[]): void {
    for (const { kind, timeMs, text } of notices) {
      if (kind !== 'halted' || this.#isHalted) continue;
      this.#since = { rung: 'halted', fromMs: timeMs, reason: text.split(';')[0] ?? text };
    }
  }

  /** Where a part of a loss limit holds the trader back now; asked before `takeResume`. A loss that shrinks leads back up. */
  onLook(fromMs: number, heldBack: HeldBack | null): void {
    if (this.#isHalted || heldBack?.rung === this.#since?.rung) return;
    this.#since = heldBack === null ? null : { fromMs, ...heldBack };
  }

  get #isHalted(): boolean {
    return this.#since?.rung === 'halted';
  }

  /** A market of this event opens. */
  onOpen(event: string): void {
    this.#hasNewEvent ||= !this.#begun.has(event);
    this.#begun.add(event);
  }

  /** Whether the trader is halted or held back and is to be resumed now; asked after markets have opened, and once a minute. */
  takeResume(nowMs: number): boolean {
    const isNew = this.#hasNewEvent;
    this.#hasNewEvent = false;
    if (this.#since === null || this.#after === 'end') return false;
    return isNew || Math.floor(nowMs / DAY_MS) > Math.floor(this.#since.fromMs / DAY_MS);
  }

  /** Whether it is halted and no market is open any more, so that what it holds is to be redeemed; once for each halt. */
  takeSettle(openMarkets: number): boolean {
    if (!this.#isHalted || this.#after === 'end' || this.#isSettling || openMarkets > 0) return false;
    this.#isSettling = true;
    return true;
  }

  onResume(nowMs: number): void {
    this.#isSettling = false;
    if (this.#since !== null) this.#records.push({ ...this.#since, resumedMs: nowMs });
    this.#since = null;
  }

  get records(): readonly HaltRecord[] {
    return this.#since === null ? this.#records : [...this.#records, { ...this.#since, resumedMs: null }];
  }

  /** How much of this stretch the trader could not open a position, ms: halted, or reducing only. */
  withinMs(fromMs: number, toMs: number): number {
    const closed = this.records.filter(({ rung }) => rung !== 'widened');
    return closed.reduce((sum, halt) => {
      const until = Math.min(toMs, halt.resumedMs ?? toMs);
      return sum + Math.max(0, until - Math.max(fromMs, halt.fromMs));
    }, 0);
  }
}
