/** Defines the kinds of alerts, and finds a trader's present problems from the console's facts. */

import type { AccountStatus, ProcessStatus } from '../../shared/protocol/trader-status.js';
import type { AlertSeverity } from '../config/schema.js';

const LIFELINE_MS = 60_000;

/**
 * A dead man's switch: a remote monitor raises an alarm when the console's calls to it stop. The returned function
 * returns null if no call is due, an empty text if the trader works normally, and otherwise the problem.
 *
 * @param beganMs monotonic time, ms; the first call is due one interval later
 */
export function startLifeline(beganMs: number) {
  let [steps, answered, calledMs] = [0, 0, beganMs];
  return ({ account, isGuarded, nowMs, steadyMs }: WatchedFacts, isCurrent: boolean): string | null => {
    if (steadyMs - calledMs < LIFELINE_MS) return null;
    calledMs = steadyMs;
    const [stepsBefore, answeredBefore] = [steps, answered];
    steps = account?.health.steps ?? 0;
    answered = account?.health.requests.reduce((sum, one) => sum + one.answered, 0) ?? 0;
    if (!isCurrent) return 'the trader does not answer';
    // An unchanged count means that the trader's loop made no step. A smaller count means that a new run has begun.
    if (steps === stepsBefore) return 'the trader’s loop made no step';
    if (answered === answeredBefore) return 'the exchange answered no request';
    const comparedMs = account?.reconciled?.comparedMs ?? Number.NEGATIVE_INFINITY;
    if (nowMs - comparedMs > RECONCILED_WITHIN_MS) return 'nothing was reconciled';
    return isGuarded === false ? 'no guardian is active' : '';
  };
}

interface Condition extends Pick<AlertKind, 'severity' | 'title' | 'forMs'> {
  readonly kind: string;
  readonly text: string;
  /** Start of the condition, Unix ms; absent if only the first observation of the condition is known. */
  readonly sinceMs?: number;
}

/** Facts that decide which alert conditions hold. Null means unknown. */
export interface WatchedFacts {
  readonly nowMs: number;
  /** Time of a monotonic clock, ms. */
  readonly steadyMs: number;
  /** Time since the trader's last frame, or since its first message was due, ms; null if no message was due. */
  readonly silentMs: number | null;
  /** Whether this console has ever received a message from this trader. */
  readonly isHeard: boolean;
  /** Whether the trader ended after proof that no order is open. */
  readonly hasEnded: boolean;
  /** How the trader failed, and whether orders may rest; null while the trader runs, and after an orderly end. */
  readonly gone: string | null;
  readonly isGuarded: boolean | null;
  readonly diskFreeBytes: number | null;
  /** Time of the newest backup, Unix ms; null if there is none. */
  readonly backupMs: number | null;
  /** Maximum time between two backups, ms; null without a schedule of backups. */
  readonly backupWithinMs: number | null;
  /** Number of wrong passwords and tokens that the page received within the last ten minutes. */
  readonly refusedLogins: number;
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
/** Number of wrong passwords in ten minutes that raises an alert. */
const MOST_REFUSED_LOGINS = 3;

interface AlertKind {
  readonly severity: AlertSeverity;
  readonly title: string;
  /** Command that the operator should run next; empty if no command is needed. */
  readonly next: string;
  /** Time for which a condition must hold before its alert is sent, ms. */
  readonly forMs: number;
  /**
   * Source of the alert. `console`: a condition that the console sees. `trader`: a condition whose end is visible only
   * in the trader's messages. `notice`: an event of the trader, sent once, never a lasting state.
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

const BACK_UP = '`twinbook ledger backup` makes a backup now, or says why it fails';
const KILL_AND_LOOK = 'run `twinbook kill`, then `twinbook events`';
const REDUCES_ONLY = 'see `twinbook events`; only reducing orders are sent until `twinbook resume --reason TEXT`';
const LETS_TRY = '`twinbook resume --market MARKET` restarts the strategy or the market';

const KINDS = {
  trader_gone: seenCritical(
    'the trader is gone',
    'unless another trader of the fleet has the wallet, run `twinbook cancel-all --verify`, then restart the trader',
  ),
  trader_silent: seenCritical('the trader does not answer', 'see `twinbook status`; `twinbook kill` still works'),
  guardian_absent: seenCritical(
    'no guardian',
    '`twinbook status` shows the last report of the guardian; the guardian’s log is beside the ledger',
    MINUTE_MS / 2,
  ),
  disk_low: seenWarning('the disk is almost full', 'remove journals, recordings and logs, never the ledger'),
  login_refused: seenWarning(
    'logins to the page are refused',
    'if you mistyped the password, run `twinbook alerts --ack login_refused`; else give the page another password and restart its console',
  ),
  killed: shownCritical('the trader is killed', 'see `twinbook events`, then run `twinbook unkill --reason TEXT`'),
  halted: shownCritical('the trader is halted', 'see `twinbook events`, then run `twinbook resume --reason TEXT`'),
  ledger_differs: shownCritical(
    'ledger and exchange differ',
    '`twinbook reconcile` lists the differences; only reducing orders are sent meanwhile',
  ),
  unknown_orders: shownCritical(
    'the state of orders is unknown',
    'run `twinbook cancel-all --verify`, then compare the open orders with the venue’s website',
    5 * MINUTE_MS,
  ),
  venue_silent: shownWarning(
    'the exchange does not answer',
    'see `twinbook status` and the venue’s status page',
    2 * MINUTE_MS,
  ),
  throttled: shownWarning('the exchange throttles requests', '`twinbook status` shows the request budget', MINUTE_MS),
  clock_off: shownWarning('this machine’s clock is wrong', 'synchronise the clock of this machine', MINUTE_MS),
  reconciled_late: shownWarning('no recent reconciliation', 'run `twinbook reconcile`'),
  loss: shownWarning('a loss limit is near', '`twinbook pnl --by market` shows the losses; `reduce-only` limits them'),
  feed_silent: shownWarning(
    'a feed is silent',
    '`twinbook status` shows the age of the feed’s values; strategies that need the feed do not quote',
    2 * MINUTE_MS,
  ),
  backup_failed: shownWarning('no new backup', BACK_UP),
  backup_old: shownWarning('the newest backup is old', BACK_UP),
  journal_ended: shownWarning(
    'the journal has ended',
    'make space on the disk of the journal (`journal.max_mb` limits its size); `twinbook stop`, then `twinbook start`, begins a new journal',
  ),
  signing_refused: toldCritical('the signer refused a draft', KILL_AND_LOOK),
  signed_elsewhere: toldCritical('an order was signed elsewhere', KILL_AND_LOOK),
  foreign_order: toldCritical('an order that this trader did not send was found', KILL_AND_LOOK),
  cancel_undone: toldCritical(
    'an order is open although the exchange canceled it',
    'run `twinbook kill --verify`, then compare the open orders with the venue’s website; the market is not quoted until `twinbook resume --reason TEXT`',
  ),
  fill_differs: toldCritical('a fill differs from its signed order', REDUCES_ONLY),
  settled_trade_failed: toldCritical('a settled trade was reversed', REDUCES_ONLY),
  list_unread: toldCritical(
    'a list of the exchange cannot be read',
    '`twinbook doctor` shows the exchange’s refusal; if the exchange refuses the key, run `twinbook keys list`, then `twinbook keys bootstrap`',
  ),
  market_unread: toldWarning('a market cannot be read', '`twinbook events` shows the fault; other markets are traded'),
  orders_refused: toldCritical(
    'the exchange refuses every order',
    '`twinbook explain MARKET` shows the reason of the exchange; if funds are missing, compare `capital` with the account',
  ),
  budget_short: toldWarning(
    'few requests remain within the rate limit of the exchange',
    '`twinbook status` shows the remaining requests; check whether another program uses this key or address, or ask the venue',
  ),
  strategy_failed: toldWarning('a strategy failed', LETS_TRY),
  market_failed: toldWarning('a market is no longer quoted', LETS_TRY),
  market_unsuitable: toldWarning('a market cannot be quoted', '`twinbook events` shows the reason'),
  clock_set_back: toldWarning('the clock was set back'),
  command: toldWarning('an operator gave a command'),
  configured: toldWarning('the configuration was changed', '`twinbook config diff --history` says who changed what'),
  daily_summary: kindOf('info', 'notice')('daily summary'),
} as const satisfies Readonly<Record<string, AlertKind>>;

/** A condition that holds: its text, and its start time if known. */
type FoundCondition = string | Readonly<{ text: string; sinceMs: number }>;
type AlertConditions = Readonly<Partial<Record<keyof typeof KINDS, FoundCondition | false | null>>>;

function findSeen(facts: WatchedFacts): AlertConditions {
  const { nowMs, gone, hasEnded, silentMs, isGuarded, diskFreeBytes, refusedLogins } = facts;
  const isSilent = gone === null && !hasEnded && silentMs !== null && silentMs > SILENT_MS;
  const isFull = diskFreeBytes !== null && diskFreeBytes < LITTLE_DISK_BYTES;
  return {
    trader_gone: gone,
    trader_silent: isSilent && {
      text: `the trader has sent no message for ${wholeSeconds(silentMs)} s`,
      sinceMs: nowMs - silentMs,
    },
    guardian_absent: !hasEnded && isGuarded === false && 'no process cancels orders when the trader dies',
    disk_low: isFull && `${Math.round(diskFreeBytes / 1e6)} MB are free on the disk of the ledger`,
    login_refused:
      refusedLogins >= MOST_REFUSED_LOGINS && `the page received ${refusedLogins} wrong passwords in ten minutes`,
  };
}

function findShown(account: AccountStatus, facts: WatchedFacts): AlertConditions {
  const { nowMs, process, backupMs, backupWithinMs } = facts;
  const { mode, reason, reconciled, losses, unknownOrders, clockOffsetMs, upkeep } = account;
  const { backupFailed, journalEnded } = upkeep;
  const isThrottled = Object.values(account.budgets).some(({ blockedUntilMs }) => blockedUntilMs !== null);
  // Before the first comparison with the exchange, the trader's start counts as the last comparison.
  const comparedMs = reconciled?.comparedMs ?? process?.startedMs ?? nowMs;
  const lossUsed = Math.max(
    losses.dayLossMicros / (process?.limits.maxLossDayMicros ?? Number.POSITIVE_INFINITY),
    losses.drawdownMicros / (process?.limits.maxDrawdownMicros ?? Number.POSITIVE_INFINITY),
  );
  const silentFeeds = account.feeds.filter(({ current }) => current === 0);
  const names = silentFeeds.map(({ name, trouble }) => (trouble === null ? name : `${name} (${trouble})`));
  const backupAgeMs = nowMs - (backupMs ?? process?.startedMs ?? nowMs);
  return {
    killed: mode === 'killed' && reason,
    halted: mode === 'halted' && reason,
    // Two comparisons must confirm a `disagreement`: a single comparison may report an order in flight as a difference.
    ledger_differs: reconciled !== null && account.disagreement,
    unknown_orders: unknownOrders > 0 && `the state of ${unknownOrders} orders is unknown`,
    venue_silent: account.silent && 'the exchange did not answer several consecutive requests',
    throttled: isThrottled && 'the exchange rejects requests because of its rate limit',
    clock_off:
      Math.abs(clockOffsetMs ?? 0) > MOST_SKEW_MS &&
      `the clock of this machine differs from that of the exchange by ${wholeSeconds(clockOffsetMs ?? 0)} s`,
    reconciled_late: nowMs - comparedMs > RECONCILED_WITHIN_MS && {
      text: 'ledger and exchange were not compared for ten minutes',
      sinceMs: comparedMs,
    },
    loss: lossUsed > MOST_LOSS && `${Math.round(lossUsed * 100)} % of a loss limit is used`,
    feed_silent: names.length > 0 && `no market has a current value from feed ${names.join(', ')}`,
    backup_failed: isBackupFailing(backupFailed, backupMs) && {
      text: `the ledger could not be backed up: ${backupFailed.why}`,
      sinceMs: backupFailed.at,
    },
    backup_old: backupWithinMs !== null && backupAgeMs > backupWithinMs && describeAge(backupMs, nowMs),
    journal_ended: journalEnded !== null && `trading continues, but cannot be replayed from here on: ${journalEnded}`,
  };
}

const describeAge = (backupMs: number | null, nowMs: number): string =>
  backupMs === null
    ? 'there is no backup'
    : `the newest backup was made ${((nowMs - backupMs) / HOUR_MS).toFixed(1)} h ago`;

const isKind = (kind: string): kind is keyof typeof KINDS => Object.hasOwn(KINDS, kind);
const findKind = (kind: string): AlertKind | undefined => (isKind(kind) ? KINDS[kind] : undefined);

export const findNextStep = (kind: string): string => findKind(kind)?.next ?? '';

export function findConditions(facts: WatchedFacts): readonly Condition[] {
  const { account, hasEnded } = facts;
  const found = { ...findSeen(facts), ...(account === null || hasEnded ? {} : findShown(account, facts)) };
  return Object.entries<FoundCondition | false | null>(found).flatMap(([kind, one]) => {
    if (one === false || one === null || !isKind(kind)) return [];
    const { severity, title, forMs } = KINDS[kind];
    return { kind, severity, title, forMs, ...(typeof one === 'string' ? { text: one } : one) };
  });
}

/** Returns true if the facts do not show whether an alert of this kind, open since `sinceMs`, has ended. */
export function isUndecided(kind: string, sinceMs: number, facts: WatchedFacts): boolean {
  const { silentMs, isHeard, hasEnded, gone, diskFreeBytes, backupMs, backupWithinMs, account } = facts;
  if (kind === 'disk_low') return diskFreeBytes === null;
  if (hasEnded) return false;
  if (kind === 'trader_gone') return gone === null && !isHeard;
  if (kind === 'trader_silent') return silentMs === null;
  if (account === null) return findKind(kind)?.by === 'trader';
  if (kind === 'ledger_differs') return account.reconciled === null;
  // A new run of the trader does not report earlier failed backups, so only a newer backup ends this alert.
  if (kind === 'backup_failed') return (backupMs ?? 0) < sinceMs;
  return kind === 'backup_old' && backupWithinMs !== null && backupMs === null;
}

type FailedBackup = AccountStatus['upkeep']['backupFailed'];

/** Whether the newest backup failed. A manual backup after a failed backup counts as the newest. */
export const isBackupFailing = (failed: FailedBackup, newestMs: number | null): failed is NonNullable<FailedBackup> =>
  failed !== null && failed.at >= (newestMs ?? 0);

const wholeSeconds = (ms: number): number => Math.round(ms / 1000);

/** Returns the alert for a trader's notice; null without one, as for the kind `command` with severity `info`. */
export function toldAs(kind: string, severity: 'info' | 'loud') {
  const known = findKind(kind);
  return known?.by !== 'notice' || (kind === 'command' && severity === 'info') ? null : known;
}
