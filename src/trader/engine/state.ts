/** What a trader knows between two observations, in one place: the rooms it is made of and what it has concluded. */

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

/** Levels a side that are asked for: more than any strategy here looks at, a fifth of what a full book weighs. */
const BOOK_DEPTH = 20;

/** How long a stop waits for conversions under way; what takes longer is booked by the next start. */
const CONVERSION_PATIENCE_MS = 10_000;

export class TraderState {
  /** Replaced as a whole when an operator configures. */
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
  /** Our clock, ms, of the last cancel tried per order. */
  readonly cancelTries = new Map<string, number>();
  catalog: PageWalk<'markets.list'> | null = null;
  details: PageWalk<'search.list'> | null = null;
  /** Our clock, ms, at the newest observation. */
  seenMs = Number.NEGATIVE_INFINITY;
  tickedMs = Number.NEGATIVE_INFINITY;
  /**
   * Our clock, ms, at the first observation; null before it. Minus infinity once our clock was set back: the start-up
   * grace is then over, and quotes whose book was not read are pulled.
   */
  bornMs: number | null = null;
  /** Our clock, ms, since when no order or cancel is unsettled; null while one is. */
  settledMs: number | null = null;
  readonly silence = new Silence();
  readonly budgetWatch: BudgetWatch;
  readonly unreadLists = new UnreadLists();
  readonly unreadMarkets = new UnreadMarkets();
  /** Over all markets. */
  readonly exchangeRefusals = new ExchangeRefusals();
  fills = 0;
  /** Asks that were given up before they left. */
  unsent = 0;
  readonly #notices: OperatorEvent[] = [];
  #own: OwnState | null = null;
  /** Filled anew each time that the mode is asked for, which is several times in every step. */
  readonly #stops: { -readonly [Name in keyof Stops]: Stops[Name] } = {
    halted: null,
    reducing: null,
    widened: null,
    fleet: null,
    unread: null,
  };
  /** Null for a trader by itself. */
  fleet: FleetBounds | null = null;
  /** As the newest step had it: what was begun under another is looked at again. */
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
    // The note is written by this class alone; what it wrote it can read.
    this.modes = new Modes(JSON.parse(ledger.note(MODES_NOTE) ?? '{}') as Partial<StoredModes>);
    this.reconciler = new Reconciler(ledger, executor, ownTrades);
    this.ownLists = new OwnLists(ledger, executor, this.reconciler);
    this.guards = new Guards(ledger, settings.risk);
    this.pauses = new Pauses(ledger);
    this.coreSets = new CoreSets(ledger);
    this.valuation = new Valuation(ledger);
    this.feeds = new Feeds(settings.feeds ?? []);
    // As after a kill: what halted may have left orders behind.
    if (this.guards.halted !== null) this.modes.cancelAll();
  }

  /** A picture of what is ours, taken anew after `invalidateOwn`. */
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
    // Nothing rests, but currency is on its way: better to see it come than to leave it for the next start.
    const waitedMs = Math.abs(this.seenMs - (this.modes.provenMs ?? this.seenMs));
    return waitedMs < CONVERSION_PATIENCE_MS
      ? { mode: 'stopping', reason: 'a merge, split or redeem is landing' }
      : now;
  }

  /** Why only orders that reduce may leave, by what the exchange has shown; null when nothing is odd about it. */
  get reduceOnly(): string | null {
    return this.reconciler.verdict ?? this.guards.fillAlarm.verdict;
  }

  /** Why everything or something is stopped or held back until a person resumes it with a reason; null when nothing is. */
  get stopped(): string | null {
    return this.guards.halted ?? this.pauses.first ?? this.guards.fillAlarm.verdict ?? this.heldBack?.reason ?? null;
  }

  /** Why a part of a loss limit, and nothing stricter, holds the trader back; null when it does not. */
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

  /** Values what we hold and lets the loss guard look at it. */
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
    // Its days are the exchange's: our clock may be a day ahead.
    const halted = loss.observe(this.venueClock.nowMs(nowMs) ?? nowMs, worth);
    if (halted !== null) this.#halt(halted, nowMs);
  }

  /** Whether nothing that comes of a market is taken in. */
  readonly #isOut = (conditionId: string): boolean => (this.markets.get(conditionId)?.excludedBecause ?? null) !== null;

  /** One more fill is in the ledger: the guards see it, as its loss bounds the next order. */
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

  /** Losses are measured at marks and slow averages, so all are stored together. */
  saveLoss(): void {
    const { loss } = this.guards;
    if (!loss.isStarted) return;
    loss.store();
    this.valuation.save(this.own.held.keys());
  }

  /** A person resumes: a halt, or a loss that held orders back, is accepted. Markets that an operator paused stay paused. */
  resume(isHeldBack = false): void {
    this.guards.resume(isHeldBack);
    this.saveLoss();
    this.pauses.liftOwn();
    for (const { excludedBecause: outBecause, conditionId } of this.markets.all) {
      if (outBecause !== null) this.poller.expedite({ kind: 'detail', marketConditionId: conditionId });
    }
    this.markets.reopen();
  }

  /** A limit was reached, or the key is refused: everything is canceled, until the exchange has shown twice that nothing rests. */
  #halt(reason: string, nowMs: number): void {
    this.modes.cancelAll();
    this.saveModes();
    this.alert(nowMs, 'halted', `${reason}; everything is canceled until an operator resumes it with a reason`);
  }

  /** Holds over restarts: what the signer refused once it would be asked to sign again. */
  pauseMarket(conditionId: string, reason: string): void {
    this.pauses.pause(conditionId, reason);
    this.requestRequote(conditionId);
  }

  /**
   * What the venue sends of one market cannot be reckoned with: nothing of it is taken in any more, what rests there is
   * pulled, and every other market goes on. A start tries it again.
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

  /** What a strategy is told of ourselves in one market. */
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

  /** Whether anything of ours is in this market: shares, orders, or something under way. */
  isOurs(conditionId: string): boolean {
    const held = heldIn(this.own, conditionId);
    if (held.yesMicros > 0 || held.noMicros > 0 || (this.own.orders.get(conditionId)?.length ?? 0) > 0) return true;
    return CONVERSION_KINDS.some((kind) => this.executor.pendingConversion(kind, conditionId) !== null);
  }

  /** A function of run, market and sequence, so that no two intents ever share one. */
  nextIntentId(conditionId: string): string {
    this.#sequence += 1;
    return `${this.settings.runId}.${conditionId.slice(0, 6)}.${this.#sequence}`;
  }

  /** What strategies are told of what this trader spends. */
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

  /** The time of what comes next. */
  advanceClock(nowMs: number): void {
    if (nowMs < this.seenMs) this.#clockSetBack(nowMs);
    this.seenMs = nowMs;
  }

  /**
   * What was to wait until a time that is now far away may go on at once, and what is known of books is forgotten: their
   * age can no longer be told, so what was quoted on them is pulled.
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

  /** No order is begun anywhere before this moment, our clock, ms. Cancels are. */
  pausePlacing(untilMs: number): void {
    for (const entry of this.markets.all) {
      entry.saleAfterMs = untilMs;
      for (const slot of entry.slots) slot.placeAfterMs = untilMs;
    }
  }

  requestRequote(conditionId: string): void {
    for (const slot of this.listSlots(conditionId)) slot.dirty = true;
  }

  /** A market in which something of ours is, looked at from now on. */
  track(conditionId: string): MarketEntry {
    return this.markets.track(conditionId);
  }

  /** Something the operator should read; the shell logs it. */
  notify(timeMs: number, kind: string, text: string): void {
    this.#notices.push({ timeMs, severity: 'info', kind, text });
  }

  /** Also kept in the ledger. `subject`: the pubkey or intent id that it is about; it goes with that order or intent. */
  alert(timeMs: number, kind: string, text: string, subject: string | null = null): void {
    const notice = { timeMs, severity: 'loud', kind, text } as const;
    this.#notices.push(notice);
    this.ledger.addEvent(notice, subject);
  }

  /** What has been worth saying since the last call. */
  takeNotices(): readonly OperatorEvent[] {
    return this.#notices.splice(0);
  }

  /** How a look at a list has ended: for the plan of polls, and for a person where it cannot be read for long. */
  noteLook(list: WatchedList, result: PollResult, report: RequestResult): void {
    this.poller.onReport({ kind: list }, result, report.nowMs);
    const news = this.unreadLists.onLook(list, result, report, this.silence.isOn);
    if (news !== null) this.alert(report.nowMs, news.kind, news.text);
    const halted = list === 'catalog' ? null : this.guards.keys.observe(list, report.outcome, report.nowMs);
    if (halted !== null) this.#halt(halted, report.nowMs);
  }
}

/** As a strategy sees it. Where nothing may leave, no strategy is asked. */
const viewStance = (stance: RiskStance): Stance => (stance === 'flatten' || stance === 'halted' ? 'normal' : stance);

/**
 * A market as a person would name it in a log line. Titles come from the exchange: control characters in one could move
 * the cursor of the operator's terminal, and a line break could say that nothing rests.
 */
export const showTitle = (state: TraderState, conditionId: string): string =>
  (state.markets.get(conditionId)?.feed.facts?.title ?? conditionId).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');

export const amount = (value: Micros): string => formatDecimal(value);
