/** The risk controls for orders and splits, numbered as in docs/reference.md. A check returns a `Breach`, or null. */

import { notionalRate } from '../../shared/base/fees.js';
import { type Micros, micros, mul, ONE, sub, ZERO } from '../../shared/base/micros.js';
import type { Book, Health, MarketFacts, Stance } from '../market/view.js';
import { computeSpending, type Exposure, lossToAverage, toYesDirection, type WorkingOrder } from './exposure.js';
import {
  type Breach,
  type MergeIntent,
  type PlaceIntent,
  type RedeemIntent,
  type SplitIntent,
  showFigure,
} from './intent.js';
import { LIMIT_NAMES, type RiskLimits } from './limits.js';
import type { ActionPace, FillState, LossFacts } from './loss-guard.js';

const COUNTED: readonly Breach['unit'][] = ['orders', 'actions', 'fills', 'requests', 'flag'];

type Figure = number | null | undefined;

export interface RiskControl<I> {
  readonly number: number;
  /** Name of the risk control. A control with a limit has the limit's name. */
  readonly name: string;
  /** Checks an intent. `order` returns the place intent as a working order. */
  readonly check: (intent: I, facts: RiskFacts, order: () => WorkingOrder) => Breach | null;
}

/** Number of requests that an order needs: its draft and submit, and the draft and submit of its later cancel. */
const REQUESTS_PER_PLACE = 4;

/** Risk controls of orders and splits. */
const COMMON_CONTROLS: readonly RiskControl<unknown>[] = [
  { number: 8, name: 'halted', check: checkHalt },
  { number: 8, name: 'max_loss_day', check: dayLoss },
  { number: 8, name: 'max_drawdown', check: drawdown },
  { number: 11, name: 'max_fills', check: fillBurst },
  { number: 15, name: 'market_open', check: marketOpen },
  { number: 15, name: 'min_time_to_resolution_s', check: timeToResolution },
];

/** Risk controls of an order. `sane_input` is first, because later controls rely on its checks. */
export const PLACE_CONTROLS: readonly RiskControl<PlaceIntent>[] = [
  { number: 14, name: 'sane_input', check: saneInput },
  ...COMMON_CONTROLS,
  { number: 14, name: 'max_book_age_ms', check: bookAge },
  { number: 14, name: 'book_crossed', check: bookCrossed },
  { number: 14, name: 'book_frozen', check: bookFrozen },
  { number: 14, name: 'min_time_since_jump_ms', check: checkJump },
  // `request_reserve` is fast and refuses most often, so it runs before the slower controls that sum over open orders.
  { number: 10, name: 'request_reserve', check: requestReserve },
  { number: 9, name: 'max_actions_per_second', check: perSecond },
  { number: 9, name: 'max_actions_per_minute', check: perMinute },
  { number: 17, name: 'reduce_only', check: reduceOnly },
  { number: 1, name: 'max_order_shares', check: orderShares },
  { number: 2, name: 'max_order_notional', check: orderNotional },
  { number: 3, name: 'price_collar_fair', check: collarFair },
  { number: 3, name: 'price_collar_book', check: collarBook },
  { number: 12, name: 'duplicate_intent', check: duplicate },
  { number: 13, name: 'self_cross', check: selfCross },
  { number: 4, name: 'max_open_orders', check: openOrders },
  { number: 5, name: 'max_position_shares', check: position },
  { number: 6, name: 'max_event_position_shares', check: eventPosition },
  { number: 6, name: 'max_event_loss', check: eventLoss },
  { number: 7, name: 'max_total_cost', check: totalCost },
  { number: 22, name: 'loss_to_average', check: averageLoss },
  { number: 19, name: 'available_cash', check: availableCash },
  { number: 20, name: 'available_shares', check: availableShares },
];

/** Checks that a merge or redeem does not exceed the held shares. */
export function conversionSanity(intent: MergeIntent | RedeemIntent, exposure: Exposure): Breach | null {
  const isMerge = intent.kind === 'merge';
  const [yes, no] = isMerge ? [intent.amountMicros, intent.amountMicros] : [intent.yesMicros, intent.noMicros];
  const holding = exposure.holding(intent.marketConditionId);
  const wanted = [['YES', yes, holding.yesMicros] as const, ['NO', no, holding.noMicros] as const];
  let total = 0;
  for (const [outcome, amount, held] of wanted) {
    const what = `the ${outcome} shares of the ${intent.kind}`;
    const breach =
      whole(what, amount, 'shares') ?? atLeast(what, amount, 0, 'shares') ?? atMost(what, amount, held, 'shares');
    if (breach !== null) return breach;
    total += amount;
  }
  return atLeast('the amount to convert', total, 1, 'shares');
}

/** Checks that all numbers that later controls use exist and are finite. */
function saneInput(place: PlaceIntent, facts: RiskFacts): Breach | null {
  const { sight, limits } = facts;
  if (sight === null || sight.market.conditionId !== place.marketConditionId)
    return flag('the trader has no data about this market');
  const insane = insaneLimit(limits);
  if (insane !== null) return insane;
  for (const level of [sight.book.bids[0], sight.book.asks[0]]) {
    const breach = level === undefined ? null : whole('the best price of the book', level.priceMicros, 'price');
    if (breach !== null) return breach;
  }
  return (
    whole('the price', place.priceMicros, 'price') ??
    atLeast('the price', place.priceMicros, 1, 'price') ??
    atMost('the price', place.priceMicros, ONE - 1, 'price') ??
    whole('the amount', place.amountMicros, 'shares') ??
    atLeast('the amount', place.amountMicros, 1, 'shares') ??
    whole('the available currency', facts.cashMicros, 'currency') ??
    whole('the maker fee rate', sight.market.makerFeeRateMicros, 'price') ??
    whole('the taker fee rate', sight.market.takerFeeRateMicros, 'price') ??
    atLeast('the fee rate', feeRate(facts), 0, 'price') ??
    atMost('the fee rate', feeRate(facts), ONE, 'price')
  );
}

function insaneLimit(limits: RiskLimits): Breach | null {
  for (const name of LIMIT_NAMES) {
    if (Number.isSafeInteger(limits[name]) && limits[name] >= 0) continue;
    const breach =
      whole(`the limit ${name}`, limits[name], 'flag') ?? atLeast(`the limit ${name}`, limits[name], 0, 'flag');
    if (breach !== null) return breach;
  }
  return null;
}

function checkHalt(_: unknown, { stance, stanceReason, loss }: RiskFacts): Breach | null {
  if (stance === 'halted') return flag(`trading is halted: ${stanceReason}`);
  if (loss.halted !== null && stance !== 'flatten') return flag(`trading is halted: ${loss.halted}`);
  return null;
}

/** Returns true if this stance allows only reducing orders (control 17). The limits on losses then do not apply. */
const mayOnlyReduce = (stance: RiskFacts['stance']): boolean => stance === 'flatten' || stance === 'reduce-only';

function dayLoss(_: unknown, { stance, loss, limits }: RiskFacts): Breach | null {
  if (mayOnlyReduce(stance)) return null;
  return atMost("today's loss", loss.dayLossMicros, limits.maxLossDayMicros - 1, 'currency');
}

function drawdown(_: unknown, { stance, loss, limits }: RiskFacts): Breach | null {
  if (mayOnlyReduce(stance)) return null;
  return atMost('the loss below the high-water mark', loss.drawdownMicros, limits.maxDrawdownMicros - 1, 'currency');
}

function fillBurst(_: unknown, { stance, fills }: RiskFacts): Breach | null {
  if (stance === 'flatten') return null;
  return fills.halted === null ? null : flag(`trading is halted: ${fills.halted}`);
}

function marketOpen(_: unknown, { sight }: RiskFacts): Breach | null {
  return sight?.market.phase === 'open' ? null : flag(`the market is ${sight?.market.phase ?? 'not known'}, not open`);
}

function timeToResolution(_: unknown, { sight, limits }: RiskFacts): Breach | null {
  const leftMs = sight?.timeToResolutionMs;
  // Null: the market has no resolution date. Undefined: the data are missing, so `atLeast` refuses the order.
  if (leftMs === null) return null;
  const seconds = leftMs === undefined ? null : leftMs / 1000;
  return atLeast('the time to resolution', seconds, limits.minTimeToResolutionS, 's');
}

function bookAge(_: unknown, { sight, limits }: RiskFacts): Breach | null {
  return (
    atLeast('the age of the book', sight?.health.bookAgeMs, 0, 'ms') ??
    atMost('the age of the book', sight?.health.bookAgeMs, limits.maxBookAgeMs, 'ms')
  );
}

function bookCrossed(_: unknown, facts: RiskFacts): Breach | null {
  const { bid, ask } = best(facts);
  if (bid === undefined || ask === undefined) return null;
  return atMost('the best bid of the book', bid, ask - 1, 'price');
}

function bookFrozen(_: unknown, { sight }: RiskFacts): Breach | null {
  return sight?.health.frozen === false ? null : flag('the book is frozen: trades occur beyond its unchanged prices');
}

function checkJump(_: unknown, { sight, limits }: RiskFacts): Breach | null {
  if (sight?.health.sinceJumpMs === null) return null;
  return atLeast('the time since the price jumped', sight?.health.sinceJumpMs, limits.minTimeSinceJumpMs, 'ms');
}

function reduceOnly(place: PlaceIntent, facts: RiskFacts): Breach | null {
  const unrestricted = facts.stance === 'normal' || facts.stance === 'widen';
  if (unrestricted && place.fairYesMicros !== null) return null;
  const why = place.fairYesMicros === null ? 'no fair value is known' : `${facts.stance}: ${facts.stanceReason}`;
  const what = `only orders that reduce the position are allowed (${why}): the amount of this order`;
  // Maximum amount with which the net position cannot cross zero, even if all other orders fill.
  const { highMicros, lowMicros } = facts.exposure.worstCase(place.marketConditionId);
  const reducible = Math.max(0, toYesDirection(place).raises ? -highMicros : lowMicros);
  return atMost(what, place.amountMicros, reducible, 'shares');
}

function orderShares(place: PlaceIntent, { limits }: RiskFacts): Breach | null {
  return atMost('the amount', place.amountMicros, limits.maxOrderSharesMicros, 'shares');
}

function orderNotional(place: PlaceIntent, { limits }: RiskFacts): Breach | null {
  const notional = mul(place.priceMicros, place.amountMicros, 'ceil');
  return atMost('price x amount', notional, limits.maxOrderNotionalMicros, 'currency');
}

function collarFair(place: PlaceIntent, { limits }: RiskFacts): Breach | null {
  // Without a fair value, control 17 restricts the order, and `price_collar_book` checks its price.
  if (place.fairYesMicros === null) return null;
  const fair = place.fairYesMicros;
  return whole('the fair value', fair, 'price') ?? checkCollar(place, fair, limits.priceCollarFairMicros);
}

/** Checks that a bid is at most `collar` above a YES price, and that an ask is at most `collar` below it. */
function checkCollar(place: PlaceIntent, yesPrice: Micros, collar: Micros): Breach | null {
  const { raises, priceMicros } = toYesDirection(place);
  return raises
    ? atMost('the YES price of the bid', priceMicros, yesPrice + collar, 'price')
    : atLeast('the YES price of the ask', priceMicros, yesPrice - collar, 'price');
}

function collarBook(place: PlaceIntent, facts: RiskFacts): Breach | null {
  const { bid, ask } = best(facts);
  const against = toYesDirection(place).raises ? ask : bid;
  // If the opposite side of the book is empty, only the strategy's fair value limits the price.
  if (against === undefined)
    return place.fairYesMicros === null ? flag('the price cannot be checked: no fair value and an empty book') : null;
  return checkCollar(place, against, facts.limits.priceCollarBookMicros);
}

function duplicate(place: PlaceIntent, { exposure }: RiskFacts): Breach | null {
  if (exposure.has(place.intentId)) return flag(`intent ${place.intentId} is already in progress`);
  const twins = exposure.listOrders(place.marketConditionId).filter(({ phase, isYes, side, priceMicros }) => {
    const isTwin = isYes === place.isYes && side === place.side && priceMicros === place.priceMicros;
    return isTwin && phase !== 'resting';
  });
  return atMost('other orders in flight with this outcome, side and price', twins.length, 0, 'orders');
}

function selfCross(place: PlaceIntent, { exposure }: RiskFacts): Breach | null {
  const ours = toYesDirection(place);
  for (const order of exposure.listOrders(place.marketConditionId)) {
    const other = toYesDirection(order);
    if (other.raises === ours.raises) continue;
    const what = `the YES price of the ${ours.raises ? 'bid' : 'ask'} compared with our own order ${order.intentId}`;
    const breach = ours.raises
      ? atMost(what, ours.priceMicros, other.priceMicros - 1, 'price')
      : atLeast(what, ours.priceMicros, other.priceMicros + 1, 'price');
    if (breach !== null) return breach;
  }
  return null;
}

function openOrders(_: unknown, { exposure, limits }: RiskFacts): Breach | null {
  return atMost('open orders including this order', exposure.workingOrders + 1, limits.maxOpenOrders, 'orders');
}

function position(place: PlaceIntent, facts: RiskFacts, order: () => WorkingOrder): Breach | null {
  const worst = facts.exposure.worstCase(place.marketConditionId, order());
  // An order changes only the highest or only the lowest possible position. The other extreme must not block it.
  const extreme = toYesDirection(place).raises ? worst.highMicros : sub(ZERO, worst.lowMicros);
  return atMost('the worst possible position in this market', extreme, facts.limits.maxPositionSharesMicros, 'shares');
}

function eventPosition(place: PlaceIntent, facts: RiskFacts, order: () => WorkingOrder): Breach | null {
  const { exposure, limits } = facts;
  const before = exposure.worstCase(place.marketConditionId).positionMicros;
  const after = exposure.worstCase(place.marketConditionId, order()).positionMicros;
  if (after <= before) return null;
  const event = place.eventConditionId ?? place.marketConditionId;
  const sum = exposure.eventPosition(event) - before + after;
  return atMost('the worst possible position in this event', sum, limits.maxEventPositionSharesMicros, 'shares');
}

function eventLoss(place: PlaceIntent, facts: RiskFacts, order: () => WorkingOrder): Breach | null {
  const { exposure, limits, stance } = facts;
  // The operator decided to sell. The first sale of a hedged event may raise the event's worst loss.
  if (stance === 'flatten') return null;
  const event = place.eventConditionId ?? place.marketConditionId;
  const after = exposure.eventLoss(event, order());
  if (after <= limits.maxEventLossMicros || after <= exposure.eventLoss(event)) return null;
  return atMost('the worst possible loss of this event', after, limits.maxEventLossMicros, 'currency');
}

function totalCost(place: PlaceIntent, facts: RiskFacts, order: () => WorkingOrder): Breach | null {
  const { exposure, limits } = facts;
  const before = exposure.worstCase(place.marketConditionId).lossMicros;
  const after = exposure.worstCase(place.marketConditionId, order()).lossMicros;
  if (after <= before) return null;
  const sum = exposure.totalLossMicros - before + after;
  return atMost('the worst possible loss of all markets together', sum, limits.maxTotalCostMicros, 'currency');
}

function averageLoss(_: unknown, facts: RiskFacts, order: () => WorkingOrder): Breach | null {
  const { exposure, findCaps, limits, loss, stance } = facts;
  if (mayOnlyReduce(stance)) return null;
  const after = lossToAverage(exposure, findCaps, order());
  if (after === 0 || after <= lossToAverage(exposure, findCaps)) return null;
  const what = "today's loss with all orders filled and prices back at their slow averages";
  return atMost(what, loss.dayLossMicros + after, limits.maxLossDayMicros - 1, 'currency');
}

function requestReserve(_: unknown, { requestHeadroom }: RiskFacts): Breach | null {
  return atLeast('free requests, excluding the reserve for cancels', requestHeadroom, REQUESTS_PER_PLACE, 'requests');
}

function perSecond(_: unknown, { pace, limits }: RiskFacts): Breach | null {
  return atMost('orders and cancels of the last second', pace.lastSecond, limits.maxActionsPerSecond - 1, 'actions');
}

function perMinute(_: unknown, { pace, limits }: RiskFacts): Breach | null {
  return atMost('orders and cancels of the last minute', pace.lastMinute, limits.maxActionsPerMinute - 1, 'actions');
}

function availableCash(place: PlaceIntent, facts: RiskFacts, order: () => WorkingOrder): Breach | null {
  if (place.side === 'sell') return null;
  const needed = facts.exposure.reservedCashMicros + computeSpending(order());
  return atMost('currency needed by this order and all working buys', needed, facts.cashMicros, 'currency');
}

function availableShares(place: PlaceIntent, { exposure }: RiskFacts): Breach | null {
  if (place.side === 'buy') return null;
  const free = exposure.freeShares(place.marketConditionId, place.isYes);
  return atMost(`the ${place.isYes ? 'YES' : 'NO'} shares to sell`, place.amountMicros, free, 'shares');
}

/** Returns a place intent as a working order in flight. Throws RangeError if a fee rate is not a safe integer. */
export const toWorkingOrder = (place: PlaceIntent, facts: RiskFacts): WorkingOrder => ({
  ...place,
  remainingMicros: place.amountMicros,
  // If the fee schedule is unknown, the more expensive one, `notional`, is assumed. `saneInput` has checked the rate.
  feeRateMicros: notionalRate(facts.sight?.market.feeSchedule ?? 'notional', feeRate(facts), place.priceMicros),
  phase: 'in_flight',
});

/** Returns the higher of the maker and taker fee rates, because an order meant as a maker may still take. */
const feeRate = ({ sight }: RiskFacts): Micros =>
  micros(Math.max(sight?.market.makerFeeRateMicros ?? ONE, sight?.market.takerFeeRateMicros ?? ONE));

const best = ({ sight }: RiskFacts) => ({
  bid: sight?.book.bids[0]?.priceMicros,
  ask: sight?.book.asks[0]?.priceMicros,
});

/** Returns null if the value is a safe integer, as every Micros must be; else the breach. */
function whole(what: string, value: number | null | undefined, unit: Breach['unit']): Breach | null {
  if (Number.isSafeInteger(value)) return null;
  const text = `${what} is not a valid number (got ${showFigure(value ?? Number.NaN)})`;
  return { limit: 0, found: null, unit, text };
}

/** Returns the breach of a yes/no condition. Such a breach has `found` 1 and `limit` 0. */
const flag = (text: string): Breach => ({ limit: 0, found: 1, unit: 'flag', text });

/** Controls of a split of currency into complete sets. A split uses currency, so every halt blocks splits too. */
export const SPLIT_CONTROLS: readonly RiskControl<SplitIntent>[] = [
  { number: 14, name: 'sane_input', check: saneSplit },
  ...COMMON_CONTROLS,
  { number: 17, name: 'reduce_only', check: addsNothing },
  { number: 21, name: 'max_core_sets', check: coreSets },
  { number: 19, name: 'available_cash', check: splitCash },
];

function saneSplit(split: SplitIntent, { sight, limits, cashMicros }: RiskFacts): Breach | null {
  if (sight === null || sight.market.conditionId !== split.marketConditionId)
    return flag('the trader has no data about this market');
  return (
    insaneLimit(limits) ??
    whole('the sets to split', split.amountMicros, 'shares') ??
    atLeast('the sets to split', split.amountMicros, 1, 'shares') ??
    whole('the YES price of the split', split.yesPriceMicros, 'price') ??
    atLeast('the YES price of the split', split.yesPriceMicros, 1, 'price') ??
    atMost('the YES price of the split', split.yesPriceMicros, ONE - 1, 'price') ??
    whole('the available currency', cashMicros, 'currency')
  );
}

function addsNothing(_: unknown, { stance, stanceReason }: RiskFacts): Breach | null {
  if (stance === 'normal' || stance === 'widen') return null;
  return flag(`only orders that reduce positions are allowed (${stance}: ${stanceReason}), so no split is allowed`);
}

function coreSets(split: SplitIntent, { exposure, limits }: RiskFacts): Breach | null {
  const sets = exposure.setsMicros(split.marketConditionId) + split.amountMicros;
  return atMost('the complete sets of this market including the split', sets, limits.maxCoreSetsMicros, 'shares');
}

function splitCash(split: SplitIntent, { exposure, cashMicros }: RiskFacts): Breach | null {
  const needed = exposure.reservedCashMicros + split.amountMicros;
  return atMost('currency needed by this split, other splits and all working buys', needed, cashMicros, 'currency');
}

/** Market data for the risk controls. Strategies cannot change it, because the engine reads it after they ran. */
interface MarketSight {
  readonly market: Pick<
    MarketFacts,
    'conditionId' | 'phase' | 'makerFeeRateMicros' | 'takerFeeRateMicros' | 'feeSchedule'
  >;
  /** The market's book as received, with YES prices. */
  readonly book: Book;
  readonly health: Pick<Health, 'bookAgeMs' | 'frozen' | 'sinceJumpMs'>;
  /** Time to the market's resolution, ms; null without a resolution date. */
  readonly timeToResolutionMs: number | null;
}

/** Stance for risk checks. With `flatten`, the trader sells holdings, so no loss limit or halt blocks orders. */
type RiskStance = Stance | 'flatten' | 'halted';

export interface RiskFacts {
  /** Data of the intent's market; null if missing, so that every order is refused. */
  readonly sight: MarketSight | null;
  /** The trader's limits, tightened by the limits of the strategy. */
  readonly limits: RiskLimits;
  /** All holdings and working orders of this trader, over all strategies. */
  readonly exposure: Exposure;
  /** Own currency, including the currency that is reserved for orders and splits. */
  readonly cashMicros: Micros;
  readonly loss: LossFacts;
  /** Returns the highest values that risk limits may assume for a market's shares. */
  readonly findCaps: Parameters<typeof lossToAverage>[1];
  readonly fills: Pick<FillState, 'halted'>;
  /** Number of recent orders and cancels of the whole trader, including those of this engine step. */
  readonly pace: ReturnType<ActionPace['facts']>;
  readonly stance: RiskStance;
  /** Why the trading stance is not `normal`; empty if it is `normal`. */
  readonly stanceReason: string;
  /** Number of signed requests that could be sent now without use of the reserve for cancels. */
  readonly requestHeadroom: number;
}

/** Formats a figure with its unit, such as `12 shares`, `0.42` or `300 ms`. Counts are formatted without a unit. */
function withUnit(value: number | null, unit: Breach['unit']): string {
  if (value === null) return 'missing';
  if (unit === 'price') return showFigure(value);
  if (COUNTED.includes(unit)) return String(value);
  return unit === 'shares' || unit === 'currency' ? `${showFigure(value)} ${unit}` : `${value} ${unit}`;
}

/** Returns null if `found` is finite and at most `limit`; else the breach. A limit of NaN is always breached. */
function atMost(what: string, found: Figure, limit: number, unit: Breach['unit']): Breach | null {
  if (Number.isFinite(found) && (found ?? Number.NaN) <= limit) return null;
  return breach(what, found, limit, unit, 'the maximum is');
}

/** Returns null if `found` is finite and at least `limit`; else the breach. A limit of NaN is always breached. */
function atLeast(what: string, found: Figure, limit: number, unit: Breach['unit']): Breach | null {
  if (Number.isFinite(found) && (found ?? Number.NaN) >= limit) return null;
  return breach(what, found, limit, unit, 'the minimum is');
}

function breach(what: string, figure: Figure, limit: number, unit: Breach['unit'], word: string): Breach {
  const found = figure !== undefined && Number.isFinite(figure) ? figure : null;
  const verb = COUNTED.includes(unit) ? ':' : ' is';
  return { limit, found, unit, text: `${what}${verb} ${withUnit(found, unit)}, ${word} ${withUnit(limit, unit)}` };
}
