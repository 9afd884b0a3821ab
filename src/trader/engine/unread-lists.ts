/**
 * Lists that the trader cannot read though the exchange answers: a key that is refused, a page that cannot be. Said once,
 * with the reason, and once when the list can be read again. Whoever cannot see what is his own for long must not quote.
 */

import type { Outcome, RequestResult } from '../../shared/protocol/seam.js';
import type { PollResult } from '../scheduler/contract.js';

/** So many looks in a row over so long: below that it is a hiccup, of which any network has some. */
const TOLD_AFTER_LOOKS = 3;
const TOLD_AFTER_MS = 10_000;
/** As old as a book may usually be that orders rest on: what fills unseen moves no loss limit. */
const PULLED_AFTER_MS = 30_000;

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

/** Looks in a row that have failed, and our clock, ms, at the first of them. */
interface Row {
  readonly looks: number;
  readonly sinceMs: number;
}

interface Failing {
  /** All of them, and those since the exchange was last silent. */
  readonly all: Row;
  readonly answered: Row;
  /** What a person has heard of it. */
  readonly told: 'nothing' | 'unread' | 'pulled';
  /** Why everything is pulled, in the words of the look that found it; null while it is not. */
  readonly pulled: string | null;
}

const FRESH: Failing = {
  all: { looks: 0, sinceMs: Number.POSITIVE_INFINITY },
  answered: { looks: 0, sinceMs: Number.POSITIVE_INFINITY },
  told: 'nothing',
  pulled: null,
};

export class UnreadLists {
  readonly #failing = new Map<WatchedList, Failing>();

  /** Why nothing of ours may rest until own orders and own trades can be read again; null while it may. */
  get pulled(): string | null {
    if (this.#failing.size === 0) return null;
    return this.#failing.get('orders')?.pulled ?? this.#failing.get('fills')?.pulled ?? null;
  }

  /**
   * What is to be said after a look at a list; null most of the time.
   *
   * @param isSilent the exchange answers nothing at all, which is said by itself
   */
  onLook(list: WatchedList, result: PollResult, report: RequestResult, isSilent: boolean): ReadingNews | null {
    if (result === 'unsent') return null;
    const before = this.#failing.get(list) ?? FRESH;
    const [name, meaning] = TEXTS[list];
    if (result === 'ok') {
      this.#failing.delete(list);
      return before.told === 'nothing' ? null : { kind: 'list_read', text: `${name} can be read again` };
    }
    const why = `${name} cannot be read: ${describeFailure(report.outcome)}`;
    const failing = next(list, before, report.nowMs, { isSilent, why });
    this.#failing.set(list, failing);
    if (failing.told === before.told) return null;
    return { kind: 'list_unread', text: `${why}; ${failing.told === 'pulled' ? PULLED : meaning}` };
  }
}

/** Markets whose rows in the list of markets cannot be read, as of the newest complete walk. */
export class UnreadMarkets {
  #reasons: ReadonlyMap<string, string> = new Map();
  #walk = new Map<string, string>();

  /** Why nothing is quoted or converted in a market; undefined where its row can be read. */
  findReason(conditionId: string): string | undefined {
    return this.#reasons.get(conditionId);
  }

  /** Takes in a page. */
  onPage({ outcome }: RequestResult): void {
    const unread = outcome.kind === 'answered' ? (outcome.unread ?? []) : [];
    for (const { conditionId, problem } of unread) this.#walk.set(conditionId ?? NAMELESS, problem);
  }

  /** The walk has ended; returns its new rows. @param isComplete whether every page came */
  onEnd(isComplete: boolean): readonly { readonly kind: 'market_unread' | 'market_read'; readonly text: string }[] {
    const [before, now] = [this.#reasons, this.#walk];
    this.#walk = new Map();
    if (!isComplete) return [];
    this.#reasons = new Map(
      Array.from(now, ([id, problem]) => [id, `its row in the list of markets cannot be read: ${problem}`]),
    );
    const unread = [...now].filter(([id]) => !before.has(id));
    const read = [...before.keys()].filter((id) => !now.has(id));
    return [
      ...unread.map(([id, problem]) => ({
        kind: 'market_unread' as const,
        text: `market ${id} is left out: ${problem}; what rests there is pulled, and all others go on`,
      })),
      ...read.map((id) => ({
        kind: 'market_read' as const,
        text: `market ${id} can be read again, or is not listed any more`,
      })),
    ];
  }
}

const NAMELESS = '(without a condition id)';

const PULLED = 'every order is pulled until they can be';

function next(
  list: WatchedList,
  before: Failing,
  nowMs: number,
  { isSilent, why }: { readonly isSilent: boolean; readonly why: string },
): Failing {
  const all = longer(before.all, nowMs);
  const answered = isSilent && before.told === 'nothing' ? FRESH.answered : longer(before.answered, nowMs);
  // What is not seen is not seen in silence either: an exchange that answers one call and not another is silent now and then.
  const isBlind = list !== 'catalog' && lasts(all, nowMs, PULLED_AFTER_MS);
  const pulled = before.pulled ?? (isBlind ? why : null);
  const isTold = before.told === 'nothing' && lasts(answered, nowMs, TOLD_AFTER_MS);
  const told = pulled !== null && !isSilent ? 'pulled' : isTold ? 'unread' : before.told;
  return { all, answered, told, pulled };
}

/** Where our clock was set back the time begins anew. */
const longer = ({ looks, sinceMs }: Row, nowMs: number): Row => ({
  looks: looks + 1,
  sinceMs: Math.min(sinceMs, nowMs),
});

const lasts = ({ looks, sinceMs }: Row, nowMs: number, ms: number): boolean =>
  looks >= TOLD_AFTER_LOOKS && nowMs - sinceMs >= ms;

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
