/** One market for telemetry, from its strategy's last view. */

import type { MarketFace } from '../../../trader/engine/snapshot.js';
import type { Book, BookLevel, MarketView, TapeTrade } from '../../../trader/market/view.js';
import type { LevelFigures, MarketFigures, MarketHealthFigures, OrderFigures, TradeFigures } from './lines.js';

/** Levels a side. */
const LADDER_LEVELS = 10;
const TAPE_TRADES = 20;
const NO_FACTORS = {};

export function makeFigures(face: MarketFace, hasLadders: boolean): MarketFigures {
  const { view, quotes, note } = face;
  const others = view?.others ?? null;
  const fair = quotes?.fairMicros ?? null;
  return {
    id: face.conditionId,
    title: face.title,
    event: view?.market.eventConditionId ?? null,
    category: view?.market.category ?? null,
    strategy: face.strategies.join(', '),
    state: face.orders.length > 0 && fair !== null ? 'quoting' : note,
    note,
    fair_micros: fair,
    mark_micros: face.markMicros,
    yes_micros: face.yesMicros,
    no_micros: face.noMicros,
    max_position_micros: view?.inventory.maxPositionMicros ?? null,
    tick_micros: view?.market.tickMicros ?? null,
    book_seen: face.bookSeenMs,
    resolves: view?.market.resolutionTimeMs ?? null,
    ...(hasLadders && others !== null ? makeLadders(others) : null),
    ...(hasLadders && view !== null ? { trades: view.trades.slice(0, TAPE_TRADES).map(toTrade) } : null),
    best_bid_micros: others?.bids[0]?.priceMicros ?? null,
    best_ask_micros: others?.asks[0]?.priceMicros ?? null,
    orders: listOrders(face),
    factors: quotes?.factors ?? NO_FACTORS,
    health: view === null ? null : makeHealth(view),
    refusals: face.refusals.map(({ name, count, text }) => ({ control: name, count, text })),
  };
}

const makeLadders = ({ bids, asks }: Book): Pick<MarketFigures, 'bids' | 'asks'> => ({
  bids: bids.slice(0, LADDER_LEVELS).map(toLevel),
  asks: asks.slice(0, LADDER_LEVELS).map(toLevel),
});

const toTrade = ({ venueTimeMs, priceMicros, amountMicros, taker }: TapeTrade): TradeFigures => [
  venueTimeMs,
  priceMicros,
  amountMicros,
  taker,
];

const toLevel = ({ priceMicros, amountMicros }: BookLevel): LevelFigures => [priceMicros, amountMicros];

function listOrders({ orders, view }: MarketFace): readonly OrderFigures[] {
  const shown = new Map(view?.orders.map(({ intentId, queueAheadMicros }) => [intentId, queueAheadMicros]));
  return orders.map(({ intentId, side, priceMicros, remainingMicros, isYes, phase, submittedMs }) => ({
    side,
    price_micros: priceMicros,
    remaining_micros: remainingMicros,
    is_yes: isYes,
    phase,
    submitted: submittedMs,
    queue_ahead_micros: shown.get(intentId) ?? null,
  }));
}

const makeHealth = ({ health, estimates }: MarketView): MarketHealthFigures => ({
  crossed: health.crossed,
  frozen: health.frozen,
  since_jump_ms: health.sinceJumpMs,
  sigma_price_per_sqrt_s: estimates.sigmaPricePerSqrtS,
  flow_shares_per_s: estimates.flowSharesPerS,
});
