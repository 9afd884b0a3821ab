/**
 * What a backtest does when a limit halts the trader. Live it stays halted until a person resumes it with a reason; here
 * nobody would, and the rest of the recordings would not be played. So it is resumed when the next event begins, or the next
 * UTC day, unless the run is to end there.
 */

import type { Notice } from '../../trader/engine/notices.js';
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
  /** While it is halted. */
  #since: { readonly fromMs: number; readonly reason: string } | null = null;
  readonly #begun = new Set<string>();
  #hasNewEvent = false;
  #isSettling = false;

  constructor(after: AfterHalt) {
    this.#after = after;
  }

  noticed(notices: readonly Notice[]): void {
    for (const { kind, timeMs, text } of notices) {
      if (kind === 'halted') this.#since ??= { fromMs: timeMs, reason: text.split(';')[0] ?? text };
    }
  }

  /** A market of this event opens. */
  opened(event: string): void {
    this.#hasNewEvent ||= !this.#begun.has(event);
    this.#begun.add(event);
  }

  /** Whether the trader is halted and is to be resumed now; asked after markets have opened, and once a minute. */
  mustResume(nowMs: number): boolean {
    const isNew = this.#hasNewEvent;
    this.#hasNewEvent = false;
    if (this.#since === null || this.#after === 'end') return false;
    return isNew || Math.floor(nowMs / DAY_MS) > Math.floor(this.#since.fromMs / DAY_MS);
  }

  /** Whether it is halted and no market is open any more, so that what it holds is to be redeemed; once for each halt. */
  mustSettle(openMarkets: number): boolean {
    if (this.#since === null || this.#after === 'end' || this.#isSettling || openMarkets > 0) return false;
    this.#isSettling = true;
    return true;
  }

  resumed(nowMs: number): void {
    this.#isSettling = false;
    if (this.#since !== null) this.#records.push({ ...this.#since, resumedMs: nowMs });
    this.#since = null;
  }

  get records(): readonly HaltRecord[] {
    return this.#since === null ? this.#records : [...this.#records, { ...this.#since, resumedMs: null }];
  }

  /** How much of this stretch the trader was halted, ms. */
  withinMs(fromMs: number, toMs: number): number {
    return this.records.reduce((sum, halt) => {
      const until = Math.min(toMs, halt.resumedMs ?? toMs);
      return sum + Math.max(0, until - Math.max(fromMs, halt.fromMs));
    }, 0);
  }
}
