import { must } from '../../../shared/base/errors.js';
import { ONE } from '../../../shared/base/micros.js';
import type { EstimateTerms, Wire } from '../contract.js';
import { type CoreContext, seconds } from '../core-context.js';
import type { Market } from '../market.js';
import { text, timesDown, timesUp } from '../money.js';
import { costWithFee, fatalPercent, type MarginMarket, marginMarket } from './checks.js';
import * as economics from './economics.js';
import { userPart } from './economics.js';
import type { Activity } from './pool.js';
import type { PositionRecord, RequestRecord, TpSlRecord } from './records.js';

const textOrNull = (value: number | null): string | null => (value === null ? null : text(value));

/** A position request in wire format. `funds` of a limit request is its maximum user_liquidity. */
export const requestRow = (context: CoreContext, record: RequestRecord): Wire<'requestRow'> => ({
  pubkey: record.pubkey,
  type: record.type,
  state: record.state,
  message: record.message,
  market: makeWireMarket(context, context.catalog.market(record.market)),
  is_yes: record.isYes,
  leverage: text(record.leverage),
  funds: text(computeUserLiquidity(record)),
  price: textOrNull(record.price),
  shares: textOrNull(record.shares),
  funding_txid: record.fundingTxid,
  refund_txid: record.refundTxid,
  take_profit_price: textOrNull(record.takeProfit),
  stop_loss_price: textOrNull(record.stopLoss),
  created: seconds(record.createdMs),
  order_state: record.orderState,
});

/** user_liquidity of a request: funds of a market request; price × shares / leverage of a limit request, rounded up. */
function computeUserLiquidity({ funds, price, shares, leverage }: RequestRecord): number {
  if (funds !== null) return funds;
  const totalLiquidity = timesUp(must(price, 'the price of a limit request'), must(shares, 'its shares'));
  return userPart(totalLiquidity, leverage);
}

/** Take profit and stop loss in wire format. */
export const tpSlRow = ({ takeProfit, stopLoss, state, trigger }: TpSlRecord): Wire<'tpSlRow'> => ({
  take_profit_price: textOrNull(takeProfit),
  stop_loss_price: textOrNull(stopLoss),
  state,
  trigger_type: trigger?.type ?? null,
  triggered_price: textOrNull(trigger?.price ?? null),
  triggered_at: trigger === null ? null : seconds(trigger.timeMs),
});

/** Unrealized profit of an open position; 0 for an ended position. */
export function unrealizedPnl(context: CoreContext, position: PositionRecord): number {
  if (position.end !== null) return 0;
  return economics.pnlAt(position, marginMarket(context, position.market).pool.mark(position.isYes));
}

/** A margin position in wire format. `realized_pnl` excludes the opening fee, unlike the settlement's `total_pnl`. */
export function positionRow(context: CoreContext, position: PositionRecord): Wire<'positionRow'> {
  const { end } = position;
  const { market, pool } = marginMarket(context, position.market);
  const interest = economics.interestAt(position, pool.rules.annualRate, end?.timeMs ?? context.nowMs);
  return {
    pubkey: position.pubkey,
    position_request_pubkey: position.requestPubkey,
    market: makeWireMarket(context, market),
    is_yes: position.isYes,
    leverage: text(position.leverage),
    total_shares: text(position.shares),
    avg_entry_price: text(economics.averageEntry(position)),
    closing_price: textOrNull(end?.price ?? null),
    unrealized_pnl: end === null ? text(unrealizedPnl(context, position)) : null,
    realized_pnl: text(end === null ? 0 : end.payout - position.userLiquidity),
    user_liquidity: text(position.userLiquidity),
    total_liquidity: text(position.totalLiquidity),
    liquidation_price: text(economics.liquidationPrice(position, interest, fatalPercent(context))),
    is_closed: end !== null,
    is_liquidated: end?.isLiquidated ?? false,
    is_claimed: position.isClaimed,
    tp_sl: position.tpSl === null ? null : tpSlRow(position.tpSl),
    created: seconds(position.createdMs),
  };
}

function makeWireMarket({ catalog }: CoreContext, market: Market): Wire<'positionRow'>['market'] {
  const { card, tape } = market;
  const event = catalog.event(card.eventIndex);
  return {
    title: card.title,
    condition_id: card.conditionId,
    logo: card.logo,
    last_trade_price: text(tape.lastPrice),
    event: { title: event.title, condition_id: event.conditionId, logo: null },
  };
}

/** An estimate of a position, in wire format, at the reference price. `is_fully_filled`: true if the market trades. */
export function estimateRow(
  context: CoreContext,
  { market, pool }: MarginMarket,
  terms: EstimateTerms,
  cost: Parameters<typeof costWithFee>[0],
): Wire<'marginEstimate'> {
  const mark = pool.mark(terms.isYes);
  const shares = economics.sharesFor(cost.totalLiquidity, mark, pool.rules.sharesStep) ?? 0;
  const position = { ...cost, shares, cost: timesDown(mark, shares), interest: 0, interestSinceMs: 0 };
  return {
    average_price: text(mark),
    total_shares: text(shares),
    total_cost: text(cost.totalLiquidity),
    best_ask: text(mark),
    worst_fill_price: text(mark),
    is_fully_filled: market.isTradable,
    fee_amount: text(cost.openingFee),
    user_funds_needed: text(costWithFee(cost)),
    liquidation_price:
      terms.leverage === ONE ? null : text(economics.liquidationPrice(position, 0, fatalPercent(context))),
  };
}

/** A margin market's public activity, in wire format. */
export const activityRow = (context: CoreContext, market: Market, activity: Activity, username: string) => ({
  activity_type: activity.type,
  user: { username, profile_image: null, twitter_username: null },
  market: makeWireMarket(context, market),
  shares: text(activity.shares),
  price: text(activity.price),
  realized_pnl: textOrNull(activity.realizedPnl),
  leverage: text(activity.leverage),
  is_yes: activity.isYes,
  created: seconds(activity.timeMs),
});
