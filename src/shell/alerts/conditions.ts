/** Current problems of a trader, from the console's facts about it. */

import type { AlertSeverity } from '../config/schema.js';

/** Counters that only a working trader increases. */
export interface Work {
  readonly isCurrent: boolean;
  readonly steps: number;
  /** Requests that the venue answered. */
  readonly answered: number;
  /** Unix ms; null before the first. */
  readonly reconciledMs: number | null;
  readonly isGuarded: boolean | null;
}

export type LifelineCall = { readonly kind: 'alive' } | { readonly kind: 'failing'; readonly why: string };

/**
 * The dead man's switch: a remote watcher raises an alarm when our calls stop. It is called only after useful work
 * since the last call: a call on a mere timer would prove nothing.
 */
export class Lifeline {
  readonly #everyMs: number;
  #before: Work | null = null;
  #calledMs: number;

  /** @param steadyMs a clock that never steps, ms; the first call is due one interval later */
  constructor(everyMs: number, steadyMs: number) {
    this.#everyMs = everyMs;
    this.#calledMs = steadyMs;
  }

  /** The call that is due; null between two. */
  look(work: Work, steadyMs: number, nowMs: number): LifelineCall | null {
    if (steadyMs - this.#calledMs < this.#everyMs) return null;
    this.#calledMs = steadyMs;
    const why = idleness(this.#before, work, nowMs);
    this.#before = work;
    return why === null ? { kind: 'alive' } : { kind: 'failing', why };
  }
}

/** Why this is no useful work; null when it is. */
function idleness(before: Work | null, now: Work, nowMs: number): string | null {
  if (!now.isCurrent) return 'the trader does not answer';
  // A smaller number is a new run.
  if (now.steps === (before?.steps ?? 0)) return 'the trader took no step';
  if (now.answered === (before?.answered ?? 0)) return 'the exchange answered nothing';
  if (now.reconciledMs === null || nowMs - now.reconciledMs > RECONCILED_WITHIN_MS) return 'nothing was reconciled';
  return now.isGuarded === false ? 'no guardian watches' : null;
}

export interface Condition {
  /** The same while it lasts. */
  readonly kind: string;
  readonly severity: AlertSeverity;
  readonly title: string;
  readonly text: string;
  /** Time that it must hold before it is sent, ms. */
  readonly forMs: number;
  /** Start of the condition, Unix ms, if known; else since it was first seen. */
  readonly sinceMs?: number;
}

/** Null or absent if unknown. Alerts ignore shares, prices and the like. */
export interface WatchedFacts {
  readonly nowMs: number;
  /** Time since the trader's last message, or since it was due, ms; null where it is unknown whether one was due. */
  readonly silentMs: number | null;
  /** Whether this console has ever received a message from it. */
  readonly isHeard: boolean;
  /** Regular end: nothing rests. */
  readonly hasEnded: boolean;
  /** Its process ended without a message. */
  readonly isGone: boolean;
  readonly isGuarded: boolean | null;
  readonly diskFreeBytes: number | null;
  readonly backup: WatchedBackup;
  /** Wrong passwords and tokens presented to the page within the last ten minutes. */
  readonly refusedLogins: number;
  readonly account: WatchedAccount | null;
}

/** As the trader reported it; `at` is Unix ms. */
export interface FailedBackup {
  readonly at: number;
  readonly why: string;
}

export interface WatchedBackup {
  /** Time of the newest one, Unix ms; null without one. */
  readonly newestMs: number | null;
  /** Longest time between two of them, ms; null without a schedule. */
  readonly withinMs: number | null;
}

export interface WatchedAccount {
  readonly mode: string;
  readonly reason: string;
  readonly venueSilent: boolean;
  readonly throttled: boolean;
  readonly unknownOrders: number;
  /**
   * Result of two reconciliation rounds; null while ledger and exchange agree. One round alone may have met an order in
   * flight.
   */
  readonly disagreement: string | null;
  /** Unix ms; null before the first. */
  readonly reconciledMs: number | null;
  readonly clockOffsetMs: number | null;
  /** Used fraction of the tightest loss limit. */
  readonly lossUsed: number;
  /** Feeds without a current value for any market, with the reason if known. */
  readonly silentFeeds: readonly string[];
  /** Start of the run, Unix ms; null if unknown. */
  readonly startedMs: number | null;
  /** The newest backup attempt, if it failed. */
  readonly backupFailed: FailedBackup | null;
  /** Why the journal ended before the run. */
  readonly journalEnded: string | null;
  /** 0 while telemetry is complete. */
  readonly telemetryLevel: number;
  /** Readers of telemetry disconnected within the last ten minutes because they did not read. */
  readonly readersCut: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SILENT_MS = 10_000;
const LITTLE_DISK_BYTES = 2_000_000_000;
const MOST_LOSS = 0.8;
const MOST_SKEW_MS = 2_000;
const RECONCILED_WITHIN_MS = 10 * MINUTE_MS;
const SLOWED_FOR_MS = 10 * MINUTE_MS;
/** Wrong passwords: an attacker who guesses, or a person who mistypes. */
const MOST_REFUSED_LOGINS = 3;
interface AlertKind {
  readonly severity: AlertSeverity;
  readonly title: string;
  /** The command that helps: an operator woken at night should not have to search for it. Empty: nothing is to be done. */
  readonly next: string;
  /** Time that a condition must hold before it is sent, ms. */
  readonly forMs: number;
  /**
   * `console`: a condition that the console sees. `trader`: a condition whose end only the trader can show. `notice`: of
   * the trader, sent once as it happens; a lasting state is a condition.
   */
  readonly by: 'console' | 'trader' | 'notice';
}

const kindOf =
  (severity: AlertSeverity, by: AlertKind['by']) =>
  (title: string, next = '', forMs = 0): AlertKind => ({ severity, by, title, next, forMs });
const seenCritical = kindOf('critical', 'console');
const seenWarning = kindOf('warning', 'console');
const shownCritical = kindOf('critical', 'trader');
const shownWarning = kindOf('warning', 'trader');
const toldCritical = kindOf('critical', 'notice');
const toldWarning = kindOf('warning', 'notice');

const BACK_UP = '`twinbook ledger backup` makes one now, or says why it cannot';
const KILL_AND_LOOK = '`twinbook kill`, then `twinbook events`';
const REDUCES_ONLY = '`twinbook events`; only orders that reduce leave until `twinbook resume --reason TEXT`';
const LETS_TRY = '`twinbook resume --reason TEXT` lets it try again';

const KINDS = {
  trader_gone: seenCritical('the trader is gone', '`twinbook cancel-all --verify`, then start it again'),
  trader_silent: seenCritical('the trader does not answer', '`twinbook status`; `twinbook kill` works past it'),
  guardian_absent: seenCritical(
    'no guardian',
    '`twinbook status` says what it said last; its log is beside the ledger',
    MINUTE_MS / 2,
  ),
  disk_low: seenWarning('the disk fills', 'remove journals, recordings and logs, never the ledger'),
  login_refused: seenWarning(
    'logins are refused',
    'was it you, `twinbook alerts --ack login_refused`; else give the page another password and start it again',
  ),
  killed: shownCritical('it is killed', '`twinbook events` says why; `twinbook unkill --reason TEXT` leads back up'),
  halted: shownCritical('it is halted', '`twinbook events` says why; `twinbook resume --reason TEXT` leads back up'),
  ledger_differs: shownCritical(
    'ledger and exchange differ',
    '`twinbook reconcile` names all that differs; only orders that reduce leave meanwhile',
  ),
  unknown_orders: shownCritical(
    'orders are unknown',
    '`twinbook cancel-all --verify`, and compare with the page of the venue',
    5 * MINUTE_MS,
  ),
  venue_silent: shownWarning(
    'the exchange does not answer',
    '`twinbook status`, and the status page of the venue',
    2 * MINUTE_MS,
  ),
  throttled: shownWarning('the exchange throttles', '`twinbook status` says which requests are left', MINUTE_MS),
  clock_off: shownWarning('the clock is off', 'synchronise the clock of this machine', MINUTE_MS),
  reconciled_late: shownWarning('no reconciliation', '`twinbook reconcile`'),
  loss: shownWarning(
    'a loss limit is near',
    '`twinbook pnl --by market`; `twinbook reduce-only` or `pause` holds it back',
  ),
  feed_silent: shownWarning(
    'a feed is silent',
    '`twinbook status` says how old its values are; strategies that need it do not quote',
    2 * MINUTE_MS,
  ),
  backup_failed: shownWarning('no new backup', BACK_UP),
  backup_old: shownWarning('the newest backup is old', BACK_UP),
  journal_ended: shownWarning(
    'the journal has ended',
    'make room on its disk (`journal.max_mb` bounds it); `twinbook stop`, then `twinbook start`, begins another one',
  ),
  telemetry_slowed: shownWarning(
    'telemetry is slowed',
    'close unused pages and `twinbook top`; trading is not affected',
    SLOWED_FOR_MS,
  ),
  reader_cut: shownWarning(
    'a reader of telemetry was disconnected',
    'end readers that do not read; `twinbook top` and the console reconnect automatically',
  ),
  signing_refused: toldCritical('the signer refused a draft', KILL_AND_LOOK),
  signed_elsewhere: toldCritical('an order that was signed elsewhere', KILL_AND_LOOK),
  foreign_order: toldCritical('a foreign order', KILL_AND_LOOK),
  cancel_undone: toldCritical(
    'an order rests that the exchange had canceled',
    '`twinbook kill --verify`, and compare with the page of the venue; its market stays out until `twinbook resume --reason TEXT`',
  ),
  fill_differs: toldCritical('a fill differs from its signed order', REDUCES_ONLY),
  settled_trade_failed: toldCritical('a settled trade was reversed', REDUCES_ONLY),
  list_unread: toldCritical(
    'a list of the exchange cannot be read',
    '`twinbook doctor` shows the exchange’s refusal; for a key: `twinbook keys list`, `twinbook keys bootstrap`',
  ),
  market_unread: toldWarning(
    'a market cannot be read',
    '`twinbook events` names market, field and value; all other markets continue',
  ),
  orders_refused: toldCritical(
    'the exchange refuses every order',
    '`twinbook explain MARKET` has the words of the exchange; compare `capital` with the account for a lack of funds',
  ),
  budget_short: toldWarning(
    'the exchange leaves few requests',
    '`twinbook status` says which requests are left; does another program use this key or this address? Ask the venue',
  ),
  strategy_failed: toldWarning('a strategy failed', LETS_TRY),
  market_failed: toldWarning('a market is out', LETS_TRY),
  clock_set_back: toldWarning('the clock was set back'),
  command: toldWarning('a command'),
  configured: toldWarning('another configuration', '`twinbook config diff --history` says who changed what'),
  daily_summary: kindOf('info', 'notice')('the day'),
} as const satisfies Readonly<Record<string, AlertKind>>;

const findKind = (kind: string): AlertKind | undefined => new Map<string, AlertKind>(Object.entries(KINDS)).get(kind);

/** Empty when nothing is to be done. */
export const findNextStep = (kind: string): string => findKind(kind)?.next ?? '';

/** A text with the next step on a separate line; unchanged where there is none. */
export function addNextStep(kind: string, text: string): string {
  const step = findNextStep(kind);
  return step === '' ? text : `${text}\nDo: ${step}`;
}

const found = (kind: keyof typeof KINDS, text: string): Condition => {
  const { severity, title, forMs } = KINDS[kind];
  return { kind, severity, title, text, forMs };
};

export function findConditions(facts: WatchedFacts): readonly Condition[] {
  const { silentMs, hasEnded, isGone, isGuarded, diskFreeBytes, refusedLogins, account } = facts;
  const conditions: (Condition | false)[] = [
    isGone && found('trader_gone', 'its process ended without canceling anything'),
    !isGone &&
      !hasEnded &&
      (silentMs ?? 0) > SILENT_MS && {
        ...found('trader_silent', `nothing was heard for ${wholeSeconds(silentMs)} s`),
        sinceMs: facts.nowMs - (silentMs ?? 0),
      },
    !hasEnded && isGuarded === false && found('guardian_absent', 'nothing cancels when the trader stops'),
    diskFreeBytes !== null &&
      diskFreeBytes < LITTLE_DISK_BYTES &&
      found('disk_low', `${Math.round(diskFreeBytes / 1e6)} MB are free on the disk of the ledger`),
    refusedLogins >= MOST_REFUSED_LOGINS &&
      found('login_refused', `the page was brought ${refusedLogins} wrong passwords in ten minutes`),
  ];
  if (account !== null && !hasEnded)
    conditions.push(...accountConditions(account, facts.nowMs), ...upkeepConditions(account, facts));
  return conditions.filter((one) => one !== false);
}

/** Whether these facts leave open if a condition of this kind holds: missing facts do not end an alert. */
export function isUndecided(kind: string, facts: WatchedFacts): boolean {
  const { silentMs, isHeard, hasEnded, isGone, diskFreeBytes, account } = facts;
  if (kind === 'disk_low') return diskFreeBytes === null;
  if (hasEnded) return false;
  if (kind === 'trader_gone') return !isGone && !isHeard;
  if (kind === 'trader_silent') return silentMs === null;
  return account === null && findKind(kind)?.by === 'trader';
}

function accountConditions(account: WatchedAccount, nowMs: number): readonly (Condition | false)[] {
  const { mode, reason, disagreement, unknownOrders, clockOffsetMs, reconciledMs, lossUsed, silentFeeds } = account;
  return [
    (mode === 'killed' || mode === 'halted') && found(mode, reason),
    disagreement !== null && found('ledger_differs', disagreement),
    unknownOrders > 0 && found('unknown_orders', `of ${unknownOrders} orders nothing is known`),
    account.venueSilent && found('venue_silent', 'requests go unanswered'),
    account.throttled && found('throttled', 'it lets no request through'),
    Math.abs(clockOffsetMs ?? 0) > MOST_SKEW_MS && found('clock_off', `by ${wholeSeconds(clockOffsetMs)} s`),
    reconciledMs !== null &&
      nowMs - reconciledMs > RECONCILED_WITHIN_MS && {
        ...found('reconciled_late', 'ledger and exchange were not compared for ten minutes'),
        sinceMs: reconciledMs,
      },
    lossUsed > MOST_LOSS && found('loss', `${Math.round(lossUsed * 100)} % of a loss limit is lost`),
    silentFeeds.length > 0 && found('feed_silent', `no market has a current value of ${silentFeeds.join(', ')}`),
  ];
}

/** Conditions that do not affect trading now. */
function upkeepConditions(account: WatchedAccount, { nowMs, backup }: WatchedFacts): readonly (Condition | false)[] {
  const { backupFailed, journalEnded, telemetryLevel, readersCut } = account;
  return [
    isBackupFailing(backupFailed, backup.newestMs) && {
      ...found('backup_failed', `the ledger could not be backed up: ${backupFailed?.why}`),
      sinceMs: backupFailed?.at ?? nowMs,
    },
    backup.withinMs !== null &&
      account.startedMs !== null &&
      nowMs - Math.max(backup.newestMs ?? 0, account.startedMs) > backup.withinMs &&
      found('backup_old', describeAge(backup.newestMs, nowMs)),
    journalEnded !== null &&
      found('journal_ended', `trading continues, but cannot be replayed from here on: ${journalEnded}`),
    telemetryLevel > 0 &&
      found('telemetry_slowed', `the trader sends reduced telemetry to save time (level ${telemetryLevel})`),
    readersCut > 0 && found('reader_cut', `${readersCut} did not read their lines`),
  ];
}

/** A later manual backup replaces the failed one. */
export const isBackupFailing = (failed: FailedBackup | null, newestMs: number | null): boolean =>
  failed !== null && failed.at >= (newestMs ?? 0);

const describeAge = (newestMs: number | null, nowMs: number): string =>
  newestMs === null ? 'there is none' : `it was made ${((nowMs - newestMs) / HOUR_MS).toFixed(1)} h ago`;

const wholeSeconds = (ms: number | null): number => Math.round((ms ?? 0) / 1000);

/**
 * Null for a notice that is not sent: a lasting state is a condition, and the rest is in the log. A command that is only
 * information comes from the timer: it asks for a comparison every few minutes, whose result is a condition.
 */
export function toldAs(kind: string, severity: 'info' | 'loud') {
  const known = findKind(kind);
  return known?.by !== 'notice' || (kind === 'command' && severity === 'info') ? null : known;
}
