/** The trader's figures for subscribers, and their input: times of steps and beats. */

import type { Observation, Request } from '../../shared/protocol/seam.js';
import type { AccountStatus, ProcessStatus, TraderStatus } from '../../shared/protocol/trader-status.js';
import { VERSION } from '../config/shipped.js';
import { type Shown, shownConfig } from '../config/shown.js';
import type { Config } from '../config/types.js';
import { RecentDurations } from '../control/telemetry/durations.js';
import { Histogram, STEP_BUCKETS } from '../control/telemetry/histogram.js';
import { type PublisherFigures, TelemetryPublisher } from '../control/telemetry/publisher.js';
import { RequestTimings } from '../control/telemetry/request-timings.js';
import type { FeedStatus } from '../feeds/inbox.js';
import { nowMs, steadyMs } from '../runtime/clock.js';
import { BEAT_MS } from '../runtime/loop.js';
import { DailySummary, summaryText } from './daily-summary.js';
import type { Log } from './log.js';
import type { Session } from './session.js';

/** Steps in the figures: some seconds of a busy trader. */
const STEPS_KEPT = 500;

export interface TelemetryOptions {
  /** In force now. */
  readonly config: () => Config;
  readonly session: Session;
  readonly startedMs: number;
  readonly feeds: () => readonly FeedStatus[];
  readonly log: Log;
}

/** Processor time of this process, ms. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export class Telemetry {
  readonly publisher: TelemetryPublisher;
  readonly #options: TelemetryOptions;
  readonly #took = new RecentDurations(STEPS_KEPT);
  readonly #stepSeconds = new Histogram(STEP_BUCKETS);
  readonly #requests = new RequestTimings();
  #backupFailed: AccountStatus['upkeep']['backupFailed'] = null;
  readonly #summary = new DailySummary();
  #steps = 0;
  #beganMs = steadyMs();
  #beatMs: number | null = null;
  readonly #run: string;
  /** Cached: subscribers may connect often. */
  #config: { readonly of: Config; readonly shown: Shown } | null = null;

  constructor(options: TelemetryOptions) {
    this.#options = options;
    const { trader, ledger } = options.session;
    // Read once: a subscriber may connect when the ledger can no longer be read.
    this.#run = ledger.runs(1)[0]?.id ?? '';
    this.publisher = new TelemetryPublisher(
      {
        process: () => this.#process,
        account: (atMs, publishing) => this.#account(atMs, publishing),
        markets: (atMs) => trader.watchMarkets(atMs),
        mode: () => trader.mode,
        onFailure: (error) =>
          options.log.logger.error({ err: error }, 'telemetry failed; its readers were disconnected'),
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
    let lateMs: number | null = null;
    if (observation.kind === 'time') {
      lateMs = this.#beatMs === null ? null : Math.max(0, this.#beganMs - this.#beatMs - BEAT_MS);
      this.#beatMs = this.#beganMs;
    }
    this.publisher.afterStep(lateMs);
  }

  /** The daily summary is due; it is written when the day has ended by the exchange's clock. */
  dayIsDue(): void {
    this.#summary.request(nowMs(), steadyMs());
  }

  /** Writes a due summary. Called every second. */
  tellDueDay(): void {
    if (!this.#summary.isDue) return;
    const account = this.#options.session.trader.account(nowMs());
    const { equityMicros, resultMicros, fills, days } = account;
    if (!this.#summary.take(days, steadyMs())) return;
    const day = { day: days?.ended?.day ?? null, day_result_micros: days?.ended?.resultMicros ?? null };
    const figures = { equity_micros: equityMicros, result_micros: resultMicros, fills };
    this.#options.log.logger.info({ ...day, ...figures }, 'daily summary');
    this.publisher.notice(nowMs(), 'info', 'daily_summary', summaryText(account));
  }

  /** Result of a backup; null on success. */
  readonly backedUp = (why: string | null): void => {
    this.#backupFailed = why === null ? null : { at: nowMs(), why };
  };

  /** A new configuration is in force. */
  configChanged(): void {
    this.publisher.renew();
  }

  #showConfig(of: Config): Shown {
    if (this.#config?.of !== of) this.#config = { of, shown: shownConfig(of) };
    return this.#config.shown;
  }

  /** The whole status. */
  status(dashboard: string | null): TraderStatus {
    const { session } = this.#options;
    const atMs = nowMs();
    return {
      nowMs: atMs,
      process: this.#process,
      dashboard,
      signingRefused: session.ledger.eventCount('signing_refused'),
      account: this.#account(atMs, this.publisher.figures),
      markets: session.trader.watchMarkets(atMs).map((market) => market.makeStatus(false)),
    };
  }

  #account(atMs: number, publishing: PublisherFigures): AccountStatus {
    const { session, feeds } = this.#options;
    const account = session.trader.account(atMs);
    const sources = feeds();
    return {
      ...account,
      feeds: account.feeds.map((feed) => {
        const source = sources.find(({ name }) => name === feed.name);
        return { ...feed, problems: source?.problems ?? 0, trouble: source?.trouble ?? null };
      }),
      risk: session.trader.riskUse(atMs),
      health: this.#health(publishing),
      upkeep: {
        backupFailed: this.#backupFailed,
        journalEnded: session.journal.ended,
        hasJournal: session.config.journal.enabled,
      },
    };
  }

  #health(publishing: PublisherFigures): AccountStatus['health'] {
    const { p50, p99, max } = this.#took.summary;
    return {
      ...publishing,
      steps: this.#steps,
      stepP50Ms: p50,
      stepP99Ms: p99,
      stepMaxMs: max,
      stepSeconds: this.#stepSeconds.figures,
      requests: this.#requests.figures,
      memoryBytes: process.memoryUsage.rss(),
      guardian: this.#options.session.guardian?.status ?? '',
    };
  }

  get #process(): ProcessStatus {
    const { session, startedMs } = this.#options;
    const inForce = this.#options.config();
    const { risk } = inForce;
    return {
      pid: process.pid,
      version: VERSION,
      run: this.#run,
      startedMs,
      configFile: inForce.file,
      configHash: inForce.configHash,
      venue: inForce.venue.name,
      baseUrl: session.profile.base_url,
      capitalMicros: inForce.capitalMicros,
      limits: {
        maxLossDayMicros: risk.maxLossDayMicros,
        maxDrawdownMicros: risk.maxDrawdownMicros,
        maxTotalCostMicros: risk.maxTotalCostMicros,
        maxOpenOrders: risk.maxOpenOrders,
        maxPositionMicros: risk.maxPositionSharesMicros,
        maxBookAgeMs: risk.maxBookAgeMs,
      },
      config: this.#showConfig(inForce),
    };
  }
}
