/** Checks of a request before it locks anything, in this order: leverage, sizes, take profit and stop loss. */

import { must } from '../../../shared/base/errors.js';
import { formatDecimal, ONE } from '../../../shared/base/micros.js';
import {
  type EstimateTerms,
  invalid,
  type MarginTerms,
  ok,
  type Refusal,
  type Result,
  refuse,
  type TpSlChange,
} from '../contract.js';
import type { CoreContext } from '../core-context.js';
import type { Market } from '../market.js';
import { asMicros } from '../money.js';
import { applyLeverage, feeOn, MAX_SIZE, sharesFor, totalFor, userPart } from './economics.js';
import { badPrice, type MarginPool, offGrid } from './pool.js';
import type { RequestRecord, TpSlRecord, TriggerType } from './records.js';

/** A market that trades on margin, with its pool. */
export interface MarginMarket {
  readonly market: Market;
  readonly pool: MarginPool;
}

/** Loss in percent of a position's user_liquidity that liquidates it. */
export const fatalPercent = ({ settings }: CoreContext): number => settings.liquidationLossPercent ?? 100;

/** Margin market of a margin record's index. */
export function marginMarket(context: CoreContext, index: number): MarginMarket {
  const market = context.catalog.market(index);
  return { market, pool: must(market.margin, `the pool of market ${index}`) };
}

/** Prices that close a position, in micros of its outcome's space; null for none. */
type TriggerPrices = Readonly<Pick<TpSlRecord, 'takeProfit' | 'stopLoss'>>;

/** A present key is set, null clears it; inactive prices are dropped. */
export function pricesAfter(before: TpSlRecord | null, change: TpSlChange): TriggerPrices {
  const old = before?.state === 'active' ? before : null;
  return {
    takeProfit: change.takeProfit === undefined ? (old?.takeProfit ?? null) : change.takeProfit,
    stopLoss: change.stopLoss === undefined ? (old?.stopLoss ?? null) : change.stopLoss,
  };
}

/** Refuses a take profit not above `entry`, and a stop loss not below it: either would close the position at once. */
export function checkPrices(pool: MarginPool, prices: TriggerPrices, entry: number): Refusal | null {
  if (pool.rules.kind === 'hyperliquid') return refuse('hyperliquid_margin_tp_sl_not_supported');
  for (const [field, price] of [
    ['take_profit_price', prices.takeProfit],
    ['stop_loss_price', prices.stopLoss],
  ] as const) {
    const fault = price === null ? null : badPrice(field, price, pool.rules);
    if (fault !== null) return fault;
  }
  const at = formatDecimal(asMicros(entry));
  if (prices.takeProfit !== null && prices.takeProfit <= entry) {
    return invalid('take_profit_price', `Must be above the price of ${at}.`);
  }
  if (prices.stopLoss !== null && prices.stopLoss >= entry) {
    return invalid('stop_loss_price', `Must be below the price of ${at}.`);
  }
  return null;
}

/** Record of these prices; without any price it is `cancelled`. */
export const makeTpSl = ({ takeProfit, stopLoss }: TriggerPrices): TpSlRecord => ({
  takeProfit,
  stopLoss,
  state: takeProfit === null && stopLoss === null ? 'cancelled' : 'active',
  trigger: null,
});

/** The trigger price that the mark has reached; the take profit if it has reached both, as after a pause. */
export function triggerAt(tpSl: TpSlRecord | null, mark: number): TriggerType | null {
  if (tpSl?.state !== 'active') return null;
  if (tpSl.takeProfit !== null && mark >= tpSl.takeProfit) return 'take_profit';
  return tpSl.stopLoss !== null && mark <= tpSl.stopLoss ? 'stop_loss' : null;
}

/** Maximum cost of opening a position. */
export interface OpeningCost {
  readonly userLiquidity: number;
  readonly totalLiquidity: number;
  readonly openingFee: number;
}

/** Currency that a request locks, in micros. */
export const costWithFee = ({ userLiquidity, openingFee }: OpeningCost): number => userLiquidity + openingFee;

/** All funds at any price: the cost of a market request. */
export function marketCost(pool: MarginPool, funds: number, leverage: number): OpeningCost {
  const totalLiquidity = applyLeverage(funds, leverage);
  return { userLiquidity: funds, totalLiquidity, openingFee: feeOn(funds, pool.rules.openingRate) };
}

/** Shares at this price: total_liquidity is their cost, rounded up. */
export function limitCost(pool: MarginPool, shares: number, price: number, leverage: number): OpeningCost {
  const totalLiquidity = totalFor(shares, price);
  const userLiquidity = userPart(totalLiquidity, leverage);
  return { userLiquidity, totalLiquidity, openingFee: feeOn(userLiquidity, pool.rules.openingRate) };
}

/** User liquidity of a request: all its funds, or the cost of its shares at its price. */
export function computeUserLiquidity({ funds, price, shares, leverage }: RequestRecord): number {
  if (funds !== null) return funds;
  const totalLiquidity = totalFor(must(shares, 'the shares of a limit request'), must(price, 'its price'));
  return userPart(totalLiquidity, leverage);
}

/** Cost of a request, or the refusal with the first wrong field. */
export function checkTerms(terms: MarginTerms, pool: MarginPool): Result<OpeningCost> {
  const fault =
    checkLeverage(terms, pool) ??
    (terms.type === 'market' ? checkFunds(terms, pool) : checkLimit(terms.price, terms.shares, pool)) ??
    checkTriggers(terms, pool);
  if (fault !== null) return fault;
  return ok(
    terms.type === 'market'
      ? marketCost(pool, terms.funds, terms.leverage)
      : limitCost(pool, terms.shares, terms.price, terms.leverage),
  );
}

/** The same rules for an estimate of a market request. */
export function checkEstimate(terms: EstimateTerms, pool: MarginPool): Result<OpeningCost> {
  const fault = checkLeverage(terms, pool) ?? checkFunds(terms, pool);
  return fault ?? ok(marketCost(pool, terms.funds, terms.leverage));
}

function checkLeverage({ leverage, isYes }: EstimateTerms | MarginTerms, pool: MarginPool): Refusal | null {
  return outside('leverage', leverage, ONE, pool.maxLeverage(isYes));
}

function checkFunds({ funds, leverage, isYes }: EstimateTerms, pool: MarginPool): Refusal | null {
  const { minFunds, minShares, sharesStep } = pool.rules;
  const fault = outside('funds', funds, minFunds, Math.floor(MAX_SIZE / leverage) * ONE);
  if (fault !== null) return fault;
  const shares = sharesFor(applyLeverage(funds, leverage), pool.mark(isYes), sharesStep);
  if (shares === null) return invalid('funds', 'These funds buy more shares than a position can hold.');
  if (shares === 0 || shares < minShares) return invalid('funds', 'These funds buy less than the smallest position.');
  return null;
}

function checkLimit(price: number, shares: number, { rules }: MarginPool): Refusal | null {
  const { priceStep, sharesStep, minShares } = rules;
  return (
    offGrid('price', price, priceStep) ??
    outside('price', price, priceStep, ONE - priceStep) ??
    offGrid('shares', shares, sharesStep) ??
    outside('shares', shares, Math.max(minShares, sharesStep), MAX_SIZE)
  );
}

/** Compares the triggers with the entry price: the limit, or the reference price if the limit is above it. */
function checkTriggers(terms: MarginTerms, pool: MarginPool): Refusal | null {
  const { takeProfit = null, stopLoss = null } = terms;
  if (takeProfit === null && stopLoss === null) return null;
  const mark = pool.mark(terms.isYes);
  const entry = terms.type === 'limit' ? Math.min(terms.price, mark) : mark;
  return checkPrices(pool, { takeProfit, stopLoss }, entry);
}

function outside(field: string, value: number, least: number, most: number): Refusal | null {
  if (value < least) {
    return invalid(field, `Ensure this value is greater than or equal to ${formatDecimal(asMicros(least))}.`);
  }
  if (value > most) {
    return invalid(field, `Ensure this value is less than or equal to ${formatDecimal(asMicros(most))}.`);
  }
  return null;
}
