/** Kinds of alerts, and the current problems of a trader, from the console's facts about it. */

import type { AccountStatus, ProcessStatus } from '../../shared/protocol/trader-status.js';
import type { AlertSeverity } from '../config/schema.js';

const LIFELINE_MS = 60_000;

/**
 * The dead man's switch: a remote watcher raises an alarm when our calls stop. It is called only after useful work
 * since the last call: a call on a mere timer would prove nothing.
 */
export class Lifeline {
  #steps = 0;
  #answered = 0;
  #calledMs: number;

  /** @param steadyMs a clock that never steps, ms; the first call is due one interval later */
  constructor(steadyMs: number) {
    this.#calledMs = steadyMs;
  }

  /** The call that is due: why there was no useful work, empty where there was. Null between two calls. */
  look(facts: WatchedFacts, isCurrent: boolean, steadyMs: number): string | null {
    if (steadyMs - this.#calledMs < LIFELINE_MS) return null;
    this.#calledMs = steadyMs;
    const { account, isGuarded, nowMs } = facts;
    const [stepsBefore, answeredBefore] = [this.#steps, this.#answered];
    this.#steps = account?.health.steps ?? 0;
    this.#answered = account?.health.requests.reduce((sum, { answered }) => sum + answered, 0) ?? 0;
    if (!isCurrent) return 'the trader does not answer';
    // A smaller number is a new run.
    if (this.#steps === stepsBefore) return 'the trader took no step';
    if (this.#answered === answeredBefore) return 'the exchange answered nothing';
    const comparedMs = account?.reconciled?.comparedMs ?? Number.NEGATIVE_INFINITY;
    if (nowMs - comparedMs > RECONCILED_WITHIN_MS) return 'nothing was reconciled';
    return isGuarded === false ? 'no guardian watches' : '';
  }
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

/** Null if unknown. */
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
  /** Time of the newest backup, Unix ms; null without one. */
  readonly backupMs: number | null;
  /** Longest time between two backups, ms; null without a schedule. */
  readonly backupWithinMs: number | null;
  /** Wrong passwords and tokens presented to the page within the last ten minutes. */
  readonly refusedLogins: number;
  /** Of the trader's newest messages. */
  readonly process: ProcessStatus | null;
  readonly account: AccountStatus | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SILENT_MS = 10_000;
const LITTLE_DISK_BYTES = 2_000_000_000;
const MOST_LOSS = 0.8;
const MOST_SKEW_MS = 2_000;
const RECONCILED_WITHIN_MS = 10 * MINUTE_MS;
/** Wrong passwords: an attacker who guesses, or a person who mistypes. */
const MOST_REFUSED_LOGINS = 3;

/** Text of a condition that holds, with its start where that is known; null for one that does not hold. */
type Found = string | null | Readonly<{ text: string; sinceMs: number }>;

interface AlertKind {
  readonly severity: AlertSeverity;
  readonly title: string;
  readonly find: (facts: WatchedFacts) => Found;
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

const seen = (severity: AlertSeverity, title: string, find: AlertKind['find'], next: string, forMs = 0): AlertKind => ({
  severity,
  title,
  find,
  next,
  forMs,
  by: 'console',
});

const shown = (
  severity: AlertSeverity,
  title: string,
  find: (account: AccountStatus, facts: WatchedFacts) => Found,
  next: string,
  forMs = 0,
): AlertKind => ({
  ...{ severity, title, next, forMs, by: 'trader' },
  find: (facts) => (facts.account === null || facts.hasEnded ? null : find(facts.account, facts)),
});

const told = (severity: AlertSeverity, title: string, next = ''): AlertKind => ({
  ...{ severity, title, next, forMs: 0, by: 'notice' },
  find: () => null,
});

const BACK_UP = '`twinbook ledger backup` makes one now, or says why it cannot';
const KILL_AND_LOOK = '`twinbook kill`, then `twinbook events`';
const REDUCES_ONLY = '`twinbook events`; only orders that reduce leave until `twinbook resume --reason TEXT`';
const LETS_TRY = '`twinbook resume --reason TEXT` lets it try again';

/** In the order in which an operator should read them. */
const KINDS: Readonly<Record<string, AlertKind>> = {
  trader_gone: seen(
    'critical',
    'the trader is gone',
    ({ isGone }) => (isGone ? 'its process ended without canceling anything' : null),
    '`twinbook cancel-all --verify`, then start it again',
  ),
  trader_silent: seen(
    'critical',
    'the trader does not answer',
    ({ isGone, hasEnded, silentMs, nowMs }) =>
      isGone || hasEnded || silentMs === null || silentMs <= SILENT_MS
        ? null
        : { text: `nothing was heard for ${wholeSeconds(silentMs)} s`, sinceMs: nowMs - silentMs },
    '`twinbook status`; `twinbook kill` works past it',
  ),
  guardian_absent: seen(
    'critical',
    'no guardian',
    ({ hasEnded, isGuarded }) => (!hasEnded && isGuarded === false ? 'nothing cancels when the trader stops' : null),
    '`twinbook status` says what it said last; its log is beside the ledger',
    MINUTE_MS / 2,
  ),
  disk_low: seen(
    'warning',
    'the disk fills',
    ({ diskFreeBytes: free }) =>
      free !== null && free < LITTLE_DISK_BYTES
        ? `${Math.round(free / 1e6)} MB are free on the disk of the ledger`
        : null,
    'remove journals, recordings and logs, never the ledger',
  ),
  login_refused: seen(
    'warning',
    'logins are refused',
    ({ refusedLogins: count }) =>
      count >= MOST_REFUSED_LOGINS ? `the page was brought ${count} wrong passwords in ten minutes` : null,
    'was it you, `twinbook alerts --ack login_refused`; else give the page another password and start it again',
  ),
  killed: shown(
    'critical',
    'it is killed',
    ({ mode, reason }) => (mode === 'killed' ? reason : null),
    '`twinbook events` says why; `twinbook unkill --reason TEXT` leads back up',
  ),
  halted: shown(
    'critical',
    'it is halted',
    ({ mode, reason }) => (mode === 'halted' ? reason : null),
    '`twinbook events` says why; `twinbook resume --reason TEXT` leads back up',
  ),
  // One round alone may have met an order in flight.
  ledger_differs: shown(
    'critical',
    'ledger and exchange differ',
    ({ reconciled, disagreement }) => (reconciled === null ? null : disagreement),
    '`twinbook reconcile` names all that differs; only orders that reduce leave meanwhile',
  ),
  unknown_orders: shown(
    'critical',
    'orders are unknown',
    ({ unknownOrders: count }) => (count > 0 ? `of ${count} orders nothing is known` : null),
    '`twinbook cancel-all --verify`, and compare with the page of the venue',
    5 * MINUTE_MS,
  ),
  venue_silent: shown(
    'warning',
    'the exchange does not answer',
    ({ silent }) => (silent ? 'requests go unanswered' : null),
    '`twinbook status`, and the status page of the venue',
    2 * MINUTE_MS,
  ),
  throttled: shown(
    'warning',
    'the exchange throttles',
    ({ budgets }) =>
      Object.values(budgets).some(({ blockedUntilMs }) => blockedUntilMs !== null)
        ? 'it lets no request through'
        : null,
    '`twinbook status` says which requests are left',
    MINUTE_MS,
  ),
  clock_off: shown(
    'warning',
    'the clock is off',
    ({ clockOffsetMs: offset }) => (Math.abs(offset ?? 0) > MOST_SKEW_MS ? `by ${wholeSeconds(offset ?? 0)} s` : null),
    'synchronise the clock of this machine',
    MINUTE_MS,
  ),
  reconciled_late: shown(
    'warning',
    'no reconciliation',
    ({ reconciled }, { nowMs, process }) => {
      // A first round that never comes is late too.
      const sinceMs = reconciled?.comparedMs ?? process?.startedMs ?? nowMs;
      const text = 'ledger and exchange were not compared for ten minutes';
      return nowMs - sinceMs > RECONCILED_WITHIN_MS ? { text, sinceMs } : null;
    },
    '`twinbook reconcile`',
  ),
  loss: shown(
    'warning',
    'a loss limit is near',
    ({ losses }, { process }) => {
      if (process === null) return null;
      const { maxLossDayMicros, maxDrawdownMicros } = process.limits;
      const used = Math.max(losses.dayLossMicros / maxLossDayMicros, losses.drawdownMicros / maxDrawdownMicros);
      return used > MOST_LOSS ? `${Math.round(used * 100)} % of a loss limit is lost` : null;
    },
    '`twinbook pnl --by market`; `twinbook reduce-only` or `pause` holds it back',
  ),
  feed_silent: shown(
    'warning',
    'a feed is silent',
    ({ feeds }) => {
      const silent = feeds.filter(({ current }) => current === 0);
      const names = silent.map(({ name, trouble }) => (trouble === null ? name : `${name} (${trouble})`));
      return names.length > 0 ? `no market has a current value of ${names.join(', ')}` : null;
    },
    '`twinbook status` says how old its values are; strategies that need it do not quote',
    2 * MINUTE_MS,
  ),
  backup_failed: shown(
    'warning',
    'no new backup',
    ({ upkeep: { backupFailed } }, { backupMs }) =>
      isBackupFailing(backupFailed, backupMs)
        ? { text: `the ledger could not be backed up: ${backupFailed.why}`, sinceMs: backupFailed.at }
        : null,
    BACK_UP,
  ),
  backup_old: shown(
    'warning',
    'the newest backup is old',
    (_, { nowMs, backupMs, backupWithinMs, process }) => {
      if (backupWithinMs === null || process === null) return null;
      if (nowMs - Math.max(backupMs ?? 0, process.startedMs) <= backupWithinMs) return null;
      return backupMs === null ? 'there is none' : `it was made ${((nowMs - backupMs) / HOUR_MS).toFixed(1)} h ago`;
    },
    BACK_UP,
  ),
  journal_ended: shown(
    'warning',
    'the journal has ended',
    ({ upkeep: { journalEnded: why } }) =>
      why === null ? null : `trading continues, but cannot be replayed from here on: ${why}`,
    'make room on its disk (`journal.max_mb` bounds it); `twinbook stop`, then `twinbook start`, begins another one',
  ),
  signing_refused: told('critical', 'the signer refused a draft', KILL_AND_LOOK),
  signed_elsewhere: told('critical', 'an order that was signed elsewhere', KILL_AND_LOOK),
  foreign_order: told('critical', 'a foreign order', KILL_AND_LOOK),
  cancel_undone: told(
    'critical',
    'an order rests that the exchange had canceled',
    '`twinbook kill --verify`, and compare with the page of the venue; its market stays out until `twinbook resume --reason TEXT`',
  ),
  fill_differs: told('critical', 'a fill differs from its signed order', REDUCES_ONLY),
  settled_trade_failed: told('critical', 'a settled trade was reversed', REDUCES_ONLY),
  list_unread: told(
    'critical',
    'a list of the exchange cannot be read',
    '`twinbook doctor` shows the exchange’s refusal; for a key: `twinbook keys list`, `twinbook keys bootstrap`',
  ),
  market_unread: told(
    'warning',
    'a market cannot be read',
    '`twinbook events` names market, field and value; all other markets continue',
  ),
  orders_refused: told(
    'critical',
    'the exchange refuses every order',
    '`twinbook explain MARKET` has the words of the exchange; compare `capital` with the account for a lack of funds',
  ),
  budget_short: told(
    'warning',
    'the exchange leaves few requests',
    '`twinbook status` says which requests are left; does another program use this key or this address? Ask the venue',
  ),
  strategy_failed: told('warning', 'a strategy failed', LETS_TRY),
  market_failed: told('warning', 'a market is out', LETS_TRY),
  clock_set_back: told('warning', 'the clock was set back'),
  command: told('warning', 'a command'),
  configured: told('warning', 'another configuration', '`twinbook config diff --history` says who changed what'),
  daily_summary: told('info', 'the day'),
};

const findKind = (kind: string): AlertKind | undefined => (Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined);

/** Empty when nothing is to be done. */
export const findNextStep = (kind: string): string => findKind(kind)?.next ?? '';

/** A text with the next step on a separate line; unchanged where there is none. */
export function addNextStep(kind: string, text: string): string {
  const step = findNextStep(kind);
  return step === '' ? text : `${text}\nDo: ${step}`;
}

export const findConditions = (facts: WatchedFacts): readonly Condition[] =>
  Object.entries(KINDS).flatMap(([kind, { severity, title, forMs, find }]) => {
    const found = find(facts);
    if (found === null) return [];
    return { kind, severity, title, forMs, ...(typeof found === 'string' ? { text: found } : found) };
  });

/** Whether these facts leave open if a condition of this kind holds: missing facts do not end an alert. */
export function isUndecided(kind: string, facts: WatchedFacts): boolean {
  const { silentMs, isHeard, hasEnded, isGone, diskFreeBytes, account } = facts;
  if (kind === 'disk_low') return diskFreeBytes === null;
  if (hasEnded) return false;
  if (kind === 'trader_gone') return !isGone && !isHeard;
  if (kind === 'trader_silent') return silentMs === null;
  return account === null && findKind(kind)?.by === 'trader';
}

type FailedBackup = AccountStatus['upkeep']['backupFailed'];

/** A later manual backup replaces the failed one. */
export const isBackupFailing = (failed: FailedBackup, newestMs: number | null): failed is NonNullable<FailedBackup> =>
  failed !== null && failed.at >= (newestMs ?? 0);

const wholeSeconds = (ms: number): number => Math.round(ms / 1000);

/**
 * Null for a notice that is not sent: a lasting state is a condition, and the rest is in the log. A command that is only
 * information comes from the timer: it asks for a comparison every few minutes, whose result is a condition.
 */
export function toldAs(kind: string, severity: 'info' | 'loud') {
  const known = findKind(kind);
  return known?.by !== 'notice' || (kind === 'command' && severity === 'info') ? null : known;
}
