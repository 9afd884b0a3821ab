/**
 * Lists that the trader cannot read though the exchange answers: a key that is refused, a page that cannot be. Said once,
 * with the reason, and once when the list can be read again.
 */

import type { Outcome, RequestResult } from '../../shared/protocol/seam.js';
import type { PollResult } from '../scheduler/contract.js';

/** So many looks in a row over so long: below that it is a hiccup, of which any network has some. */
const TOLD_AFTER_LOOKS = 3;
const TOLD_AFTER_MS = 10_000;

const TEXTS = {
  orders: ['own orders', 'what rests there is not known'],
  fills: ['own trades', 'what has filled is not known'],
  catalog: ['the list of markets', 'new markets are not seen'],
} as const;
export type WatchedList = keyof typeof TEXTS;

export interface ReadingNews {
  readonly kind: 'list_unread' | 'list_read';
  readonly text: string;
}

interface Failing {
  readonly looks: number;
  readonly sinceMs: number;
  readonly isTold: boolean;
}

export class UnreadLists {
  readonly #failing = new Map<WatchedList, Failing>();

  /**
   * What is to be said after a look at a list; null most of the time.
   *
   * @param isSilent the exchange answers nothing at all, which is said by itself
   */
  onLook(list: WatchedList, result: PollResult, report: RequestResult, isSilent: boolean): ReadingNews | null {
    if (result === 'unsent') return null;
    const before = this.#failing.get(list);
    if (result === 'ok' || (isSilent && before?.isTold !== true)) {
      this.#failing.delete(list);
      return before?.isTold === true ? { kind: 'list_read', text: `${TEXTS[list][0]} can be read again` } : null;
    }
    const { nowMs, outcome } = report;
    const looks = (before?.looks ?? 0) + 1;
    // Where our clock was set back the time begins anew.
    const sinceMs = Math.min(before?.sinceMs ?? nowMs, nowMs);
    const isTold = before?.isTold === true || (looks >= TOLD_AFTER_LOOKS && nowMs - sinceMs >= TOLD_AFTER_MS);
    this.#failing.set(list, { looks, sinceMs, isTold });
    if (!isTold || before?.isTold === true) return null;
    const [name, meaning] = TEXTS[list];
    return { kind: 'list_unread', text: `${name} cannot be read: ${describeFailure(outcome)}; ${meaning}` };
  }
}

function describeFailure(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'refused':
      return `${outcome.slug}: ${outcome.message}`;
    case 'unknown':
      return outcome.reason;
    case 'answered':
      return 'its pages contradict themselves, or hold more than was asked for';
  }
}
