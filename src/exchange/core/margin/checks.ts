import { must } from '../../../shared/base/errors.js';
import { ONE } from '../../../shared/base/micros.js';
import {
  type EstimateTerms,
  invalid,
  type MarginRequest,
  offGrid,
  ok,
  outside,
  type Refusal,
  type Result,
  refuse,
} from '../contract.js';
import type { CoreContext } from '../core-context.js';
import type { Market } from '../market.js';
import { text, timesUp } from '../money.js';
import { applyLeverage, feeOn, MAX_SIZE, sharesFor, userPart } from './economics.js';
import { badPrice, type MarginPool } from './pool.js';
import type { TpSlRecord } from './records.js';

/** A market that trades on margin, with its pool. */
export type MarginMarket = Readonly<{ market: Market; pool: MarginPool }>;

/** Loss that liquidates a margin position, in percent of its user_liquidity. */
export const fatalPercent = ({ settings }: CoreContext): number => settings.liquidationLossPercent ?? 100;

/** Returns the market of a margin record, with its pool. */
export function marginMarket(context: CoreContext, index: number): MarginMarket {
  const market = context.catalog.market(index);
  return { market, pool: must(market.margin, `the pool of market ${index}`) };
}

/** Take profit and stop loss of a position: prices of its outcome in Micros; null if not set. */
type TriggerPrices = Readonly<Pick<TpSlRecord, 'takeProfit' | 'stopLoss'>>;

/** Refuses a take profit not above `entry`, and a stop loss not below `entry`: each would trigger immediately. */
export function checkPrices(pool: MarginPool, prices: TriggerPrices, entry: number): Refusal | null {
  if (pool.rules.kind === 'hyperliquid') return refuse('hyperliquid_margin_tp_sl_not_supported');
  const { takeProfit, stopLoss } = prices;
  const fault =
    badPrice('take_profit_price', takeProfit, pool.rules) ?? badPrice('stop_loss_price', stopLoss, pool.rules);
  if (fault !== null) return fault;
  const at = text(entry);
  if (takeProfit !== null && takeProfit <= entry)
    return invalid('take_profit_price', `Must be above the price of ${at}.`);
  if (stopLoss !== null && stopLoss >= entry) return invalid('stop_loss_price', `Must be below the price of ${at}.`);
  return null;
}

/** Cost of opening a position, in micros. */
type OpeningCost = ReturnType<typeof marketCost>;

/** Currency that a position request locks, in micros. */
export const costWithFee = ({ userLiquidity, openingFee }: OpeningCost): number => userLiquidity + openingFee;

/** Cost of a market request for a position. A market request spends all its funds, at any price. */
export function marketCost(pool: MarginPool, funds: number, leverage: number) {
  const totalLiquidity = applyLeverage(funds, leverage);
  return { userLiquidity: funds, totalLiquidity, openingFee: feeOn(funds, pool.rules.openingRate) };
}

/** Cost of a limit request. total_liquidity is the cost of the shares at the limit price, rounded up. */
export function limitCost(pool: MarginPool, shares: number, price: number, leverage: number): OpeningCost {
  const totalLiquidity = timesUp(price, shares);
  const userLiquidity = userPart(totalLiquidity, leverage);
  return { userLiquidity, totalLiquidity, openingFee: feeOn(userLiquidity, pool.rules.openingRate) };
}

/** Returns the cost of a request, or refuses its first wrong field. */
export function checkTerms(terms: MarginRequest, pool: MarginPool): Result<OpeningCost> {
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

/** Returns the cost of an estimate. Refuses a leverage or funds that a market request must not have. */
export function checkEstimate(terms: EstimateTerms, pool: MarginPool): Result<OpeningCost> {
  const fault = checkLeverage(terms, pool) ?? checkFunds(terms, pool);
  return fault ?? ok(marketCost(pool, terms.funds, terms.leverage));
}

function checkLeverage({ leverage, isYes }: EstimateTerms | MarginRequest, pool: MarginPool): Refusal | null {
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

/** Checks take profit and stop loss against the entry price: the mark, or a lower limit price. */
function checkTriggers(terms: MarginRequest, pool: MarginPool): Refusal | null {
  const { takeProfit = null, stopLoss = null } = terms;
  if (takeProfit === null && stopLoss === null) return null;
  const mark = pool.mark(terms.isYes);
  const entry = terms.type === 'limit' ? Math.min(terms.price, mark) : mark;
  return checkPrices(pool, { takeProfit, stopLoss }, entry);
}
