/** Builds the view of a strategy of whole events from the views of its markets. */

import type { MarketOfEvent, WholeEventView } from './view.js';

/** @param wanted condition ids of the markets to be quoted, with or without a book */
export function makeWholeEventView(
  nowMs: number,
  event: WholeEventView['event'],
  markets: readonly MarketOfEvent[],
  wanted: readonly string[],
): WholeEventView {
  const declared = event.marketConditionIds;
  // After the declared ones by name: the order of discovery must not matter.
  const rank = (id: string) => (declared.includes(id) ? declared.indexOf(id) : declared.length);
  const byRank = (a: string, b: string) => rank(a) - rank(b) || (a < b ? -1 : 1);
  const seen = new Set(markets.map(({ view }) => view.market.conditionId));
  const unseen = [...new Set([...declared, ...wanted])].filter((id) => !seen.has(id)).sort(byRank);
  const sorted = [...markets].sort((a, b) => byRank(a.view.market.conditionId, b.view.market.conditionId));
  return Object.freeze({ nowMs, event, markets: Object.freeze(sorted), unseen: Object.freeze(unseen) });
}
