/**
 * What each control is to refuse, said a second time and the slow way: from lists of what is held and open, in whole
 * numbers without an end, by trying every set of fills. Nothing of `src/trader/risk` decides anything here.
 */

import type { Holding, WorkingOrder } from '../../../src/trader/risk/exposure.js';
import type { RiskFacts } from '../../../src/trader/risk/facts.js';
import type { PlaceIntent } from '../../../src/trader/risk/intent.js';
import { bruteWorst, ONE, paid, splitting, working } from './states.js';

/** A moment as the plain model sees it: beside the facts, the lists that the exposure was made of. */
export interface PlainState {
  readonly place: PlaceIntent;
  readonly facts: RiskFacts;
  readonly holdings: readonly Holding[];
  readonly orders: readonly WorkingOrder[];
}

type Refuses = (state: PlainState) => boolean;

/** In YES space: what a bid of ours pays for YES, or an ask of ours gets for it. */
interface Mirrored {
  readonly isBid: boolean;
  readonly price: number;
}

const mirrored = ({ isYes, side, priceMicros }: Pick<PlaceIntent, 'isYes' | 'side' | 'priceMicros'>): Mirrored => {
  if (isYes) return { isBid: side === 'buy', price: priceMicros };
  return { isBid: side === 'sell', price: ONE - priceMicros };
};

const flattens: Refuses = ({ facts }) => facts.stance === 'flatten';
/** What may only reduce is held by `reduce_only`, whatever was lost. */
const reduces: Refuses = (state) => flattens(state) || state.facts.stance === 'reduce-only';

const feeRate = ({ facts }: PlainState) =>
  Math.max(facts.sight?.market.makerFeeRateMicros ?? 0, facts.sight?.market.takerFeeRateMicros ?? 0);

/** With the new order among the others. */
const joined = (state: PlainState): readonly WorkingOrder[] => [
  ...state.orders,
  // A rate of the state is one of Micros.
  working(state.place, feeRate(state) as WorkingOrder['feeRateMicros']),
];

const fillable = ({ orders }: PlainState) => orders.filter(({ phase }) => phase !== 'abandoned');
const inMarket = (state: PlainState) =>
  fillable(state).filter(({ marketConditionId }) => marketConditionId === state.place.marketConditionId);

/** The furthest that YES - NO of the order's market can come to in its own direction, over every set of fills. */
function extreme(state: PlainState, orders: readonly WorkingOrder[]): bigint {
  const { place, holdings } = state;
  const held = holdings.find(({ marketConditionId }) => marketConditionId === place.marketConditionId);
  const sign = mirrored(place).isBid ? 1n : -1n;
  let net = sign * (BigInt(held?.yesMicros ?? 0) - BigInt(held?.noMicros ?? 0));
  for (const order of orders) {
    if (order.marketConditionId !== place.marketConditionId || order.phase === 'abandoned') continue;
    if (mirrored(order).isBid === mirrored(place).isBid) net += BigInt(order.remainingMicros);
  }
  return net;
}

/** Of the sums that a control limits, one that is over its limit already may only not grow. */
const grows = (before: bigint, after: bigint, limit: number): boolean => after > before && after > BigInt(limit);

/** By the names of the controls. Each speaks for itself, whatever the others say; the input is sane. */
export const PLAIN: Readonly<Record<string, Refuses>> = {
  sane_input: () => false,
  halted: ({ facts }) => facts.stance === 'halted' || (facts.loss.halted !== null && facts.stance !== 'flatten'),
  max_loss_day: (state) => !reduces(state) && state.facts.loss.dayLossMicros >= state.facts.limits.maxLossDayMicros,
  max_drawdown: (state) => !reduces(state) && state.facts.loss.drawdownMicros >= state.facts.limits.maxDrawdownMicros,
  max_fills: (state) =>
    !flattens(state) && (state.facts.fills.halted !== null || state.facts.fills.inWindow > state.facts.limits.maxFills),
  market_open: ({ facts }) => facts.sight?.market.phase !== 'open',
  min_time_to_resolution_s: ({ facts }) => {
    const leftMs = facts.sight?.timeToResolutionMs ?? null;
    return leftMs !== null && leftMs < facts.limits.minTimeToResolutionS * 1000;
  },
  max_book_age_ms: ({ facts }) => {
    const ageMs = facts.sight?.health.bookAgeMs ?? -1;
    return ageMs < 0 || ageMs > facts.limits.maxBookAgeMs;
  },
  book_crossed: ({ facts }) => {
    const { bids = [], asks = [] } = facts.sight?.book ?? {};
    return bids.some((bid) => asks.some((ask) => bid.priceMicros >= ask.priceMicros));
  },
  book_frozen: ({ facts }) => facts.sight?.health.frozen === true,
  min_time_since_jump_ms: ({ facts }) => {
    const sinceMs = facts.sight?.health.sinceJumpMs ?? null;
    return sinceMs !== null && sinceMs < facts.limits.minTimeSinceJumpMs;
  },
  // Two requests now, two for its cancel.
  request_reserve: ({ facts }) => facts.requestHeadroom < 4,
  max_actions_per_second: ({ facts }) => facts.pace.lastSecond + 1 > facts.limits.maxActionsPerSecond,
  max_actions_per_minute: ({ facts }) => facts.pace.lastMinute + 1 > facts.limits.maxActionsPerMinute,
  reduce_only: (state) => {
    const { place, facts } = state;
    const anything = (facts.stance === 'normal' || facts.stance === 'widen') && place.fairYesMicros !== null;
    if (anything) return false;
    // Filled in full after everything else of its side, it must not pass zero, while nothing of the other side fills.
    return extreme(state, joined(state)) > 0n;
  },
  max_order_shares: ({ place, facts }) => place.amountMicros > facts.limits.maxOrderSharesMicros,
  max_order_notional: ({ place, facts }) =>
    BigInt(place.priceMicros) * BigInt(place.amountMicros) > BigInt(facts.limits.maxOrderNotionalMicros) * 1_000_000n,
  price_collar_fair: ({ place, facts }) => {
    if (place.fairYesMicros === null) return false;
    const { isBid, price } = mirrored(place);
    const beyond = isBid ? price - place.fairYesMicros : place.fairYesMicros - price;
    return beyond > facts.limits.priceCollarFairMicros;
  },
  price_collar_book: ({ place, facts }) => {
    const { isBid, price } = mirrored(place);
    const other = (isBid ? facts.sight?.book.asks : facts.sight?.book.bids)?.[0]?.priceMicros;
    if (other === undefined) return place.fairYesMicros === null;
    return (isBid ? price - other : other - price) > facts.limits.priceCollarBookMicros;
  },
  duplicate_intent: (state) =>
    state.orders.some(({ intentId }) => intentId === state.place.intentId) ||
    inMarket(state).some(
      ({ phase, isYes, side, priceMicros }) =>
        phase !== 'resting' &&
        isYes === state.place.isYes &&
        side === state.place.side &&
        priceMicros === state.place.priceMicros,
    ),
  self_cross: (state) => inMarket(state).some((order) => wouldTrade(order, state.place)),
  max_open_orders: (state) => fillable(state).length + 1 > state.facts.limits.maxOpenOrders,
  max_position_shares: (state) => extreme(state, joined(state)) > BigInt(state.facts.limits.maxPositionSharesMicros),
  max_event_position_shares: (state) => {
    const { place, holdings, orders, facts } = state;
    const worst = (all: readonly WorkingOrder[]) => {
      const brute = bruteWorst(holdings, all);
      return place.eventConditionId === null ? (brute.position.get(place.marketConditionId) ?? 0n) : brute.event;
    };
    return grows(worst(orders), worst(joined(state)), facts.limits.maxEventPositionSharesMicros);
  },
  max_event_loss: (state) => {
    const { place, holdings, orders, facts } = state;
    // Market c belongs to no event: there it is an event of its own.
    const inEvent = <T extends { readonly marketConditionId: string }>(rows: readonly T[]) =>
      rows.filter(({ marketConditionId }) => (marketConditionId === 'c') === (place.marketConditionId === 'c'));
    const worst = (all: readonly WorkingOrder[]) => bruteWorst(inEvent(holdings), inEvent(all)).loss;
    return grows(worst(orders), worst(joined(state)), facts.limits.maxEventLossMicros);
  },
  max_total_cost: (state) => {
    const { holdings, orders, facts } = state;
    const worst = (all: readonly WorkingOrder[]) => bruteWorst(holdings, all).loss;
    return grows(worst(orders), worst(joined(state)), facts.limits.maxTotalCostMicros);
  },
  loss_to_average: (state) => {
    if (reduces(state)) return false;
    const { facts, orders } = state;
    const unused = BigInt(facts.limits.maxLossDayMicros) - BigInt(facts.loss.dayLossMicros);
    return grows(averageLoss(state, orders), averageLoss(state, joined(state)), Number(unused) - 1);
  },
  available_cash: (state) => {
    if (state.place.side === 'sell') return false;
    const buys = joined(state).filter(({ side }) => side === 'buy');
    return buys.reduce((sum, order) => sum + paid(order), splitting(state.holdings)) > BigInt(state.facts.cashMicros);
  },
  available_shares: ({ place, holdings, orders }) => {
    if (place.side === 'buy') return false;
    const held = holdings.find(({ marketConditionId }) => marketConditionId === place.marketConditionId);
    const owned = place.isYes
      ? (held?.yesMicros ?? 0) - (held?.lockedYesMicros ?? 0)
      : (held?.noMicros ?? 0) - (held?.lockedNoMicros ?? 0);
    const offered = orders
      .filter(({ marketConditionId }) => marketConditionId === place.marketConditionId)
      .filter(({ side, isYes }) => side === 'sell' && isYes === place.isYes)
      .reduce((sum, { remainingMicros }) => sum + remainingMicros, 0);
    return place.amountMicros > owned - offered;
  },
};

/** All orders of a direction filled in the worst order; those of its shares that bring the position to zero lose nothing. */
function averageLoss({ facts, holdings }: PlainState, orders: readonly WorkingOrder[]): bigint {
  let worst = 0n;
  for (const market of new Set(orders.map(({ marketConditionId }) => marketConditionId))) {
    const held = holdings.find(({ marketConditionId }) => marketConditionId === market);
    const net = (held?.yesMicros ?? 0) - (held?.noMicros ?? 0);
    const caps = facts.findCaps(market);
    for (const isBid of [true, false]) {
      const cap = isBid ? caps.yesMicros : caps.noMicros;
      const filled = orders.filter(
        (order) => order.marketConditionId === market && order.phase !== 'abandoned' && mirrored(order).isBid === isBid,
      );
      const losses = permutations(filled).map((row) => {
        let lost = 0n;
        let opening =
          filled.reduce((sum, { remainingMicros }) => sum + remainingMicros, 0) - Math.max(0, isBid ? -net : net);
        for (const order of row) {
          const shares = Math.max(0, Math.min(opening, order.remainingMicros));
          const loss = shares === 0 ? 0n : lostAt(order, shares, cap);
          if (loss <= 0n) continue;
          lost += loss;
          opening -= shares;
        }
        return lost;
      });
      worst += losses.reduce((most, loss) => (loss > most ? loss : most), 0n);
    }
  }
  return worst;
}

/** What a share costs beyond its worth at the average; a sale gives up a set, of which the other outcome is left. */
function lostAt(order: WorkingOrder, shares: number, cap: number): bigint {
  if (order.side === 'buy')
    return paid({ ...order, remainingMicros: shares as WorkingOrder['remainingMicros'] }) - down(cap, shares);
  const notional = down(order.priceMicros, shares);
  return up(ONE - cap, shares) - (notional - up(order.feeRateMicros, Number(notional)));
}

const down = (a: number, b: number): bigint => (BigInt(a) * BigInt(b)) / BigInt(ONE);
const up = (a: number, b: number): bigint => (BigInt(a) * BigInt(b) + BigInt(ONE) - 1n) / BigInt(ONE);

function permutations<T>(rows: readonly T[]): T[][] {
  if (rows.length === 0) return [[]];
  return rows.flatMap((row, at) => permutations(rows.toSpliced(at, 1)).map((rest) => [row, ...rest]));
}

/** Leg by leg, as the exchange would match two orders of one market. */
function wouldTrade(old: WorkingOrder, fresh: PlaceIntent): boolean {
  const [p, q] = [old.priceMicros, fresh.priceMicros];
  if (old.isYes === fresh.isYes) {
    if (old.side === fresh.side) return false;
    return old.side === 'buy' ? p >= q : q >= p;
  }
  if (old.side !== fresh.side) return false;
  return old.side === 'buy' ? p + q >= ONE : p + q <= ONE;
}
