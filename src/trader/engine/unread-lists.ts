/**
 * An exchange that does not answer, and lists that cannot be read although it answers, for example for a rejected key or
 * a page that fails. One notice when it begins, with the reason, and one when it ends. A trader that cannot read its own
 * lists for long stops quoting.
 */

import type { Outcome, RequestResult } from '../../shared/protocol/seam.js';
import type { PollResult } from '../scheduler/contract.js';

/** Failed reads in a row, with a minimum duration, before a notice: shorter failures are normal in any network. */
const TOLD_AFTER_LOOKS = 3;
const TOLD_AFTER_MS = 10_000;
/** Equal to the usual maximum age of a book under resting orders: unseen fills count towards no loss limit. */
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

/** Failed reads in a row, and our clock, ms, at the first. */
interface Row {
  readonly looks: number;
  readonly sinceMs: number;
}

interface Failing {
  /** All failures, and those since the exchange was last silent. */
  readonly all: Row;
  readonly answered: Row;
  /** Notices sent about it. */
  readonly told: 'nothing' | 'unread' | 'pulled';
  /** Why everything is pulled, as the failed read says; null while it is not. */
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

  /** Why own orders may not rest until own orders and own trades can be read again; null while they may. */
  get pulled(): string | null {
    if (this.#failing.size === 0) return null;
    return this.#failing.get('orders')?.pulled ?? this.#failing.get('fills')?.pulled ?? null;
  }

  /**
   * Notice after a read of a list; null most of the time.
   *
   * @param isSilent the exchange answers nothing at all, which has its own notice
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

/** Markets with unreadable rows in the market list, as of the newest complete walk. */
export class UnreadMarkets {
  #reasons: ReadonlyMap<string, string> = new Map();
  #walk = new Map<string, string>();

  /** Why nothing is quoted or converted in a market; undefined when its row is readable. */
  findReason(conditionId: string): string | undefined {
    return this.#reasons.get(conditionId);
  }

  /** Takes in a page. */
  onPage({ outcome }: RequestResult): void {
    const unread = outcome.kind === 'answered' ? (outcome.unread ?? []) : [];
    for (const { conditionId, problem } of unread) this.#walk.set(conditionId ?? NAMELESS, problem);
  }

  /** Ends the walk and returns its new notices. @param isComplete whether every page arrived */
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
  // A blind period counts during a silence too: an exchange that answers only some calls is silent now and then.
  const isBlind = list !== 'catalog' && lasts(all, nowMs, PULLED_AFTER_MS);
  const pulled = before.pulled ?? (isBlind ? why : null);
  const isTold = before.told === 'nothing' && lasts(answered, nowMs, TOLD_AFTER_MS);
  const told = pulled !== null && !isSilent ? 'pulled' : isTold ? 'unread' : before.told;
  return { all, answered, told, pulled };
}

/** After a clock set back, the time begins again. */
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

/** Unknown outcomes in a row after which the exchange counts as unreachable. */
const SILENT_AFTER = 3;
/** Shortest silence that is reported, ms: an exchange that answers only some calls would cause two notices a second. */
const SILENCE_TOLD_AFTER_MS = 1_000;
/** Answers in a row that end a reported silence: otherwise each single answer would cause two notices. */
const BACK_AFTER = 3;

export class Silence {
  #unanswered = 0;
  #answered = 0;
  #sinceMs = 0;
  #isTold = false;

  /** The exchange is unreachable. */
  get isOn(): boolean {
    return this.#unanswered >= SILENT_AFTER;
  }

  /** The newest request was not answered. */
  get isSuspected(): boolean {
    return this.#unanswered > 0;
  }

  /** Takes in a request with an unknown outcome. Returns true when a notice is due: once per silence. */
  onUnknown(nowMs: number): boolean {
    // After a clock set back, the time begins again.
    this.#sinceMs = this.#unanswered === 0 ? nowMs : Math.min(this.#sinceMs, nowMs);
    this.#unanswered += 1;
    this.#answered = 0;
    if (!this.isOn || this.#isTold || nowMs - this.#sinceMs < SILENCE_TOLD_AFTER_MS) return false;
    this.#isTold = true;
    return true;
  }

  /**
   * Takes in an answer. Returns whether it ends a silence, and whether the end of a reported one is due for a notice.
   */
  onAnswer(): { readonly wasOn: boolean; readonly isBack: boolean } {
    const wasOn = this.isOn;
    this.#unanswered = 0;
    this.#answered += 1;
    const isBack = this.#isTold && this.#answered >= BACK_AFTER;
    if (isBack) this.#isTold = false;
    return { wasOn, isBack };
  }
}
