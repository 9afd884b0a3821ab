/** The markets that the trader tracks, and the strategies that quote them. */

import { isDeepStrictEqual } from 'node:util';
import type { Candle, MarketDetail, MarketSummary } from '../../shared/protocol/records.js';
import type { RequestResult } from '../../shared/protocol/seam.js';
import { isSettledMarket } from '../../shared/protocol/states.js';
import type { BookedFill, Ledger, MarketRecord } from '../ledger/contract.js';
import { CategoryFlow, readCandles } from '../market/estimators.js';
import { MarketTracker } from '../market/market-tracker.js';
import { MarkTrust } from '../market/venue-marks.js';
import type { MarketFacts, SeenAt } from '../market/view.js';
import type { SlowAverages } from '../risk/slow-average.js';
import type { ModeNow } from './control/modes.js';
import { ExchangeRefusals } from './guards.js';
import { isQuotable, isSelective, isWanted, MarketMeasures } from './market-worth.js';
import type { OwnState } from './own/own-state.js';
import { QuoteSlot, Refusals } from './quoting/quote-slot.js';
import { Sandboxes } from './quoting/strategy-sandbox.js';
import type { MarketSelection, StrategySettings, TraderSettings } from './settings.js';

export class MarketEntry {
  readonly conditionId: string;
  /** Tracker of the market's data; replaced by a new, empty tracker when the market is excluded. */
  feed: MarketTracker;
  /** Why this market's data is ignored until an operator resumes the market; null if the data is used. */
  excludedBecause: string | null = null;
  /** Time since which details show the market as settled or unsuitable, our clock, ms; null if the newest does not. */
  endingMs: number | null = null;
  /** True if a later detail also showed the market as settled or unsuitable, because one detail may be wrong. */
  isEnded = false;
  /** One quote slot per strategy that quotes this market; empty when the market is tracked for its holding only. */
  readonly slots: QuoteSlot[] = [];
  /** Own orders, holdings and trader mode when `act` last processed the market; null before the first time. */
  actedOn: { readonly own: OwnState; readonly mode: ModeNow } | null = null;
  /** Earliest time of the market's next merge, split or redeem, our clock, ms. */
  nextConversionMs = 0;
  /** Time of a decision to cancel sell orders for a merge, our clock, ms; -Infinity once the merge has begun. */
  pulledMs = Number.NEGATIVE_INFINITY;
  /** Number of consecutive failed merges, splits and redeems of this market. */
  conversionFailures = 0;
  /** Earliest time of the next sale of a flatten, our clock, ms. */
  saleAfterMs = 0;
  readonly saleRefusals = new Refusals();
  /** Time of the newest own fill in this market, our clock, ms. */
  filledMs = Number.NEGATIVE_INFINITY;
  readonly measures = new MarketMeasures();
  readonly exchangeRefusals = new ExchangeRefusals();
  readonly candles: CandlesAsked;

  constructor(feed: MarketTracker, candlesGoodUntilMs: number) {
    this.conditionId = feed.conditionId;
    this.feed = feed;
    this.candles = { isAsked: false, goodUntilMs: candlesGoodUntilMs };
  }
}

export class Markets {
  #settings: TraderSettings;
  readonly #ledger: Ledger;
  readonly #tracked = new Map<string, MarketEntry>();
  /** Markets whose detail shows that they cannot be quoted. Later market lists do not add these markets again. */
  readonly #unsuitable = new Set<string>();
  /** Markets that other wallets quote, tracked because a strategy needs the prices of the whole event. */
  #siblings: ReadonlySet<string> = new Set();
  /** Names of strategies that are within their quote hours now. */
  readonly #quoting = new Set<string>();
  readonly #flows = new Map<string, CategoryFlow>();
  readonly sandboxes: Sandboxes;
  /** Version of the list of tracked markets; increased when the list or its settings change. */
  version = 0;
  readonly markTrust = new MarkTrust();
  /** True after this process has read the first complete market list. */
  hasCatalog = false;
  /** Why the slots that the first market list creates cancel their restored orders; null otherwise. */
  #pulledBecause: string | null = null;
  /** Number of open markets in the newest market list; Infinity before the first list. */
  catalogSize = Number.POSITIVE_INFINITY;

  constructor(settings: TraderSettings, ledger: Ledger) {
    this.#settings = settings;
    this.#ledger = ledger;
    this.sandboxes = new Sandboxes(ledger);
    for (const strategy of settings.strategies) for (const id of strategy.markets.ids) this.#assign(id, strategy);
  }

  get all(): Iterable<MarketEntry> {
    return this.#tracked.values();
  }

  get(conditionId: string): MarketEntry | undefined {
    return this.#tracked.get(conditionId);
  }

  listSlots(conditionId: string): readonly QuoteSlot[] {
    return this.#tracked.get(conditionId)?.slots ?? [];
  }

  /** Makes the quote slots of one market (default: of all markets) due for new quotes. */
  requestRequote(conditionId?: string): void {
    const all = conditionId === undefined ? Array.from(this.all).flatMap(({ slots }) => slots) : null;
    for (const slot of all ?? this.listSlots(conditionId ?? '')) slot.dirty = true;
  }

  /** Tracks a market. Without a strategy, a market is tracked while the wallet has shares or orders there. */
  track(conditionId: string): MarketEntry {
    const known = this.#tracked.get(conditionId);
    if (known !== undefined) return known;
    const entry = new MarketEntry(this.#newFeed(conditionId), findGoodUntilMs(conditionId, this.#ledger));
    this.#tracked.set(conditionId, entry);
    this.version++;
    return entry;
  }

  #newFeed(conditionId: string): MarketTracker {
    const feed = new MarketTracker(conditionId, this.#settings.profile.fee_schedule);
    feed.venueMark.trust = this.markTrust;
    restorePrior(feed, this.#ledger);
    const kept = this.#ledger.note(ownFillsNote(conditionId)) ?? '';
    if (kept !== '') feed.ownFills.restore(kept);
    return feed;
  }

  /** Excludes a market with unusable data. The data is ignored until an operator resumes the market. */
  exclude(entry: MarketEntry, reason: string): void {
    entry.excludedBecause = reason;
    entry.feed = this.#newFeed(entry.conditionId);
  }

  /** Stops tracking markets that have ended or are not quoted, unless the wallet has shares or orders there. */
  forget(isOurs: (conditionId: string) => boolean): void {
    for (const { conditionId, feed, slots, endingMs, isEnded } of this.#tracked.values()) {
      const isUnwanted = endingMs === null ? slots.length === 0 && !this.#siblings.has(conditionId) : isEnded;
      if (!isUnwanted || isOurs(conditionId)) continue;
      if (feed.unsuitable !== null) this.#unsuitable.add(conditionId);
      this.#tracked.delete(conditionId);
      this.version++;
      if (!isEnded || feed.unsuitable !== null) continue;
      const event = feed.facts?.eventConditionId ?? null;
      this.#ledger.forgetStrategyStates(conditionId);
      const isOfEvent = (entry: MarketEntry) => entry.feed.facts?.eventConditionId === event;
      if (event !== null && !Array.from(this.all).some(isOfEvent)) this.sandboxes.forget(event);
      forgetNotes(conditionId, this.#ledger);
    }
  }

  /** Stores changed statistics of own fills. The caller must open a ledger transaction. */
  saveOwnFills({ conditionId, feed }: MarketEntry): void {
    const text = feed.ownFills.takeSaved();
    if (text !== null) this.#ledger.setNote(ownFillsNote(conditionId), text);
  }

  /** Assigns listed markets. `isBarred`: this wallet must not quote it, and has no shares or orders in it. */
  onCatalog(rows: readonly MarketSummary[], isBarred: (conditionId: string) => boolean, nowMs: number): void {
    this.hasCatalog = true;
    const pulledBecause = this.#pulledBecause;
    this.#pulledBecause = null;
    this.catalogSize = rows.length;
    for (const strategy of this.#settings.strategies) {
      if (strategy.markets.ids.length > 0) continue;
      // A strategy that quotes whole events keeps a barred market, because it needs the prices of all outcomes.
      const isLost = (id: string) => strategy.module.scope !== 'event' && isBarred(id);
      for (const { slots } of this.all)
        for (const slot of slots.filter((one) => one.strategy === strategy && isLost(one.conditionId))) {
          this.saveStrategy(slot, nowMs);
          slots.splice(slots.indexOf(slot), 1);
        }
      const { max, candidates = max } = strategy.markets;
      let room = candidates - this.#countOpenMarkets(strategy);
      for (const row of rows) {
        if (room <= 0) break;
        if (this.#isQuotedBy(row.condition_id, strategy) || !selects(strategy, row)) continue;
        if (this.#unsuitable.has(row.condition_id) || isLost(row.condition_id)) continue;
        this.#assign(row.condition_id, strategy, pulledBecause);
        room -= 1;
      }
    }
    this.#trackSiblings(rows, isBarred);
  }

  /** Tracks an event's barred markets while a strategy quotes another outcome of the event and needs all prices. */
  #trackSiblings(rows: readonly MarketSummary[], isBarred: (conditionId: string) => boolean): void {
    const needsEvent = ({ condition_id }: MarketSummary) =>
      this.listSlots(condition_id).some(({ strategy }) => strategy.module.inputs?.event === true);
    const { events } = this.#settings;
    const outcomes = events.map((rule) => rows.filter(({ event }) => event?.condition_id === rule.eventConditionId));
    const needed = outcomes.filter((all) => all.some(needsEvent)).flatMap((all) => all.map((row) => row.condition_id));
    this.#siblings = new Set(needed.filter((id) => isBarred(id) && !this.#unsuitable.has(id)));
    for (const id of this.#siblings) this.track(id);
  }

  /** Applies changed settings, in the caller's ledger transaction. Only new code or parameters restart a quoter. */
  configure(settings: TraderSettings, nowMs: number): void {
    const before = this.#settings;
    this.#settings = settings;
    for (const strategy of before.strategies) {
      const next = settings.strategies.find(({ name }) => name === strategy.name);
      const kept = this.#keptMarkets(strategy, next);
      for (const entry of this.#tracked.values()) {
        const slot = entry.slots.find((one) => one.strategy === strategy);
        if (slot === undefined) continue;
        this.saveStrategy(slot, nowMs);
        if (next === undefined || !kept.has(entry.conditionId)) entry.slots.splice(entry.slots.indexOf(slot), 1);
        else if (slot.configure(next) && entry.feed.facts !== null) this.#open(slot, entry.feed.facts);
      }
      if (next === undefined) this.sandboxes.dismiss(strategy.name);
    }
    for (const strategy of settings.strategies) for (const id of strategy.markets.ids) this.#assign(id, strategy);
    for (const entry of this.all) this.#sortSlots(entry);
    this.version++;
  }

  /** Makes the next call of each strategy cancel its orders; the call after that may place new orders. */
  pullOrders(because: string): void {
    for (const { slots } of this.#tracked.values()) for (const slot of slots) slot.pulledBecause ??= because;
    if (!this.hasCatalog) this.#pulledBecause = because;
    this.requestRequote();
  }

  /** Returns the markets that a strategy keeps. If too many pass its filter, held and selected ones stay. */
  #keptMarkets(before: StrategySettings, next: StrategySettings | undefined): ReadonlySet<string> {
    if (next === undefined) return new Set();
    const { markets } = next;
    if (markets.ids.length > 0) return new Set(markets.ids);
    const isSameFilter = isDeepStrictEqual(pickFilter(markets), pickFilter(before.markets));
    const passes = ({ feed }: MarketEntry): boolean =>
      isSameFilter || (feed.facts !== null && isQuotable(feed, markets) && isWanted(markets, feed.facts));
    const rank = ({ conditionId: id, slots }: MarketEntry): number => {
      if (this.#ledger.shares(id, true) !== 0 || this.#ledger.shares(id, false) !== 0) return 0;
      return slots.some((slot) => slot.strategy === before && slot.leftOutBecause === null) ? 1 : 2;
    };
    const quoted = [...this.all].filter((entry) => this.#isQuotedBy(entry.conditionId, before) && passes(entry));
    // A market that cannot be quoted takes no place, as in `onCatalog`.
    const ranked = quoted.filter(({ feed }) => isQuotable(feed, markets)).sort((a, b) => rank(a) - rank(b));
    // A market that is held but not selected is quoted only on the side that reduces the holding.
    const excess = ranked
      .slice(markets.candidates ?? markets.max)
      .filter((entry) => !isSelective(markets) || rank(entry) > 0);
    return new Set(quoted.filter((entry) => !excess.includes(entry)).map(({ conditionId }) => conditionId));
  }

  /** Stores the state of a slot's strategy, to restore it at a restart. The caller must open a ledger transaction. */
  saveStrategy(slot: QuoteSlot, nowMs: number): void {
    const saved = slot.sandbox?.save(nowMs) ?? null;
    if (saved === null) return;
    const marketConditionId = slot.sandbox?.event?.eventConditionId ?? slot.conditionId;
    this.#ledger.saveStrategyState({ strategy: slot.strategy.name, marketConditionId, savedMs: nowMs, ...saved });
  }

  /** After an operator's resume, restarts failed strategies and excluded markets, in one market or (default) in all. */
  reopen(only?: string): void {
    for (const entry of this.#tracked.values()) {
      if (only !== undefined && entry.conditionId !== only) continue;
      entry.excludedBecause = null;
      if (entry.feed.facts === null) continue;
      for (const { sandbox, strategy } of entry.slots) if (sandbox?.failure) sandbox.renew(strategy.params);
    }
  }

  setQuoteHours(strategy: string, open: boolean): void {
    if (open) this.#quoting.add(strategy);
    else this.#quoting.delete(strategy);
    for (const slot of [...this.all].flatMap(({ slots }) => slots)) {
      if (slot.strategy.name !== strategy) continue;
      slot.inQuoteHours = open;
      slot.dirty = true;
    }
  }

  /** Updates a market from its detail and stores changes. Returns true if the market's phase changed. */
  onDetail(entry: MarketEntry, detail: MarketDetail, at: SeenAt): boolean {
    const before = entry.feed.facts;
    if (!entry.feed.onDetail(detail, at)) return false;
    const facts = entry.feed.facts;
    noteEnding(entry, at);
    if (facts === null) return false;
    const category = facts.category ?? '';
    const flow = this.#flows.get(category) ?? new CategoryFlow();
    this.#flows.set(category, flow);
    entry.feed.shape.joinCategory(flow);
    for (const slot of entry.slots) this.#open(slot, facts);
    const record = makeMarketRecord(facts, detail, at.seenMs);
    const stored = this.#ledger.market(facts.conditionId);
    // Only changed details are written, because details are read often and each write is synced to disk.
    if (!isDeepStrictEqual({ ...stored, seenMs: at.seenMs }, record)) this.#ledger.saveMarket(record);
    return before !== null && before.phase !== facts.phase;
  }

  /** Returns the condition id of a market's event, from the market's detail or else from the ledger; null if none. */
  findEvent(conditionId: string): string | null {
    const facts = this.#tracked.get(conditionId)?.feed.facts ?? this.#ledger.market(conditionId);
    return facts?.eventConditionId ?? null;
  }

  #assign(conditionId: string, strategy: StrategySettings, pulledBecause: string | null = null): void {
    const entry = this.track(conditionId);
    if (this.#isQuotedBy(conditionId, strategy)) return;
    const slot = new QuoteSlot(conditionId, strategy);
    slot.pulledBecause = pulledBecause;
    if (this.#quoting.has(strategy.name)) slot.inQuoteHours = true;
    if (entry.feed.facts !== null) this.#open(slot, entry.feed.facts);
    entry.slots.push(slot);
    this.#sortSlots(entry);
  }

  /** Sorts a market's slots: the first strategy of the list places its orders first. */
  #sortSlots({ slots }: MarketEntry): void {
    const place = ({ strategy }: QuoteSlot) => this.#settings.strategies.indexOf(strategy);
    slots.sort((a, b) => place(a) - place(b));
  }

  #open(slot: QuoteSlot, facts: MarketFacts): void {
    const { conditionId, strategy } = slot;
    const isOfSlot = ({ marketConditionId, orderPubkey }: BookedFill) =>
      marketConditionId === conditionId &&
      this.#ledger.intent(this.#ledger.order(orderPubkey)?.intentId ?? '')?.strategy === strategy.name;
    const findBooked = (sinceMs: number) => this.#ledger.bookedSince(sinceMs + 1, MOST_FILLS).fills;
    const findFills = (sinceMs: number) => findBooked(sinceMs).filter(isOfSlot).reverse();
    slot.open(() => this.sandboxes.open(strategy, facts, this.#settings), findFills);
  }

  #isQuotedBy(conditionId: string, strategy: StrategySettings): boolean {
    return this.#tracked.get(conditionId)?.slots.some((slot) => slot.strategy === strategy) === true;
  }

  #countOpenMarkets(strategy: StrategySettings): number {
    const ofStrategy = [...this.all].filter(({ conditionId }) => this.#isQuotedBy(conditionId, strategy));
    return ofStrategy.filter(({ feed }) => isQuotable(feed, strategy.markets)).length;
  }
}

/** Minimum time between the two details that confirm a market's end, ms. An outdated answer may be this old. */
const CONFIRM_AFTER_MS = 10_000;

function noteEnding(entry: MarketEntry, { sentMs, seenMs }: SeenAt): void {
  const { facts } = entry.feed;
  // If our clock was set back, stored times may be later than now.
  const sinceMs = Math.min(entry.endingMs ?? seenMs, seenMs);
  entry.endingMs = facts === null || isSettledMarket(facts.phase) ? sinceMs : null;
  const isLater = Math.min(sentMs, seenMs) >= sinceMs + CONFIRM_AFTER_MS;
  entry.isEnded = entry.endingMs !== null && (entry.isEnded || isLater);
}

export const makeMarketRecord = (facts: MarketFacts, detail: MarketDetail, seenMs: number): MarketRecord => ({
  conditionId: facts.conditionId,
  title: facts.title,
  state: facts.phase,
  eventConditionId: facts.eventConditionId,
  yesLabel: detail.yes_outcome_label,
  noLabel: detail.no_outcome_label,
  makerFeeRateMicros: facts.makerFeeRateMicros,
  takerFeeRateMicros: facts.takerFeeRateMicros,
  resolutionS: detail.resolution_date,
  seenMs,
});

/** Maximum number of newest fills that are searched for those booked after a restored state was saved. */
const MOST_FILLS = 1_000;

const ownFillsNote = (conditionId: string): string => `own-fills.${conditionId}`;

/** Returns a selection with fixed values of `max`, `candidates`, `choose` and `rules`, because these filter no list. */
const pickFilter = (all: MarketSelection) => ({ ...all, max: 0, candidates: 0, choose: null, rules: null });

function selects({ markets }: StrategySettings, row: MarketSummary): boolean {
  if (row.state !== markets.state || row.margin_enabled === true) return false;
  return isWanted(markets, { conditionId: row.condition_id, title: row.title, category: row.category });
}

/** State of a market's price bars: whether they were requested, and until when the stored result is valid. */
interface CandlesAsked {
  isAsked: boolean;
  /** Time when the result expires, our clock, ms: the answer's time plus the period that the price bars cover. */
  goodUntilMs: number;
}

interface CandlesContext {
  readonly ledger: Pick<Ledger, 'setNote'>;
  readonly account: { readonly valuation: { readonly averages: Pick<SlowAverages, 'seed'> } };
  readonly notices: { notify(timeMs: number, kind: string, text: string): void };
}

type KeptBars = Pick<CandlesAsked, 'goodUntilMs'> & { readonly sigmaPerSqrtS: number };

const noteOf = (conditionId: string): string => `candles.${conditionId}`;

function readKept(conditionId: string, ledger: Pick<Ledger, 'note'>): KeptBars | null {
  const text = ledger.note(noteOf(conditionId)) ?? '';
  // Only this module writes the ledger note, so it is valid JSON.
  return text === '' ? null : (JSON.parse(text) as KeptBars);
}

/** Restores the volatility prior that an earlier run computed from price bars. The bars are not requested again. */
export function restorePrior(feed: MarketTracker, ledger: Pick<Ledger, 'note'>): void {
  const kept = readKept(feed.conditionId, ledger);
  if (kept !== null) feed.setVolatilityPrior(kept.sigmaPerSqrtS);
}

/** Returns when the stored result of the market's price bars expires, our clock, ms; -Infinity without a result. */
export const findGoodUntilMs = (conditionId: string, ledger: Pick<Ledger, 'note'>): number =>
  readKept(conditionId, ledger)?.goodUntilMs ?? Number.NEGATIVE_INFINITY;

/** Deletes the stored price bars and own fills of an ended market. The caller must open a ledger transaction. */
export function forgetNotes(conditionId: string, ledger: Pick<Ledger, 'note' | 'setNote'>): void {
  for (const note of [noteOf(conditionId), ownFillsNote(conditionId)])
    if ((ledger.note(note) ?? '') !== '') ledger.setNote(note, '');
}

/** Returns true if price bars are due: the open, quoted market has a book and trades, but no valid result. */
export function wantsCandles(entry: MarketEntry, { polling }: Pick<TraderSettings, 'polling'>, nowMs: number): boolean {
  if (polling.candlesPrior !== true || entry.candles.isAsked || entry.slots.length === 0) return false;
  const { feed, excludedBecause, candles } = entry;
  if (feed.hasHistory !== true || feed.bookSeenMs === null || excludedBecause !== null) return false;
  return feed.facts?.phase === 'open' && nowMs > candles.goodUntilMs;
}

/** Processes the answer to a request for price bars. Once sent, the request is not repeated in this run. */
export function takeCandles(around: CandlesContext, entry: MarketEntry, report: RequestResult, title: string): void {
  const { ledger, account, notices } = around;
  const { conditionId, feed, candles, excludedBecause } = entry;
  const { outcome, nowMs } = report;
  if (outcome.kind === 'unknown' && !outcome.sent) return;
  candles.isAsked = true;
  const { call } = report.request;
  if (outcome.kind !== 'answered' || call.endpoint !== 'markets.candles' || excludedBecause !== null) return;
  const span = { fromS: call.query.start_time, toS: call.query.end_time };
  // The HTTP client has checked the data against the endpoint's schema.
  const learned = readCandles(outcome.data as readonly Candle[], span, feed.closeGridStep);
  if (typeof learned === 'string')
    return notices.notify(nowMs, 'candles', `price bars of "${title}" are invalid and are ignored: ${learned}`);
  if (learned === null) return;
  const { sigmaPerSqrtS, spanS, coveredS, meanPrice } = learned;
  feed.setVolatilityPrior(sigmaPerSqrtS);
  account.valuation.averages.seed(conditionId, meanPrice, coveredS * 1000);
  candles.goodUntilMs = nowMs + spanS * 1000;
  const kept: KeptBars = { sigmaPerSqrtS, goodUntilMs: candles.goodUntilMs };
  ledger.setNote(noteOf(conditionId), JSON.stringify(kept));
}
