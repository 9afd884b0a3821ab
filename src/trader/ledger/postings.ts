/**
 * Double-entry bookkeeping: the postings of each kind of booking. All postings must balance before they are written.
 *
 * Currency accounts: `cash` (own currency), `capital` (negative), `fees` (paid), `basis/…` (cost of held shares),
 * `realised` (result; a gain is negative, like income in double entry), `adopted` (value of adopted shares without a
 * recorded cost, negative). Share accounts: `shares/…` (held shares) and `venue/…` (the opposite postings). At all
 * times, capital + adopted value + result equals cash + basis.
 */

import { assert, must } from '../../shared/base/errors.js';
import { add, complement, type Micros, micros, minMicros, mul, mulDiv, sub, ZERO } from '../../shared/base/micros.js';
import type { AdoptedOutcome, BookedConversion, BookedFill, HeldPosition } from './tables.js';

/**
 * Returns the currency that one side of a trade pays or receives, before fees. `priceMicros` is the price of that
 * side's outcome. At YES price p, the YES side moves floor(p × amount) and the NO side moves the rest of the amount.
 */
export function tradeNotional(isYes: boolean, priceMicros: Micros, amountMicros: Micros): Micros {
  if (isYes) return mul(priceMicros, amountMicros, 'floor');
  return sub(amountMicros, mul(complement(priceMicros), amountMicros, 'floor'));
}

/** Change of one account by a booking. The postings of one booking sum to zero for each asset (currency or a share). */
interface Posting {
  readonly account: string;
  readonly asset: string;
  readonly amountMicros: Micros;
}

/** Shares of one outcome and their cost before a booking. */
type BookedHolding = Pick<HeldPosition, 'sharesMicros' | 'costMicros'>;

const CURRENCY = 'currency';

const outcomeName = (market: string, isYes: boolean): string => `${market}/${isYes ? 'YES' : 'NO'}`;
/** Returns the name of the account for the held shares of one outcome. */
export const sharesAccount = (market: string, isYes: boolean): string => `shares/${outcomeName(market, isYes)}`;
/** Returns the name of the account for the cost of one outcome's held shares, in currency. */
export const basisAccount = (market: string, isYes: boolean): string => `basis/${outcomeName(market, isYes)}`;

const negative = (value: Micros): Micros => sub(ZERO, value);
const currency = (account: string, amountMicros: Micros): Posting => ({ account, asset: CURRENCY, amountMicros });

/** Returns the postings of a change of the configured capital. */
export const capitalPostings = (addedMicros: Micros): Posting[] => [
  currency('cash', addedMicros),
  currency('capital', negative(addedMicros)),
];

/** Returns the postings of a fill: shares, currency, fee, and the result of sold shares at average cost. */
export function fillPostings(fill: BookedFill, held: BookedHolding): Posting[] {
  const notional = tradeNotional(fill.isYes, fill.priceMicros, fill.amountMicros);
  const fee = fill.feeMicros ?? ZERO;
  const buys = fill.side === 'buy';
  const sharesMove = buys ? fill.amountMicros : negative(fill.amountMicros);
  const cashMove = buys ? negative(notional) : notional;
  return balance([
    currency('cash', sub(cashMove, fee)),
    currency('fees', fee),
    ...sharesPostings(fill.marketConditionId, fill.isYes, sharesMove),
    ...resultPostings(fill.marketConditionId, fill.isYes, sharesMove, negative(cashMove), held),
  ]);
}

/** Returns the postings of a fee that is reported after its fill was booked without a fee. */
export const feePostings = (feeMicros: Micros): Posting[] => [
  currency('cash', negative(feeMicros)),
  currency('fees', feeMicros),
];

/** Returns postings that reverse a failed fill, at the average cost. Rounding never changes cost + result. */
export function undoingPostings(fill: BookedFill, held: BookedHolding): Posting[] {
  const side = fill.side === 'buy' ? 'sell' : 'buy';
  return fillPostings({ ...fill, side, feeMicros: negative(fill.feeMicros ?? ZERO) }, held);
}

/**
 * Returns the postings of a conversion. The result of a merge or redeem is the received currency minus the cost of the
 * consumed shares. In a split, the currency spent is the cost of the new shares.
 */
export function conversionPostings(conversion: BookedConversion, yes: BookedHolding, no: BookedHolding): Posting[] {
  const { kind, marketConditionId: market, cashMicros } = conversion;
  const [yesMove, noMove] = [negative(conversion.yesMicros), negative(conversion.noMicros)];
  const isSplit = kind === 'split';
  const yesCost = isSplit ? must(conversion.yesCostMicros, 'cost of the YES shares of a split') : ZERO;
  const result = isSplit ? ZERO : sub(cashMicros, excessPayment(cashMicros, conversion.yesMicros, conversion.noMicros));
  const noCost = isSplit ? sub(negative(cashMicros), yesCost) : ZERO;
  return balance([
    currency('cash', cashMicros),
    currency('realised', negative(result)),
    currency('adopted', isSplit ? ZERO : sub(result, cashMicros)),
    ...sharesPostings(market, true, yesMove),
    ...sharesPostings(market, false, noMove),
    ...resultPostings(market, true, yesMove, yesCost, yes),
    ...resultPostings(market, false, noMove, noCost, no),
  ]);
}

/** Returns a payment's part above the maximum, or the value of a split's unpaid sets. It is no profit. */
export const excessPayment = (cashMicros: Micros, yesMicros: Micros, noMicros: Micros): Micros =>
  micros(Math.max(0, cashMicros - Math.max(yesMicros, noMicros)));

/** Returns the postings of an adoption. Moves with a record change `cash`; other shares' value goes to `adopted`. */
export function adoptionPostings(outcome: AdoptedOutcome, held: BookedHolding): Posting[] {
  const { marketConditionId: market, isYes, recorded, restMicros, restWorthMicros } = outcome;
  const postings: Posting[] = [];
  let now = held;
  const move = (sharesMicros: Micros, valueMicros: Micros) => {
    const result = resultPostings(market, isYes, sharesMicros, valueMicros, now);
    const cost = must(result[0], 'posting of the cost').amountMicros;
    now = { sharesMicros: add(now.sharesMicros, sharesMicros), costMicros: add(now.costMicros, cost) };
    postings.push(...sharesPostings(market, isYes, sharesMicros), ...result);
  };
  for (const { sharesMicros, spentMicros, feesMicros } of recorded) {
    move(sharesMicros, spentMicros);
    postings.push(currency('cash', negative(add(spentMicros, feesMicros))), currency('fees', feesMicros));
  }
  move(restMicros, restWorthMicros);
  postings.push(currency('adopted', negative(restWorthMicros)));
  return balance(postings);
}

function sharesPostings(market: string, isYes: boolean, move: Micros): Posting[] {
  const asset = outcomeName(market, isYes);
  return [
    { account: sharesAccount(market, isYes), asset, amountMicros: move },
    { account: `venue/${outcomeName(market, isYes)}`, asset, amountMicros: negative(move) },
  ];
}

/**
 * Divides the currency spent on shares (`value`; negative if received) between cost and result. Fills may be booked out
 * of order, so a holding can be negative for a moment. If no share is left, the remaining cost becomes a result. In
 * any order of fills, rounding does not change the sum of cost and result.
 */
function resultPostings(market: string, isYes: boolean, move: Micros, value: Micros, held: BookedHolding): Posting[] {
  const left = add(held.sharesMicros, move);
  let costMove = move > 0 ? value : negative(computeCostPart(negative(move), held));
  if (left <= 0) costMove = negative(held.costMicros);
  return [currency(basisAccount(market, isYes), costMove), currency('realised', sub(value, costMove))];
}

/** Returns the cost of a part of the held shares, rounded down. The cost of all held shares is exact. */
function computeCostPart(sharesMicros: Micros, held: BookedHolding): Micros {
  if (held.sharesMicros <= 0) return ZERO;
  return mulDiv(held.costMicros, minMicros(sharesMicros, held.sharesMicros), held.sharesMicros, 'floor');
}

/** Sums the postings of each account and drops zero sums. Asserts that the postings of each asset sum to zero. */
export function balance(postings: readonly Posting[]): Posting[] {
  const byAccount = new Map<string, Posting>();
  const sums = new Map<string, number>();
  for (const posting of postings) {
    const before = byAccount.get(posting.account)?.amountMicros ?? ZERO;
    byAccount.set(posting.account, { ...posting, amountMicros: add(before, posting.amountMicros) });
    sums.set(posting.asset, micros((sums.get(posting.asset) ?? 0) + posting.amountMicros));
  }
  for (const [asset, sum] of sums) assert(sum === 0, `postings of ${asset} sum to ${sum}, not to zero`);
  return [...byAccount.values()].filter((posting) => posting.amountMicros !== 0);
}
