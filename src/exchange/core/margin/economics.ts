/**
 * The arithmetic of leveraged positions. All values are integers in micros. Prices refer to the position's outcome. A
 * position of any size opens at the reference price, without spread and price impact.
 *
 *     total_liquidity = user_liquidity × leverage                    everything above user_liquidity is borrowed
 *     shares          = total_liquidity / entry price                rounded down to the market's share decimals
 *     cost            = shares × entry price                         rounded down; an increase adds its cost
 *     unrealized_pnl  = shares × mark − cost                         = shares × (mark − entry) to a millionth
 *     interest        = borrowed × annual_fee_rate × time / 365 days rounded up, paid when the position ends
 *     loss            = interest − unrealized_pnl
 *     liquidated      if borrowed > 0 and loss >= the venue's percentage of user_liquidity (100 %)
 *     opening fee     = opening_fee × user_liquidity                 rounded up, paid in addition to user_liquidity
 *     proceeds        = shares × closing price                       rounded down
 *     closing fee     = closing_fee × proceeds                       rounded up, only for a win or a liquidation
 *
 * A position wins if its loss is below 0. A closed position is worth user_liquidity + pnl, at least 0. The pool bears
 * any further loss. The interest is deducted from the position's worth first, then the closing fee.
 */

import { type Micros, mulDiv, ONE } from '../../../shared/base/micros.js';
import { asMicros, timesDown, timesUp } from '../money.js';
import type { PositionRecord } from './records.js';

/** Maximum liquidity and maximum number of shares: a billion units each, so that every sum is a safe integer. */
export const MAX_SIZE = 1_000_000_000_000_000;

/** Fields of a position that the formulas use. */
type MarginExposure = Readonly<
  Pick<PositionRecord, 'shares' | 'cost' | 'userLiquidity' | 'totalLiquidity' | 'interest' | 'interestSinceMs'>
>;

/** Converts a price from YES space to the space of an outcome, or back. */
export const ownPrice = (yesPrice: number, isYes: boolean): number => (isYes ? yesPrice : ONE - yesPrice);

/** Returns total_liquidity: user_liquidity × leverage, rounded down. */
export const applyLeverage = (userLiquidity: number, leverage: number): number =>
  mulDiv(asMicros(userLiquidity), asMicros(leverage), ONE, 'floor');

/** Returns user_liquidity: total_liquidity / leverage, rounded up. */
export const userPart = (totalLiquidity: number, leverage: number): number =>
  mulDiv(asMicros(totalLiquidity), ONE, asMicros(leverage), 'ceil');

/** Leverage of an increased position: total_liquidity / user_liquidity, rounded down. */
export const computeLeverage = (userLiquidity: number, totalLiquidity: number): number =>
  mulDiv(asMicros(totalLiquidity), ONE, asMicros(userLiquidity), 'floor');

/** Shares that total_liquidity buys, rounded down to a multiple of `step`; null if more than MAX_SIZE. */
export function sharesFor(totalLiquidity: number, price: number, step: number): number | null {
  if (totalLiquidity / price > MAX_SIZE / ONE) return null;
  const shares = mulDiv(asMicros(totalLiquidity), ONE, asMicros(price), 'floor');
  return shares - (shares % step);
}

/** Fee on an amount of currency, rounded up. */
export const feeOn = (amount: number, rate: number): number => (rate === 0 ? 0 : timesUp(rate, amount));

/** Entry price of a position: cost / shares, rounded up. After a single fill, this is exactly the fill's price. */
export const averageEntry = ({ cost, shares }: MarginExposure) => mulDiv(asMicros(cost), ONE, asMicros(shares), 'ceil');

/** Unrealized profit of a position at this mark, micros; negative for a loss; before fees and interest. */
export const pnlAt = (position: MarginExposure, mark: number): number =>
  timesDown(mark, position.shares) - position.cost;

const computeBorrowed = (position: MarginExposure): number => position.totalLiquidity - position.userLiquidity;

/** True if the position borrows at a rate above 0. A position with leverage 1 borrows nothing. */
export const bearsInterest = (position: MarginExposure, annualRate: number) =>
  computeBorrowed(position) * annualRate > 0;

/** Interest of a position until `atMs`, Unix ms, rounded up. */
export function interestAt(position: MarginExposure, annualRate: number, atMs: number): number {
  if (!bearsInterest(position, annualRate)) return position.interest;
  const passedMs = BigInt(Math.max(0, atMs - position.interestSinceMs));
  const product = BigInt(computeBorrowed(position)) * BigInt(annualRate) * passedMs;
  return position.interest + Number((product + PER_RATE_AND_YEAR - 1n) / PER_RATE_AND_YEAR);
}

const PER_RATE_AND_YEAR = BigInt(ONE) * BigInt(365 * 86_400_000);

/** Loss that liquidates a position: a percentage of user_liquidity, rounded up. */
const fatalLoss = ({ userLiquidity }: MarginExposure, lossPercent: number): number =>
  mulDiv(asMicros(userLiquidity), asMicros(lossPercent), asMicros(100), 'ceil');

/** True if a position must be liquidated; false without borrowed money, because then only its user can lose. */
export const isLiquidatable = (position: MarginExposure, mark: number, interest: number, lossPercent: number) =>
  computeBorrowed(position) > 0 && interest - pnlAt(position, mark) >= fatalLoss(position, lossPercent);

/**
 * Highest mark that liquidates the position at this interest; 0 if nothing is borrowed or no mark liquidates it. This
 * is the highest mark with floor(shares × mark) <= cost + interest − `fatalLoss`.
 */
export function liquidationPrice(position: MarginExposure, interest: number, lossPercent: number): Micros {
  const worth = position.cost + interest - fatalLoss(position, lossPercent);
  if (computeBorrowed(position) === 0 || worth < 0) return asMicros(0);
  if (worth >= position.shares) return ONE;
  const next = mulDiv(asMicros(worth + 1), ONE, asMicros(position.shares), 'ceil');
  return asMicros(next - 1);
}

/** Time at which the growing interest liquidates a position at a constant mark, Unix ms; null if it never does. */
export function liquidationDueMs(position: MarginExposure, mark: number, annualRate: number, lossPercent: number) {
  if (!bearsInterest(position, annualRate)) return null;
  const perMs = BigInt(computeBorrowed(position)) * BigInt(annualRate);
  const missing = fatalLoss(position, lossPercent) + pnlAt(position, mark) - position.interest;
  if (missing <= 0) return position.interestSinceMs;
  // Interest is rounded up, so it reaches `missing` in the first millisecond in which it exceeds `missing - 1`.
  const ms = Number((BigInt(missing - 1) * PER_RATE_AND_YEAR) / perMs) + 1;
  const atMs = position.interestSinceMs + ms;
  return Number.isSafeInteger(atMs) ? atMs : null;
}

/** Payout and closing fee at a position's end. The pool's balance changes by user_liquidity − payout − closingFee. */
export type Ending = ReturnType<typeof computeEnding>;

/** Computes the user's payout and the closing fee of a position whose interest is computed up to its end. */
export function computeEnding(position: MarginExposure, price: number, isLiquidated: boolean, closingRate: number) {
  const { interest } = position;
  const pnl = pnlAt(position, price);
  const afterInterest = Math.max(0, Math.max(0, position.userLiquidity + pnl) - interest);
  const isCharged = isLiquidated || pnl > interest;
  const proceeds = timesDown(price, position.shares);
  const closingFee = isCharged ? Math.min(afterInterest, feeOn(proceeds, closingRate)) : 0;
  return { payout: afterInterest - closingFee, closingFee };
}
