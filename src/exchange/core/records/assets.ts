/**
 * Profit and loss of an account, as `GET /account/pnl/` shows it, in all markets, in one event or in one market; and
 * the list of the account's shares.
 *
 *     total_pnl = received − paid + value of the held shares
 *               + margin settlements + unrealized profit of open positions − their opening fees
 *
 * Received and paid amounts include trades, fees, splits, merges and redeems. `redeems_funds` and `active_assets_value`
 * are parts of total_pnl. If a market has no price, a complete set counts as 1, and any other share as 0.
 */

import { mulDiv, ONE } from '../../../shared/base/micros.js';
import type { QueryOf } from '../../../shared/protocol/endpoints.js';
import { isSettledMarket } from '../../../shared/protocol/states.js';
import type { Catalog } from '../catalog.js';
import type { FiltersOf, Wire } from '../contract.js';
import { payout } from '../conversions.js';
import { seconds } from '../core-context.js';
import type { Margin } from '../margin/margin.js';
import type { Market } from '../market.js';
import { asMicros, text, timesDown } from '../money.js';

/** Profit and loss of an account in the markets that match the market and event filters; 0 if no market matches. */
export function accountPnl(catalog: Catalog, margin: Margin, account: number, filter: QueryOf<'account.pnl'>) {
  const markets = marketsIn(catalog, filter);
  const indexes = markets.length === catalog.markets.length ? undefined : markets.map(({ index }) => index);
  const { settlements, unrealized, openingFees } = margin.pnl(account, indexes);
  let [cash, redeemed, assets] = [0, 0, 0];
  for (const market of markets) {
    const { shares } = market;
    cash += shares.cash(account);
    redeemed += shares.redeemedPayout(account);
    const [yes, no] = [shares.total(account, true), shares.total(account, false)];
    if (yes > 0 || no > 0) assets += computeWorth(market, yes, no) ?? Math.min(yes, no);
  }
  return {
    margin_position_settlements_pnl: text(settlements),
    margin_positions_unrealized_pnl: text(unrealized),
    redeems_funds: text(redeemed),
    active_assets_value: text(assets),
    creator_fees: '0',
    total_pnl: text(cash + assets + settlements + unrealized - openingFees),
  };
}

function marketsIn(catalog: Catalog, filter: QueryOf<'account.pnl'>): readonly Market[] {
  const { market_condition_id: marketConditionId, event_condition_id: eventConditionId } = filter;
  const event = eventConditionId === undefined ? undefined : catalog.findEventIndex(eventConditionId);
  if (marketConditionId !== undefined) {
    const market = catalog.byId(marketConditionId);
    return market === null || (event !== undefined && market.card.eventIndex !== event) ? [] : [market];
  }
  if (event === undefined) return catalog.markets;
  return event === null ? [] : catalog.event(event).markets.map((index) => catalog.market(index));
}

/** Filters and start of one page of the list of holdings. `offset`: number of outcomes that earlier pages scanned. */
type AssetQuery = FiltersOf<'account.assets'> & { readonly limit: number; readonly offset?: number | undefined };

/** Lists an account's shares in all markets, or in the given market. The offset counts scanned outcomes, not rows. */
export function assetPage(catalog: Catalog, account: number, query: AssetQuery) {
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

/** An account's shares of one outcome, in wire format; null if the account holds none. */
function assetRow(catalog: Catalog, market: Market, account: number, isYes: boolean): Wire<'assetRow'> | null {
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
    // The venue's interface requires a string, even if the value of a share is unknown.
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

/** Value of shares: the payout in a settled market, else the value at the mark, rounded down; null without a price. */
function computeWorth(market: Market, yes: number, no: number): number | null {
  if (isSettledMarket(market.state)) return payout(market.outcome, yes, no);
  const mark = market.markPrice;
  return mark === null ? null : timesDown(mark, yes) + timesDown(ONE - mark, no);
}
