/** Runs one backtest: recorded events, requests in flight and the trader's heartbeats share one virtual clock. */

import { Heap } from '../../exchange/core/timer-queue.js';
import type { RecordedFeedValue } from '../../recording/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { declarationOf } from '../../shared/protocol/endpoints.js';
import type { FeedValue, Observation, OperatorCommand, Request } from '../../shared/protocol/seam.js';
import { QuoteHours } from '../../shell/runtime/job-times.js';
import type { TraderSettings } from '../../trader/engine/settings.js';
import { Trader } from '../../trader/engine/trader.js';
import type { IntentSigner } from '../../trader/executor/contract.js';
import { Executor } from '../../trader/executor/executor.js';
import { openMemoryLedger } from '../../trader/ledger/ledger.js';
import { eventOf } from '../report/analysis/markets.js';
import type { BacktestOutcome, BacktestPlan, FeedSource, FeedWord, MarketDriver, MarketListener } from './contract.js';
import { InProcessExchange } from './in-process-exchange.js';
import { GIVES_UP_MS } from './latency.js';
import { Metrics } from './metrics.js';
import { ReplayDriver, waitForReads } from './replay-driver.js';
import { Halts, makeSession, RequestCount } from './session.js';

const RESUME_REASON = 'the next event of the backtest begins';

/** Reason to resume a halted trader after its markets end: it must redeem its shares before the next event. */
const SETTLE_REASON = 'all open markets have ended';

const NOTHING: readonly FeedWord[] = [];

export class FeedReplay implements FeedSource {
  readonly #values: readonly RecordedFeedValue[];
  #next = 0;

  constructor(values: readonly RecordedFeedValue[]) {
    this.#values = values;
  }

  get nextMs(): number {
    return this.#values[this.#next]?.timeMs ?? Number.POSITIVE_INFINITY;
  }

  take(nowMs: number): readonly FeedWord[] {
    if (this.nextMs > nowMs) return NOTHING;
    const words = new Map<string, Map<string, FeedValue>>();
    for (let one = this.#values[this.#next]; one !== undefined && one.timeMs <= nowMs; one = this.#values[this.#next]) {
      this.#next += 1;
      const { feed, value } = one;
      const newest = words.get(feed) ?? new Map<string, FeedValue>();
      words.set(feed, newest);
      const before = newest.get(value.conditionId);
      if (before === undefined || before.atMs <= value.atMs) newest.set(value.conditionId, value);
    }
    return Array.from(words, ([feed, newest]) => ({ feed, values: [...newest.values()] }));
  }
}

type Happening = Readonly<{ atMs: number; place: number; run: () => void }>;

export class Timeline {
  readonly #heap = new Heap<Happening>((a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.place < b.place));
  #places = 0;
  nowMs: number;
  count = 0;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  after(delayMs: number, run: () => void): void {
    this.#heap.push({ atMs: this.nowMs + Math.max(0, Math.round(delayMs)), place: this.#places++, run });
  }

  get nextMs(): number {
    return this.#heap.first?.atMs ?? Number.POSITIVE_INFINITY;
  }

  runUntil(untilMs: number): void {
    for (let { first } = this.#heap; first !== undefined && first.atMs <= untilMs; first = this.#heap.first) {
      this.#heap.removeFirst();
      this.nowMs = first.atMs;
      this.count++;
      first.run();
    }
    this.nowMs = untilMs;
  }
}

const BEAT_MS = 100;
/** Time from the last close until a pause is skipped or the run ends, ms; merges and redeems complete in this time. */
const AFTERMATH_MS = 120_000;
const LOOK_MS = 60_000;
/** Maximum duration of a stop, in which the trader verifies that no order is open, ms; as in a live trader. */
const STOP_MS = 180_000;

export async function runBacktest(plan: BacktestPlan): Promise<BacktestOutcome> {
  const run = await BacktestRun.prepare(plan);
  try {
    await run.play();
    return run.outcome();
  } finally {
    run.close();
    await waitForReads();
  }
}

/** A lost answer has no exchange time and no request budget. */
const LOST = {
  outcome: { kind: 'unknown', reason: 'no answer in time', sent: true },
  venueTimeMs: null,
  budget: null,
} as const;

interface Prepared
  extends Pick<Parameters<typeof makeSession>[0], 'plan' | 'exchange' | 'metrics' | 'halts' | 'empty'> {
  readonly driver: MarketDriver;
}

class BacktestRun {
  readonly #parts: Prepared;
  readonly #timeline: Timeline;
  readonly #side: ReturnType<typeof startTrader>;
  readonly #count: RequestCount;
  readonly #hours: QuoteHours;
  readonly #feeds: FeedSource;
  readonly #trace = new Trace();
  readonly #fromMs: number;
  #nowMs: number;
  #beatMs: number;
  /** Each heartbeat of the trader occurs a whole multiple of `BEAT_MS` after this time. */
  #rhythmMs: number;
  #lastBeatMs = Number.NEGATIVE_INFINITY;
  #lookMs: number;
  #underWay = 0;
  #stopMs: number | null = null;

  private constructor(parts: Prepared) {
    const { plan, driver } = parts;
    const nowMs = driver.nextOpenMs;
    this.#parts = parts;
    this.#timeline = new Timeline(nowMs);
    this.#side = startTrader(plan.trader, nowMs);
    this.#count = new RequestCount(plan.trader.profile.rate_limits);
    this.#feeds = plan.made?.feeds ?? new FeedReplay(plan.feedValues ?? []);
    this.#hours = new QuoteHours(plan.trader.strategies);
    this.#fromMs = nowMs;
    this.#nowMs = nowMs;
    this.#rhythmMs = nowMs + (plan.phaseMs?.() ?? 0);
    this.#beatMs = this.#rhythmMs;
    this.#lookMs = nowMs;
    for (const { atMs, command } of plan.commands ?? [])
      this.#timeline.after(atMs - nowMs, () => this.#command(command));
    plan.onStart?.(() => this.#side.trader.snapshot(this.#nowMs));
  }

  static async prepare(plan: BacktestPlan): Promise<BacktestRun> {
    const { profile, capitalMicros } = plan.trader;
    const settings = {
      serviceName: profile.service_name,
      draftLifetimeMs: profile.draft_lifetime_s * 1000,
      landingMs: plan.landingMs,
      startingFunds: capitalMicros,
      challengeLifetimeMs: 600_000,
      seed: plan.seed,
      fillModel: plan.fillModel,
    };
    const exchange = new InProcessExchange(settings, profile.rate_limits, 0, (fill) => {
      // Metrics are measured at once, because they need the book as it was right before the trade.
      metrics.onFill(fill);
      plan.made?.onFill(fill);
    });
    const metrics = new Metrics(exchange.core, exchange.account);
    const halts = new Halts(plan.afterHalt ?? 'resume');
    const listener: MarketListener = {
      onOpen: (played) => {
        metrics.onOpen(played);
        halts.onOpen(eventOf(played.source.market));
      },
      ending: (played) => metrics.ending(played),
      onClose: (played, nowMs) => {
        metrics.onClose(played, nowMs);
        exchange.closeMarket(played.index, nowMs);
      },
    };
    const made = plan.made?.drive(exchange.core, exchange.account, listener);
    const parts = { plan, exchange, metrics, halts };
    if (made !== undefined) return new BacktestRun({ ...parts, driver: made, empty: [] });
    const { driver, empty } = await ReplayDriver.prepare(exchange.core, plan, listener);
    if (!Number.isFinite(driver.nextOpenMs)) {
      const names = empty.map(({ market }) => market.title).join(', ');
      const hint = '`twinbook data stats` shows the number of events of each recording, and their time span.';
      throw new TwinbookError('recording_invalid', `these recordings contain no events: ${names}`, hint);
    }
    return new BacktestRun({ ...parts, driver, empty });
  }

  async play(): Promise<void> {
    while (!this.#isOver()) {
      if (this.#isPause()) this.#skipPause();
      const nextMs = Math.min(this.#nextMs(), this.#parts.driver.nextOpenMs);
      if (this.#parts.driver.readUntilMs <= nextMs) {
        await this.#parts.driver.read(nextMs);
        // Recorded events that were just read may be due earlier, so the next time is computed again.
        continue;
      }
      if (this.#parts.driver.nextOpenMs <= nextMs) {
        this.#nowMs = nextMs;
        await this.#parts.driver.openDue(this.#nowMs);
        this.#resumeIfDue();
        continue;
      }
      this.#happen(nextMs);
    }
  }

  #nextMs(): number {
    const feedMs = Math.max(this.#feeds.nextMs, this.#nowMs);
    return Math.min(this.#beatMs, this.#timeline.nextMs, this.#parts.metrics.nextMs, this.#lookMs, feedMs);
  }

  #happen(nowMs: number): void {
    this.#nowMs = nowMs;
    if (this.#parts.metrics.nextMs <= nowMs) {
      this.#parts.driver.syncAll(nowMs);
      this.#parts.metrics.look(nowMs);
    }
    this.#timeline.runUntil(nowMs);
    for (const word of this.#feeds.take(nowMs)) this.#step({ kind: 'feed', nowMs, ...word });
    if (this.#beatMs <= nowMs) this.#beat();
    if (this.#lookMs <= nowMs) this.#look();
  }

  #beat(): void {
    const nowMs = this.#nowMs;
    this.#lastBeatMs = nowMs;
    for (const change of this.#hours.changes(nowMs))
      this.#step({ kind: 'command', nowMs, command: { kind: 'quote-hours', ...change } });
    this.#step({ kind: 'time', nowMs });
  }

  #planBeat(): void {
    const quietMs = Math.min(this.#side.trader.quietUntilMs(this.#nowMs), this.#hours.nextLookMs);
    const beats = Math.ceil((quietMs - this.#rhythmMs) / BEAT_MS);
    this.#beatMs = Math.max(this.#rhythmMs + beats * BEAT_MS, this.#lastBeatMs + BEAT_MS);
  }

  #resumeIfDue(): void {
    this.#parts.halts.onLook(this.#nowMs, this.#side.trader.snapshot(this.#nowMs).heldBack);
    const isDue = this.#parts.halts.takeResume(this.#nowMs);
    if (!isDue && !this.#parts.halts.takeSettle(this.#parts.driver.openCount)) return;
    this.#timeline.runUntil(this.#nowMs);
    this.#command({ kind: 'resume', reason: isDue ? RESUME_REASON : SETTLE_REASON });
  }

  #look(): void {
    this.#lookMs = this.#nowMs + LOOK_MS;
    if (this.#stopMs === null) this.#resumeIfDue();
    this.#count.onSnapshot(this.#side.trader.snapshot(this.#nowMs));
    this.#parts.plan.progress?.(this.#nowMs - this.#fromMs, this.#parts.driver.untilMs - this.#fromMs);
  }

  #isPause(): boolean {
    const { openCount, nextOpenMs, lastClosedMs } = this.#parts.driver;
    const idle = openCount === 0 && this.#underWay === 0 && this.#nowMs - lastClosedMs > AFTERMATH_MS;
    return idle && Number.isFinite(nextOpenMs) && this.#pauseEndMs - this.#nowMs > BEAT_MS;
  }

  get #pauseEndMs(): number {
    return Math.min(this.#parts.driver.nextOpenMs, this.#timeline.nextMs);
  }

  #skipPause(): void {
    this.#nowMs = this.#pauseEndMs;
    this.#rhythmMs = this.#nowMs + (this.#parts.plan.phaseMs?.() ?? 0);
    this.#beatMs = this.#rhythmMs;
    this.#lookMs = this.#nowMs;
  }

  #isOver(): boolean {
    const { openCount, nextOpenMs, lastClosedMs } = this.#parts.driver;
    const isPlayed = openCount === 0 && !Number.isFinite(nextOpenMs) && this.#nowMs - lastClosedMs > AFTERMATH_MS;
    if (this.#stopMs === null && isPlayed) this.#command({ kind: 'stop' });
    if (this.#stopMs === null) return false;
    return this.#nowMs - this.#stopMs > STOP_MS || this.#side.trader.snapshot(this.#nowMs).mode === 'stopped';
  }

  #command(command: OperatorCommand): void {
    if (command.kind === 'stop') this.#stopMs = this.#nowMs;
    if (command.kind === 'resume' && command.reason !== '' && command.reason !== SETTLE_REASON)
      this.#parts.halts.onResume(this.#nowMs);
    this.#step({ kind: 'command', nowMs: this.#nowMs, command });
  }

  #step(observation: Observation): void {
    for (const request of this.#side.trader.handle(observation)) this.#send(request);
    const notices = this.#side.trader.takeNotices();
    this.#count.notices(notices);
    this.#parts.halts.onNotices(notices);
    this.#planBeat();
  }

  #send(request: Request): void {
    const sentMs = this.#nowMs;
    this.#trace.number(sentMs);
    this.#trace.text(request.call.endpoint);
    for (const name of Object.values(request.call.params as Readonly<Record<string, string>>)) this.#trace.text(name);
    if (request.call.body !== undefined) this.#trace.text(JSON.stringify(request.call.body));
    this.#parts.plan.onSent?.(request, sentMs);
    this.#count.countRequest(request.call.endpoint, declarationOf(request.call.endpoint).scope, sentMs);
    const { latency } = this.#parts.plan;
    latency.draw(request.call.endpoint);
    const { thereMs, backMs, isLost } = latency;
    this.#underWay++;
    this.#timeline.after(thereMs, () => {
      const answer = this.#reach(request);
      if (!isLost) this.#timeline.after(backMs, () => this.#deliver(request.id, answer, sentMs));
    });
    if (isLost) this.#timeline.after(GIVES_UP_MS, () => this.#deliver(request.id, LOST, sentMs));
  }

  #reach(request: Request) {
    const { call } = request;
    const nowMs = this.#nowMs;
    const isPublic = declarationOf(call.endpoint).scope === 'public';
    const { condition_id: conditionId } = call.params as { readonly condition_id?: string };
    const index = conditionId === undefined ? null : this.#parts.exchange.core.catalog.findIndex(conditionId);
    // A public call needs only the events of its own market. The state of the trader's account depends on all markets.
    if (isPublic && index !== null) this.#parts.driver.sync(index, nowMs);
    else this.#parts.driver.syncAll(nowMs);
    const answer = this.#parts.exchange.answer(call, nowMs);
    this.#parts.metrics.onAnswer(call, answer.outcome, nowMs);
    this.#count.countAnswer(declarationOf(call.endpoint).scope, answer.outcome);
    return answer;
  }

  #deliver(requestId: number, answer: ReturnType<InProcessExchange['answer']> | typeof LOST, sentMs: number): void {
    const { outcome, venueTimeMs, budget } = answer;
    this.#underWay--;
    this.#trace.number(this.#nowMs);
    this.#trace.text(outcome.kind === 'refused' ? outcome.slug : outcome.kind);
    this.#step({ kind: 'outcome', nowMs: this.#nowMs, requestId, outcome, sentMs, venueTimeMs, budget });
  }

  outcome(): BacktestOutcome {
    this.#parts.driver.syncAll(this.#nowMs);
    this.#parts.metrics.onEnd(this.#nowMs);
    this.#look();
    const isStopped = this.#side.trader.snapshot(this.#nowMs).mode === 'stopped';
    this.#side.trader.end(this.#nowMs, 'the data ended');
    const { ledger } = this.#side;
    const times = { fromMs: this.#fromMs, toMs: this.#nowMs };
    const session = makeSession({ ...this.#parts, count: this.#count, ledger, isStopped, ...times });
    for (const { timeMs, priceMicros, amountMicros } of session.markets.flatMap(({ fills }) => fills))
      for (const figure of [timeMs, priceMicros, amountMicros]) this.#trace.number(figure);
    return { session, events: this.#parts.driver.events, traceHash: this.#trace.hash };
  }

  close(): void {
    this.#parts.driver.close();
    this.#side.ledger.close();
  }
}

/** Hash over all requests, answers and fills of a backtest; fast but not cryptographic. */
class Trace {
  #a = 0x811c9dc5;
  #b = 0x9e3779b9;

  number(value: number): void {
    // Adds both 32-bit halves of the value to the hash, because times and amounts exceed 32 bits.
    this.#mix(value | 0);
    this.#mix(Math.floor(value / 4294967296) | 0);
  }

  text(value: string): void {
    for (let i = 0; i < value.length; i++) this.#mix(value.charCodeAt(i));
    this.#mix(value.length);
  }

  #mix(word: number): void {
    this.#a = Math.imul(this.#a ^ word, 0x01000193);
    this.#b = Math.imul((this.#b ^ word) + (this.#a >>> 15), 0x85ebca6b) ^ (this.#b >>> 13);
  }

  get hash(): string {
    return [this.#a, this.#b].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }
}

/**
 * Copies the settings field by field. A spread (`...settings`) would give each backtest's settings a new hidden class,
 * for which V8 compiles the trader again. The return type ensures that no field is missing.
 */
export function completeSettings(settings: BacktestPlan['trader']): TraderSettings & Required<BacktestPlan['trader']> {
  const { configHash, version, profile, capitalMicros, risk, polling, merge, economics, events, strategies } = settings;
  const { feeds = [] } = settings;
  return {
    runId: 'backtest',
    configHash,
    version,
    profile,
    capitalMicros,
    risk,
    polling,
    merge,
    economics,
    events,
    strategies,
    feeds,
    boundedCall: <T>(call: () => T): T => call(),
  };
}

const SIGNATURE = '0'.repeat(128);

function startTrader(trader: BacktestPlan['trader'], nowMs: number) {
  const settings = completeSettings(trader);
  const { runId, configHash, profile, polling } = settings;
  const ledger = openMemoryLedger();
  const signer: IntentSigner = { sign: () => ({ ok: true, signature: SIGNATURE }) };
  const executor = new Executor(ledger, signer, profile, { runId, configHash, ownPollMs: polling.ownIntervalMs });
  return { trader: new Trader(settings, ledger, executor, nowMs), ledger };
}
