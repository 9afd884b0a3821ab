/** Builds the session record of a live trader. Without a recorded book, mids and their figures are null, never 0. */

import type { RecordingSummary } from '../../recording/contract.js';
import { complement, type Micros, ONE, sub, ZERO } from '../../shared/base/micros.js';
import type { MarketOutcome } from '../../shared/protocol/outcome.js';
import { tradeNotional } from '../../trader/ledger/postings.js';
import {
  type Assumptions,
  type ConversionRecord,
  type Coverage,
  type FillRecord,
  MARKOUT_HORIZONS_MS,
  MAX_SAMPLES,
  type MarketSession,
  type QuotingFigures,
  type SessionRecord,
} from './contract.js';
import { computeYesCost, Holdings, listMoves, type Move } from './holdings.js';
import { AccountSamples, common, FIRST_STEP_MS, MarketSamples, mergeSpans, type Span, sumSpans } from './samples.js';

/** An order that rested in the book. Times are on the exchange's clock. */
export interface SessionOrder {
  readonly pubkey: string;
  readonly side: 'bid' | 'ask';
  /** Price of the order in YES space. `ownPriceMicros` is the price of the order's outcome. */
  readonly priceMicros: number;
  readonly ownPriceMicros: number;
  /** True if the order is a purchase, which locks currency; a sale locks shares. */
  readonly isBuy: boolean;
  readonly amountMicros: number;
  /** Time in the book: start (inclusive) and end (exclusive); null while the order may still be open. */
  readonly fromMs: number;
  readonly toMs: number | null;
  readonly isCanceled: boolean;
}

/** Best prices of other accounts. `middleMicros`: mid of these prices; last known mid while a side is empty. */
type RecordedBest = Readonly<Record<'bidMicros' | 'askMicros' | 'middleMicros', number | null>>;

export interface RecordedPrices {
  /** Returns the book's best prices at a time: in a gap the last prices before the gap, null outside the recording. */
  readonly at: (timeMs: number) => RecordedBest;
  /** Returns the last known mid at a time, whatever its age; null before the first mid. */
  readonly standing: (timeMs: number) => number | null;
  readonly outcome: MarketOutcome | null;
  readonly coverage: Coverage | null;
  /** Event title and category, which the ledger does not have; empty if unknown. */
  readonly eventTitle: string;
  readonly category: string;
}

interface WalkedMarket extends Pick<MarketSession, 'fills' | 'conversions'> {
  readonly orders: readonly SessionOrder[];
  readonly prices: Pick<RecordedPrices, 'at'> | null;
}

export const UNKNOWN_BEST: RecordedBest = { bidMicros: null, askMicros: null, middleMicros: null };

export class MarketWalk {
  readonly held = new Holdings();
  readonly #market: WalkedMarket;
  readonly #orders: readonly SessionOrder[];
  readonly #moves: readonly Move[];
  #begun = 0;
  #moved = 0;
  readonly #resting = new Set<SessionOrder>();
  /** Filled amount, by order id. A fill's time comes from the exchange, and may precede the order's known start. */
  readonly #filledMicros = new Map<string, number>();

  constructor(market: WalkedMarket) {
    this.#market = market;
    this.#orders = [...market.orders].sort((a, b) => a.fromMs - b.fromMs);
    this.#moves = listMoves(market);
  }

  /** Applies all events of the market up to and including this time; times must not decrease. */
  advance(timeMs: number): void {
    for (let next = this.#orders[this.#begun]; next !== undefined && next.fromMs <= timeMs; ) {
      this.#resting.add(next);
      next = this.#orders[++this.#begun];
    }
    for (const order of this.#resting) if (order.toMs !== null && order.toMs <= timeMs) this.#resting.delete(order);
    for (let next = this.#moves[this.#moved]; next !== undefined && next.timeMs <= timeMs; ) {
      this.held.move(next);
      if (next.kind === 'fill') {
        const { orderPubkey, amountMicros } = next;
        this.#filledMicros.set(orderPubkey, (this.#filledMicros.get(orderPubkey) ?? 0) + amountMicros);
      }
      next = this.#moves[++this.#moved];
    }
  }

  top(timeMs: number) {
    const { bidMicros, askMicros } = this.#market.prices?.at(timeMs) ?? UNKNOWN_BEST;
    return { bidMicros, askMicros, ourBidMicros: this.#best('bid'), ourAskMicros: this.#best('ask') };
  }

  #best(side: SessionOrder['side']): number | null {
    const prices = [...this.#resting].flatMap((order) => (order.side === side ? [order.priceMicros] : []));
    if (prices.length === 0) return null;
    return side === 'bid' ? Math.max(...prices) : Math.min(...prices);
  }

  /** Returns received currency plus the value of the shares at the recorded mid; null while the value is unknown. */
  gainMicros(timeMs: number): number | null {
    // Equal YES and NO shares have the same value at any price, so the price is not looked up.
    const middle = this.held.netMicros === 0 ? null : (this.#market.prices?.at(timeMs).middleMicros ?? null);
    const worth = this.held.worthMicros(middle);
    return worth === null ? null : this.held.cashMicros + worth;
  }

  /** Locked capital: currency reserved for open buy orders, plus the cost of held shares. */
  get lockedMicros(): number {
    let locked = this.held.costMicros;
    for (const { pubkey, isBuy, ownPriceMicros, amountMicros } of this.#resting) {
      const left = Math.max(0, amountMicros - (this.#filledMicros.get(pubkey) ?? 0));
      if (isBuy) locked += Math.ceil((left * ownPriceMicros) / ONE);
    }
    return locked;
  }
}

/** Returns the account's equity at a time to which all markets have advanced; null while a value is unknown. */
export function equityAt(timeMs: number, walks: readonly MarketWalk[], capitalMicros: number): number | null {
  let equity = capitalMicros;
  for (const walk of walks) {
    const gain = walk.gainMicros(timeMs);
    if (gain === null) return null;
    equity += gain;
  }
  return equity;
}

export function toCoverage(summary: RecordingSummary | null): Coverage | null {
  if (summary === null) return null;
  const { firstMs, lastMs, gaps, events, refused } = summary;
  const lostMs = gaps.map(({ fromMs, toMs }) => Math.max(0, (toMs ?? lastMs ?? fromMs) - fromMs));
  return {
    spanMs: firstMs === null || lastMs === null ? 0 : lastMs - firstMs,
    gapMs: lostMs.reduce((total, ms) => total + ms, 0),
    gaps: gaps.length,
    events: events.level + events.trade + events.clear + events.end,
    trades: events.trade,
    skipped: refused,
  };
}

interface ReportedTrade
  extends Pick<FillRecord, 'timeMs' | 'seenMs' | 'orderPubkey' | 'strategy' | 'isYes' | 'isBuy' | 'isMaker'> {
  /** Price of the trade, in the space of the traded outcome (YES or NO). */
  readonly ownPriceMicros: Micros;
  readonly amountMicros: Micros;
  readonly feeMicros: Micros | null;
}

export interface LedgerMarket
  extends Pick<MarketSession, 'conditionId' | 'title' | 'eventConditionId' | 'eventTitle' | 'closeMs' | 'outcome'> {
  readonly orders: readonly SessionOrder[];
  readonly trades: readonly ReportedTrade[];
  /** A split without `yesCostMicros` gets the cost from the mid at the split. */
  readonly conversions: readonly Omit<ConversionRecord, 'markMicros'>[];
  readonly prices: RecordedPrices | null;
  /** Last time with a valid mid: the market's close or the end of the session. */
  readonly lastMs: number;
  /** Time from which the market counts as open; null: from the trader's first order. */
  readonly countedFromMs: number | null;
  /** YES price for the value of final shares, instead of the last recorded mid; null if unknown. */
  readonly fairMicros: number | null;
  /** Final shares of the market according to the ledger; null: computed from trades and conversions. */
  readonly endShares: { readonly yesMicros: number; readonly noMicros: number } | null;
}

interface SessionFacts
  extends Pick<SessionRecord, 'title' | 'fromMs' | 'toMs' | 'capitalMicros' | 'deposits'>,
    Pick<SessionRecord, 'requests' | 'refusals' | 'notices'> {
  /** Final currency of the account; null: computed from the capital, trades and conversions. */
  readonly endCashMicros: number | null;
  readonly markets: readonly LedgerMarket[];
  readonly running: readonly Span[];
  readonly assumptions: Omit<Assumptions, 'seed' | 'fillModel' | 'postsOnly' | 'latency'>;
}

export function foldSession({ markets, running, endCashMicros, assumptions, ...facts }: SessionFacts): SessionRecord {
  const walked = markets.map(readMoves);
  const account = sampleAccount(walked, facts.capitalMicros, running);
  const folded = walked.map((one) => foldMarket(one, running, facts.toMs));
  return {
    format: 1,
    kind: 'live',
    ...facts,
    endCashMicros: endCashMicros ?? folded.reduce((sum, { cashMicros }) => sum + cashMicros, facts.capitalMicros),
    markets: folded.map(({ session }) => session),
    account: account.series,
    maxDrawdownMicros: account.maxDrawdownMicros,
    halts: [],
    assumptions: { ...assumptions, seed: null, fillModel: null, postsOnly: null, latency: null },
  };
}

function readMoves(market: LedgerMarket) {
  const { orders, trades, conversions, prices } = market;
  const restingFrom = new Map(orders.map(({ pubkey, fromMs }) => [pubkey, fromMs]));
  const fills = trades.map((trade) => toFill(trade, restingFrom.get(trade.orderPubkey) ?? null, market));
  return {
    ...market,
    fills: fills.sort((a, b) => a.timeMs - b.timeMs),
    conversions: conversions.map((conversion): ConversionRecord => {
      const markMicros = prices?.at(conversion.timeMs).middleMicros ?? null;
      const { kind, yesMicros, yesCostMicros } = conversion;
      const isUncounted = kind === 'split' && yesCostMicros === null;
      const costMicros = isUncounted ? computeYesCost(-yesMicros, markMicros) : yesCostMicros;
      return { ...conversion, yesCostMicros: costMicros, markMicros };
    }),
  };
}

/** Milliseconds before a trade at which the book is read. The exchange reports times in whole seconds. */
const BEFORE_TRADE_MS = 1;

/** Estimates a trade's exact time from its whole second: the middle of the second, or the receipt time if earlier. */
export const tradeTimeMs = (timestampS: number, seenMs: number): number =>
  Math.max(timestampS * 1000, Math.min(timestampS * 1000 + 500, seenMs));

function toFill(trade: ReportedTrade, restingFromMs: number | null, { prices, lastMs }: LedgerMarket): FillRecord {
  const { ownPriceMicros, feeMicros, ...reported } = trade;
  const { timeMs, isYes, isBuy, isMaker, amountMicros } = reported;
  const notional = tradeNotional(isYes, ownPriceMicros, amountMicros);
  const priceMicros = isYes ? ownPriceMicros : complement(ownPriceMicros);
  const restedMs = restingFromMs === null ? null : Math.max(0, Math.round(timeMs - restingFromMs));
  const markAt = (atMs: number): number | null => prices?.at(atMs).middleMicros ?? null;
  const beforeMs = timeMs - BEFORE_TRADE_MS;
  const isUnseen = prices !== null && prices.standing(beforeMs) === null;
  return {
    ...reported,
    priceMicros,
    side: isYes === isBuy ? 'bid' : 'ask',
    cashMicros: isBuy ? sub(ZERO, notional) : notional,
    feeMicros: feeMicros ?? ZERO,
    markMicros: isUnseen ? priceMicros : markAt(beforeMs),
    marksAfterMicros: MARKOUT_HORIZONS_MS.map((ms) => (timeMs + ms > lastMs ? null : markAt(timeMs + ms))),
    restedMs: isMaker === false ? 0 : restedMs,
    joinedBehindMicros: null,
    atCrossing: null,
  };
}

function foldMarket(market: ReturnType<typeof readMoves>, running: readonly Span[], toMs: number) {
  const { orders: _, trades: _trades, prices, lastMs, countedFromMs: _from, fairMicros, endShares, ...named } = market;
  const { series, held } = walkSeries(market, toMs);
  const { yesMicros, noMicros } = endShares ?? held;
  const session: MarketSession = {
    ...named,
    series,
    category: prices?.category ?? '',
    endYesMicros: yesMicros,
    endNoMicros: noMicros,
    endMarkMicros: fairMicros ?? prices?.standing(lastMs) ?? null,
    quoting: measureQuoting(market, running),
    coverage: prices?.coverage ?? null,
  };
  return { session, cashMicros: held.cashMicros };
}

function walkSeries(market: WalkedMarket, endMs: number) {
  const { orders, fills, conversions } = market;
  const ordered = orders.flatMap(({ fromMs, toMs }) => [fromMs, toMs ?? endMs]);
  const times = [...ordered, ...[...fills, ...conversions].map(({ timeMs }) => timeMs)];
  const [first, last] = times.reduce(([low, high], time) => [Math.min(low, time), Math.max(high, time)], [endMs, 0]);
  const steps = stepsOver(first, last);
  const samples = new MarketSamples(steps.stepMs);
  const walk = new MarketWalk(market);
  for (const timeMs of steps.timeMs) {
    walk.advance(timeMs);
    samples.take(timeMs, walk.top(timeMs), walk.held.netMicros);
  }
  walk.advance(Number.POSITIVE_INFINITY);
  return { series: samples.series, held: walk.held };
}

function measureQuoting({ orders, lastMs, countedFromMs }: LedgerMarket, running: readonly Span[]): QuotingFigures {
  const firstMs = countedFromMs ?? orders.reduce((first, { fromMs }) => Math.min(first, fromMs), lastMs);
  const open = common(mergeSpans(running), [[firstMs, lastMs]]);
  const standing = (wanted: SessionOrder['side']): readonly Span[] => {
    const own = orders.filter(({ side }) => side === wanted);
    return common(mergeSpans(own.map(({ fromMs, toMs }) => [fromMs, toMs ?? lastMs])), open);
  };
  const [bids, asks] = [standing('bid'), standing('ask')];
  const twoSidedMs = sumSpans(common(bids, asks));
  return {
    openForMs: sumSpans(open),
    twoSidedMs,
    oneSidedMs: sumSpans(bids) + sumSpans(asks) - 2 * twoSidedMs,
    haltedMs: null,
    ordersPlaced: orders.length,
    ordersCanceled: orders.filter(({ isCanceled }) => isCanceled).length,
    postedMicros: orders.reduce((total, { amountMicros }) => total + amountMicros, 0),
    joinedBehindMicros: null,
  };
}

/** Maximum account samples: one per second of a day, to bound the run time. Longer sessions have larger steps. */
const MOST_LOOKS = 86_400;

/** Samples the account only while the trader ran, because the value of shares between two runs is unknown. */
function sampleAccount(markets: readonly WalkedMarket[], capitalMicros: number, running: readonly Span[]) {
  const steps = stepsWithin(running, MOST_LOOKS);
  const account = new AccountSamples(steps.stepMs);
  const walks = markets.map((market) => new MarketWalk(market));
  for (const timeMs of steps.timeMs) {
    for (const walk of walks) walk.advance(timeMs);
    const equityMicros = equityAt(timeMs, walks, capitalMicros);
    account.take(timeMs, equityMicros, () => walks.reduce((sum, { lockedMicros }) => sum + lockedMicros, 0));
  }
  // The drawdown is unknown: between two samples, the trader may have held shares of unknown value.
  if (markets.some((market) => market.prices === null && everHeld(market))) account.see(null);
  return account;
}

/** Returns up to `most` sample times of a span, ms, at equal steps of at least 1 s; none for an empty span. */
function stepsOver(fromMs: number, toMs: number, most = MAX_SAMPLES) {
  if (toMs <= fromMs) return { stepMs: FIRST_STEP_MS, timeMs: [] };
  const stepMs = Math.max(FIRST_STEP_MS, Math.ceil((toMs - fromMs) / (most - 1)));
  const count = Math.min(most, Math.floor((toMs - fromMs) / stepMs) + 1);
  return { stepMs, timeMs: Array.from({ length: count }, (_, index) => fromMs + index * stepMs) };
}

/** Returns at most `most` times within spans, at equal steps. The time between two spans does not count. */
function stepsWithin(spans: readonly Span[], most: number) {
  const within = mergeSpans(spans);
  const { stepMs, timeMs } = stepsOver(0, sumSpans(within), most);
  let [at, beforeMs] = [0, 0];
  const placed = timeMs.map((sinceMs) => {
    for (let span = within[at]; span !== undefined && sinceMs - beforeMs > span[1] - span[0]; span = within[++at])
      beforeMs += span[1] - span[0];
    return (within[at]?.[0] ?? 0) + sinceMs - beforeMs;
  });
  return { stepMs, timeMs: placed };
}

/** Returns true if the market ever had unequal YES and NO shares, whose value depends on a price. */
function everHeld(market: WalkedMarket): boolean {
  const held = new Holdings();
  return listMoves(market).some((move) => {
    held.move(move);
    return held.netMicros !== 0;
  });
}
