/** The trader's state between two observations: its parts and its conclusions. */

import { formatDecimal } from '../../shared/base/decimal.js';
import type { Micros } from '../../shared/base/micros.js';
import type { RequestResult } from '../../shared/protocol/seam.js';
import type { Executor } from '../executor/executor.js';
import type { BookedFill, Ledger, OperatorEvent } from '../ledger/contract.js';
import { CONVERSION_KINDS } from '../ledger/tables.js';
import { type OwnMarketState, type Stance, type TraderPace, USUAL_REACT_S } from '../market/view.js';
import type { PageWalk } from '../reconcile/page-walk.js';
import { Reconciler } from '../reconcile/reconciler.js';
import type { RiskStance } from '../risk/controls.js';
import { BudgetWatch } from '../scheduler/budget-watch.js';
import type { PollResult } from '../scheduler/contract.js';
import { PollPlan } from '../scheduler/poll-plan.js';
import { ReactionPace, RequestPrice } from '../scheduler/request-price.js';
import { RequestQueue } from '../scheduler/request-queue.js';
import { CoreSets } from './control/complete-sets.js';
import {
  type HeldBack,
  LADDER,
  MODES_NOTE,
  type ModeNow,
  Modes,
  type Stops,
  type StoredModes,
} from './control/modes.js';
import { type FleetBounds, Pauses } from './control/pauses.js';
import { Feeds } from './feeds.js';
import { ExchangeRefusals, Guards } from './guards/guards.js';
import { type MarketEntry, Markets } from './markets.js';
import { OwnLists } from './own/own-lists.js';
import { averageCost, heldIn, type OwnState, ownOrders, readOwnState } from './own/own-state.js';
import { Valuation } from './own/valuation.js';
import { Polling } from './polling.js';
import type { QuoteSlot } from './quoting/quote-slot.js';
import { Selection } from './selection/selection.js';
import type { TraderSettings } from './settings.js';
import { Silence } from './silence.js';
import { UnreadLists, UnreadMarkets, type WatchedList } from './unread-lists.js';
import { VenueClock } from './venue-clock.js';

/** Requested levels per side: more than any strategy here uses, and a fifth of the size of a full book. */
const BOOK_DEPTH = 20;

/** Longest wait of a stop for conversions in flight, ms; the next start books later ones. */
const CONVERSION_PATIENCE_MS = 10_000;

export class TraderState {
  /** Replaced as a whole by a `configure`. */
  settings: TraderSettings;
  readonly ledger: Ledger;
  readonly executor: Executor;
  readonly queue: RequestQueue;
  readonly poller: PollPlan;
  readonly polling = new Polling(this);
  readonly markets: Markets;
  readonly modes: Modes;
  readonly ownLists: OwnLists;
  readonly reconciler: Reconciler;
  readonly venueClock = new VenueClock();
  readonly guards: Guards;
  readonly pauses: Pauses;
  readonly coreSets: CoreSets;
  readonly valuation: Valuation;
  readonly feeds: Feeds;
  readonly selection = new Selection();
  readonly requestPrice = new RequestPrice();
  readonly reactionPace = new ReactionPace(USUAL_REACT_S);
  /** Our clock, ms, of the last cancel attempt per order. */
  readonly cancelTries = new Map<string, number>();
  catalog: PageWalk<'markets.list'> | null = null;
  details: PageWalk<'search.list'> | null = null;
  /** Our clock, ms, at the newest observation. */
  seenMs = Number.NEGATIVE_INFINITY;
  tickedMs = Number.NEGATIVE_INFINITY;
  /**
   * Our clock, ms, at the first observation; null before it. Minus infinity after a clock set back: the startup grace
   * is then over, and quotes without a fresh book are pulled.
   */
  bornMs: number | null = null;
  /** Our clock, ms, since no order or cancel is unsettled; null while one is. */
  settledMs: number | null = null;
  readonly silence = new Silence();
  readonly budgetWatch: BudgetWatch;
  readonly unreadLists = new UnreadLists();
  readonly unreadMarkets = new UnreadMarkets();
  /** Over all markets. */
  readonly exchangeRefusals = new ExchangeRefusals();
  fills = 0;
  /** Requests that were dropped before they left. */
  unsent = 0;
  readonly #notices: OperatorEvent[] = [];
  #own: OwnState | null = null;
  /** One object, refilled on each call: every step reads the mode several times. */
  readonly #stops: { -readonly [Name in keyof Stops]: Stops[Name] } = {
    halted: null,
    reducing: null,
    widened: null,
    fleet: null,
    unread: null,
  };
  /** Null without a fleet. */
  fleet: FleetBounds | null = null;
  /** Stance of the newest step: orders begun under another stance are judged again. */
  stance: RiskStance = 'halted';
  #sequence = 0;

  constructor(settings: TraderSettings, ledger: Ledger, executor: Executor) {
    this.settings = settings;
    this.ledger = ledger;
    this.executor = executor;
    this.queue = new RequestQueue(settings.profile.rate_limits, 1, settings.polling.cancelAllWithinMs);
    this.budgetWatch = new BudgetWatch(settings.profile.rate_limits);
    const ownTrades = settings.profile.own_trades;
    this.poller = new PollPlan({ ...settings.polling, ownTrades, bookDepth: BOOK_DEPTH });
    this.markets = new Markets(settings, ledger);
    // This class alone writes the note, so it parses.
    this.modes = new Modes(JSON.parse(ledger.note(MODES_NOTE) ?? '{}') as Partial<StoredModes>);
    this.reconciler = new Reconciler(ledger, executor, ownTrades);
    this.ownLists = new OwnLists(ledger, executor, this.reconciler);
    this.guards = new Guards(ledger, settings.risk);
    this.pauses = new Pauses(ledger);
    this.coreSets = new CoreSets(ledger);
    this.valuation = new Valuation(ledger);
    this.feeds = new Feeds(settings.feeds ?? []);
    // As after a kill: a halt may have left resting orders.
    if (this.guards.halted !== null) this.modes.cancelAll();
  }

  /** Cached own state, rebuilt after `invalidateOwn`. */
  get own(): OwnState {
    this.#own ??= readOwnState(
      this.ledger,
      this.executor,
      (market) => this.markets.findTerms(market),
      this.settings.events,
    );
    return this.#own;
  }

  invalidateOwn(): void {
    this.#own = null;
  }

  get isStale(): boolean {
    return this.#own === null;
  }

  mode(): ModeNow {
    const { widened, reducing } = this.guards.loss.rung;
    const fleet = this.fleet?.hold ?? null;
    const stops = this.#stops;
    stops.halted = this.guards.halted;
    stops.reducing = this.reduceOnly ?? reducing;
    stops.widened = widened;
    stops.fleet = fleet;
    stops.unread = this.unreadLists.pulled;
    const now = this.modes.mode(stops);
    if (now.mode !== 'stopped' || !this.#isConverting) return now;
    // Nothing rests, but currency is in flight: a short wait avoids leaving it to the next start.
    const waitedMs = Math.abs(this.seenMs - (this.modes.provenMs ?? this.seenMs));
    return waitedMs < CONVERSION_PATIENCE_MS
      ? { mode: 'stopping', reason: 'a merge, split or redeem is landing' }
      : now;
  }

  /** Why only reducing orders are allowed after odd answers of the exchange; null when nothing is odd. */
  get reduceOnly(): string | null {
    return this.reconciler.verdict ?? this.guards.fillAlarm.verdict;
  }

  /** Why everything or a part is stopped or held back until an operator resumes with a reason; null when nothing is. */
  get stopped(): string | null {
    return this.guards.halted ?? this.pauses.first ?? this.guards.fillAlarm.verdict ?? this.heldBack?.reason ?? null;
  }

  /** Why a partly used loss limit, and nothing stricter, holds the trader back; null when it does not. */
  get heldBack(): HeldBack | null {
    const { mode: rung, reason } = this.mode();
    if (rung !== 'widened' && rung !== 'reducing') return null;
    return reason === this.guards.loss.rung[rung] ? { rung, reason } : null;
  }

  get #isConverting(): boolean {
    return this.executor
      .reservations()
      .some(({ kind, phase }) => kind !== 'place' && kind !== 'cancel' && phase !== 'abandoned');
  }

  saveModes(): void {
    this.ledger.setNote(MODES_NOTE, JSON.stringify(this.modes.stored));
  }

  /** Values the holdings and passes the result to the loss guard. */
  valueHoldings(nowMs: number): void {
    for (const { conditionId, feed } of this.markets.all) {
      this.valuation.look(conditionId, feed.mark(nowMs, ownOrders(this.own, conditionId)), feed.others, nowMs);
    }
    this.#measureLoss(nowMs);
    if (this.guards.loss.isDue || this.valuation.takeDue(nowMs)) this.saveLoss();
  }

  #measureLoss(nowMs: number): void {
    const worth = this.valuation.value(this.own, this.#isOut, nowMs - (this.bornMs ?? nowMs));
    if (worth === null) return;
    const { loss } = this.guards;
    // Days follow the exchange's clock: ours may be a day ahead.
    const halted = loss.observe(this.venueClock.nowMs(nowMs) ?? nowMs, worth);
    if (halted !== null) this.#halt(halted, nowMs);
  }

  /** True when observations of a market are ignored. */
  readonly #isOut = (conditionId: string): boolean => (this.markets.get(conditionId)?.excludedBecause ?? null) !== null;

  /** Counts a booked fill in the guards and updates the loss that bounds the next order. */
  countFill({ timestampS }: BookedFill, nowMs: number): void {
    const halted = this.guards.observeFill(timestampS);
    if (halted !== null) this.#halt(halted, nowMs);
    this.guards.storeFills();
    this.#measureLoss(nowMs);
  }

  /** The configured capital differs from the ledger's. */
  capitalMoved(amount: Micros): void {
    this.guards.loss.capitalMoved(amount);
    this.saveLoss();
  }

  /** Losses depend on marks and slow averages, so all are stored together. */
  saveLoss(): void {
    const { loss } = this.guards;
    if (!loss.isStarted) return;
    loss.store();
    this.valuation.save(this.own.held.keys());
  }

  /**
   * An operator resumes: a halt, or a loss that held orders back, is accepted. Markets that an operator paused stay
   * paused.
   */
  resume(isHeldBack = false): void {
    this.guards.resume(isHeldBack);
    this.saveLoss();
    this.pauses.liftOwn();
    for (const { excludedBecause: outBecause, conditionId } of this.markets.all) {
      if (outBecause !== null) this.poller.expedite({ kind: 'detail', marketConditionId: conditionId });
    }
    this.markets.reopen();
  }

  /**
   * A limit was reached or the key is rejected: cancels everything until the exchange has shown twice that nothing
   * rests.
   */
  #halt(reason: string, nowMs: number): void {
    this.modes.cancelAll();
    this.saveModes();
    this.alert(nowMs, 'halted', `${reason}; everything is canceled until an operator resumes it with a reason`);
  }

  /** Stored over restarts: the signer would be asked again for a request that it refused. */
  pauseMarket(conditionId: string, reason: string): void {
    this.pauses.pause(conditionId, reason);
    this.requestRequote(conditionId);
  }

  /**
   * Excludes a market whose data cannot be processed. Its observations are ignored and its orders pulled; the other
   * markets continue. The next start includes it again.
   */
  excludeMarket(entry: MarketEntry, reason: string, nowMs: number): void {
    const { conditionId } = entry;
    const text = `"${showTitle(this, conditionId)}" is out: ${reason}`;
    entry.excludedBecause = reason;
    entry.feed = this.markets.newFeed(conditionId);
    this.pauseMarket(conditionId, reason);
    this.alert(
      nowMs,
      'market_failed',
      `${text}; what rests there is pulled, until an operator resumes it with a reason`,
    );
  }

  /** Own state of one market for its strategy. */
  ownIn(conditionId: string, slot: QuoteSlot | undefined): OwnMarketState {
    const { own } = this;
    const { yesMicros, noMicros, yesCostMicros, noCostMicros } = heldIn(own, conditionId);
    const limits = slot?.strategy.risk ?? this.settings.risk;
    return {
      yesMicros,
      noMicros,
      avgYesCostMicros: averageCost(yesMicros, yesCostMicros),
      avgNoCostMicros: averageCost(noMicros, noCostMicros),
      availableFundsMicros: own.availableMicros,
      maxPositionMicros: limits.maxPositionSharesMicros,
      stance: viewStance(LADDER[this.mode().mode].stance),
      orders: ownOrders(own, conditionId),
    };
  }

  /** True when the wallet has shares, orders or requests in flight in this market. */
  isOurs(conditionId: string): boolean {
    const held = heldIn(this.own, conditionId);
    if (held.yesMicros > 0 || held.noMicros > 0 || (this.own.orders.get(conditionId)?.length ?? 0) > 0) return true;
    return CONVERSION_KINDS.some((kind) => this.executor.pendingConversion(kind, conditionId) !== null);
  }

  /** Derived from run, market and sequence, so that no two intents share an id. */
  nextIntentId(conditionId: string): string {
    this.#sequence += 1;
    return `${this.settings.runId}.${conditionId.slice(0, 6)}.${this.#sequence}`;
  }

  /** Used and available requests, for strategies. */
  get pace(): TraderPace {
    const { look, currencyPerS } = this.selection.prices ?? {
      look: 0,
      currencyPerS: this.settings.economics.currencyPricePerS,
    };
    return {
      reactS: this.reactionPace.seconds,
      readPrice: look,
      requestPrice: this.requestPrice.above(this.settings.economics.requestPrice),
      currencyPricePerS: currencyPerS,
    };
  }

  listSlots(conditionId: string): readonly QuoteSlot[] {
    return this.markets.get(conditionId)?.slots ?? [];
  }

  /** Sets the time of the next step. */
  advanceClock(nowMs: number): void {
    if (nowMs < this.seenMs) this.#clockSetBack(nowMs);
    this.seenMs = nowMs;
  }

  /**
   * Clears waits that now end far in the future, and the known books: their age is unknown, so quotes based on them are
   * pulled.
   */
  #clockSetBack(nowMs: number): void {
    const byMs = this.seenMs - nowMs;
    this.alert(nowMs, 'clock_set_back', `this machine's clock was set back by ${byMs} ms; quotes wait for new books`);
    this.bornMs = Number.NEGATIVE_INFINITY;
    this.settledMs = null;
    this.cancelTries.clear();
    this.feeds.clockSetBack();
    for (const entry of this.markets.all) {
      entry.feed.clockSetBack(byMs, this.queue.newestId);
      this.requestRequote(entry.conditionId);
      entry.nextConversionMs = 0;
      entry.saleAfterMs = 0;
      entry.filledMs = Number.NEGATIVE_INFINITY;
      entry.measures.clockSetBack();
      for (const slot of entry.slots) slot.placeAfterMs = 0;
    }
  }

  /** No order begins before this time, our clock, ms. Cancels still do. */
  pausePlacing(untilMs: number): void {
    for (const entry of this.markets.all) {
      entry.saleAfterMs = untilMs;
      for (const slot of entry.slots) slot.placeAfterMs = untilMs;
    }
  }

  requestRequote(conditionId: string): void {
    for (const slot of this.listSlots(conditionId)) slot.dirty = true;
  }

  /** Tracks a market where the wallet has orders or holdings. */
  track(conditionId: string): MarketEntry {
    return this.markets.track(conditionId);
  }

  /** Adds a notice for the operator; the shell logs it. */
  notify(timeMs: number, kind: string, text: string): void {
    this.#notices.push({ timeMs, severity: 'info', kind, text });
  }

  /** A notice that the ledger stores too. `subject`: pubkey or intent id of its order or intent; pruned with it. */
  alert(timeMs: number, kind: string, text: string, subject: string | null = null): void {
    const notice = { timeMs, severity: 'loud', kind, text } as const;
    this.#notices.push(notice);
    this.ledger.addEvent(notice, subject);
  }

  /** Notices since the last call. */
  takeNotices(): readonly OperatorEvent[] {
    return this.#notices.splice(0);
  }

  /** Passes the outcome of a list read to the poll plan, and raises an alarm if the list stays unreadable. */
  noteLook(list: WatchedList, result: PollResult, report: RequestResult): void {
    this.poller.onReport({ kind: list }, result, report.nowMs);
    const news = this.unreadLists.onLook(list, result, report, this.silence.isOn);
    if (news !== null) this.alert(report.nowMs, news.kind, news.text);
    const halted = list === 'catalog' ? null : this.guards.keys.observe(list, report.outcome, report.nowMs);
    if (halted !== null) this.#halt(halted, report.nowMs);
  }
}

/** Stance shown to a strategy. When nothing may leave, no strategy is asked. */
const viewStance = (stance: RiskStance): Stance => (stance === 'flatten' || stance === 'halted' ? 'normal' : stance);

/**
 * Name of a market for log lines. Titles come from the exchange: control characters could move the cursor of the
 * operator's terminal, and a line break could forge a log line.
 */
export const showTitle = (state: TraderState, conditionId: string): string =>
  (state.markets.get(conditionId)?.feed.facts?.title ?? conditionId).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');

export const amount = (value: Micros): string => formatDecimal(value);
