/**
 * Everything held and everything working, as the worst that can come of it. Each working order may still fill in full,
 * in part or not at all, in any order; an unknown one like an open one.
 *
 * Every figure of a market is a sum over its orders, so the worst case over all subsets of fills is exact and costs one
 * addition: an order adds to an extreme when filling makes it worse, and nothing when not filling is worse.
 */

import { add, complement, type Micros, maxMicros, mul, sub, ZERO } from '../base/micros.js';
import type { Side } from './intent.js';

/** What is held in one market. */
export interface Holding {
  readonly marketConditionId: string;
  /** Null for a market without an event. */
  readonly eventConditionId: string | null;
  /** Shares, locked ones included. */
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  /** Currency that these shares cost, fees included. */
  readonly costMicros: Micros;
  /** Shares that merges and redeems under way hold: owned, but not to be sold. */
  readonly lockedYesMicros: Micros;
  readonly lockedNoMicros: Micros;
}

/** An order that may still fill. */
export interface WorkingOrder {
  readonly intentId: string;
  readonly marketConditionId: string;
  readonly eventConditionId: string | null;
  readonly isYes: boolean;
  readonly side: Side;
  /** In the space of its own outcome. */
  readonly priceMicros: Micros;
  /** Shares that may still fill, as far as we know. */
  readonly remainingMicros: Micros;
  /** Part of price x amount that a fill may cost at most: the worse of the market's two rates. */
  readonly feeRateMicros: Micros;
  /** `abandoned`: was never signed and cannot fill, but its locks stand until its draft has lapsed. */
  readonly phase: 'resting' | 'in_flight' | 'unknown' | 'abandoned';
}

/** The worst that one market can come to. */
export interface MarketWorst {
  /** Highest and lowest YES - NO over every subset of fills, in shares. */
  readonly highMicros: Micros;
  readonly lowMicros: Micros;
  /** Largest of the two sizes. */
  readonly positionMicros: Micros;
  /** Currency lost if fills and resolution go against us, never negative. */
  readonly lossMicros: Micros;
}

/** What one order can add to a market's extremes. All but `reserved…` are zero for one that cannot fill. */
interface Weight {
  /** Shares by which YES - NO can rise and fall. */
  readonly up: Micros;
  readonly down: Micros;
  /** Currency that its fill loses if the market resolves YES, or NO; zero where its fill gains. */
  readonly lossIfYes: Micros;
  readonly lossIfNo: Micros;
  readonly reservedCash: Micros;
  readonly reservedYes: Micros;
  readonly reservedNo: Micros;
}

const NOTHING: Weight = {
  up: ZERO,
  down: ZERO,
  lossIfYes: ZERO,
  lossIfNo: ZERO,
  reservedCash: ZERO,
  reservedYes: ZERO,
  reservedNo: ZERO,
};

interface Market {
  holding: Holding;
  weight: Weight;
  readonly orders: Map<string, WorkingOrder>;
}

export class Exposure {
  readonly #markets = new Map<string, Market>();
  readonly #marketOfOrder = new Map<string, string>();
  readonly #eventPosition = new Map<string, Micros>();
  #totalLoss: Micros = ZERO;
  #reservedCash: Micros = ZERO;
  #working = 0;

  /** Sets what is held in a market, in place of what was. */
  hold(holding: Holding): void {
    this.#change(holding.marketConditionId, holding.eventConditionId, (market) => {
      market.holding = holding;
    });
  }

  /** Adds a working order, or replaces the one of the same intent. */
  work(order: WorkingOrder): void {
    this.drop(order.intentId);
    this.#marketOfOrder.set(order.intentId, order.marketConditionId);
    this.#change(order.marketConditionId, order.eventConditionId, (market) => {
      market.orders.set(order.intentId, order);
    });
  }

  /** Forgets an order that can no longer fill and locks nothing. Nothing happens when it is not here. */
  drop(intentId: string): void {
    const marketConditionId = this.#marketOfOrder.get(intentId);
    if (marketConditionId === undefined) return;
    this.#marketOfOrder.delete(intentId);
    this.#change(marketConditionId, null, (market) => {
      market.orders.delete(intentId);
    });
  }

  /** Orders that rest or may come to rest. */
  get workingOrders(): number {
    return this.#working;
  }

  /** Currency that working buys may cost, fees included. */
  get reservedCashMicros(): Micros {
    return this.#reservedCash;
  }

  has(intentId: string): boolean {
    return this.#marketOfOrder.has(intentId);
  }

  holding(marketConditionId: string): Holding | null {
    return this.#markets.get(marketConditionId)?.holding ?? null;
  }

  /** Working orders of a market, all strategies together, abandoned ones left out. */
  ordersOf(marketConditionId: string): readonly WorkingOrder[] {
    const orders = this.#markets.get(marketConditionId)?.orders.values() ?? [];
    return [...orders].filter((order) => order.phase !== 'abandoned');
  }

  /** Shares of an outcome that are neither locked nor offered by a working sell. */
  freeShares(marketConditionId: string, isYes: boolean): Micros {
    const market = this.#markets.get(marketConditionId);
    if (market === undefined) return ZERO;
    const { holding, weight } = market;
    return isYes
      ? sub(sub(holding.yesMicros, holding.lockedYesMicros), weight.reservedYes)
      : sub(sub(holding.noMicros, holding.lockedNoMicros), weight.reservedNo);
  }

  /** The worst of one market, with one more order if there is one. */
  worst(marketConditionId: string, extra: WorkingOrder | null = null): MarketWorst {
    const market = this.#markets.get(marketConditionId);
    const weight = market?.weight ?? NOTHING;
    return worstOf(market?.holding ?? null, extra === null ? weight : plus(weight, weightOf(extra)));
  }

  /** Sum of the worst positions of an event's markets; pass the market's own id for one without an event. */
  eventPosition(eventKey: string): Micros {
    return this.#eventPosition.get(eventKey) ?? ZERO;
  }

  /** Sum of the worst losses of all markets. */
  get totalLossMicros(): Micros {
    return this.#totalLoss;
  }

  /** Applies a change to one market and carries the difference into the sums over markets. */
  #change(marketConditionId: string, eventConditionId: string | null, change: (market: Market) => void): void {
    let market = this.#markets.get(marketConditionId);
    if (market === undefined) {
      market = { holding: nothingHeld(marketConditionId, eventConditionId), weight: NOTHING, orders: new Map() };
      this.#markets.set(marketConditionId, market);
    }
    this.#count(market, -1);
    change(market);
    market.weight = [...market.orders.values()].map(weightOf).reduce(plus, NOTHING);
    this.#count(market, 1);
    if (market.orders.size === 0 && market.holding.yesMicros === 0 && market.holding.noMicros === 0) {
      this.#count(market, -1);
      this.#markets.delete(marketConditionId);
    }
  }

  #count(market: Market, sign: 1 | -1): void {
    const worst = worstOf(market.holding, market.weight);
    const move = sign === 1 ? add : sub;
    const event = market.holding.eventConditionId ?? market.holding.marketConditionId;
    const position = move(this.eventPosition(event), worst.positionMicros);
    if (position === 0) this.#eventPosition.delete(event);
    else this.#eventPosition.set(event, position);
    this.#totalLoss = move(this.#totalLoss, worst.lossMicros);
    this.#reservedCash = move(this.#reservedCash, market.weight.reservedCash);
    for (const order of market.orders.values()) if (order.phase !== 'abandoned') this.#working += sign;
  }
}

/** Currency that a buy may cost at most, fee included, rounded against us; zero for a sell. */
export function buyCost(
  order: Pick<WorkingOrder, 'side' | 'priceMicros' | 'remainingMicros' | 'feeRateMicros'>,
): Micros {
  if (order.side === 'sell') return ZERO;
  const notional = mul(order.priceMicros, order.remainingMicros, 'ceil');
  return add(notional, mul(order.feeRateMicros, notional, 'ceil'));
}

/** The price that an order has in the YES book: as a bid when `raises`, else as an ask. */
export const inYesSpace = (order: Pick<WorkingOrder, 'isYes' | 'side' | 'priceMicros'>) => ({
  raises: (order.side === 'buy') === order.isYes,
  priceMicros: order.isYes ? order.priceMicros : complement(order.priceMicros),
});

const nothingHeld = (marketConditionId: string, eventConditionId: string | null): Holding => ({
  marketConditionId,
  eventConditionId,
  yesMicros: ZERO,
  noMicros: ZERO,
  costMicros: ZERO,
  lockedYesMicros: ZERO,
  lockedNoMicros: ZERO,
});

function worstOf(holding: Holding | null, weight: Weight): MarketWorst {
  const { yesMicros, noMicros, costMicros } = holding ?? nothingHeld('', null);
  const net = sub(yesMicros, noMicros);
  const highMicros = add(net, weight.up);
  const lowMicros = sub(net, weight.down);
  const lossIfYes = add(sub(costMicros, yesMicros), weight.lossIfYes);
  const lossIfNo = add(sub(costMicros, noMicros), weight.lossIfNo);
  return {
    highMicros,
    lowMicros,
    positionMicros: maxMicros(maxMicros(highMicros, sub(ZERO, lowMicros)), ZERO),
    // Never negative: one market's sure gain must not pay for another's risk.
    lossMicros: maxMicros(maxMicros(lossIfYes, lossIfNo), ZERO),
  };
}

function weightOf(order: WorkingOrder): Weight {
  const { isYes, side, remainingMicros } = order;
  const cost = buyCost(order);
  const reservedYes = side === 'sell' && isYes ? remainingMicros : ZERO;
  const reservedNo = side === 'sell' && !isYes ? remainingMicros : ZERO;
  const locks = { reservedCash: cost, reservedYes, reservedNo };
  if (order.phase === 'abandoned') return { ...NOTHING, ...locks };
  const { raises } = inYesSpace(order);
  const lossIfWon = lossOfFill(order, cost, true);
  const lossIfLost = lossOfFill(order, cost, false);
  return {
    up: raises ? remainingMicros : ZERO,
    down: raises ? ZERO : remainingMicros,
    lossIfYes: isYes ? lossIfWon : lossIfLost,
    lossIfNo: isYes ? lossIfLost : lossIfWon,
    ...locks,
  };
}

/**
 * What a full fill loses when the order's own outcome wins (each share is worth 1) or not (worth 0): a buyer pays and
 * gets the share, a seller gives it up for the price less the fee. Zero when the fill gains: then not filling is worse.
 */
function lossOfFill(order: WorkingOrder, cost: Micros, outcomeWins: boolean): Micros {
  const worth = outcomeWins ? order.remainingMicros : ZERO;
  if (order.side === 'buy') return maxMicros(sub(cost, worth), ZERO);
  const notional = mul(order.priceMicros, order.remainingMicros, 'floor');
  const proceeds = sub(notional, mul(order.feeRateMicros, notional, 'ceil'));
  return maxMicros(sub(worth, proceeds), ZERO);
}

const plus = (a: Weight, b: Weight): Weight => ({
  up: add(a.up, b.up),
  down: add(a.down, b.down),
  lossIfYes: add(a.lossIfYes, b.lossIfYes),
  lossIfNo: add(a.lossIfNo, b.lossIfNo),
  reservedCash: add(a.reservedCash, b.reservedCash),
  reservedYes: add(a.reservedYes, b.reservedYes),
  reservedNo: add(a.reservedNo, b.reservedNo),
});
