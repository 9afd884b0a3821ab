/** What a strategy of whole events is shown, from what its markets look like. */

import type { MarketOfEvent, WholeEventView } from './view.js';

/** @param wanted condition ids of the markets that are to be quoted, seen or not */
export function makeWholeEventView(
  nowMs: number,
  event: WholeEventView['event'],
  markets: readonly MarketOfEvent[],
  wanted: readonly string[],
): WholeEventView {
  const declared = event.marketConditionIds;
  // After the declared ones by their names: in which order they were found must not matter.
  const rank = (id: string) => (declared.includes(id) ? declared.indexOf(id) : declared.length);
  const byRank = (a: string, b: string) => rank(a) - rank(b) || (a < b ? -1 : 1);
  const seen = new Set(markets.map(({ view }) => view.market.conditionId));
  const unseen = [...new Set([...declared, ...wanted])].filter((id) => !seen.has(id)).sort(byRank);
  const sorted = [...markets].sort((a, b) => byRank(a.view.market.conditionId, b.view.market.conditionId));
  return Object.freeze({ nowMs, event, markets: Object.freeze(sorted), unseen: Object.freeze(unseen) });
}
