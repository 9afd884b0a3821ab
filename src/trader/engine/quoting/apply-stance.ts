/** Quotes as a rung of the kill ladder lets them be, whatever the strategy made of its stance. */

import { type Micros, micros, minMicros, ONE } from '../../../shared/base/micros.js';
import type { MarketFacts, MarketView } from '../../market/view.js';
import type { QuoteLevel, Quotes } from '../../strategy/contract.js';

/** What the quotes are held to. */
type Held = Pick<MarketView, 'stance' | 'market' | 'inventory'>;

/**
 * The same quotes where the stance is `normal`. `widen`: no level nearer to the fair value than `widenDistance`.
 * `reduce-only`: only the side that brings the net position towards zero, no more than that takes.
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

/** Levels that would meet at one price are one level, of the first one's amount; those moved off the grid are none. */
function movedOut(levels: readonly QuoteLevel[], move: (price: Micros) => Micros, market: MarketFacts): QuoteLevel[] {
  const moved = levels.map(({ priceMicros, amountMicros }) => ({ priceMicros: move(priceMicros), amountMicros }));
  // Either outcome may be the leg, so 1 - price must be a price too.
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

/** The best levels up to so many shares in all. */
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
