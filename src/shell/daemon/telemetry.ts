/** Computes the trader's status and figures for subscribers, and measures the duration of steps. */

import type { Observation, Request } from '../../shared/protocol/seam.js';
import type { AccountStatus, ProcessStatus, TraderStatus } from '../../shared/protocol/trader-status.js';
import type { AccountSnapshot } from '../../trader/engine/snapshot.js';
import type { Config } from '../config/config.js';
import { VERSION } from '../config/shipped.js';
import { shownConfig } from '../config/shown.js';
import { Histogram, RecentDurations, RequestTimings, STEP_BUCKETS, TelemetryPublisher } from '../control/telemetry.js';
import type { FeedStatus } from '../feeds/inbox.js';
import { nowMs, steadyMs } from '../runtime/clock.js';
import { BEAT_MS } from '../runtime/loop.js';
import type { TraderSession } from './session.js';
import { describeAgreement, formatSigned, money } from './status-text.js';

const STEPS_KEPT = 500;
const BEATS_KEPT = 100;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export class Telemetry {
  readonly publisher: TelemetryPublisher;
  readonly #session: TraderSession;
  readonly #startedMs: number;
  readonly #inForce: () => Config;
  readonly #feeds: () => readonly FeedStatus[];
  readonly #took = new RecentDurations(STEPS_KEPT);
  /** Delays of the loop's timer, ms. */
  readonly #late = new RecentDurations(BEATS_KEPT);
  readonly #stepSeconds = new Histogram(STEP_BUCKETS);
  readonly #requests = new RequestTimings();
  #backupFailed: AccountStatus['upkeep']['backupFailed'] = null;
  readonly #summary = new DailySummary();
  #steps = 0;
  #beganMs = steadyMs();
  #beatMs: number | null = null;
  readonly #run: string;

  constructor(session: TraderSession, startedMs: number, inForce: () => Config, feeds: () => readonly FeedStatus[]) {
    this.#session = session;
    this.#startedMs = startedMs;
    this.#inForce = inForce;
    this.#feeds = feeds;
    const { trader, ledger } = session;
    // The run's id is read once, because a subscriber may connect when the ledger can no longer be read.
    this.#run = ledger.runs(1)[0]?.id ?? '';
    this.publisher = new TelemetryPublisher(
      {
        process: () => this.#process,
        account: (atMs) => this.#account(atMs),
        markets: (atMs) => trader.watchMarkets(atMs),
        mode: () => trader.mode,
        onFailure: (error) => session.log.error({ err: error }, 'telemetry failed; its readers were disconnected'),
      },
      { steadyMs, nowMs, cpuMs },
    );
  }

  stepBegins(): void {
    this.#beganMs = steadyMs();
  }

  afterStep(observation: Observation, requests: readonly Request[]): void {
    const tookMs = steadyMs() - this.#beganMs;
    this.#steps++;
    this.#took.add(tookMs);
    this.#stepSeconds.add(tookMs / 1000);
    this.#requests.note(observation, requests);
    if (observation.kind === 'time') {
      if (this.#beatMs !== null) this.#late.add(Math.max(0, this.#beganMs - this.#beatMs - BEAT_MS));
      this.#beatMs = this.#beganMs;
    }
    this.publisher.afterStep();
  }

  /** Requests yesterday's summary, which is written once that day has also ended by the exchange's clock. */
  dayIsDue(): void {
    this.#summary.request(nowMs(), steadyMs());
  }

  /** Writes the requested daily summary once the day has ended or the maximum wait is over. Called every second. */
  tellDueDay(): void {
    if (!this.#summary.isDue) return;
    const account = this.#session.trader.account(nowMs());
    const { equityMicros, resultMicros, fills, days } = account;
    if (!this.#summary.take(days, steadyMs())) return;
    const day = { day: days?.ended?.day ?? null, day_result_micros: days?.ended?.resultMicros ?? null };
    const figures = { equity_micros: equityMicros, result_micros: resultMicros, fills };
    this.#session.log.info({ ...day, ...figures }, 'daily summary');
    this.publisher.notice(nowMs(), 'info', 'daily_summary', summaryText(account, nowMs()));
  }

  readonly backedUp = (why: string | null): void => {
    this.#backupFailed = why === null ? null : { at: nowMs(), why };
  };

  status(dashboard: string | null): TraderStatus {
    const session = this.#session;
    const atMs = nowMs();
    return {
      nowMs: atMs,
      process: this.#process,
      dashboard,
      signingRefused: session.ledger.eventCount('signing_refused'),
      account: this.#account(atMs),
      markets: session.trader.snapshot(atMs).markets,
    };
  }

  #account(atMs: number): AccountStatus {
    const session = this.#session;
    const account = session.trader.account(atMs);
    const sources = this.#feeds();
    const { p50, p99, max } = this.#took.summary;
    return {
      ...account,
      feeds: account.feeds.map((feed) => {
        const source = sources.find(({ name }) => name === feed.name);
        return { ...feed, problems: source?.problems ?? 0, trouble: source?.trouble ?? null };
      }),
      risk: session.trader.riskUse(atMs),
      health: {
        ...this.publisher.figures,
        beatLateP99Ms: this.#late.summary.p99,
        steps: this.#steps,
        stepP50Ms: p50,
        stepP99Ms: p99,
        stepMaxMs: max,
        stepSeconds: this.#stepSeconds.figures,
        requests: this.#requests.figures,
        memoryBytes: process.memoryUsage.rss(),
        guardian: session.guardian?.status ?? '',
      },
      upkeep: {
        backupFailed: this.#backupFailed,
        journalEnded: session.journal.ended,
        hasJournal: session.config.journal.enabled,
      },
    };
  }

  get #process(): ProcessStatus {
    const inForce = this.#inForce();
    const { maxLossDayMicros, maxDrawdownMicros, maxTotalCostMicros, maxOpenOrders, maxBookAgeMs } = inForce.risk;
    const limits = { maxLossDayMicros, maxDrawdownMicros, maxTotalCostMicros, maxOpenOrders, maxBookAgeMs };
    return {
      pid: process.pid,
      version: VERSION,
      run: this.#run,
      startedMs: this.#startedMs,
      configFile: inForce.file,
      configHash: inForce.configHash,
      venue: inForce.venue.name,
      baseUrl: this.#session.profile.base_url,
      capitalMicros: inForce.capitalMicros,
      limits: { ...limits, maxPositionMicros: inForce.risk.maxPositionSharesMicros },
      config: shownConfig(inForce),
    };
  }
}

const DAY_MS = 86_400_000;
/** Maximum wait for the result of a day, ms. The exchange's clock may be 5 min late, and a valuation must follow. */
const PATIENCE_MS = 15 * 60_000;
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });

export class DailySummary {
  /** UTC day of the requested summary, and monotonic time of the request, ms; null if no summary is requested. */
  #due: { readonly day: string; readonly sinceMs: number } | null = null;

  request(nowMs: number, steadyMs: number): void {
    this.#due = { day: new Date(nowMs - DAY_MS).toISOString().slice(0, 10), sinceMs: steadyMs };
  }

  get isDue(): boolean {
    return this.#due !== null;
  }

  /** Returns true once, when the requested day has ended by the exchange's clock, or the maximum wait is over. */
  take(days: AccountSnapshot['days'], steadyMs: number): boolean {
    if (this.#due === null) return false;
    const hasEnded = days !== null && days.current.day > this.#due.day;
    if (!hasEnded && steadyMs - this.#due.sinceMs < PATIENCE_MS) return false;
    this.#due = null;
    return true;
  }
}

/** Formats the result of the newest ended day, or of today so far if no day has ended: `1 December (UTC): +17.82`. */
function dayText(days: AccountSnapshot['days']): string {
  if (days === null) return 'no valuation yet';
  const { day, resultMicros } = days.ended ?? days.current;
  return `${DATE.format(Date.parse(day))} (UTC)${days.ended === null ? ' so far' : ''}: ${formatSigned(resultMicros)}`;
}

export function summaryText(account: AccountSnapshot, nowMs: number): string {
  const { mode, resultMicros, days, cashMicros, equityMicros, fills, openOrders } = account;
  return [
    dayText(days),
    `total result ${formatSigned(resultMicros)}`,
    `cash ${money(cashMicros)}, worth ${money(equityMicros)}`,
    `${fills} fills in this run, ${openOrders} open orders, ${mode}`,
    describeAgreement(account, nowMs),
  ].join('; ');
}
