/** Runs the trader as a service. The trader ends after proof that no order rests, or reports that proof is missing. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import { utcText } from '../../shared/base/text.js';
import type { OperatorCommand } from '../../shared/protocol/seam.js';
import type { TraderStatus } from '../../shared/protocol/trader-status.js';
import type { TraderSnapshot } from '../../trader/engine/snapshot.js';
import type { OperatorEvent } from '../../trader/ledger/contract.js';
import type { Ledger } from '../../trader/ledger/ledger.js';
import { ENDED_PROVEN } from '../../trader/ledger/tables.js';
import type { PruneBatch, PrunedBatch } from '../../trader/reconcile/prune.js';
import { makeBackup } from '../backup/backups.js';
import type { Config, Environment } from '../config/config.js';
import { VERSION } from '../config/shipped.js';
import { serveControl } from '../control/control-server.js';
import type { openFeeds } from '../feeds/feeds.js';
import type { FeedEars } from '../feeds/inbox.js';
import { nowMs, steadyMs } from '../runtime/clock.js';
import { JobTimes, QuoteHours, type ScheduledStrategy } from '../runtime/job-times.js';
import { Loop, type Told } from '../runtime/loop.js';
import { secrets } from '../wallet/secrets.js';
import { answerControl, type RunningTrader, StopWatch } from './control.js';
import {
  cancelDirectly,
  cancelLeftovers,
  cancelUntilNothingRests,
  type DirectCancel,
  leavesOrdersBehind,
  MAY_REST,
  watchProof,
} from './direct-cancel.js';
import { followLease, isTakenOver } from './fleet-session.js';
import { LiveConfig } from './live-config.js';
import { linesAbove, openLog } from './log.js';
import { openSession, type TraderSession } from './session.js';
import { type Output, resultLines, Screen } from './status-text.js';
import { openServiceManager } from './supervisors.js';
import { Telemetry } from './telemetry.js';

/** Time limit of a stop minus a draft's lifetime, ms: within that lifetime, an old draft may become an order. */
const STOP_MARGIN_MS = 30_000;
const STOP_UNPROVEN = 'stopped by the operator without proof that no order rests';
const STATUS_EVERY_MS = 1_000;
const STEP_MS = 50;
/** Safety margin, ms: by an older heartbeat, the guardian may see its time-out this much earlier than the trader. */
const DECLARED_DEAD_EARLIER_MS = 1_000;

export interface TraderIo extends Output {
  readonly err: (text: string) => void;
  readonly env: Environment;
  /** Resolves when the user asks this process to stop (SIGINT or SIGTERM). */
  readonly stopAsked: () => Promise<void>;
  /** Calls `kill` at every SIGUSR2, the signal for a kill. */
  readonly onKillSignal: (kill: (reason: string) => void) => void;
  /** Calls `tell` with a text for the log at each SIGUSR1. The signal has no other effect. */
  readonly onUnusedSignal: (tell: (text: string) => void) => void;
  /** Calls `take` with each uncaught error instead of ending the process. */
  readonly onUncaught: (take: (error: unknown) => void) => void;
}

/** Runs a trader. Returns the exit code: 0 only after proof that no order rests. `verbose` prints more notices. */
export async function runTrader(config: Config, io: TraderIo, verbose = false): Promise<0 | 1> {
  try {
    return await runSession(config, io, verbose);
  } catch (error) {
    if (leavesOrdersBehind(error, config)) await cancelLeftovers(config, io.env, (text) => io.err(`${text}\n`));
    throw error;
  }
}

async function runSession(config: Config, io: TraderIo, verbose: boolean): Promise<0 | 1> {
  const screen = new Screen(io);
  // If output and error stream are terminals, only the log's errors are shown there, as plain lines.
  const shared = process.stdout.isTTY && process.stderr.isTTY;
  const log = openLog(config.log, shared ? linesAbove((line) => screen.say(line)) : { write: (line) => io.err(line) });
  if (shared && config.log.file === null) screen.say('the log is not stored: set log.file in the configuration');
  let stopping = false;
  const stopAsked = io.stopAsked().then(() => {
    stopping = true;
  });
  const stopWatch = new StopWatch(config.ledger.path);
  io.onUnusedSignal((text) => log.warn(text));
  io.onKillSignal((reason) => stopWatch.kill(reason));
  const say = (text: string) => screen.say(text);
  const manager = openServiceManager({ env: io.env, warn: say });
  const session = await openSession({ config, env: io.env, log, say, verbose, isStopping: () => stopping });
  if (session === null) {
    say('stopped before the exchange was reached; nothing was placed');
    return 0;
  }
  stopWatch.guard(session.ledger);
  const service = new Service(session, screen, stopWatch, manager);
  try {
    return await service.run(stopAsked, io.onUncaught);
  } finally {
    await session.close(service.isProven);
  }
}

class Service implements RunningTrader {
  readonly #session: TraderSession;
  readonly #screen: Screen;
  readonly #stopWatch: StopWatch;
  readonly #telemetry: Telemetry;
  readonly #manager: ReturnType<typeof openServiceManager>;
  readonly #loop: Loop;
  #feeds: ReturnType<typeof openFeeds> | null = null;
  readonly live: LiveConfig;
  readonly #jobHooks: JobHooks = {
    reconcile: () => this.#loop.command({ kind: 'reconcile' }),
    backupLedger: () =>
      void backUpLedger(this.#session.config.ledger, this.#session.log, this.#screen).then(this.#telemetry.backedUp),
    dailySummary: () => this.#telemetry.dayIsDue(),
    late: (job, lateMs) => this.#session.log.warn({ job, late_ms: Math.round(lateMs) }, 'a scheduled job runs late'),
    quoteHours: (strategy, open) => this.#loop.command({ kind: 'quote-hours', strategy, open }),
  };
  #stopJobs: () => void = () => undefined;
  #lease: ReturnType<typeof followLease> | null = null;
  readonly #isProofOverdue = watchProof();
  readonly #startedMs = nowMs();
  readonly #bornMs = steadyMs();
  /** Equity at the first valuation of this run; null before the first valuation. */
  #startedWith: Micros | null = null;
  isProven = false;
  #failure: unknown = null;
  stop: () => void = () => undefined;

  constructor(
    session: TraderSession,
    screen: Screen,
    stopWatch: StopWatch,
    manager: ReturnType<typeof openServiceManager>,
  ) {
    this.#manager = manager;
    this.#session = session;
    this.#screen = screen;
    this.#stopWatch = stopWatch;
    this.#loop = new Loop(session.trader, {
      perform: (request) =>
        session.client().perform(request, () => session.trader.findObjection(request.id, Date.now())),
      before: () => {
        this.#telemetry.stepBegins();
        return stopWatch.due();
      },
      afterStep: (...step) => this.#afterStep(...step),
      onFailure: (error) => this.#fail(error),
    });
    this.live = new LiveConfig({
      config: session.config,
      env: session.env,
      session,
      command: (command) => this.command(command),
      onChange: (inForce) => {
        this.#stopJobs();
        this.#stopJobs = startJobs(inForce, this.#jobHooks);
        this.#telemetry.publisher.renew();
      },
    });
    this.#telemetry = new Telemetry(
      session,
      this.#startedMs,
      () => this.live.config,
      () => this.#feeds?.status() ?? [],
    );
  }

  async run(stopAsked: Promise<void>, onUncaught: TraderIo['onUncaught']): Promise<0 | 1> {
    const { config, profile } = this.#session;
    this.#screen.say(`twinbook ${VERSION} trades on ${profile.base_url} as ${this.#session.wallet.address}`);
    const stop = new Promise<void>((resolve) => {
      this.stop = resolve;
      if (this.#failure !== null) resolve();
    });
    const control = await serveControl(config.control.socket, {
      answer: (question) => answerControl(question, this),
      subscribe: (reader) => this.#telemetry.publisher.subscribe(reader),
    });
    const fail = (error: unknown) => this.#fail(error);
    onUncaught((error) => {
      this.#session.log.error({ err: error }, 'a bug: no code caught this error');
      fail(error);
    });
    const { member } = this.#session;
    if (member !== null) this.#lease = followLease(member, { loop: this.#loop, snapshot: () => this.snapshot(), fail });
    this.#loop.start();
    this.#stopJobs = startJobs(this.live.config, this.#jobHooks);
    const status = setInterval(() => this.#show(), STATUS_EVERY_MS);
    const feeds = this.#openFeeds();
    try {
      const isStartedAgain = await Promise.race([stopAsked.then(() => false), stop.then(() => this.#manager !== null)]);
      this.#stopJobs();
      this.#manager?.stopping();
      if (this.#failure === null && (await this.#stop(isStartedAgain))) return this.#end();
      clearInterval(status);
      return await this.#giveUp();
    } finally {
      clearInterval(status);
      control.close();
      this.#lease?.end();
      this.#loop.end();
      this.#telemetry.publisher.close(secrets.clean(this.ending() ?? 'it has ended'), this.isProven);
      await (await feeds)?.close();
    }
  }

  async #openFeeds(): Promise<ReturnType<typeof openFeeds> | null> {
    const { feeds } = this.#session.config;
    // The feed readers are imported on demand, because most traders have no feeds and start faster without them.
    if (feeds.length === 0) return null;
    const { openFeeds } = await import('../feeds/feeds.js');
    const loud = (text: string): void => {
      this.#session.log.warn(text);
      this.#screen.say(`warning: ${text}`);
    };
    const quiet = (text: string): void => this.#session.log.info(text);
    const deliver: FeedEars['deliver'] = (feed, values) => this.#loop.feed(feed, values);
    this.#feeds = openFeeds(feeds, { deliver, loud, quiet }, this.#session.env);
    return this.#feeds;
  }

  /** Cancels all orders and waits for the proof that none rests. Returns false if the core failed meanwhile. */
  async #stop(isStartedAgain: boolean): Promise<boolean> {
    this.#screen.say('stopping: canceling every order …');
    this.#loop.command({ kind: 'stop' });
    const endMs = steadyMs() + this.#session.profile.draft_lifetime_s * 1000 + STOP_MARGIN_MS;
    const isStopped = () => this.#guard(() => this.snapshot().mode === 'stopped') === true;
    while (this.#failure === null && !isStopped() && steadyMs() < endMs) await pause(STEP_MS);
    // If a commanded stop ends without proof, the service manager restarts the trader, which must not quote.
    const isUnproven = isStartedAgain && (this.#failure !== null || !isStopped());
    if (isUnproven && !this.#stopWatch.kill(STOP_UNPROVEN))
      this.#screen.say('the stop cannot be stored: STOP THE UNIT, or the service manager starts the trader again');
    return this.#failure === null;
  }

  async #end(): Promise<0 | 1> {
    this.#loop.end();
    const last = this.snapshot();
    this.isProven = last.proven;
    this.#session.trader.end(nowMs(), last.proven ? ENDED_PROVEN : 'stopped, but it is not proven that no order rests');
    for (const line of resultLines(last, this.#startedWith, steadyMs() - this.#bornMs)) this.#screen.say(line);
    if (last.proven) {
      // The last heartbeat is written before the wallet is released: an unreachable fleet database delays the release.
      this.#session.guardian?.heart.end();
      await this.#lease?.release(last, this.#session.config.capitalMicros);
      return 0;
    }
    this.#screen.say(
      `${last.openOrders} orders may still rest: run \`twinbook cancel-all --verify\` when the exchange answers again`,
    );
    return 1;
  }

  /** Cancels all orders without the trader's core after the core failed, and shows the result. */
  async #giveUp(): Promise<1> {
    const error = this.#failure;
    this.#session.log.fatal({ err: error }, 'the trader stops');
    this.#screen.say(`the trader stops: ${messageOf(error)}`);
    if (error instanceof TwinbookError && error.hint !== '') this.#screen.say(`  ${error.hint}`);
    if (isTakenOver(error) || this.#session.storeFailed?.aborted === true) {
      this.#session.guardian?.heart.end();
      return 1;
    }
    // A new client sends the cancels, so that the core's pending requests are never sent.
    this.isProven = (await cancelUntilNothingRests(await this.#freshAccess())).verified;
    if (this.isProven) this.#session.guardian?.heart.end();
    this.#screen.say(
      this.isProven
        ? 'every order was canceled without the ledger; nothing rests at the exchange (read repeatedly)'
        : MAY_REST,
    );
    return 1;
  }

  /** Cancels without the core, because the proof that no order rests is overdue. A repeated cancel has no effect. */
  async #tryAfresh(): Promise<void> {
    this.#session.log.warn('it is not yet proven that no order rests; canceling directly with a new client');
    try {
      const { asked } = await cancelDirectly({ ...(await this.#freshAccess()), verify: false });
      if (asked > 0) this.#screen.say(`asked the exchange to cancel ${asked} orders, bypassing the trader’s queue`);
    } catch (error) {
      this.#session.log.warn({ err: error }, 'canceling without the trader’s core failed too');
    }
  }

  async #freshAccess(): Promise<Omit<DirectCancel, 'verify'>> {
    const { wallet, profile } = this.#session;
    const client = await this.#session.freshClient();
    return { client, wallet, profile, allowBlindSigning: this.#session.config.venue.allowBlindSigning };
  }

  get ledger(): Ledger {
    return this.#session.ledger;
  }

  status(): TraderStatus {
    return this.#telemetry.status(this.#session.page?.url ?? null);
  }

  prune(batch: PruneBatch): PrunedBatch {
    try {
      return this.#session.trader.prune(batch, nowMs());
    } catch (error) {
      this.#fail(error); // The trader cancels all orders without its ledger and ends, as after a failed step.
      throw error;
    }
  }

  command(command: OperatorCommand): string | null {
    if (this.#failure === null) {
      const refusal = this.#session.trader.refusal(command);
      if (refusal !== null) return refusal;
      // The stop file is removed, because the trader is killed at each start while the file exists.
      if (command.kind === 'unkill') this.#stopWatch.clear();
      const isTaken = this.#loop.command(command);
      if (command.kind === 'unkill') this.#stopWatch.onLift();
      if (isTaken) return null;
    }
    if (command.kind !== 'kill') return this.ending();
    // The ledger could not store the kill, so a stop file must keep the kill for the next start.
    if (this.#stopWatch.kill(command.reason)) return null;
    return `${this.ending() ?? 'it has ended'}; the kill cannot be stored: DO NOT START THE TRADER AGAIN`;
  }

  ending(): string | null {
    const error = this.#failure;
    if (error === null) return null;
    const why = messageOf(error);
    if (isTakenOver(error) || this.#session.storeFailed?.aborted === true) return why;
    if (this.isProven) return `the trader failed (${why}); it canceled everything without its ledger`;
    return `the trader cannot continue (${why}); it cancels everything without its ledger, and ends`;
  }

  snapshot(): TraderSnapshot {
    return this.#session.trader.snapshot(nowMs());
  }

  #afterStep(...[observation, requests, failure]: Parameters<Told>): void {
    this.#session.journal.step(observation, requests, failure);
    if (failure !== null) return;
    this.#telemetry.afterStep(observation, requests);
    this.#beat();
    this.#manager?.step();
    if (this.#isProofOverdue(this.#session.trader.wantsProof)) void this.#tryAfresh();
    this.#session.recorder?.step(observation, requests);
    const notices = this.#session.trader.takeNotices();
    if (notices.some(({ kind }) => kind === 'started')) this.#manager?.ready();
    for (const { timeMs, severity, kind, text } of notices)
      this.#telemetry.publisher.notice(timeMs, severity, kind, text);
    tellNotices(notices, this.#session.log, this.#screen);
  }

  /** Writes a heartbeat after a step. Cancels all orders if the loop was blocked for almost the guardian's time-out. */
  #beat(): void {
    const { guardian, trader } = this.#session;
    const stoodStillMs = guardian?.heart.beat(trader.nothingMayRest) ?? 0;
    if (stoodStillMs < this.#session.config.guardian.timeoutMs - DECLARED_DEAD_EARLIER_MS) return;
    this.#session.log.warn({ stood_still_ms: Math.round(stoodStillMs) }, 'the loop was blocked');
    this.#screen.say(`the event loop was blocked for ${(stoodStillMs / 1000).toFixed(1)} s: canceling every order`);
    this.#loop.command({ kind: 'cancel-all' });
  }

  #show(): void {
    this.#guard(() => {
      this.#session.storeFailed?.throwIfAborted();
      const snapshot = this.snapshot();
      this.#startedWith ??= snapshot.equityMicros;
      this.#telemetry.tellDueDay();
      this.#screen.show(snapshot, steadyMs() - this.#bornMs, nowMs());
    });
  }

  /** Runs `work`; null if it throws. After an error (a broken ledger), the trader cancels all orders and ends. */
  #guard<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      this.#fail(error);
      return null;
    }
  }

  #fail(error: unknown): void {
    this.#loop.end();
    // A promise may reject without an error value; a new error then replaces it.
    this.#failure ??= error ?? new Error('the trader failed, but reported no error');
    this.stop();
    if (!this.isProven) this.#telemetry.publisher.tellEnd(secrets.clean(this.ending() ?? ''), false);
  }
}

/** Kinds of info notices that the screen shows. `quote_hours` explains why a strategy stopped quoting. */
const SHOWN: readonly string[] = ['fill', 'mergeDone', 'splitDone', 'redeemDone', 'quote_hours'];

export function tellNotices(notices: readonly OperatorEvent[], log: Logger, screen: Screen): void {
  for (const { severity, kind, text } of notices) {
    if (severity === 'loud') log.warn({ kind }, text);
    else log.info({ kind }, text);
    if (severity !== 'loud' && !SHOWN.includes(kind)) continue;
    screen.say(`${utcText(nowMs()).slice(11)} ${kind === 'fill' ? 'fill: ' : ''}${text}`);
  }
}

/** Interval of schedule checks, ms; cron expressions have a resolution of one second. */
const LOOK_MS = 500;
/** Delay above which a scheduled job is reported as late, ms. */
const LATE_MS = 2_000;

interface JobHooks {
  readonly reconcile: () => void;
  readonly backupLedger: () => void;
  readonly dailySummary: () => void;
  /** Called at the start, and whenever a strategy's quote hours begin or end. */
  readonly quoteHours: (strategy: string, open: boolean) => void;
  /** Called before an overdue job runs. `job`: the job's name in the configuration. */
  readonly late: (job: string, lateMs: number) => void;
}

/** Runs the scheduled jobs until the returned function is called. A missed job runs once, at the next check. */
export function startJobs(
  { schedule, strategies }: Pick<Config, 'schedule'> & { readonly strategies: readonly ScheduledStrategy[] },
  hooks: JobHooks,
): () => void {
  const all: readonly (readonly [name: string, expression: string | null, run: () => void])[] = [
    ['reconcile', schedule.reconcile, hooks.reconcile],
    ['ledger_backup', schedule.ledgerBackup, hooks.backupLedger],
    ['daily_summary', schedule.dailySummary, hooks.dailySummary],
  ];
  const jobs = all.flatMap(([name, expression, run]) =>
    expression === null ? [] : [{ name, times: new JobTimes(expression, nowMs()), run }],
  );
  const hours = new QuoteHours(strategies);
  const look = () => {
    for (const { strategy, open } of hours.changes(nowMs())) hooks.quoteHours(strategy, open);
    for (const { name, times, run } of jobs) {
      const lateMs = times.findPassed(nowMs());
      if (lateMs === null) continue;
      if (lateMs > LATE_MS) hooks.late(name, lateMs);
      run();
    }
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}

/** Backs up the ledger. Returns null, or the reason of a failure. Never throws, so that trading continues. */
export async function backUpLedger(ledger: Config['ledger'], log: Logger, screen: Screen): Promise<string | null> {
  try {
    log.info(await makeBackup(ledger, nowMs()), 'ledger backed up');
    return null;
  } catch (error) {
    const why = messageOf(error);
    log.error({ err: error }, 'the ledger could not be backed up');
    screen.say(`the ledger could not be backed up: ${why}`);
    return why;
  }
}
