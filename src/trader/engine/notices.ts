/** Collects notices for the operator, and detects conditions that need a notice. */

import type { Outcome, RequestResult } from '../../shared/protocol/seam.js';
import type { Ledger, OperatorEvent } from '../ledger/contract.js';
import type { PollResult } from '../scheduler/poll-record.js';
import type { Markets } from './markets.js';

export class Notices {
  readonly #ledger: Pick<Ledger, 'addEvent'>;
  readonly #waiting: OperatorEvent[] = [];

  constructor(ledger: Pick<Ledger, 'addEvent'>) {
    this.#ledger = ledger;
  }

  /** Adds a notice that the shell logs. */
  notify(timeMs: number, kind: string, text: string): void {
    this.#waiting.push({ timeMs, severity: 'info', kind, text });
  }

  /** Adds a notice of severity `loud` and stores it in the ledger until the order or intent `subject` is pruned. */
  alert(timeMs: number, kind: string, text: string, subject: string | null = null): void {
    const notice = { timeMs, severity: 'loud', kind, text } as const;
    this.#waiting.push(notice);
    this.#ledger.addEvent(notice, subject);
  }

  /** Returns and removes the notices for the operator since the last call. */
  take(): readonly OperatorEvent[] {
    return this.#waiting.splice(0);
  }
}

/** Returns a market's title without control characters, because a title from the exchange could forge log lines. */
export const showTitle = (markets: Pick<Markets, 'get'>, conditionId: string): string =>
  (markets.get(conditionId)?.feed.facts?.title ?? conditionId).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');

/** Minimum number and duration of consecutive failed reads before a notice, because short failures are normal. */
const TOLD_AFTER_LOOKS = 3;
const TOLD_AFTER_MS = 10_000;
/** Quoting stops when own orders or trades are unreadable for this time, ms: unseen fills could cause any loss. */
const PULLED_AFTER_MS = 30_000;

const TEXTS = {
  orders: ['own orders', 'resting orders are unknown'],
  fills: ['own trades', 'fills are unknown'],
  catalog: ['the list of markets', 'new markets cannot be found'],
} as const;
export type WatchedList = keyof typeof TEXTS;

/** Number of consecutive failed reads, and time of the first one, our clock, ms. */
interface FailedReads {
  readonly looks: number;
  readonly sinceMs: number;
}

interface Failing {
  /** `all`: all consecutive failed reads. `answered`: only those after the exchange's last silence. */
  readonly all: FailedReads;
  readonly answered: FailedReads;
  /** Kind of the newest notice about an unreadable list. */
  readonly told: 'nothing' | 'unread' | 'pulled';
  /** Why the unreadable list forces the trader to cancel all orders; null if the trader need not cancel them. */
  readonly pulled: string | null;
}

const FRESH: Failing = {
  all: { looks: 0, sinceMs: Number.POSITIVE_INFINITY },
  answered: { looks: 0, sinceMs: Number.POSITIVE_INFINITY },
  told: 'nothing',
  pulled: null,
};

/**
 * Detects lists that stay unreadable, for example because of a rejected key. Sends one notice with the reason when a
 * list becomes unreadable, and one when it is readable again. Quoting stops if own orders or trades stay unreadable.
 */
export class UnreadLists {
  readonly #failing = new Map<WatchedList, Failing>();

  /** Why no own order may rest while own orders or own trades are unreadable; null while orders may rest. */
  get pulled(): string | null {
    if (this.#failing.size === 0) return null;
    return this.#failing.get('orders')?.pulled ?? this.#failing.get('fills')?.pulled ?? null;
  }

  /** Records a list read. Returns a due notice, or null. `isSilent`: no call is answered, and failures are normal. */
  onLook(list: WatchedList, result: PollResult, report: RequestResult, isSilent: boolean) {
    if (result === 'unsent') return null;
    const before = this.#failing.get(list) ?? FRESH;
    const [name, meaning] = TEXTS[list];
    if (result === 'ok') {
      this.#failing.delete(list);
      return before.told === 'nothing' ? null : notice('list_read', `${name} can be read again`);
    }
    const why = `${name} cannot be read: ${describeFailure(report.outcome)}`;
    const failing = next(list, before, report.nowMs, { isSilent, why });
    this.#failing.set(list, failing);
    if (failing.told === before.told) return null;
    const isPulled = failing.told === 'pulled';
    const effect = isPulled ? 'all orders are canceled until the list can be read again' : meaning;
    return notice('list_unread', `${why}; ${effect}`);
  }
}

/** A market's detail must be unreadable for this time before the market is excluded, ms: failed reads are normal. */
const DETAIL_UNREAD_MS = 180_000;
/** A market that was left out because of its detail is tried again after this time, ms. */
const DETAIL_AGAIN_MS = 600_000;

/** Markets with an unreadable detail, or an unreadable row in the newest complete list of markets. */
export class UnreadMarkets {
  #reasons: ReadonlyMap<string, string> = new Map();
  #walk = new Map<string, string>();
  /** Failed reads of a market's detail since its last success. `problem`: null until the market is excluded. */
  readonly #details = new Map<string, FailedReads & { readonly lastMs: number; readonly problem: string | null }>();

  /** Returns why unreadable data forbids quotes and conversions in a market; undefined if its data is readable. */
  findReason(conditionId: string): string | undefined {
    return this.#reasons.get(conditionId) ?? this.#details.get(conditionId)?.problem ?? undefined;
  }

  /** Returns true if a market whose detail was never read should take no place of a strategy now. */
  isLeftOut(conditionId: string, nowMs: number): boolean {
    const detail = this.#details.get(conditionId);
    return detail !== undefined && detail.problem !== null && Math.abs(nowMs - detail.lastMs) < DETAIL_AGAIN_MS;
  }

  /** Records a failed read of a market's detail; a throttled read says nothing. Returns a due notice, or null. */
  onDetailFailed(conditionId: string, { outcome, nowMs }: RequestResult) {
    if (outcome.kind === 'refused' && outcome.slug === 'throttled') return null;
    const before = this.#details.get(conditionId);
    const reads = longer(before ?? FRESH.all, nowMs);
    const why = `the market's detail cannot be read: ${describeFailure(outcome)}`;
    const problem = before?.problem ?? (lasts(reads, nowMs, DETAIL_UNREAD_MS) ? why : null);
    this.#details.set(conditionId, { ...reads, lastMs: nowMs, problem });
    if (problem === null || before?.problem) return null;
    return notice('market_unread', `market ${conditionId} is excluded: ${problem}; ${OTHERS_CONTINUE}`);
  }

  onDetailRead(conditionId: string) {
    const before = this.#details.get(conditionId);
    this.#details.delete(conditionId);
    return before?.problem ? notice('market_read', `the detail of market ${conditionId} can be read again`) : null;
  }

  onPage({ outcome }: RequestResult): void {
    const unread = outcome.kind === 'answered' ? (outcome.unread ?? []) : [];
    for (const { conditionId, problem } of unread) this.#walk.set(conditionId ?? '(without a condition id)', problem);
  }

  /** Ends a read of the market list and returns new notices. `isComplete` is false if a page could not be read. */
  onEnd(isComplete: boolean): readonly ReturnType<typeof notice>[] {
    const [before, now] = [this.#reasons, this.#walk];
    this.#walk = new Map();
    if (!isComplete) return [];
    this.#reasons = new Map(
      Array.from(now, ([id, problem]) => [id, `the market's row in the list of markets cannot be read: ${problem}`]),
    );
    const unread = [...now].filter(([id]) => !before.has(id));
    const read = [...before.keys()].filter((id) => !now.has(id));
    return [
      ...unread.map(([id, problem]) =>
        notice('market_unread', `market ${id} is excluded: ${problem}; ${OTHERS_CONTINUE}`),
      ),
      ...read.map((id) => notice('market_read', `market ${id} can be read again, or is no longer listed`)),
    ];
  }
}

const OTHERS_CONTINUE = 'the orders of this market are canceled, other markets continue';

const notice = (kind: `${'list' | 'market'}_${'unread' | 'read'}`, text: string) => ({ kind, text });

function next(
  list: WatchedList,
  before: Failing,
  nowMs: number,
  { isSilent, why }: { readonly isSilent: boolean; readonly why: string },
): Failing {
  const all = longer(before.all, nowMs);
  const answered = isSilent && before.told === 'nothing' ? FRESH.answered : longer(before.answered, nowMs);
  // Failures during a silence of the exchange count too, because other calls may be answered in between.
  const isBlind = list !== 'catalog' && lasts(all, nowMs, PULLED_AFTER_MS);
  const pulled = before.pulled ?? (isBlind ? why : null);
  const isTold = before.told === 'nothing' && lasts(answered, nowMs, TOLD_AFTER_MS);
  const told = pulled !== null && !isSilent ? 'pulled' : isTold ? 'unread' : before.told;
  return { all, answered, told, pulled };
}

/** Adds a failed read of a list. If our clock was set back, the failures count as beginning now. */
const longer = ({ looks, sinceMs }: FailedReads, nowMs: number): FailedReads => ({
  looks: looks + 1,
  sinceMs: Math.min(sinceMs, nowMs),
});

const lasts = ({ looks, sinceMs }: FailedReads, nowMs: number, ms: number): boolean =>
  looks >= TOLD_AFTER_LOOKS && nowMs - sinceMs >= ms;

function describeFailure(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'refused':
      return `${outcome.slug}: ${outcome.message}`;
    case 'unknown':
      return outcome.reason;
    case 'answered':
      return 'the pages of the list contradict each other, or have more rows than requested';
  }
}

/** Number of consecutive requests without an answer after which the exchange counts as unreachable. */
const SILENT_AFTER = 3;
/** Minimum duration of a reported silence, ms: an exchange that answers only some calls must not cause many notices. */
const SILENCE_TOLD_AFTER_MS = 1_000;
/** Number of consecutive answers that end a reported silence of the exchange. */
const BACK_AFTER = 3;

export class Silence {
  #unanswered = 0;
  #answered = 0;
  #sinceMs = 0;
  #isTold = false;

  /** True while the exchange counts as unreachable (several requests without an answer). */
  get isOn(): boolean {
    return this.#unanswered >= SILENT_AFTER;
  }

  /** True if the newest request was not answered. */
  get isSuspected(): boolean {
    return this.#unanswered > 0;
  }

  /** Records a request that the exchange did not answer. Returns true if a notice is due: once per silence. */
  onUnknown(nowMs: number): boolean {
    // If our clock was set back, the silence counts as beginning now.
    this.#sinceMs = this.#unanswered === 0 ? nowMs : Math.min(this.#sinceMs, nowMs);
    this.#unanswered += 1;
    this.#answered = 0;
    if (!this.isOn || this.#isTold || nowMs - this.#sinceMs < SILENCE_TOLD_AFTER_MS) return false;
    this.#isTold = true;
    return true;
  }

  /** Records an answer. `wasOn`: the exchange was silent until now. `isBack`: a notice about the end of the silence is due. */
  onAnswer(): { readonly wasOn: boolean; readonly isBack: boolean } {
    const wasOn = this.isOn;
    this.#unanswered = 0;
    this.#answered += 1;
    const isBack = this.#isTold && this.#answered >= BACK_AFTER;
    if (isBack) this.#isTold = false;
    return { wasOn, isBack };
  }
}
