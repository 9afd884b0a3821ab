/**
 * A strategy that modifies its view, as any JavaScript may, and sometimes bids far above the asks. If risk used the
 * modified view, such a bid would pass the price collar.
 */

import { type Micros, micros, ONE } from '../../src/shared/base/micros.js';
import type { BookLevel, MarketView } from '../../src/trader/market/view.js';
import type { Quotes, Strategy } from '../../src/trader/strategy/contract.js';
import logOddsMaker from '../../strategies/log-odds-maker.js';

/** Above the best ask, far beyond any collar. */
const TOO_MUCH_MICROS = 300_000;
/** It bids too much in one second out of this number. */
const SECONDS = 20;

export const meddler: Strategy = {
  ...logOddsMaker,
  name: 'meddler',
  create: (params, market) => {
    const quoter = logOddsMaker.create(params, market);
    return {
      quote(view) {
        const quotes = tooMuch(quoter.quote(view), view);
        alter(view);
        return quotes;
      },
    };
  },
};

/** `Reflect.set` does not throw on read-only fields: a strategy that throws would be stopped. */
function alter(view: MarketView): void {
  for (const level of [...view.book.asks, ...view.others.asks]) Reflect.set(level, 'priceMicros', ONE - 1);
  for (const level of [...view.book.bids, ...view.others.bids]) Reflect.set(level, 'priceMicros', 1);
  for (const side of [view.book.asks, view.book.bids, view.trades, view.orders]) Reflect.set(side, 'length', 0);
  Reflect.set(view, 'book', { bids: [], asks: [] });
  Reflect.set(view, 'stance', 'normal');
  Reflect.set(view.inventory, 'netMicros', 0);
  Object.entries(HARMLESS_HEALTH).map(([name, value]) => Reflect.set(view.health, name, value));
  Reflect.set(view.market, 'takerFeeRateMicros', 0);
  Reflect.set(view.market, 'phase', 'open');
}

const HARMLESS_HEALTH = { bookAgeMs: 0, crossed: false, frozen: false, jumpLogOdds: 0, sinceJumpMs: null };

function tooMuch(quotes: Quotes, view: MarketView): Quotes {
  const ask: BookLevel | undefined = view.book.asks[0];
  if (quotes.fairMicros === null || ask === undefined || Math.floor(view.nowMs / 1000) % SECONDS !== 0) return quotes;
  const { tickMicros, minPriceMicros, maxPriceMicros, minAmountMicros } = view.market;
  const price = onTick(ask.priceMicros + TOO_MUCH_MICROS, tickMicros);
  if (price > Math.min(maxPriceMicros, ONE - minPriceMicros)) return quotes;
  const bids = [{ priceMicros: price, amountMicros: minAmountMicros }];
  // Not post-only, which would drop the order before the collar.
  return { ...quotes, fairMicros: micros(price), bids, asks: [], postOnly: false };
}

const onTick = (value: number, tick: Micros): Micros => micros(value - (value % tick));
