/**
 * After a halt by a limit. Live a trader stays halted until an operator resumes; a backtest has no operator, and the
 * rest of the recordings would not be played. So it resumes with the next event or the next UTC day, unless the run is
 * to end there.
 */

import type { HeldBack } from '../../trader/engine/control/modes.js';
import type { OperatorEvent } from '../../trader/ledger/contract.js';
import type { HaltRecord } from '../session/contract.js';

/** `resume`: at the next event or UTC day. `end`: never, like a live trader without an operator. */
export type AfterHalt = 'resume' | 'end';

export const AFTER_HALT: readonly AfterHalt[] = ['resume', 'end'];

export const RESUME_REASON = 'the next event of the backtest begins';
/** After all markets have ended: a halted trader redeems nothing, and that loss would halt the next event. */
export const SETTLE_REASON = 'the markets that were open are over';

const DAY_MS = 86_400_000;

export class Halts {
  readonly #after: AfterHalt;
  readonly #records: HaltRecord[] = [];
  /** While halted or held back. */
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

  /** Rung of a partly used loss limit; call before `takeResume`. A smaller loss moves back up. */
  onLook(fromMs: number, heldBack: HeldBack | null): void {
    if (this.#isHalted || heldBack?.rung === this.#since?.rung) return;
    this.#since = heldBack === null ? null : { fromMs, ...heldBack };
  }

  get #isHalted(): boolean {
    return this.#since?.rung === 'halted';
  }

  onOpen(event: string): void {
    this.#hasNewEvent ||= !this.#begun.has(event);
    this.#begun.add(event);
  }

  /**
   * True when the halted or held-back trader is to be resumed now; called after markets have opened, and once a minute.
   */
  takeResume(nowMs: number): boolean {
    const isNew = this.#hasNewEvent;
    this.#hasNewEvent = false;
    if (this.#since === null || this.#after === 'end') return false;
    return isNew || Math.floor(nowMs / DAY_MS) > Math.floor(this.#since.fromMs / DAY_MS);
  }

  /** True once per halt, when no market is open and its holdings should be redeemed. */
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

  /** Time of this span without permission to open positions, ms: halted, or reducing only. */
  withinMs(fromMs: number, toMs: number): number {
    const closed = this.records.filter(({ rung }) => rung !== 'widened');
    return closed.reduce((sum, halt) => {
      const until = Math.min(toMs, halt.resumedMs ?? toMs);
      return sum + Math.max(0, until - Math.max(fromMs, halt.fromMs));
    }, 0);
  }
}
