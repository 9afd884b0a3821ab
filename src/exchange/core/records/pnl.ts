/**
 * Profit and loss of an account, as `GET /account/pnl/` shows it, for all markets, one event or one market.
 *
 *     total_pnl = received − paid + worth of the shares held
 *               + margin settlements + unrealized of open positions − their opening fees
 *
 * Received and paid is every movement of the account's currency that a market's shares caused: trades and their fees,
 * splits, merges and redeems. Deposits are none. So over all markets the total is what the account has now (currency,
 * shares, what margin holds of it and what its positions have won) minus what was put in. `redeems_funds` and
 * `active_assets_value` are parts of it, shown by themselves; nobody earns creator fees here.
 *
 * A market without any price values complete sets at 1, which they are worth whatever the price, and a single side at 0.
 * Costs: two numbers for each market of the scope.
 */

import type { QueryOf } from '../../../shared/protocol/endpoints.js';
import type { Catalog } from '../catalog.js';
import type { Wire } from '../contract.js';
import type { MarginPnl } from '../margin/contract.js';
import type { Margin } from '../margin/margin.js';
import type { Market } from '../market.js';
import { text } from '../money.js';
import { computeWorth } from './assets.js';

/** Profit and loss of the markets that match both filters; an id that matches none has brought nothing. */
export function accountPnl(catalog: Catalog, margin: Margin, account: number, filter: QueryOf<'account.pnl'>) {
  const markets = marketsIn(catalog, filter);
  const indexes = markets.length === catalog.markets.length ? undefined : markets.map(({ index }) => index);
  return pnlRow(markets, account, margin.pnl(account, indexes));
}

/** Markets that match both filters. */
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

/** Profit and loss of an account over these markets, in wire format. */
function pnlRow(markets: readonly Market[], account: number, margin: MarginPnl): Wire<'accountPnl'> {
  let cash = 0;
  let redeemed = 0;
  let assets = 0;
  for (const market of markets) {
    const { shares } = market;
    if (account >= shares.accounts) continue;
    cash += shares.cash(account);
    redeemed += shares.redeemedPayout(account);
    assets += shareValue(market, shares.total(account, true), shares.total(account, false));
  }
  return {
    margin_position_settlements_pnl: text(margin.settlements),
    margin_positions_unrealized_pnl: text(margin.unrealized),
    redeems_funds: text(redeemed),
    active_assets_value: text(assets),
    creator_fees: '0',
    total_pnl: text(cash + assets + margin.settlements + margin.unrealized - margin.openingFees),
  };
}

const shareValue = (market: Market, yes: number, no: number): number =>
  yes === 0 && no === 0 ? 0 : (computeWorth(market, yes, no) ?? Math.min(yes, no));
