/** Current problems of a trader, from the console's facts about it. */

import type { AlertSeverity } from '../config/schema.js';

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
const STOPPED: readonly string[] = ['killed', 'halted'];

export function findConditions(facts: WatchedFacts): readonly Condition[] {
  const { silentMs, hasEnded, isGone, isGuarded, diskFreeBytes, refusedLogins, account } = facts;
  const found: (Condition | false)[] = [
    isGone && critical('trader_gone', 'the trader is gone', 'its process ended without canceling anything'),
    !isGone &&
      !hasEnded &&
      (silentMs ?? 0) > SILENT_MS && {
        ...critical('trader_silent', 'the trader does not answer', `nothing was heard for ${wholeSeconds(silentMs)} s`),
        sinceMs: facts.nowMs - (silentMs ?? 0),
      },
    !hasEnded &&
      isGuarded === false &&
      critical('guardian_absent', 'no guardian', 'nothing cancels when the trader stops', MINUTE_MS / 2),
    diskFreeBytes !== null &&
      diskFreeBytes < LITTLE_DISK_BYTES &&
      warning('disk_low', 'the disk fills', `${Math.round(diskFreeBytes / 1e6)} MB are free on the disk of the ledger`),
    refusedLogins >= MOST_REFUSED_LOGINS &&
      warning(
        'login_refused',
        'logins are refused',
        `the page was brought ${refusedLogins} wrong passwords in ten minutes`,
      ),
  ];
  if (account !== null && !hasEnded)
    found.push(...accountConditions(account, facts.nowMs), ...upkeepConditions(account, facts));
  return found.filter((one) => one !== false);
}

/** Conditions whose end only the trader itself can show. */
const OF_TRADER: readonly string[] = [
  ...STOPPED,
  'ledger_differs',
  'unknown_orders',
  'venue_silent',
  'throttled',
  'clock_off',
  'reconciled_late',
  'loss',
  'feed_silent',
  'backup_failed',
  'backup_old',
  'journal_ended',
  'telemetry_slowed',
  'reader_cut',
];

/** Whether these facts leave open if a condition of this kind holds: missing facts do not end an alert. */
export function isUndecided(kind: string, facts: WatchedFacts): boolean {
  const { silentMs, isHeard, hasEnded, isGone, diskFreeBytes, account } = facts;
  if (kind === 'disk_low') return diskFreeBytes === null;
  if (hasEnded) return false;
  if (kind === 'trader_gone') return !isGone && !isHeard;
  if (kind === 'trader_silent') return silentMs === null;
  return account === null && OF_TRADER.includes(kind);
}

function accountConditions(account: WatchedAccount, nowMs: number): readonly (Condition | false)[] {
  const { mode, reason, disagreement, unknownOrders, clockOffsetMs, reconciledMs, lossUsed, silentFeeds } = account;
  return [
    STOPPED.includes(mode) && critical(mode, `it is ${mode}`, reason),
    disagreement !== null && critical('ledger_differs', 'ledger and exchange differ', disagreement),
    unknownOrders > 0 &&
      critical('unknown_orders', 'orders are unknown', `of ${unknownOrders} orders nothing is known`, 5 * MINUTE_MS),
    account.venueSilent &&
      warning('venue_silent', 'the exchange does not answer', 'requests go unanswered', 2 * MINUTE_MS),
    account.throttled && warning('throttled', 'the exchange throttles', 'it lets no request through', MINUTE_MS),
    Math.abs(clockOffsetMs ?? 0) > MOST_SKEW_MS &&
      warning('clock_off', 'the clock is off', `by ${wholeSeconds(clockOffsetMs)} s`, MINUTE_MS),
    reconciledMs !== null &&
      nowMs - reconciledMs > RECONCILED_WITHIN_MS && {
        ...warning('reconciled_late', 'no reconciliation', 'ledger and exchange were not compared for ten minutes'),
        sinceMs: reconciledMs,
      },
    lossUsed > MOST_LOSS &&
      warning('loss', 'a loss limit is near', `${Math.round(lossUsed * 100)} % of a loss limit is lost`),
    silentFeeds.length > 0 &&
      warning(
        'feed_silent',
        'a feed is silent',
        `no market has a current value of ${silentFeeds.join(', ')}`,
        2 * MINUTE_MS,
      ),
  ];
}

/** Conditions that do not affect trading now. */
function upkeepConditions(account: WatchedAccount, { nowMs, backup }: WatchedFacts): readonly (Condition | false)[] {
  const { backupFailed, journalEnded, telemetryLevel, readersCut } = account;
  return [
    isBackupFailing(backupFailed, backup.newestMs) && {
      ...warning('backup_failed', 'no new backup', `the ledger could not be backed up: ${backupFailed?.why}`),
      sinceMs: backupFailed?.at ?? nowMs,
    },
    backup.withinMs !== null &&
      account.startedMs !== null &&
      nowMs - Math.max(backup.newestMs ?? 0, account.startedMs) > backup.withinMs &&
      warning('backup_old', 'the newest backup is old', describeAge(backup.newestMs, nowMs)),
    journalEnded !== null &&
      warning(
        'journal_ended',
        'the journal has ended',
        `trading continues, but cannot be replayed from here on: ${journalEnded}`,
      ),
    telemetryLevel > 0 &&
      warning(
        'telemetry_slowed',
        'telemetry is slowed',
        `the trader sends reduced telemetry to save time (level ${telemetryLevel})`,
        SLOWED_FOR_MS,
      ),
    readersCut > 0 &&
      warning('reader_cut', 'a reader of telemetry was disconnected', `${readersCut} did not read their lines`),
  ];
}

/** A later manual backup replaces the failed one. */
export const isBackupFailing = (failed: FailedBackup | null, newestMs: number | null): boolean =>
  failed !== null && failed.at >= (newestMs ?? 0);

const describeAge = (newestMs: number | null, nowMs: number): string =>
  newestMs === null ? 'there is none' : `it was made ${((nowMs - newestMs) / HOUR_MS).toFixed(1)} h ago`;

const wholeSeconds = (ms: number | null): number => Math.round((ms ?? 0) / 1000);

const critical = (kind: string, title: string, text: string, forMs = 0): Condition => ({
  kind,
  severity: 'critical',
  title,
  text,
  forMs,
});

const warning = (kind: string, title: string, text: string, forMs = 0): Condition => ({
  kind,
  severity: 'warning',
  title,
  text,
  forMs,
});

/** Notices of the trader that are sent, each once as it happens. A lasting state is a condition. */
const TOLD: Readonly<Record<string, { readonly severity: AlertSeverity; readonly title: string }>> = {
  signing_refused: { severity: 'critical', title: 'the signer refused a draft' },
  signed_elsewhere: { severity: 'critical', title: 'an order that was signed elsewhere' },
  foreign_order: { severity: 'critical', title: 'a foreign order' },
  cancel_undone: { severity: 'critical', title: 'an order rests that the exchange had canceled' },
  fill_differs: { severity: 'critical', title: 'a fill differs from what was signed' },
  settled_trade_failed: { severity: 'critical', title: 'a settled trade was taken back' },
  list_unread: { severity: 'critical', title: 'a list of the exchange cannot be read' },
  market_unread: { severity: 'warning', title: 'a market cannot be read' },
  orders_refused: { severity: 'critical', title: 'the exchange refuses every order' },
  budget_short: { severity: 'warning', title: 'the exchange leaves few requests' },
  strategy_failed: { severity: 'warning', title: 'a strategy failed' },
  market_failed: { severity: 'warning', title: 'a market is out' },
  clock_set_back: { severity: 'warning', title: 'the clock was set back' },
  command: { severity: 'warning', title: 'a command' },
  configured: { severity: 'warning', title: 'another configuration' },
  daily_summary: { severity: 'info', title: 'the day' },
};

/**
 * Null for a notice that is not sent: a lasting state is a condition, and the rest is in the log. A command that is only
 * information comes from the timer: it asks for a comparison every few minutes, whose result is a condition.
 */
export function toldAs(kind: string, severity: 'info' | 'loud') {
  if (kind === 'command' && severity === 'info') return null;
  return Object.hasOwn(TOLD, kind) ? (TOLD[kind] ?? null) : null;
}
