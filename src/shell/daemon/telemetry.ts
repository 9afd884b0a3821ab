/** The trader's figures for subscribers, and their input: starts of steps, and times of beats. */

import type { Observation, Request } from '../../shared/protocol/seam.js';
import type { AccountSnapshot, RiskUse } from '../../trader/engine/snapshot.js';
import { agreementText } from '../../trader/reconcile/differences.js';
import type { BudgetStatus } from '../../trader/scheduler/request-queue.js';
import { type Shown, shownConfig } from '../config/shown.js';
import type { Config } from '../config/types.js';
import { VERSION } from '../config/version.js';
import { makeFeed } from '../control/status.js';
import { RecentDurations } from '../control/telemetry/durations.js';
import { Histogram, STEP_BUCKETS } from '../control/telemetry/histogram.js';
import type {
  AccountFigures,
  BudgetFigures,
  HealthFigures,
  HelloLine,
  UpkeepFigures,
} from '../control/telemetry/lines.js';
import { type PublisherFigures, TelemetryPublisher } from '../control/telemetry/publisher.js';
import { RequestTimings } from '../control/telemetry/request-timings.js';
import type { FeedStatus } from '../feeds/inbox.js';
import { nowMs, steadyMs } from '../runtime/clock.js';
import { BEAT_MS } from '../runtime/loop.js';
import { DailySummary, summaryText } from './daily-summary.js';
import type { Log } from './log.js';
import type { Session } from './session.js';

/** Steps that the figures are of: some seconds of a busy trader. */
const STEPS_KEPT = 500;

export interface TelemetryOptions {
  /** In force now. */
  readonly config: () => Config;
  readonly session: Session;
  readonly startedMs: number;
  readonly feeds: () => readonly FeedStatus[];
  readonly log: Log;
}

export class Telemetry {
  readonly publisher: TelemetryPublisher;
  readonly #options: TelemetryOptions;
  readonly #took = new RecentDurations(STEPS_KEPT);
  readonly #stepSeconds = new Histogram(STEP_BUCKETS);
  readonly #requests = new RequestTimings();
  #backupFailed: UpkeepFigures['backup_failed'] = null;
  readonly #summary = new DailySummary();
  #steps = 0;
  #beganMs = steadyMs();
  #beatMs: number | null = null;
  /** Spelled once: readers may come often. */
  #config: { readonly of: Config; readonly shown: Shown } | null = null;

  constructor(options: TelemetryOptions) {
    this.#options = options;
    const { trader, ledger } = options.session;
    // Read once: a reader may subscribe when the ledger can no longer be read.
    const run = ledger.runs(1)[0]?.id ?? '';
    this.publisher = new TelemetryPublisher(
      {
        hello: () => ({ ...makeHello(options), run, config: this.#showConfig(options.config()) }),
        account: (atMs, publishing) => ({
          ...this.#account(trader.account(atMs), publishing),
          risk: makeRisk(trader.riskUse(atMs)),
        }),
        faces: () => trader.faces(),
        mode: () => trader.mode,
        onFailure: (error) =>
          options.log.logger.error({ err: error }, 'telemetry failed; its readers were disconnected'),
      },
      { steadyMs, nowMs },
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

  /** The time of the daily summary has come; it is written when the day has ended by the exchange's clock. */
  dayIsDue(): void {
    this.#summary.request(nowMs(), steadyMs());
  }

  /** Writes a summary that is due. Called every second. */
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

  /** What became of a backup; null when it was made. */
  readonly backedUp = (why: string | null): void => {
    this.#backupFailed = why === null ? null : { at: nowMs(), why };
  };

  /** Another configuration is in force. */
  configChanged(): void {
    this.publisher.renew();
  }

  #showConfig(of: Config): Shown {
    if (this.#config?.of !== of) this.#config = { of, shown: shownConfig(of) };
    return this.#config.shown;
  }

  #account(now: AccountSnapshot, publishing: PublisherFigures): Omit<AccountFigures, 'risk'> {
    const { reconciled, budgets } = now;
    const sources = this.#options.feeds();
    return {
      mode: now.mode,
      reason: now.reason,
      way_back: now.wayBack,
      silent: now.silent,
      cash_micros: now.cashMicros,
      equity_micros: now.equityMicros,
      result_micros: now.resultMicros,
      loss_day_micros: now.losses.dayLossMicros,
      drawdown_micros: now.losses.drawdownMicros,
      open_orders: now.openOrders,
      unknown_orders: now.unknownOrders,
      fills: now.fills,
      unsent: now.unsent,
      reduce_only: now.reduceOnly,
      agreement:
        reconciled === null
          ? null
          : {
              compared: reconciled.comparedMs,
              differences: reconciled.differences.map(differenceText),
              text: agreementText(reconciled.differences.length, now.accepted),
              accepted: now.accepted.length,
              confirmed: now.disagreement,
            },
      clock_offset_ms: now.clockOffsetMs,
      budgets: [makeBudget('public', budgets.public), makeBudget('signed', budgets.signed)],
      spent: now.spent.map(({ purpose, total }) => ({ purpose, total })),
      feeds: now.feeds.map((feed) => makeFeed(feed, sources)),
      health: this.#health(publishing),
      upkeep: {
        backup_failed: this.#backupFailed,
        journal_ended: this.#options.session.journal.ended,
        has_journal: this.#options.session.config.journal.enabled,
      },
    };
  }

  #health({ brake, readers, readersCut, beatLateP99Ms }: PublisherFigures): HealthFigures {
    const { p50, p99, max } = this.#took.summary;
    return {
      steps: this.#steps,
      step_p50_ms: p50,
      step_p99_ms: p99,
      step_max_ms: max,
      step_seconds: this.#stepSeconds.figures,
      requests: this.#requests.figures,
      beat_late_p99_ms: beatLateP99Ms,
      brake,
      readers,
      readers_cut: readersCut,
      memory_bytes: process.memoryUsage.rss(),
      guardian: this.#options.session.guardian?.status ?? '',
    };
  }
}

type Compared = NonNullable<AccountSnapshot['reconciled']>['differences'][number];

const differenceText = ({ what, subject, ledger, exchange }: Compared): string =>
  `${what} ${subject}: ledger ${ledger}, exchange ${exchange}`;

const makeBudget = (scope: BudgetFigures['scope'], status: BudgetStatus): BudgetFigures => ({
  scope,
  limit: status.limit,
  per_minute: status.perMinute,
  left: Math.max(0, status.available),
  blocked_until: status.blockedUntilMs,
});

const makeRisk = ({ totalLossMicros, events, pace, fillsInWindow }: RiskUse): AccountFigures['risk'] => ({
  total_cost_micros: totalLossMicros,
  actions_last_second: pace.lastSecond,
  actions_last_minute: pace.lastMinute,
  fills_in_window: fillsInWindow,
  events: events.map(({ eventKey, positionMicros, lossMicros }) => ({
    id: eventKey,
    position_micros: positionMicros,
    loss_micros: lossMicros,
  })),
});

function makeHello({ config, session, startedMs }: TelemetryOptions): Omit<HelloLine, 'config' | 'run'> {
  const inForce = config();
  const { risk } = inForce;
  return {
    type: 'hello',
    pid: process.pid,
    version: VERSION,
    config_file: inForce.file,
    config_hash: inForce.configHash,
    venue: inForce.venue.name,
    base_url: session.profile.base_url,
    started: startedMs,
    capital_micros: inForce.capitalMicros,
    limits: {
      max_loss_day_micros: risk.maxLossDayMicros,
      max_drawdown_micros: risk.maxDrawdownMicros,
      max_total_cost_micros: risk.maxTotalCostMicros,
      max_open_orders: risk.maxOpenOrders,
      max_position_micros: risk.maxPositionSharesMicros,
      max_book_age_ms: risk.maxBookAgeMs,
    },
  };
}
