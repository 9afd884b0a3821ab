/** Holdings of accounts as rows, and their results so far. */

import { mulDiv, ONE } from '../../../shared/base/micros.js';
import { isSettledMarket } from '../../../shared/protocol/states.js';
import type { Catalog } from '../catalog.js';
import type { AssetQuery, Wire } from '../contract.js';
import { seconds } from '../core-context.js';
import type { Market } from '../market.js';
import { asMicros, text, timesDown } from '../money.js';
import { payout } from '../redeems.js';

/**
 * The scan visits YES and NO of every market in turn, and the offset is a place in it: outcomes without shares are
 * skipped, so it counts more than rows. With a given market the scan has its two places.
 */
export function assetPage(
  catalog: Catalog,
  account: number,
  query: AssetQuery,
): { readonly rows: readonly Wire<'assetRow'>[]; readonly nextOffset: number | null } {
  const only = query.market_condition_id === undefined ? undefined : catalog.byId(query.market_condition_id);
  if (only === null) return { rows: [], nextOffset: null };
  const end = only === undefined ? 2 * catalog.markets.length : 2 * only.index + 2;
  const rows: Wire<'assetRow'>[] = [];
  let after = 0;
  for (let at = Math.max(query.offset ?? 0, only === undefined ? 0 : 2 * only.index); at < end; at++) {
    const row = assetRow(catalog, catalog.market(Math.floor(at / 2)), account, at % 2 === 0);
    if (row === null) continue;
    if (rows.length === query.limit) return { rows, nextOffset: after };
    rows.push(row);
    after = at + 1;
  }
  return { rows, nextOffset: null };
}

/** Balance of one outcome; null when the account holds none. */
export function assetRow(catalog: Catalog, market: Market, account: number, isYes: boolean): Wire<'assetRow'> | null {
  const { card, shares } = market;
  const total = shares.total(account, isYes);
  if (total === 0) return null;
  const locked = shares.lockedAmount(account, isYes);
  const bought = shares.readBuys(account, isYes);
  const sinceMs = shares.sinceMs(account, isYes);
  const worth = computeWorth(market, isYes ? total : 0, isYes ? 0 : total);
  return {
    asset_kind: 'share',
    amounts: { total: text(total), locked: text(locked), available: text(total - locked) },
    token: { symbol: `${card.conditionId}-${isYes ? 'LPT' : 'SPT'}`, address: catalog.deriveMint(market, isYes) },
    // A string by the interface, even while the value of a share is unknown.
    value: { usdt: text(worth ?? 0), basis: 'mark_to_market' },
    position: {
      market: {
        condition_id: card.conditionId,
        title: card.title,
        state: market.state,
        margin_enabled: card.marginEnabled,
      },
      is_yes: isYes,
      outcome_text: isYes ? card.yesLabel : card.noLabel,
      is_final: isSettledMarket(market.state),
      avg_trade_price: text(mulDiv(asMicros(bought.paid), ONE, asMicros(bought.amount), 'floor')),
    },
    created: seconds(sinceMs),
  };
}

/** Shares at the payout of a settled market, else at the mark, rounded down; null while the market has no price. */
export function computeWorth(market: Market, yes: number, no: number): number | null {
  if (isSettledMarket(market.state)) return payout(market.outcome, yes, no);
  const mark = market.markPrice;
  return mark === null ? null : timesDown(mark, yes) + timesDown(ONE - mark, no);
}
