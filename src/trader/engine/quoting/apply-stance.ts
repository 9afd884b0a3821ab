/** Limits quotes to the current rung of the kill ladder, regardless of the strategy's own handling. */

import { type Micros, micros, minMicros, ONE } from '../../../shared/base/micros.js';
import type { MarketFacts, MarketView } from '../../market/view.js';
import type { QuoteLevel, Quotes } from '../../strategy/contract.js';

/** Facts that limit the quotes. */
type Held = Pick<MarketView, 'stance' | 'market' | 'inventory'>;

/**
 * Returns the same quotes for stance `normal`. `widen`: no level closer to the fair value than `widenDistance`.
 * `reduce-only`: only the side that reduces the net position, at most down to zero.
 */
export function applyStance(quotes: Quotes, view: Held, widenDistance: Micros): Quotes {
  switch (view.stance) {
    case 'normal':
      return quotes;
    case 'widen':
      return widen(quotes, view.market, widenDistance);
    case 'reduce-only':
      return reducing(quotes, view);
  }
}

function widen(quotes: Quotes, market: MarketFacts, distance: Micros): Quotes {
  const { fairMicros } = quotes;
  if (fairMicros === null) return quotes;
  const tick = market.tickMicros;
  const highest = micros(Math.floor((fairMicros - distance) / tick) * tick);
  const lowest = micros(Math.ceil((fairMicros + distance) / tick) * tick);
  return {
    ...quotes,
    bids: movedOut(quotes.bids, (price) => minMicros(price, highest), market),
    asks: movedOut(quotes.asks, (price) => micros(Math.max(price, lowest)), market),
  };
}

/** Levels that meet at one price merge into one with the first one's amount; levels moved off the grid are dropped. */
function movedOut(levels: readonly QuoteLevel[], move: (price: Micros) => Micros, market: MarketFacts): QuoteLevel[] {
  const moved = levels.map(({ priceMicros, amountMicros }) => ({ priceMicros: move(priceMicros), amountMicros }));
  // Either outcome may be the leg, so 1 - price must also be valid.
  const lowest = Math.max(market.minPriceMicros, ONE - market.maxPriceMicros);
  return moved.filter(
    ({ priceMicros }, i) =>
      priceMicros >= lowest && priceMicros <= ONE - lowest && priceMicros !== moved[i - 1]?.priceMicros,
  );
}

function reducing(quotes: Quotes, { inventory, market }: Held): Quotes {
  return {
    ...quotes,
    bids: atMost(-inventory.netMicros, quotes.bids, market),
    asks: atMost(inventory.netMicros, quotes.asks, market),
  };
}

/** The best levels up to this total of shares. */
function atMost(shares: number, levels: readonly QuoteLevel[], market: MarketFacts): QuoteLevel[] {
  let left = shares;
  const kept: QuoteLevel[] = [];
  for (const { priceMicros, amountMicros } of levels) {
    const most = Math.min(amountMicros, left);
    const onLot = most - (most % market.lotMicros);
    if (onLot < market.minAmountMicros) break;
    kept.push({ priceMicros, amountMicros: micros(onLot) });
    left -= onLot;
  }
  return kept;
}
