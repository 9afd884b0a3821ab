/** The risk controls, numbered as in docs/reference.md. A refusal has the two numbers that a control compared. */

import { notionalRate } from '../../shared/base/fees.js';
import { type Micros, micros, mul, ONE, sub, ZERO } from '../../shared/base/micros.js';
import type { Book, Health, MarketFacts, Stance } from '../market/view.js';
import {
  computeSpending,
  type Exposure,
  type FindCaps,
  lossToAverage,
  toYesDirection,
  type WorkingOrder,
} from './exposure.js';
import {
  atLeast,
  atMost,
  type Breach,
  type Intent,
  type MergeIntent,
  type PlaceIntent,
  type RedeemIntent,
  type Refusal,
  type SplitIntent,
  showFigure,
} from './intent.js';
import { LIMIT_NAMES, type RiskLimits } from './limits.js';
import type { FillFacts, LossFacts, PaceFacts } from './loss-guard.js';

/** Number of requests that an order needs: its draft and submit, and the draft and submit of its later cancel. */
const REQUESTS_PER_PLACE = 4;

/** Returns the first refusal of an intent by a risk control; null if all allow it. Cancels are never refused. */
export function findRefusal(intent: Intent, facts: RiskFacts): Refusal | null {
  if (intent.kind === 'cancel') return null;
  if (intent.kind === 'merge' || intent.kind === 'redeem')
    return refuse(14, 'sane_input', conversionSanity(intent, facts.exposure));
  const { sight } = facts;
  if (sight === null || sight.market.conditionId !== intent.marketConditionId)
    return refuse(14, 'sane_input', flag('the trader has no data about this market'));
  // `sane_input` is first, because later controls rely on its checks.
  const insane = intent.kind === 'place' ? saneOrder(intent, facts, sight) : saneSplit(intent, facts);
  if (insane !== null) return refuse(14, 'sane_input', insane);
  // A split uses currency, so every halt blocks splits too.
  if (intent.kind === 'split') return checkTrading(facts, sight) ?? checkSplit(intent, facts);
  return (
    checkTrading(facts, sight) ??
    checkBook(facts, sight) ??
    checkOrder(intent, facts, sight) ??
    checkExposure(intent, facts)
  );
}

/** Adds the number and the name of a control, which is the name of its limit if it has one. */
const refuse = (control: number, name: string, breach: Breach | null): Refusal | null =>
  breach === null ? null : { control, name, ...breach };

function conversionSanity(intent: MergeIntent | RedeemIntent, exposure: Exposure): Breach | null {
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

/** Checks that every figure that later controls use exists and is finite. */
function saneOrder(place: PlaceIntent, facts: RiskFacts, { book, market }: MarketSight): Breach | null {
  const insane = insaneLimit(facts.limits);
  if (insane !== null) return insane;
  for (const level of [book.bids[0], book.asks[0]]) {
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
    whole('the maker fee rate', market.makerFeeRateMicros, 'price') ??
    whole('the taker fee rate', market.takerFeeRateMicros, 'price') ??
    atLeast('the fee rate', feeRate(facts), 0, 'price') ??
    atMost('the fee rate', feeRate(facts), ONE, 'price')
  );
}

function saneSplit({ amountMicros, yesPriceMicros }: SplitIntent, { limits, cashMicros }: RiskFacts): Breach | null {
  return (
    insaneLimit(limits) ??
    whole('the sets to split', amountMicros, 'shares') ??
    atLeast('the sets to split', amountMicros, 1, 'shares') ??
    whole('the YES price of the split', yesPriceMicros, 'price') ??
    atLeast('the YES price of the split', yesPriceMicros, 1, 'price') ??
    atMost('the YES price of the split', yesPriceMicros, ONE - 1, 'price') ??
    whole('the available currency', cashMicros, 'currency')
  );
}

function insaneLimit(limits: RiskLimits): Breach | null {
  for (const name of LIMIT_NAMES) {
    if (Number.isSafeInteger(limits[name]) && limits[name] >= 0) continue;
    return whole(`the limit ${name}`, limits[name], 'flag') ?? atLeast(`the limit ${name}`, limits[name], 0, 'flag');
  }
  return null;
}

/** Returns true if control 17 allows only reducing orders in this stance; loss controls then do not apply. */
const mayOnlyReduce = (stance: RiskStance): boolean => stance === 'flatten' || stance === 'reduce-only';

function checkTrading(facts: RiskFacts, { market, timeToResolutionMs }: MarketSight): Refusal | null {
  const { stance, loss, fills, limits } = facts;
  if (stance === 'halted') return refuse(8, 'halted', flag(`trading is halted: ${facts.stanceReason}`));
  if (stance !== 'flatten' && loss.halted !== null)
    return refuse(8, 'halted', flag(`trading is halted: ${loss.halted}`));
  if (!mayOnlyReduce(stance)) {
    const lost = atMost("today's loss", loss.dayLossMicros, limits.maxLossDayMicros - 1, 'currency');
    if (lost !== null) return refuse(8, 'max_loss_day', lost);
    const what = 'the loss below the high-water mark';
    const below = atMost(what, loss.drawdownMicros, limits.maxDrawdownMicros - 1, 'currency');
    if (below !== null) return refuse(8, 'max_drawdown', below);
  }
  if (stance !== 'flatten') {
    if (fills.halted !== null) return refuse(11, 'max_fills', flag(`trading is halted: ${fills.halted}`));
    const burst = atMost(`fills within ${limits.fillsWindowS} s`, fills.inWindow, limits.maxFills, 'fills');
    if (burst !== null) return refuse(11, 'max_fills', burst);
  }
  if (market.phase !== 'open') return refuse(15, 'market_open', flag(`the market is ${market.phase}, not open`));
  // A null time means that the market has no resolution date.
  if (timeToResolutionMs === null) return null;
  const left = atLeast('the time to resolution', timeToResolutionMs / 1000, limits.minTimeToResolutionS, 's');
  return refuse(15, 'min_time_to_resolution_s', left);
}

function checkBook({ limits }: RiskFacts, { book, health }: MarketSight): Refusal | null {
  const { bookAgeMs, frozen, sinceJumpMs } = health;
  const age =
    atLeast('the age of the book', bookAgeMs, 0, 'ms') ??
    atMost('the age of the book', bookAgeMs, limits.maxBookAgeMs, 'ms');
  if (age !== null) return refuse(14, 'max_book_age_ms', age);
  const [bid, ask] = [book.bids[0], book.asks[0]];
  if (bid !== undefined && ask !== undefined) {
    const crossed = atMost('the best bid of the book', bid.priceMicros, ask.priceMicros - 1, 'price');
    if (crossed !== null) return refuse(14, 'book_crossed', crossed);
  }
  if (frozen !== false) return refuse(14, 'book_frozen', flag('the book is frozen: trades pass its best prices'));
  if (sinceJumpMs === null) return null;
  const jump = atLeast('the time since the price jumped', sinceJumpMs, limits.minTimeSinceJumpMs, 'ms');
  return refuse(14, 'min_time_since_jump_ms', jump);
}

function checkOrder(place: PlaceIntent, facts: RiskFacts, sight: MarketSight): Refusal | null {
  const { exposure, limits, pace, requestHeadroom } = facts;
  // `request_reserve` is cheap and refuses most often, so it runs before the sums over open orders.
  const reserved = 'requests left beyond the reserve for cancels';
  const reserve = atLeast(reserved, requestHeadroom, REQUESTS_PER_PLACE, 'requests');
  if (reserve !== null) return refuse(10, 'request_reserve', reserve);
  const { lastSecond, lastMinute } = pace;
  const second = atMost('orders and cancels of the last second', lastSecond, limits.maxActionsPerSecond - 1, 'actions');
  if (second !== null) return refuse(9, 'max_actions_per_second', second);
  const minute = atMost('orders and cancels of the last minute', lastMinute, limits.maxActionsPerMinute - 1, 'actions');
  if (minute !== null) return refuse(9, 'max_actions_per_minute', minute);
  const increase = reduceOnly(place, facts);
  if (increase !== null) return refuse(17, 'reduce_only', increase);
  const amount = atMost('the amount', place.amountMicros, limits.maxOrderSharesMicros, 'shares');
  if (amount !== null) return refuse(1, 'max_order_shares', amount);
  const product = mul(place.priceMicros, place.amountMicros, 'ceil');
  const notional = atMost('price x amount', product, limits.maxOrderNotionalMicros, 'currency');
  if (notional !== null) return refuse(2, 'max_order_notional', notional);
  // An order without fair value is restricted by control 17, and the collar around the book checks its price.
  const fair = place.fairYesMicros;
  const beyondFair =
    fair === null
      ? null
      : (whole('the fair value', fair, 'price') ?? checkCollar(place, fair, limits.priceCollarFairMicros));
  if (beyondFair !== null) return refuse(3, 'price_collar_fair', beyondFair);
  const against = toYesDirection(place).raises ? sight.book.asks[0] : sight.book.bids[0];
  if (against !== undefined) {
    const beyondBook = checkCollar(place, against.priceMicros, limits.priceCollarBookMicros);
    if (beyondBook !== null) return refuse(3, 'price_collar_book', beyondBook);
  } else if (fair === null) {
    // If the book's other side is empty, only the strategy's fair value can be compared with the price.
    const text = 'the price cannot be checked: no fair value and an empty book';
    return refuse(3, 'price_collar_book', flag(text));
  }
  const open = exposure.workingOrders + 1;
  return (
    refuse(12, 'duplicate_intent', findTwin(place, exposure)) ??
    refuse(13, 'self_cross', findSelfCross(place, exposure)) ??
    refuse(4, 'max_open_orders', atMost('open orders including this order', open, limits.maxOpenOrders, 'orders'))
  );
}

function reduceOnly(place: PlaceIntent, facts: RiskFacts): Breach | null {
  const unrestricted = facts.stance === 'normal' || facts.stance === 'widen';
  if (unrestricted && place.fairYesMicros !== null) return null;
  const why = place.fairYesMicros === null ? 'no fair value is known' : `${facts.stance}: ${facts.stanceReason}`;
  const what = `only orders that reduce the position are allowed (${why}): the amount of this order`;
  // Shares that this side can trade before the net position passes zero, even if all other orders fill.
  const { highMicros, lowMicros } = facts.exposure.worstCase(place.marketConditionId);
  const reducible = Math.max(0, toYesDirection(place).raises ? -highMicros : lowMicros);
  return atMost(what, place.amountMicros, reducible, 'shares');
}

/** Checks that an order is priced at most `collar` beyond a YES price, to our disadvantage. */
function checkCollar(place: PlaceIntent, yesPrice: Micros, collar: Micros): Breach | null {
  const { raises, priceMicros } = toYesDirection(place);
  return raises
    ? atMost('the YES price of the bid', priceMicros, yesPrice + collar, 'price')
    : atLeast('the YES price of the ask', priceMicros, yesPrice - collar, 'price');
}

function findTwin(place: PlaceIntent, exposure: Exposure): Breach | null {
  if (exposure.has(place.intentId)) return flag(`intent ${place.intentId} is already in progress`);
  const twins = exposure.listOrders(place.marketConditionId).filter(({ phase, isYes, side, priceMicros }) => {
    const isTwin = isYes === place.isYes && side === place.side && priceMicros === place.priceMicros;
    return isTwin && phase !== 'resting';
  });
  return atMost('other orders in flight with this outcome, side and price', twins.length, 0, 'orders');
}

function findSelfCross(place: PlaceIntent, exposure: Exposure): Breach | null {
  const ours = toYesDirection(place);
  for (const order of exposure.listOrders(place.marketConditionId)) {
    const other = toYesDirection(order);
    if (other.raises === ours.raises) continue;
    const what = `the YES price of the ${ours.raises ? 'bid' : 'ask'} against our own order ${order.intentId}`;
    const breach = ours.raises
      ? atMost(what, ours.priceMicros, other.priceMicros - 1, 'price')
      : atLeast(what, ours.priceMicros, other.priceMicros + 1, 'price');
    if (breach !== null) return breach;
  }
  return null;
}

function checkExposure(place: PlaceIntent, facts: RiskFacts): Refusal | null {
  const { exposure, findCaps, limits } = facts;
  const { marketConditionId: market, isYes } = place;
  const order = toWorkingOrder(place, facts);
  const [before, after] = [exposure.worstCase(market), exposure.worstCase(market, order)];
  // Only the extreme position that this order moves is compared: the opposite extreme must not block a reducing order.
  const extreme = toYesDirection(place).raises ? after.highMicros : sub(ZERO, after.lowMicros);
  const position = atMost('the worst position in this market', extreme, limits.maxPositionSharesMicros, 'shares');
  if (position !== null) return refuse(5, 'max_position_shares', position);
  const event = place.eventConditionId ?? market;
  if (after.positionMicros > before.positionMicros) {
    const sum = exposure.eventPosition(event) - before.positionMicros + after.positionMicros;
    const breach = atMost('the worst position in this event', sum, limits.maxEventPositionSharesMicros, 'shares');
    if (breach !== null) return refuse(6, 'max_event_position_shares', breach);
  }
  const eventLoss = exposure.eventLoss(event, order);
  const ofEvent = atMost('the worst loss of this event', eventLoss, limits.maxEventLossMicros, 'currency');
  if (ofEvent !== null && eventLoss > exposure.eventLoss(event)) return refuse(6, 'max_event_loss', ofEvent);
  if (after.lossMicros > before.lossMicros) {
    const sum = exposure.totalLossMicros - before.lossMicros + after.lossMicros;
    const what = 'the worst possible loss of all markets together';
    const breach = atMost(what, sum, limits.maxTotalCostMicros, 'currency');
    if (breach !== null) return refuse(7, 'max_total_cost', breach);
  }
  const toAverage = mayOnlyReduce(facts.stance) ? ZERO : lossToAverage(exposure, findCaps, order);
  if (toAverage !== 0 && toAverage > lossToAverage(exposure, findCaps)) {
    const what = "today's loss with all orders filled and prices back at their slow averages";
    const breach = atMost(what, facts.loss.dayLossMicros + toAverage, limits.maxLossDayMicros - 1, 'currency');
    if (breach !== null) return refuse(22, 'loss_to_average', breach);
  }
  if (place.side === 'sell') {
    const what = `the ${isYes ? 'YES' : 'NO'} shares to sell`;
    const shares = atMost(what, place.amountMicros, exposure.freeShares(market, isYes), 'shares');
    return refuse(20, 'available_shares', shares);
  }
  const needed = exposure.reservedCashMicros + computeSpending(order);
  const cash = atMost('currency needed by this order and all working buys', needed, facts.cashMicros, 'currency');
  return refuse(19, 'available_cash', cash);
}

function checkSplit({ marketConditionId, amountMicros }: SplitIntent, facts: RiskFacts): Refusal | null {
  const { exposure, limits, stance, cashMicros } = facts;
  if (stance !== 'normal' && stance !== 'widen') {
    const text = `only orders that reduce positions are allowed (${stance}: ${facts.stanceReason}); a split is not one`;
    return refuse(17, 'reduce_only', flag(text));
  }
  const held = exposure.setsMicros(marketConditionId) + amountMicros;
  const sets = atMost('the complete sets of this market with the split', held, limits.maxCoreSetsMicros, 'shares');
  if (sets !== null) return refuse(21, 'max_core_sets', sets);
  const needed = exposure.reservedCashMicros + amountMicros;
  const what = 'currency needed by this split, other splits and all working buys';
  return refuse(19, 'available_cash', atMost(what, needed, cashMicros, 'currency'));
}

/** Returns the place as a working order in flight. Throws RangeError without a fee rate, which `saneOrder` refuses. */
export const toWorkingOrder = (place: PlaceIntent, facts: RiskFacts): WorkingOrder => ({
  ...place,
  remainingMicros: place.amountMicros,
  // Without a known fee schedule, the more expensive one, `notional`, is assumed. `saneOrder` has checked the rate.
  feeRateMicros: notionalRate(facts.sight?.market.feeSchedule ?? 'notional', feeRate(facts), place.priceMicros),
  phase: 'in_flight',
});

/** Returns the higher of the market's two fee rates, because a maker order may still take. */
const feeRate = ({ sight }: RiskFacts): Micros =>
  micros(Math.max(sight?.market.makerFeeRateMicros ?? ONE, sight?.market.takerFeeRateMicros ?? ONE));

/** Returns null for a safe integer (every Micros must be one); else the breach. */
function whole(what: string, value: number | null | undefined, unit: Breach['unit']): Breach | null {
  if (Number.isSafeInteger(value)) return null;
  const text = `${what} is not a valid number (got ${showFigure(value ?? Number.NaN)})`;
  return { limit: 0, found: null, unit, text };
}

/** Returns the breach of a yes/no condition, in which `found` is 1 and `limit` is 0. */
const flag = (text: string): Breach => ({ limit: 0, found: 1, unit: 'flag', text });

/** Market data for the risk controls. The engine reads the data after strategies ran; strategies cannot change it. */
export interface MarketSight {
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

/** Trading mode for risk. In `flatten` the operator reduces positions, so no loss limit or halt blocks orders. */
export type RiskStance = Stance | 'flatten' | 'halted';

export interface RiskFacts {
  /** Data of the intent's market; null if missing, so that every order is refused. */
  readonly sight: MarketSight | null;
  /** The trader's limits, tightened by the limits of the strategy. */
  readonly limits: RiskLimits;
  /** All holdings and working orders of this trader, over all strategies. */
  readonly exposure: Exposure;
  /** Own currency, from which no reservations are subtracted. */
  readonly cashMicros: Micros;
  readonly loss: LossFacts;
  /** Returns the highest values that risk limits may assume for a market's shares. */
  readonly findCaps: FindCaps;
  readonly fills: FillFacts;
  /** Number of recent orders and cancels of the whole trader, including those of this engine step. */
  readonly pace: PaceFacts;
  readonly stance: RiskStance;
  /** Why the trading stance is not `normal`; empty if it is `normal`. */
  readonly stanceReason: string;
  /** Number of draft requests that could be sent now without using the reserve for cancels. */
  readonly requestHeadroom: number;
}
