/**
 * The arithmetic of leveraged positions: integers of micros, prices in the space of the position's own outcome. A
 * position is opened at the reference price: no spread, no impact, any size is filled whole.
 *
 *     total_liquidity = user_liquidity × leverage                    the part that is not the user's is borrowed
 *     shares          = total_liquidity / entry price                rounded down to the market's share decimals
 *     cost            = shares × entry price                         rounded down; summed up when a position is increased
 *     unrealized_pnl  = shares × mark − cost                         = shares × (mark − entry) to a millionth
 *     interest        = borrowed × annual_fee_rate × time / 365 days rounded up, paid when the position ends
 *     loss            = interest − unrealized_pnl
 *     liquidated      when something is borrowed and loss >= the venue's part of user_liquidity (100 %)
 *     opening fee     = opening_fee × user_liquidity                 rounded up, paid beside it
 *     proceeds        = shares × price of the end                    rounded down
 *     closing fee     = closing_fee × proceeds                       rounded up, of a win or a liquidation alone
 *
 * A position wins when its loss, interest included, is below 0. At its end it is worth user_liquidity + pnl, at least
 * 0: the pool bears the rest. From it come first the interest, then the closing fee, as far as it reaches.
 */

import { type Micros, mulDiv, ONE } from '../../../shared/base/micros.js';
import { asMicros, timesDown, timesUp } from '../money.js';

/** A billion units: maximum of liquidity and shares, so that every sum stays a safe integer. */
export const MAX_SIZE = 1_000_000_000_000_000;

/** Inputs of the formulas about a position. */
export interface Exposure {
  readonly shares: number;
  readonly cost: number;
  readonly userLiquidity: number;
  readonly totalLiquidity: number;
  /** Interest before `interestSinceMs`. */
  readonly interest: number;
  readonly interestSinceMs: number;
}

/** A price in an outcome's space, from or to YES space. */
export const ownPrice = (yesPrice: number, isYes: boolean): number => (isYes ? yesPrice : ONE - yesPrice);

/** user_liquidity × leverage, rounded down. */
export const applyLeverage = (userLiquidity: number, leverage: number): number =>
  mulDiv(asMicros(userLiquidity), asMicros(leverage), ONE, 'floor');

/** User's part of a total: total / leverage, rounded up. */
export const userPart = (totalLiquidity: number, leverage: number): number =>
  mulDiv(asMicros(totalLiquidity), ONE, asMicros(leverage), 'ceil');

/** Leverage of an increased position: total / user, rounded down. */
export const computeLeverage = (userLiquidity: number, totalLiquidity: number): number =>
  mulDiv(asMicros(totalLiquidity), ONE, asMicros(userLiquidity), 'floor');

/** Shares that a total buys, rounded down to a multiple of `step`; null beyond MAX_SIZE. */
export function sharesFor(totalLiquidity: number, price: number, step: number): number | null {
  if (totalLiquidity / price > MAX_SIZE / ONE) return null;
  const shares = mulDiv(asMicros(totalLiquidity), ONE, asMicros(price), 'floor');
  return shares - (shares % step);
}

/** Cost of shares at a price: total_liquidity of a limit request, rounded up. */
export const totalFor = (shares: number, price: number): number => timesUp(price, shares);

/** Currency cost of these shares at this price, rounded down; all in micros. */
export const computeCost = (shares: number, price: number): number => timesDown(price, shares);

/** Fee on an amount of currency, rounded up. */
export const feeOn = (amount: number, rate: number): number => (rate === 0 ? 0 : timesUp(rate, amount));

/** cost / shares, rounded up. The cost was rounded down, so one fill of a share or more gives the exact price. */
export const averageEntry = ({ cost, shares }: Exposure) => mulDiv(asMicros(cost), ONE, asMicros(shares), 'ceil');

/** Profit at this mark in micros of currency, before fees and interest; negative for a loss. */
export const pnlAt = (position: Exposure, mark: number): number => timesDown(mark, position.shares) - position.cost;

const computeBorrowed = (position: Exposure): number => position.totalLiquidity - position.userLiquidity;

/** True when the position borrows at a rate above zero; at leverage 1 it borrows nothing. */
export const bearsInterest = (position: Exposure, annualRate: number) => computeBorrowed(position) * annualRate > 0;

/** Interest until `atMs`, rounded up. */
export function interestAt(position: Exposure, annualRate: number, atMs: number): number {
  if (!bearsInterest(position, annualRate)) return position.interest;
  const passedMs = BigInt(Math.max(0, atMs - position.interestSinceMs));
  const product = BigInt(computeBorrowed(position)) * BigInt(annualRate) * passedMs;
  return position.interest + Number((product + PER_RATE_AND_YEAR - 1n) / PER_RATE_AND_YEAR);
}

const PER_RATE_AND_YEAR = BigInt(ONE) * BigInt(365 * 86_400_000);

/** Loss that liquidates a position: a percentage of user_liquidity, rounded up. */
const fatalLoss = ({ userLiquidity }: Exposure, lossPercent: number): number =>
  mulDiv(asMicros(userLiquidity), asMicros(lossPercent), asMicros(100), 'ceil');

/** Whether a position must be liquidated. Never without borrowed money: no other party can lose. */
export const isLiquidatable = (position: Exposure, mark: number, interest: number, lossPercent: number): boolean =>
  computeBorrowed(position) > 0 && interest - pnlAt(position, mark) >= fatalLoss(position, lossPercent);

/**
 * Highest mark that liquidates the position, at its present interest; 0 when nothing is borrowed or no mark does.
 * Closed form: floor(shares × mark) <= cost + interest − fatal loss.
 */
export function liquidationPrice(position: Exposure, interest: number, lossPercent: number): Micros {
  const worth = position.cost + interest - fatalLoss(position, lossPercent);
  if (computeBorrowed(position) === 0 || worth < 0) return asMicros(0);
  if (worth >= position.shares) return ONE;
  const next = mulDiv(asMicros(worth + 1), ONE, asMicros(position.shares), 'ceil');
  return asMicros(next - 1);
}

/** Time when interest alone makes the loss fatal at a constant mark; null for never. */
export function liquidationDueMs(position: Exposure, mark: number, annualRate: number, lossPercent: number) {
  if (!bearsInterest(position, annualRate)) return null;
  const perMs = BigInt(computeBorrowed(position)) * BigInt(annualRate);
  const missing = fatalLoss(position, lossPercent) + pnlAt(position, mark) - position.interest;
  if (missing <= 0) return position.interestSinceMs;
  // First ms at which the interest, rounded up, equals the missing amount.
  const ms = Number((BigInt(missing - 1) * PER_RATE_AND_YEAR) / perMs) + 1;
  const atMs = position.interestSinceMs + ms;
  return Number.isSafeInteger(atMs) ? atMs : null;
}

/** End of a position: its price and interest, and whether it is a liquidation. */
export interface Exit {
  readonly price: number;
  readonly interest: number;
  readonly isLiquidated: boolean;
}

/** Payments at a position's end. `payout` is the user's; the pool's change is user_liquidity − payout − closingFee. */
export interface Ending {
  readonly payout: number;
  readonly closingFee: number;
}

/** Proceeds, fee, interest and payout at this exit. */
export function computeEnding(position: Exposure, { price, interest, isLiquidated }: Exit, closingRate: number) {
  const pnl = pnlAt(position, price);
  const afterInterest = Math.max(0, Math.max(0, position.userLiquidity + pnl) - interest);
  const isCharged = isLiquidated || pnl > interest;
  const proceeds = computeCost(position.shares, price);
  const closingFee = isCharged ? Math.min(afterInterest, feeOn(proceeds, closingRate)) : 0;
  return { payout: afterInterest - closingFee, closingFee };
}
