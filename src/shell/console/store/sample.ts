/** What of a trader's figures charts are drawn from. */

import { bestOwn } from '../page-market.js';
import type { TraderState } from '../trader-state.js';
import type { Sample } from './history.js';

/** Null while the trader tells nothing: a gap. Markets that are neither quoted nor held leave no point. */
export function takeSample(trader: TraderState, timeMs: number): Sample | null {
  const { account, markets, isCurrent } = trader;
  if (!isCurrent || account === null) return null;
  const { equity_micros: equityMicros, result_micros: resultMicros, loss_day_micros: lossDayMicros } = account;
  const told = [...markets.values()].filter(
    ({ orders, yes_micros: yes, no_micros: no, state }) =>
      state === 'quoting' || orders.length > 0 || yes !== 0 || no !== 0,
  );
  return {
    account: { timeMs, equityMicros, resultMicros, lossDayMicros },
    markets: told.map((market) => ({
      id: market.id,
      timeMs,
      bestBidMicros: market.best_bid_micros,
      bestAskMicros: market.best_ask_micros,
      fairMicros: market.fair_micros,
      bidMicros: bestOwn(market.orders, 'bid'),
      askMicros: bestOwn(market.orders, 'ask'),
      netMicros: market.yes_micros - market.no_micros,
    })),
  };
}
