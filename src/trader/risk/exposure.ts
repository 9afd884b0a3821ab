/**
 * Computes the worst case of all holdings and working orders. Working orders may fill completely, partly or not at all,
 * and in any sequence. Orders in an unknown state count like open orders.
 *
 * Every exposure figure of a market is a sum over its orders. An order counts in a worst case only if its fill makes
 * this worst case worse. The worst case over all subsets of fills is therefore exact and cheap to compute.
 */

import { add, complement, type Micros, maxMicros, micros, mul, sub, ZERO } from '../../shared/base/micros.js';
import type { EventOutcomes } from '../market/view.js';
import type { PlaceIntent } from './intent.js';
import type { ShareCaps } from './slow-average.js';

/** Holdings of the trader in one market. */
interface Holding {
  readonly marketConditionId: string;
  /** Condition id of the market's event; null without an event. */
  readonly eventConditionId: string | null;
  /** Held shares, including locked shares. */
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  /** Cost of the held shares with fees, currency. */
  readonly costMicros: Micros;
  /** Shares that merges and redeems in flight have locked, so that they cannot be sold. */
  readonly lockedYesMicros: Micros;
  readonly lockedNoMicros: Micros;
  /** Currency of splits in flight, which counts as spent already. */
  readonly splittingMicros: Micros;
}

/** Order that may still fill, or that locks funds at the exchange. */
export interface WorkingOrder {
  readonly intentId: string;
  readonly marketConditionId: string;
  readonly eventConditionId: string | null;
  readonly isYes: boolean;
  readonly side: PlaceIntent['side'];
  /** Price of the outcome that the order trades. */
  readonly priceMicros: Micros;
  /** Shares that may still fill, plus shares of fills that are not booked yet. */
  readonly remainingMicros: Micros;
  /** Maximum fee as a fraction of price x amount, at the higher of the market's maker and taker rates. */
  readonly feeRateMicros: Micros;
  /**
   * `resting`: the order rests at the exchange. `in_flight`: it is requested, drafted or signed. `unknown`: it may
   * rest. `abandoned`: it cannot fill, but its funds stay locked until its draft expires.
   */
  readonly phase: 'resting' | 'in_flight' | 'unknown' | 'abandoned';
}

type MarketWorst = Readonly<ReturnType<typeof computeWorst>>;

/** Contribution of one order to its market's worst case. An order that cannot fill has only `reservedCash`. */
interface Weight {
  /** Shares by which the order can raise and lower the net position YES - NO. */
  readonly up: Micros;
  readonly down: Micros;
  /** Loss of a complete fill if the market resolves YES, and if it resolves NO, currency; zero for a gain. */
  readonly lossIfYes: Micros;
  readonly lossIfNo: Micros;
  readonly reservedCash: Micros;
}

const NOTHING: Weight = { up: ZERO, down: ZERO, lossIfYes: ZERO, lossIfNo: ZERO, reservedCash: ZERO };

const HELD = ['yesMicros', 'noMicros', 'costMicros', 'lockedYesMicros', 'lockedNoMicros', 'splittingMicros'] as const;
const WORKING = ['priceMicros', 'remainingMicros', 'feeRateMicros'] as const;

interface MarketExposure {
  holding: Holding;
  readonly orders: Map<string, WorkingOrder>;
  /** Cached sum of the orders' contributions (weights); null after an order was added or replaced. */
  weight: Weight | null;
}

/** Holdings and working orders of the account. Entries are added or replaced, and never removed. */
export class Exposure {
  readonly #rules: ReadonlyMap<string, EventRule>;
  readonly #markets = new Map<string, MarketExposure>();

  /** @param rules events whose possible outcomes the operator has declared */
  constructor(rules: readonly EventRule[] = []) {
    this.#rules = new Map(rules.map((rule) => [rule.eventConditionId, rule]));
  }

  /** Replaces the holding of a market. Throws RangeError for a missing or fractional figure. */
  setHolding(holding: Holding): void {
    for (const figure of HELD) micros(holding[figure]);
    this.#open(holding.marketConditionId, holding.eventConditionId).holding = holding;
  }

  /** Adds the currency of a new split in flight to a market's holding. */
  split(marketConditionId: string, eventConditionId: string | null, amountMicros: Micros): void {
    const { holding } = this.#open(marketConditionId, eventConditionId);
    this.setHolding({ ...holding, splittingMicros: add(holding.splittingMicros, amountMicros) });
  }

  /** Returns the complete sets of a market, including sets of splits in flight. */
  setsMicros(marketConditionId: string): Micros {
    const { yesMicros, noMicros, splittingMicros } = this.holding(marketConditionId);
    return micros(Math.min(yesMicros, noMicros) + splittingMicros);
  }

  /** Adds or replaces a working order. The next read throws RangeError if a figure is missing or fractional. */
  addOrder(order: WorkingOrder): void {
    const market = this.#open(order.marketConditionId, order.eventConditionId);
    market.orders.set(order.intentId, order);
    market.weight = null;
  }

  /** Number of orders in all markets that are open or may be open. */
  get workingOrders(): number {
    let count = 0;
    for (const { orders } of this.#markets.values())
      for (const { phase } of orders.values()) if (phase !== 'abandoned') count++;
    return count;
  }

  /** Maximum cost of working buy orders, fees included, plus the currency of splits in flight. */
  get reservedCashMicros(): Micros {
    let sum = ZERO;
    for (const [id, { holding }] of this.#markets)
      sum = add(sum, add(this.#weigh(id, null).reservedCash, holding.splittingMicros));
    return sum;
  }

  has(intentId: string): boolean {
    for (const { orders } of this.#markets.values()) if (orders.has(intentId)) return true;
    return false;
  }

  holding(marketConditionId: string): Holding {
    return this.#markets.get(marketConditionId)?.holding ?? NOTHING_HELD;
  }

  /** Returns a new set with the condition ids of the markets that have working orders. */
  workingMarkets(): Set<string> {
    const found = new Set<string>();
    for (const [marketConditionId, { orders }] of this.#markets) if (orders.size > 0) found.add(marketConditionId);
    return found;
  }

  /** Lists the working orders of a market, of all strategies, without abandoned orders. */
  listOrders(marketConditionId: string): readonly WorkingOrder[] {
    const found: WorkingOrder[] = [];
    for (const order of this.#markets.get(marketConditionId)?.orders.values() ?? [])
      if (order.phase !== 'abandoned') found.push(order);
    return found;
  }

  /** Returns the shares of an outcome that are neither locked nor offered by a working sell order. */
  freeShares(marketConditionId: string, isYes: boolean): Micros {
    const { yesMicros, noMicros, lockedYesMicros, lockedNoMicros } = this.holding(marketConditionId);
    let free = isYes ? sub(yesMicros, lockedYesMicros) : sub(noMicros, lockedNoMicros);
    for (const order of this.#markets.get(marketConditionId)?.orders.values() ?? [])
      if (order.side === 'sell' && order.isYes === isYes) free = sub(free, order.remainingMicros);
    return free;
  }

  /** Returns the worst case of one market, optionally with one more order. */
  worstCase(marketConditionId: string, extra: WorkingOrder | null = null): MarketWorst {
    return computeWorst(this.holding(marketConditionId), this.#weigh(marketConditionId, extra));
  }

  /** Sums the largest possible |YES - NO| of an event's markets. A market without an event has its own id as key. */
  eventPosition(eventKey: string): Micros {
    let sum = ZERO;
    for (const [marketConditionId, { holding }] of this.#markets)
      if (getEventId(holding) === eventKey) sum = add(sum, this.worstCase(marketConditionId).positionMicros);
    return sum;
  }

  /** Returns the worst loss of an event, optionally with one more order. `eventKey` is as in `eventPosition`. */
  eventLoss(eventKey: string, extra: WorkingOrder | null = null): Micros {
    const losses: OutcomeLosses[] = [];
    for (const [marketConditionId, { holding }] of this.#markets) {
      if (getEventId(holding) !== eventKey || marketConditionId === extra?.marketConditionId) continue;
      losses.push({ marketConditionId, ...computeLosses(holding, this.#weigh(marketConditionId, null)) });
    }
    if (extra !== null) {
      const { marketConditionId } = extra;
      const holding = this.holding(marketConditionId);
      losses.push({ marketConditionId, ...computeLosses(holding, this.#weigh(marketConditionId, extra)) });
    }
    return worstEventLoss(losses, this.#rules.get(eventKey) ?? null);
  }

  /** Events with holdings or working orders, as keys for `eventPosition` and `eventLoss`. */
  get eventKeys(): readonly string[] {
    return [...new Set(Array.from(this.#markets.values(), ({ holding }) => getEventId(holding)))];
  }

  /** Sum of the worst losses of all markets. */
  get totalLossMicros(): Micros {
    let sum = ZERO;
    for (const marketConditionId of this.#markets.keys()) sum = add(sum, this.worstCase(marketConditionId).lossMicros);
    return sum;
  }

  #open(marketConditionId: string, eventConditionId: string | null): MarketExposure {
    const known = this.#markets.get(marketConditionId);
    if (known !== undefined) return known;
    const holding = { ...NOTHING_HELD, marketConditionId, eventConditionId };
    const market: MarketExposure = { holding, orders: new Map(), weight: null };
    this.#markets.set(marketConditionId, market);
    return market;
  }

  /** Returns the sum of the weights of a market's orders, optionally with one more order. */
  #weigh(marketConditionId: string, extra: WorkingOrder | null): Weight {
    const market = this.#markets.get(marketConditionId);
    if (market !== undefined) market.weight ??= [...market.orders.values()].map(getWeight).reduce(plus, NOTHING);
    const weight = market?.weight ?? NOTHING;
    return extra === null ? weight : plus(weight, getWeight(extra));
  }
}

/** Returns the currency that a complete fill spends, fee included, rounded up; negative for a sale. */
export function computeSpending(order: Omit<WorkingOrder, 'intentId' | 'phase'>): Micros {
  const isBuy = order.side === 'buy';
  const notional = mul(order.priceMicros, order.remainingMicros, isBuy ? 'ceil' : 'floor');
  const fee = mul(order.feeRateMicros, notional, 'ceil');
  return isBuy ? add(notional, fee) : sub(fee, notional);
}

/** Converts an order into a YES order with its YES price: a bid if `raises` is true, else an ask. */
export const toYesDirection = (order: Pick<WorkingOrder, 'isYes' | 'side' | 'priceMicros'>) => ({
  raises: (order.side === 'buy') === order.isYes,
  priceMicros: order.isYes ? order.priceMicros : complement(order.priceMicros),
});

const NOTHING_HELD: Holding = {
  marketConditionId: '',
  eventConditionId: null,
  yesMicros: ZERO,
  noMicros: ZERO,
  costMicros: ZERO,
  lockedYesMicros: ZERO,
  lockedNoMicros: ZERO,
  splittingMicros: ZERO,
};

const getEventId = ({ eventConditionId, marketConditionId }: Holding): string => eventConditionId ?? marketConditionId;

/** Returns a market's loss if it resolves YES, and its loss if it resolves NO, currency; negative for a gain. */
const computeLosses = ({ yesMicros, noMicros, costMicros }: Holding, { lossIfYes, lossIfNo }: Weight) => ({
  ifYesMicros: add(sub(costMicros, yesMicros), lossIfYes),
  ifNoMicros: add(sub(costMicros, noMicros), lossIfNo),
});

function computeWorst(holding: Holding, weight: Weight) {
  const net = sub(holding.yesMicros, holding.noMicros);
  const highMicros = add(net, weight.up);
  const lowMicros = sub(net, weight.down);
  const { ifYesMicros, ifNoMicros } = computeLosses(holding, weight);
  return {
    /** Highest YES - NO over all subsets of fills, in shares. */
    highMicros,
    /** Lowest YES - NO over all subsets of fills, in shares. */
    lowMicros,
    /** Larger of the absolute values of `highMicros` and `lowMicros`. */
    positionMicros: maxMicros(maxMicros(highMicros, sub(ZERO, lowMicros)), ZERO),
    /** Loss with the most adverse fills and resolution, currency. A sure gain counts as 0: it offsets no other loss. */
    lossMicros: maxMicros(maxMicros(ifYesMicros, ifNoMicros), ZERO),
  };
}

/** Cache of order weights; it needs no updates, because orders are immutable. */
const weights = new WeakMap<WorkingOrder, Weight>();

function getWeight(order: WorkingOrder): Weight {
  const known = weights.get(order);
  if (known !== undefined) return known;
  // `micros` throws for NaN, because a NaN sum would never exceed a limit.
  for (const figure of WORKING) micros(order[figure]);
  const { isYes, side, remainingMicros } = order;
  const spent = computeSpending(order);
  const mayFill = order.phase !== 'abandoned';
  const { raises } = toYesDirection(order);
  const moves = mayFill ? remainingMicros : ZERO;
  // A gain counts as a loss of zero, because the order may also stay unfilled.
  const lossIfLost = mayFill ? maxMicros(spent, ZERO) : ZERO;
  const spentIfWon = side === 'buy' ? sub(spent, remainingMicros) : add(spent, remainingMicros);
  const lossIfWon = mayFill ? maxMicros(spentIfWon, ZERO) : ZERO;
  const weight: Weight = {
    up: raises ? moves : ZERO,
    down: raises ? ZERO : moves,
    lossIfYes: isYes ? lossIfWon : lossIfLost,
    lossIfNo: isYes ? lossIfLost : lossIfWon,
    reservedCash: side === 'buy' ? spent : ZERO,
  };
  weights.set(order, weight);
  return weight;
}

const plus = (a: Weight, b: Weight): Weight => ({
  up: add(a.up, b.up),
  down: add(a.down, b.down),
  lossIfYes: add(a.lossIfYes, b.lossIfYes),
  lossIfNo: add(a.lossIfNo, b.lossIfNo),
  reservedCash: add(a.reservedCash, b.reservedCash),
});

/** Returns the highest share values that the limits may assume in a market. */
type FindCaps = (marketConditionId: string) => ShareCaps;

/**
 * Returns the loss if working orders fill and every price then returns to its slow average, for the worst set of fills.
 * Fills that only reduce a position do not count. Other traders can fake book prices, but hardly move averages.
 */
export function lossToAverage(exposure: Exposure, findCaps: FindCaps, extra: WorkingOrder | null = null): Micros {
  const markets = exposure.workingMarkets();
  if (extra !== null) markets.add(extra.marketConditionId);
  let loss = ZERO;
  for (const market of markets) {
    const orders = exposure.listOrders(market);
    const all = extra?.marketConditionId === market ? [...orders, extra] : orders;
    const held = exposure.holding(market);
    const net = sub(held.yesMicros, held.noMicros);
    const { yesMicros, noMicros } = findCaps(market);
    loss = add(loss, openingLoss(all, true, maxMicros(ZERO, sub(ZERO, net)), yesMicros));
    loss = add(loss, openingLoss(all, false, maxMicros(ZERO, net), noMicros));
  }
  return loss;
}

/**
 * Returns the loss of a market's orders of one direction. Orders with the largest loss per share are assumed to open
 * the position.
 *
 * @param raises the direction: true for orders that raise YES - NO
 * @param reducible shares that these orders trade until the position is zero
 * @param cap value of a share of the outcome that these orders acquire
 */
function openingLoss(orders: readonly WorkingOrder[], raises: boolean, reducible: Micros, cap: Micros): Micros {
  const losing: { order: WorkingOrder; perShare: number }[] = [];
  let opening = sub(ZERO, reducible);
  for (const order of orders) {
    if (toYesDirection(order).raises !== raises) continue;
    opening = add(opening, order.remainingMicros);
    const whole = lossOf(order, order.remainingMicros, cap);
    if (whole > 0) losing.push({ order, perShare: whole / order.remainingMicros });
  }
  losing.sort((a, b) => b.perShare - a.perShare);
  let loss = ZERO;
  for (const { order } of losing) {
    if (opening <= 0) break;
    const shares = micros(Math.min(opening, order.remainingMicros));
    loss = add(loss, maxMicros(ZERO, lossOf(order, shares, cap)));
    opening = sub(opening, shares);
  }
  return loss;
}

/** Returns the loss on `shares` of an order if an acquired share is worth `cap`. A sale acquires the other outcome. */
function lossOf(order: WorkingOrder, shares: Micros, cap: Micros): Micros {
  const spent = computeSpending({ ...order, remainingMicros: shares });
  return sub(spent, order.side === 'buy' ? mul(cap, shares, 'floor') : sub(ZERO, mul(complement(cap), shares, 'ceil')));
}

export const EVENT_OUTCOMES = ['exclusive', 'exhaustive', 'nested'] as const satisfies readonly EventOutcomes[];

/** Rule that says which markets of an event may resolve YES together. The operator declares the rule; venues do not. */
export interface EventRule {
  readonly eventConditionId: string;
  readonly outcomes: EventOutcomes;
  /** All markets of an exhaustive or nested event (nested: widest first); may be empty for an exclusive event. */
  readonly marketConditionIds: readonly string[];
}

/** Losses of one market by resolution, if every order that adds to the respective loss fills; negative for a gain. */
interface OutcomeLosses {
  readonly marketConditionId: string;
  readonly ifYesMicros: Micros;
  readonly ifNoMicros: Micros;
}

/**
 * Returns the largest possible loss of an event, currency, 0 or more. At most one market of an exclusive event resolves
 * YES. If a nested market resolves YES, all wider ones do too. Gains in one market reduce losses in others. Without a
 * rule, the worst losses of all markets are added. The result ignores that a canceled market pays half per share.
 */
function worstEventLoss(markets: readonly OutcomeLosses[], rule: EventRule | null): Micros {
  if (rule === null) return markets.reduce((sum, market) => add(sum, worstAlone(market)), ZERO);
  if (rule.outcomes === 'nested') return worstNestedLoss(markets, rule);
  const none = markets.reduce((sum, { ifNoMicros }) => add(sum, ifNoMicros), ZERO);
  const ours = new Set(markets.map(({ marketConditionId }) => marketConditionId));
  const { outcomes, marketConditionIds } = rule;
  const areAllOurs = ours.size === marketConditionIds.length && marketConditionIds.every((id) => ours.has(id));
  // Exactly one market of an exhaustive event resolves YES. The exposure may lack that market.
  let worst = outcomes === 'exhaustive' && areAllOurs ? ZERO : none;
  for (const { ifYesMicros, ifNoMicros } of markets) worst = maxMicros(worst, add(sub(none, ifNoMicros), ifYesMicros));
  return maxMicros(worst, ZERO);
}

/** Returns the worst loss of a nested event. A market that the rule does not name may resolve either way. */
function worstNestedLoss(markets: readonly OutcomeLosses[], { marketConditionIds }: EventRule): Micros {
  const byId = new Map(markets.map((market) => [market.marketConditionId, market]));
  const declared = marketConditionIds.flatMap((id) => byId.get(id) ?? []);
  const others = markets.filter(({ marketConditionId }) => !marketConditionIds.includes(marketConditionId));
  // In the first case, no market resolves YES. In each further case, one more market resolves YES, widest first.
  let reached = declared.reduce((sum, { ifNoMicros }) => add(sum, ifNoMicros), ZERO);
  let worst = reached;
  for (const { ifYesMicros, ifNoMicros } of declared) {
    reached = add(sub(reached, ifNoMicros), ifYesMicros);
    worst = maxMicros(worst, reached);
  }
  const all = others.reduce((sum, market) => add(sum, worstAlone(market)), worst);
  return maxMicros(ZERO, all);
}

const worstAlone = ({ ifYesMicros, ifNoMicros }: OutcomeLosses): Micros =>
  maxMicros(maxMicros(ifYesMicros, ifNoMicros), ZERO);
