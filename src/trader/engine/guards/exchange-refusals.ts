/**
 * Orders that the exchange rejected in a row, and the wait before the next one. The first accepted order ends the row.
 */

import { utcText } from '../../../shared/base/utc-text.js';

const LONGEST_WAIT_MS = 30_000;
const MINUTE_MS = 60_000;
/** Enough for one minute of attempts; older times are dropped. */
const MOST_TIMES = 200;

interface Row {
  readonly slug: string;
  readonly words: string;
  /** Rejections in a row with this slug. */
  readonly repeats: number;
  readonly sinceMs: number;
  /** Our clock, ms, of the newest rejections. */
  readonly times: readonly number[];
}

export class ExchangeRefusals {
  #row: Row | null = null;
  #isTold = false;

  /** @param nowMs our clock */
  onRefused({ slug, reason }: { readonly slug: string; readonly reason: string }, nowMs: number): void {
    const before = this.#row;
    this.#row = {
      slug,
      words: reason,
      repeats: before?.slug === slug ? before.repeats + 1 : 1,
      // After a clock set back, the row begins now.
      sinceMs: Math.min(before?.sinceMs ?? nowMs, nowMs),
      times: [...(before?.times ?? []), nowMs].slice(-MOST_TIMES),
    };
  }

  /** Returns true when the end of the row is reported: only if its beginning was. */
  onTaken(): boolean {
    const wasTold = this.#isTold;
    this.#row = null;
    this.#isTold = false;
    return wasTold;
  }

  /**
   * Wait before the next order, ms; doubled with each rejection of the same kind. @param firstMs wait after the first
   * one
   */
  waitMs(firstMs: number): number {
    const doublings = Math.min((this.#row?.repeats ?? 1) - 1, 10);
    return Math.min(firstMs * 2 ** doublings, Math.max(firstMs, LONGEST_WAIT_MS));
  }

  /** True once when a minute brought only rejections. */
  takeLasting(nowMs: number): boolean {
    if (this.#row === null || this.#isTold || nowMs - this.#row.sinceMs < MINUTE_MS) return false;
    this.#isTold = true;
    return true;
  }

  /** `refused by the exchange: SLUG`; null when the newest order was accepted. */
  get note(): string | null {
    return this.#row === null ? null : `refused by the exchange: ${this.#row.slug}`;
  }

  /** One sentence about the row; null when the newest order was accepted. */
  describe(nowMs: number): string | null {
    if (this.#row === null) return null;
    const { slug, words, sinceMs, times } = this.#row;
    const lately = times.filter((atMs) => nowMs - atMs <= MINUTE_MS).length;
    return `the exchange refuses its orders since ${utcText(sinceMs)} UTC, ${lately} in the last minute; the newest: ${slug}, ${words}`;
  }
}
