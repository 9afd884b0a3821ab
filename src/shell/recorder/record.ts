/** Implements `twinbook record`. A recorder places no orders, and uses credentials only to read orders and trades. */

import { plainLine } from '../../shared/base/text.js';
import type { DataOf } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { MarketPoll } from '../../shared/protocol/request-owner.js';
import type { Observation, PlannedRequest, Request, RequestResult } from '../../shared/protocol/seam.js';
import { isSettledMarket, type MarketState as MarketPhase } from '../../shared/protocol/states.js';
import { Silence, UnreadLists, type WatchedList } from '../../trader/engine/notices.js';
import { MarketTracker } from '../../trader/market/market-tracker.js';
import { PageWalk } from '../../trader/reconcile/list-cursor.js';
import { PollPlan } from '../../trader/scheduler/poll-plan.js';
import { type PollResult, pollCall } from '../../trader/scheduler/poll-record.js';
import { RequestQueue } from '../../trader/scheduler/request-queue.js';
import { ServiceClient } from '../client/client.js';
import type { ClientNotice } from '../client/contract.js';
import { duration, nowMs, steadyMs } from '../runtime/clock.js';
import { Loop, type Told } from '../runtime/loop.js';
import type { Credentials } from '../wallet/key-file.js';
import type { Capture } from './capture/capture.js';
import { Recorder } from './recorder.js';

type SteppedCore = ConstructorParameters<typeof Loop>[0];
const LINE_EVERY_MS = 60_000;
/** Times between the start and the first status lines, ms; short, so that the operator soon sees progress. */
const FIRST_LINES_MS = [5_000, 15_000, 30_000] as const;

interface RecordOptions {
  readonly venue: string;
  readonly profile: VenueProfile;
  readonly baseUrl: string;
  /** Absolute path of the folder of recordings. */
  readonly folder: string;
  /** Fraction of the venue's request budget to use, above 0, at most 1. */
  readonly share: number;
  /** Ids of the markets to record; empty records all open markets. */
  readonly marketIds: readonly string[];
  /** Maximum duration of the recording, minutes; null for no limit. */
  readonly minutes: number | null;
  /** Number of price levels requested per side of a book, 1 to 100. */
  readonly bookDepth: number;
  /** Credentials for own orders and trades; null records only public data. */
  readonly credentials: Credentials | null;
}

interface RecordIo {
  readonly out: (text: string) => void;
  readonly stopAsked: () => Promise<void>;
}

/** Records until stopped and returns item counts. Throws TwinbookError for an unwritable folder or a full disk. */
export async function record(options: RecordOptions, io: RecordIo): Promise<Capture['counts']> {
  const { venue, profile, baseUrl, folder, credentials, minutes, marketIds } = options;
  const asked = io.stopAsked();
  const say = (text: string) => io.out(`${plainLine(text)}\n`);
  let finish: () => void = () => undefined;
  let onFailure: (error: unknown) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    finish = resolve;
    onFailure = reject;
  });
  // The empty handler prevents an unhandled rejection; the race below still gets the error.
  ended.catch(() => undefined);
  const plan = new RecordPlan(options);
  const recorder = await Recorder.open({
    folder,
    venue,
    bookIntervalMs: QUIET_INTERVAL_MS,
    only: marketIds.length === 0 ? null : new Set(marketIds),
    publicPerMinute: plan.limits.public_per_minute,
    onFailure,
    onLeftOut: say,
  });
  const client = new ServiceClient({
    profile,
    baseUrl,
    onNotice: (notice) => say(describeNotice(notice)),
    budgets: { public: plan.limits.public_per_minute, signed: plan.limits.signed_per_minute },
    ...(credentials === null ? {} : { credentials }),
  });
  const startedMs = steadyMs();
  const afterStep: Told = (observation, requests, failure) => {
    // The time is checked here, because a timer of more than 2^31 - 1 ms would fire at once.
    if (minutes !== null && steadyMs() - startedMs >= minutes * 60_000) finish();
    if (failure !== null) return;
    recorder.step(observation, requests);
    plan.ownResting = recorder.capture.ownResting;
    const notices = plan.takeNotices();
    for (const text of notices) say(`${new Date(nowMs()).toISOString().slice(11, 19)} ${text}`);
    if (notices.length === 0 || !plan.isOver) return;
    say('none of the named markets can be recorded any more');
    finish();
  };
  const perform: ConstructorParameters<typeof Loop>[1]['perform'] = (request) => client.perform(request);
  const loop = new Loop(plan, { perform, before: () => null, afterStep, onFailure });
  say(`recording ${venue} at ${baseUrl} into ${folder}`);
  const { public_per_minute: open, signed_per_minute: signed } = plan.limits;
  const own = credentials === null ? 'public data only' : 'with the account’s orders and trades';
  say(`up to ${open} public and ${signed} signed requests a minute, ${options.bookDepth} book levels per side, ${own}`);
  const report = () => say(statusLine(duration(steadyMs() - startedMs), plan, recorder));
  const timers = [...FIRST_LINES_MS.map((afterMs) => setTimeout(report, afterMs)), setInterval(report, LINE_EVERY_MS)];
  loop.start();
  try {
    await Promise.race([asked, ended]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    loop.end();
    await client.close();
    await recorder.close();
  }
  say(`recorded ${duration(steadyMs() - startedMs)}: ${countsText(recorder.capture.counts)}`);
  return recorder.capture.counts;
}

function statusLine(elapsed: string, plan: RecordPlan, { capture, usualMs }: Recorder): string {
  const { perMinute, available: left } = plan.queue.status('public', nowMs());
  return [
    elapsed,
    `${plan.open} markets open`,
    countsText(capture.counts),
    `each book is read about every ${Math.round(usualMs / 1000)} s`,
    `public requests in this minute: ${Math.max(0, perMinute - left)} of ${plan.limits.public_per_minute}`,
  ].join(' | ');
}

function describeNotice(notice: ClientNotice): string {
  return notice.kind === 'throttled'
    ? `the request limit is reached: the venue rejects requests for ${Math.ceil(notice.waitMs / 1000)} s from now`
    : `this machine's clock differs from the venue's by ${(notice.offsetMs / 1000).toFixed(1)} s`;
}

function countsText({ markets, levels, trades, gaps, own, refused, dropped }: Capture['counts']): string {
  const more = { 'own rows': own, 'invalid events': refused, 'trades dropped': dropped };
  const seen = Object.entries(more).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []));
  return [`${markets} recorded`, `${levels} levels`, `${trades} trades`, `${gaps} gaps`, ...seen].join(', ');
}

/** Maximum interval between two reads of a book, ms, if the request budget suffices. */
const QUIET_INTERVAL_MS = 10_000;
/** Interval between reads of markets that are neither open nor settled, ms; one market is read each time. */
const WAITING_INTERVAL_MS = 15_000;
/** Maximum rounds in one step that report unsent requests to the plan; each report may cause new requests. */
const MAX_UNSENT_ROUNDS = 4;

type RecordPlanSettings = Pick<RecordOptions, 'profile' | 'share' | 'bookDepth' | 'marketIds' | 'credentials'>;

interface RecordedFeedState {
  readonly feed: MarketTracker;
  /** Market phase at the newest read of the market; null before the first read. */
  phase: MarketPhase | null;
  /** Whether the market has an order book; only such markets can be recorded. */
  hasBook: boolean;
}

/** Core of a recorder; reads no clock. Plans the reads of all books; active books are read most often. */
export class RecordPlan implements SteppedCore {
  readonly #settings: RecordPlanSettings;
  readonly limits: VenueProfile['rate_limits'];
  readonly queue: RequestQueue;
  readonly #poller: PollPlan;
  readonly #markets = new Map<string, RecordedFeedState>();
  #catalog: PageWalk<'markets.list'> | null = null;
  #waitingMs = Number.NEGATIVE_INFINITY;
  #waitingTurn = 0;
  readonly #silence = new Silence();
  readonly #unreadLists = new UnreadLists();
  #notices: string[] = [];
  /** Number of own orders that may rest, according to the capture. */
  ownResting = 0;

  constructor(settings: RecordPlanSettings) {
    this.#settings = settings;
    const { public_per_minute: open, signed_per_minute: signed, ...others } = settings.profile.rate_limits;
    // This recorder's part of the request limits is at least one public and one signed request a minute.
    const part = (perMinute: number) => Math.max(1, Math.floor(perMinute * settings.share));
    this.limits = { ...others, public_per_minute: part(open), signed_per_minute: part(signed) };
    this.queue = new RequestQueue(this.limits);
    this.#poller = new PollPlan({
      ownIntervalMs: 2_000,
      hotIntervalMs: 1_000,
      quietIntervalMs: QUIET_INTERVAL_MS,
      catalogIntervalMs: 30_000,
      // Unused: `#isWanted` rejects asset requests, because a recording has no account state.
      assetsIntervalMs: 3_600_000,
      ownTrades: settings.profile.own_trades,
      bookDepth: settings.bookDepth,
    });
    for (const id of settings.marketIds) this.#watch(id);
  }

  get open(): number {
    return [...this.#markets.values()].filter(isOpen).length;
  }

  /** True if markets are named, and each is settled, has no order book or is unknown to the venue. */
  get isOver(): boolean {
    if (this.#settings.marketIds.length === 0) return false;
    return [...this.#markets.values()].every((watched) => !watched.hasBook || isOver(watched));
  }

  takeNotices(): readonly string[] {
    const notices = this.#notices;
    this.#notices = [];
    return notices;
  }

  handle(observation: Observation): readonly Request[] {
    const { nowMs } = observation;
    if (observation.kind === 'outcome') this.#onOutcome(observation);
    this.#plan(nowMs);
    const requests: Request[] = [];
    for (let round = 0; round < MAX_UNSENT_ROUNDS; round++) {
      const released = this.queue.release(nowMs);
      requests.push(...released.requests);
      if (released.unsent.length === 0) break;
      for (const { request, reason } of released.unsent) {
        const outcome = { kind: 'unknown', reason, sent: false } as const;
        this.#onReport({ request, outcome, nowMs, sentMs: nowMs, venueTimeMs: null }, NO_REQUEST);
      }
    }
    return requests;
  }

  #plan(nowMs: number): void {
    const open = [...this.#markets].filter(([, watched]) => isOpen(watched));
    this.queue.setOpenOrders(0);
    const requests = this.#poller.takeDue(nowMs, {
      markets: open.map(([marketConditionId, { feed }]) => ({
        marketConditionId,
        seenMs: feed.motion?.seenMs ?? null,
        price: feed.motion?.price ?? 0,
        usualDistance: feed.motion?.halfSpread ?? 0,
        sigmaPerSqrtS: feed.motion?.sigmaPerSqrtS ?? 0,
        jumpsPerS: feed.motion?.jumpsPerS ?? 0,
        takersPerS: feed.motion?.takersPerS ?? 0,
        quotes: [],
        isOver: false,
      })),
      openMarketPages: Number.POSITIVE_INFINITY,
      openOrders: this.ownResting,
      publicPerMinute: this.queue.perMinute('public', nowMs),
      signedPerMinute: this.queue.perMinute('signed', nowMs),
      publicHeadroom: () => this.queue.headroom('public', 'quiet', nowMs),
    });
    for (const request of requests) {
      if (this.#isWanted(request)) this.queue.push(request);
      else if (request.owner.kind === 'poll') this.#poller.onReport(request.owner.target, 'unsent', nowMs);
    }
    this.#askWaiting(nowMs);
  }

  #isWanted({ owner }: PlannedRequest): boolean {
    switch (owner.kind === 'poll' ? owner.target.kind : null) {
      case 'assets':
        return false;
      case 'orders':
      case 'fills':
        return this.#settings.credentials !== null;
      case 'catalog':
        return this.#settings.marketIds.length === 0;
      default:
        return true;
    }
  }

  /** Reads one of the markets that are neither open nor settled: a few reopen, most settle. */
  #askWaiting(nowMs: number): void {
    // The second condition is false after the clock was set back, so that these reads are not delayed.
    if (nowMs - this.#waitingMs < WAITING_INTERVAL_MS && nowMs >= this.#waitingMs) return;
    const waiting = [...this.#markets].filter(([, one]) => !isOpen(one) && one.hasBook && !isOver(one));
    const next = waiting[this.#waitingTurn++ % Math.max(1, waiting.length)];
    if (next === undefined) return;
    this.#waitingMs = nowMs;
    const call = pollCall({ kind: 'detail', marketConditionId: next[0] }, this.#settings.bookDepth, nowMs);
    const latestMs = nowMs + WAITING_INTERVAL_MS;
    this.queue.push({ lane: 'quiet', call, latestMs, owner: { kind: 'other', name: next[0] } });
  }

  #onOutcome(observation: Extract<Observation, { kind: 'outcome' }>): void {
    const { outcome, nowMs, sentMs, venueTimeMs } = observation;
    // If `share` is below 1, the budget reported by the venue is ignored, because other programs use the rest of it.
    const told = this.#settings.share < 1 ? { ...observation, budget: null } : observation;
    const request = this.queue.onOutcome(told);
    if (outcome.kind !== 'unknown') this.#onHeard();
    else if (this.#silence.onUnknown(nowMs))
      this.#notices.push(`the venue does not answer (${outcome.reason}); the recording has a gap until it answers`);
    this.#onReport({ request, outcome, nowMs, sentMs, venueTimeMs }, observation.requestId);
  }

  #onReport(report: RequestResult, requestId: number): void {
    const { owner } = report.request;
    // In requests made by `#askWaiting`, the owner's name is the market's id.
    if (owner.kind === 'other') this.#onMarket('detail', owner.name, report, requestId);
    if (owner.kind !== 'poll') return;
    const { target } = owner;
    if (target.kind === 'catalog') return this.#onCatalog(report);
    if (target.kind === 'orders' || target.kind === 'fills')
      return this.#noteLook(target.kind, toPollResult(report), report);
    if ('marketConditionId' in target) this.#onMarket(target.kind, target.marketConditionId, report, requestId);
    this.#poller.onReport(target, toPollResult(report), report.nowMs);
  }

  /** Passes the outcome of reading a list to the poll plan, and warns if the list stays unreadable. */
  #noteLook(list: WatchedList, result: PollResult, report: RequestResult): void {
    this.#poller.onReport({ kind: list }, result, report.nowMs);
    const news = this.#unreadLists.onLook(list, result, report, this.#silence.isOn);
    if (news !== null) this.#notices.push(news.text);
  }

  #onMarket(kind: MarketPoll, id: string, { outcome, ...report }: RequestResult, requestId: number): void {
    const watched = this.#markets.get(id);
    if (watched === undefined) return;
    if (kind === 'detail' && outcome.kind === 'refused' && outcome.status === 404) {
      this.#markets.delete(id);
      this.#notices.push(`the venue has no market ${id}`);
      return;
    }
    if (outcome.kind !== 'answered') return;
    const at = { requestId, sentMs: report.sentMs, seenMs: report.nowMs, venueTimeMs: report.venueTimeMs };
    // The casts are safe: the data has the type of the request's endpoint, which `kind` names.
    if (kind === 'book') watched.feed.onBook(outcome.data as DataOf<'markets.book'>, at, []);
    if (kind === 'detail') this.#onDetail(watched, outcome.data as DataOf<'markets.detail'>);
  }

  #onDetail(watched: RecordedFeedState, detail: DataOf<'markets.detail'>): void {
    const { state, config, title, condition_id: conditionId } = detail;
    const before = watched.phase;
    watched.phase = state;
    watched.hasBook = config.kind === 'orderbook';
    if (!watched.hasBook && before === null) {
      this.#notices.push(`"${title}" has no order book and is not recorded`);
    } else if (before !== null && before !== state) {
      this.#notices.push(`"${title}" is now ${state}`);
    }
    if (isOver(watched) && this.#settings.marketIds.length === 0) this.#markets.delete(conditionId);
  }

  /** Processes a page of the market list. Only the complete list shows which markets are open. */
  #onCatalog(report: RequestResult): void {
    this.#catalog ??= new PageWalk((row) => row.condition_id);
    const walk = this.#catalog;
    const step = walk.onReport(report);
    if (step.kind === 'page' && step.next !== null) {
      this.queue.push(step.next);
      return;
    }
    this.#catalog = null;
    if (step.kind === 'void')
      return this.#noteLook('catalog', toPollResult(report) === 'unsent' ? 'unsent' : 'failed', report);
    const listed = new Set(walk.rows.map((row) => row.condition_id));
    for (const id of listed) this.#watch(id);
    for (const [marketConditionId, watched] of this.#markets) {
      if (isOpen(watched) && !listed.has(marketConditionId))
        this.#poller.expedite({ kind: 'detail', marketConditionId });
    }
    this.#noteLook('catalog', 'ok', report);
  }

  #watch(id: string): void {
    if (this.#markets.has(id)) return;
    this.#markets.set(id, { feed: new MarketTracker(id), phase: null, hasBook: true });
  }

  #onHeard(): void {
    const { wasOn, isBack } = this.#silence.onAnswer();
    if (isBack) this.#notices.push('the venue answers again: the gap of the recording ends');
    if (!wasOn) return;
    for (const [marketConditionId, watched] of this.#markets)
      if (isOpen(watched)) this.#poller.expedite({ kind: 'book', marketConditionId });
  }
}

const isOpen = ({ phase, hasBook }: RecordedFeedState): boolean => hasBook && (phase === null || phase === 'open');
const isOver = ({ phase }: RecordedFeedState): boolean => phase !== null && isSettledMarket(phase);

const NO_REQUEST = 0;

function toPollResult({ outcome }: Pick<RequestResult, 'outcome'>): PollResult {
  if (outcome.kind === 'answered') return 'ok';
  return outcome.kind === 'unknown' && !outcome.sent ? 'unsent' : 'failed';
}
