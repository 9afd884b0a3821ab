/** Runs every second in the console: finds problems, sends alerts, and calls the external monitor. */

import { randomBytes } from 'node:crypto';
import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/text.js';
import type { StatusLineOf } from '../../shared/protocol/trader-status.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import { findWriter, lockWriter, type WriterLock } from '../../trader/ledger/lock.js';
import { ENDED_PROVEN } from '../../trader/ledger/tables.js';
import { AlertCenter, type AlertMemory } from '../alerts/alert-center.js';
import { startLifeline, type WatchedFacts } from '../alerts/conditions.js';
import { openSender, postText, readSecret } from '../alerts/senders.js';
import type { TraderConfig } from '../config/config.js';
import type { AlertSeverity } from '../config/schema.js';
import { nowMs } from '../runtime/clock.js';
import { findLongestPauseMs } from '../runtime/job-times.js';
import { secrets } from '../wallet/secrets.js';
import type { LedgerConnection } from './ledger-lists.js';
import type { ShownState } from './trader-state.js';

/** Reads facts about the ledger's files; an unknown fact is null. `backupMs`: time of the newest backup, Unix ms. */
export function readFileFacts(ledgerPath: string) {
  const statFile = (ending: string) => statSync(`${ledgerPath}${ending}`, { throwIfNoEntry: false });
  return {
    ledgerBytes: statFile('')?.size ?? null,
    walBytes: statFile('-wal')?.size ?? null,
    backupMs: statFile('.backup')?.mtimeMs ?? null,
    diskFreeBytes: freeBytes(dirname(ledgerPath)),
  };
}

export type FileFacts = ReturnType<typeof readFileFacts>;

function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null; // The folder may not exist yet.
  }
}

/** `path`: file of the console's store. `startedMs`: start of this console, Unix ms. */
type DutyOptions = Readonly<{ path: string; startedMs: number; note: (text: string) => void }>;

/**
 * Decides which console of a trader sends alerts and stores the history: the holder of the lock beside the store. Other
 * consoles only show the page, until the lock is free. If the lock is unreadable, all consoles send alerts: a duplicate
 * is better than no alert.
 */
export class Duty {
  readonly #options: DutyOptions;
  #lock: WriterLock | null = null;
  #said = '';

  constructor(options: DutyOptions) {
    this.#options = options;
  }

  /** Returns whether this console holds the lock; call every second. A problem with the lock is logged once. */
  take(): boolean {
    if (this.#lock !== null) return true;
    const { path, startedMs } = this.#options;
    const folder = dirname(path);
    if (!existsSync(folder)) {
      this.#say(`warning: there is no folder ${folder}: no trader has run with this file yet, or a disk is missing`);
      return true;
    }
    try {
      const other = findWriter(path);
      if (other !== null) return this.#leaveTo(`process ${other.pid}, started ${utcText(other.startedMs)} UTC,`);
      this.#lock = lockWriter(path, { pid: process.pid, startedMs });
      if (this.#said !== '') this.#say('this console now sends the alerts and stores the history');
      return true;
    } catch (error) {
      if (!(error instanceof TwinbookError)) throw error;
      if (error.code === 'ledger_locked') return this.#leaveTo('another process');
      this.#say(`warning: ${error.message}; a second console would send each alert twice`);
      return true;
    }
  }

  close(): void {
    this.#lock?.release();
    this.#lock = null;
  }

  #leaveTo(who: string): false {
    const does = 'it sends the alerts and stores the history; this console takes over when that console has ended';
    this.#say(`warning: ${who} is another console of this trader: ${does}`);
    return false;
  }

  #say(text: string): void {
    if (text === this.#said) return;
    this.#said = text;
    this.#options.note(text);
  }
}

const EVERY_MS = 1_000;
const WINDOW_MS = 600_000;
const LOOK_MS = 50;
/** Maximum age of the ledger events that a console reports if no earlier console has read the ledger, ms. */
const FIRST_EVENTS_MS = 60_000;

/** State of a ledger's newest run. `open`: the run has not ended with proof that no order rests. */
type LastRun = 'none' | 'ended' | 'open';

export function readLastRun(ledger: LedgerReader): LastRun {
  const [run] = ledger.runs(1);
  if (run === undefined) return 'none';
  return run.stoppedMs !== null && run.note === ENDED_PROVEN ? 'ended' : 'open';
}

interface WatchOptions {
  readonly config: TraderConfig;
  readonly name: string;
  readonly trader: ShownState;
  readonly isGuarded: () => boolean | null;
  readonly note: (text: string) => void;
  readonly memory: AlertMemory;
  /** Whether this console sends the alerts; called every second. */
  readonly onDuty: () => boolean;
  /** State of the last run in the ledger; null while the ledger cannot be read. */
  readonly lastRun: () => LastRun | null;
  readonly ledger: Pick<LedgerConnection, 'read'>;
  /** Whether the trader started this console, so that it counts as running before its first message. */
  readonly isWithTrader: boolean;
  /** Number of wrong passwords entered since the page started. */
  readonly refusedLogins: () => number;
}

/** Describes the end of a run that failed, or ended without proof that no order rests; null for an orderly end. */
export const describeEnd = ({ bye, hasFailed }: ShownState) =>
  bye !== null && hasFailed ? `${bye.proven ? 'no order rests' : 'orders may rest'}: ${bye.reason}` : null;

/** Watches one trader. A console without the lock only reads the alerts stored by the console that holds the lock. */
export class Watch {
  readonly #options: WatchOptions;
  readonly #lifeline: ReturnType<typeof startLifeline> | null;
  readonly #timer: NodeJS.Timeout;
  readonly #startedMs = performance.now();
  #center: AlertCenter | null = null;
  /** Total of refused logins at each tick of the last ten minutes, oldest first. */
  #logins = [{ atMs: performance.now(), total: 0 }];
  /** Maximum age of a backup, ms; null for no bound. Computed in the first tick, so that the start is not delayed. */
  #backupWithinMs: number | null | undefined;
  #gone: string | null = null;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#lifeline = options.config.alerts.heartbeat === null ? null : startLifeline(performance.now());
    this.#findCenter();
    this.#timer = setInterval(() => this.#tick(), EVERY_MS);
  }

  notice(line: StatusLineOf<'notice'>): void {
    this.#center?.notice(line, performance.now());
  }

  /** Whether this console sends alerts and stores the history. */
  get isOnDuty(): boolean {
    return this.#center !== null;
  }

  /** Whether the trader needs no guardian: its last run ended with proof that no order rests, or it never ran. */
  get hasEnded(): boolean {
    return this.#findPresence().hasEnded;
  }

  get open(): AlertCenter['open'] {
    return this.#center?.open ?? this.#options.memory.load()?.open ?? [];
  }

  get recent(): AlertCenter['recent'] {
    return this.#center?.recent ?? [];
  }

  get figures(): AlertCenter['figures'] {
    return this.#center?.figures ?? [];
  }

  count(severity: AlertSeverity): number {
    return this.open.filter((alert) => alert.severity === severity).length;
  }

  /** Call this when the trader's process ended without a report of an orderly end. */
  traderGone(): void {
    // The last message is kept as text, because the next trader's first message replaces it.
    this.#gone = describeEnd(this.#options.trader) ?? 'the trader’s process ended without canceling any order';
    this.#tick();
  }

  /** Waits until all messages were delivered, but at most `withinMs`. */
  async deliver(withinMs: number): Promise<void> {
    const endMs = performance.now() + withinMs;
    this.#tick();
    while ((this.#center?.waiting ?? 0) > 0 && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      this.#tick();
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#center = null;
  }

  /** Returns the alert center if this console holds the lock. Tries the lock at each call, as it may be free now. */
  #findCenter(): AlertCenter | null {
    const { config, name, note, memory, onDuty } = this.#options;
    if (!onDuty()) this.#center = null;
    else
      this.#center ??= new AlertCenter({
        config: config.alerts,
        run: randomBytes(4).toString('hex'),
        openSender: (channel) => openSender(channel, name, note),
        note,
        memory,
        nowMs: nowMs(),
        steadyMs: performance.now(),
      });
    return this.#center;
  }

  /** Finds whether the trader is silent or has ended; before the first message, the ledger's last run decides. */
  #findPresence(): Pick<WatchedFacts, 'silentMs' | 'isHeard' | 'hasEnded'> {
    const { trader, lastRun, isWithTrader } = this.#options;
    const { silentMs } = trader;
    if (silentMs !== null) return { silentMs, isHeard: true, hasEnded: trader.bye?.proven === true };
    const last = lastRun();
    const isMissed = last === 'open' && !isWithTrader;
    return {
      silentMs: isMissed ? performance.now() - this.#startedMs : null,
      isHeard: false,
      hasEnded: last === 'none' || last === 'ended',
    };
  }

  /** Queues alerts for new ledger events, including those since the end of the previous console. */
  #readEvents(center: AlertCenter, steadyMs: number): void {
    const events = this.#options.ledger.read((ledger) => {
      // A restored backup of the ledger has fewer events.
      if (center.eventId === null || center.eventId > ledger.newestEventId())
        center.eventId = ledger.newestEventId(nowMs() - FIRST_EVENTS_MS);
      return ledger.eventsAfter(center.eventId);
    });
    for (const { id, timeMs: time, ...event } of events ?? []) {
      center.notice({ ...event, time }, steadyMs);
      center.eventId = id;
    }
  }

  #tick(): void {
    const { trader, config, isGuarded, isWithTrader, refusedLogins } = this.#options;
    const { account, hello } = trader;
    const steadyMs = performance.now();
    const total = refusedLogins();
    const recent = this.#logins.filter(({ atMs }) => steadyMs - atMs < WINDOW_MS + EVERY_MS);
    const before = recent[0] ?? this.#logins.at(-1);
    this.#logins = [...recent, { atMs: steadyMs, total }];
    const center = this.#findCenter();
    if (center === null) return;
    this.#readEvents(center, steadyMs);
    const { diskFreeBytes, backupMs } = readFileFacts(config.ledger.path);
    if (this.#backupWithinMs === undefined) this.#backupWithinMs = boundBackupAge(config.schedule.ledgerBackup);
    const facts: WatchedFacts = {
      nowMs: nowMs(),
      steadyMs,
      ...this.#findPresence(),
      gone: this.#gone ?? describeEnd(trader),
      // Until its first message, a fleet's trader waits for its wallet: it has no orders that need a guardian.
      isGuarded: isWithTrader && config.fleet !== null && trader.silentMs === null ? null : isGuarded(),
      diskFreeBytes,
      backupMs,
      backupWithinMs: this.#backupWithinMs,
      refusedLogins: total - (before?.total ?? 0),
      process: hello,
      account,
    };
    center.tick(facts);
    const why = this.#lifeline?.(facts, trader.isCurrent) ?? null;
    if (why !== null) void callWatcher(config.alerts.heartbeat?.urlFile ?? '', why, this.#options.note);
  }
}

/** Calls the external monitor. @param why reason why the trader does not work normally; empty if it does */
async function callWatcher(file: string, why: string, note: (text: string) => void): Promise<void> {
  try {
    const url = new URL(readSecret(file, 'the address of the heartbeat'));
    const hasStatus = url.searchParams.has('status');
    if (hasStatus && why !== '') url.searchParams.set('status', 'down');
    url.pathname = `${url.pathname.replace(/\/$/, '')}${hasStatus || why === '' ? '' : '/fail'}`;
    secrets.hide(url.href);
    const delivery = await postText(url.href, why, { 'content-type': 'text/plain' });
    if (delivery.kind !== 'delivered') note(`heartbeat: ${delivery.why}`);
  } catch (error) {
    note(secrets.clean(`heartbeat: ${messageOf(error)}`));
  }
}

/** Allowance for the duration of a backup of a large ledger, ms. */
const GRACE_MS = 3_600_000;

/** Returns the maximum age of a backup, ms: twice the longest pause in the schedule plus 1 h; null if unlimited. */
export function boundBackupAge(schedule: string | null): number | null {
  const pauseMs = schedule === null ? null : findLongestPauseMs(schedule);
  return pauseMs === null ? null : 2 * pauseMs + GRACE_MS;
}
