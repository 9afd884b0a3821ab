/** Compares records of ledger and exchange. Failed, expired or unsigned records that the ledger lacks are ignored. */

import { formatDecimal, type Micros, maxMicros, sub, ZERO } from '../../shared/base/micros.js';
import { utcText } from '../../shared/base/text.js';
import { isPossiblePayment } from '../../shared/protocol/outcome.js';
import type { ConversionRow, OrderRow, OwnTradeRow, RedeemRow } from '../../shared/protocol/records.js';
import { ORDER_STANDING, type OrderStatus, paidFunds } from '../../shared/protocol/states.js';
import { FUTURE_S } from '../executor/lifecycle.js';
import { sameTerms } from '../executor/orders.js';
import type { BookedFill, ConversionKind, HeldPosition, LedgerReader, OrderRecord } from '../ledger/contract.js';

export const DIFFERENCE_KINDS = ['order', 'fill', 'position', 'merge', 'split', 'redeem', 'list', 'sum'] as const;
/** Kind of a difference. `list`: a list lacks rows that it showed before. `sum`: sums of fills differ. */
type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** Difference between ledger and exchange. `ledger` and `exchange` are the two figures as text. */
export interface Difference {
  readonly what: DifferenceKind;
  /** Subject of the difference: a record's pubkey, or market and outcome. */
  readonly subject: string;
  readonly ledger: string;
  readonly exchange: string;
}

/** Ledger's figure for a record that is not in the ledger and was not made by this trader. */
export const UNKNOWN = 'unknown';

interface OwnBooks extends Pick<LedgerReader, 'order' | 'fill' | 'conversion'> {
  /** True if fills of this order were booked recently or are missing, so that its filled amount may change. */
  isFilling(orderPubkey: string): boolean;
  /** True while this trader's conversion with this draft is in progress. */
  isConverting(kind: ConversionKind, marketConditionId: string, draftPubkey: string): boolean;
}

/** Longest lag of an exchange's list, ms: the list may lack events younger than this lag. */
export const LONGEST_LAG_MS = 10_000;

/** Returns the time of a record by the exchange's clock, s; -Infinity if that time is too far in the future. */
export const pastTime = (timeS: number, venueS: number): number =>
  timeS > venueS + FUTURE_S ? Number.NEGATIVE_INFINITY : timeS;

/** Age from which an unsettled record no longer holds a list's mark, s. Its later booking is not compared. */
const STUCK_S = 3_600;

/** Returns true if an unsettled record of this time is so old that it may never settle. Both times: exchange clock, s. */
export const isStuck = (timeS: number | null, venueS: number | null): boolean =>
  timeS !== null && venueS !== null && timeS <= venueS - STUCK_S;

const tookEffect = (status: OrderStatus | null): boolean => status !== null && ORDER_STANDING[status].tookEffect;

/**
 * Compares an order with its row in a list whose first page was requested at `listMs`. An open order's status is not
 * compared, because the executor polls it. The list may show an older state of recently filled or ended orders.
 */
export function orderDifference(row: OrderRow, books: OwnBooks, listMs: number): Difference | null {
  const order = row.pubkey === null ? null : books.order(row.pubkey);
  if (order === null && !tookEffect(row.status)) return null;
  const where = order === null ? '' : elsewhere(row.market.condition_id, order.marketConditionId);
  const exchange = `${orderTerms(row)}, ${row.status}, ${showMicros(row.filled_amount)} filled${where}`;
  const subject = row.pubkey ?? '(without pubkey)';
  if (order === null) return { what: 'order', subject, ledger: UNKNOWN, exchange };
  if (sameTerms(row, order) && agreesOnEnd(row, order, books.isFilling(order.pubkey), listMs)) return null;
  return { what: 'order', subject, ledger: orderText(order), exchange };
}

function agreesOnEnd(row: OrderRow, order: OrderRecord, isFilling: boolean, listMs: number): boolean {
  const { status, filled_amount: filled } = row;
  const known = maxMicros(order.filledMicros, order.bookedMicros);
  if (maxMicros(known, filled ?? ZERO) > order.amountMicros) return false;
  if (status === null || (order.closedMs !== null && order.closedMs >= listMs - LONGEST_LAG_MS)) return true;
  if (!tookEffect(status)) return order.closedMs === null ? known === ZERO : !tookEffect(order.status);
  // The executor will book a larger listed amount. A smaller listed amount differs, unless fills failed or are recent.
  const least = maxMicros(order.bookedMicros, sub(known, order.failedMicros));
  if (filled !== null && filled < least && !isFilling) return false;
  const isSame = filled === null || (filled >= least && filled <= known);
  return order.closedMs === null || (order.status === status && (isSame || isFilling));
}

/** Returns a text that names both ids of the market (or order) if they differ; else an empty text. */
const elsewhere = (theirs: string | null, ours: string | null, word = 'in'): string =>
  theirs === null || ours === null || theirs === ours ? '' : ` ${word} ${theirs}, not ${ours}`;

const showMicros = (value: Micros | null): string => (value === null ? '?' : formatDecimal(value));
const outcomeName = (isYes: boolean): string => (isYes ? 'YES' : 'NO');
const orderTerms = ({ side, amount, outcome, price }: OrderRow): string =>
  `${side} ${showMicros(amount)} ${outcomeName(outcome.is_yes)} at ${showMicros(price)}`;
export const orderText = ({ side, amountMicros, isYes, priceMicros, status, filledMicros }: OrderRecord): string =>
  `${side} ${showMicros(amountMicros)} ${outcomeName(isYes)} at ${showMicros(priceMicros)}, ${status}, ${showMicros(filledMicros)} filled`;

export function tradeDifference(row: OwnTradeRow, books: OwnBooks): Difference | null {
  const fill = books.fill(row.pubkey);
  // A row of an unsettled trade is not compared, because the executor may have seen the settlement already.
  if (row.state === 'created' || row.state === 'in_process') return null;
  const where =
    elsewhere(row.market_condition_id, fill?.marketConditionId ?? null) +
    elsewhere(row.order.pubkey, fill?.orderPubkey ?? null, 'of order');
  // A trade row without a fee agrees with any booked fee.
  const exchange = row.state === 'failed' ? 'failed' : `${tradeText(row, row.fee ?? fill?.feeMicros ?? ZERO)}${where}`;
  const subject = row.pubkey;
  if (fill !== null)
    return fillText(fill) === exchange ? null : { what: 'fill', subject, ledger: fillText(fill), exchange };
  if (row.state === 'failed') return null;
  const isOurs = row.order.pubkey !== null && books.order(row.order.pubkey) !== null;
  return { what: 'fill', subject, ledger: isOurs ? 'not booked' : UNKNOWN, exchange };
}

const tradeText = ({ order, amount, price }: OwnTradeRow, fee: Micros): string =>
  `${order.side} ${showMicros(amount)} ${outcomeName(order.outcome.is_yes)} at ${showMicros(price)}, fee ${showMicros(fee)}`;
export const fillText = ({ side, amountMicros, isYes, priceMicros, feeMicros }: BookedFill): string =>
  `${side} ${showMicros(amountMicros)} ${outcomeName(isYes)} at ${showMicros(priceMicros)}, fee ${showMicros(feeMicros ?? ZERO)}`;

/** Shares consumed and currency paid out by a conversion. Negative for a split, null if not reported. */
interface SettledAmounts {
  readonly yes: Micros | null;
  readonly no: Micros | null;
  readonly cash: Micros;
}

/** Returns the amounts that a conversion moved; null until the record is settled and its amounts are possible. */
export function readMoved(kind: ConversionKind, row: ConversionRow | RedeemRow): SettledAmounts | null {
  if ('onchain_funds' in row) {
    const { yes_shares: yes, no_shares: no } = row;
    const cash = paidFunds(row);
    const isPaid = cash !== null && (yes === null || no === null || isPossiblePayment(cash, yes, no));
    return isPaid ? { yes, no, cash } : null;
  }
  const { state, amount, onchain_amount: landed } = row;
  if (state !== 'done' || landed === null || landed <= 0 || landed > amount) return null;
  if (kind === 'merge') return { yes: amount, no: amount, cash: landed };
  return { yes: negate(landed), no: negate(landed), cash: negate(amount) };
}

const UNDER_WAY = ['in_process', 'done', 'completed'];

export function conversionDifference(
  what: ConversionKind,
  row: ConversionRow | RedeemRow,
  books: OwnBooks,
  listMs: number,
): Difference | null {
  const moved = readMoved(what, row);
  const { pubkey: subject, market_condition_id: market, state } = row;
  const booked = books.conversion(subject);
  // A recently booked conversion may be newer than the list.
  if (booked !== null && moved === null && booked.seenMs >= listMs - LONGEST_LAG_MS) return null;
  // The executor also books an unpaid or impossible payment, once it has lasted or an operator has adopted it.
  const bookedMicros = what === 'split' ? negate(booked?.yesMicros ?? ZERO) : booked?.cashMicros;
  const isPaid =
    UNDER_WAY.includes(state) && bookedMicros === ('onchain_funds' in row ? row.onchain_funds : row.onchain_amount);
  if (booked?.marketConditionId === market && moved === null && isPaid) return null;
  const exchange = moved === null ? state : movedText(moved);
  if (booked !== null) {
    const { kind, marketConditionId, yesMicros, noMicros, cashMicros } = booked;
    const ledger = movedText({ yes: yesMicros, no: noMicros, cash: cashMicros });
    const shownAs = moved && movedText({ ...moved, yes: moved.yes ?? yesMicros, no: moved.no ?? noMicros });
    const same = kind === what && marketConditionId === market && ledger === shownAs;
    return same ? null : { what, subject, ledger, exchange: `${exchange}${elsewhere(market, marketConditionId)}` };
  }
  if (!UNDER_WAY.includes(state)) return null;
  const isOurs = books.isConverting(what, market, subject);
  if (isOurs && moved === null) return null;
  return { what, subject, ledger: isOurs ? 'not booked' : UNKNOWN, exchange };
}

export const movedText = ({ yes, no, cash }: SettledAmounts): string =>
  `${showMicros(yes)} YES and ${showMicros(no)} NO for ${showMicros(cash)}`;

export const outcomeKey = (market: string, isYes: boolean): string => `${market} ${outcomeName(isYes)}`;
export const parseMarket = (outcome: string): string => outcome.slice(0, outcome.lastIndexOf(' '));

export const sharesInLedger = (positions: readonly HeldPosition[]): ReadonlyMap<string, Micros> =>
  new Map(
    positions.map(({ marketConditionId, isYes, sharesMicros }) => [outcomeKey(marketConditionId, isYes), sharesMicros]),
  );

/** Latest changes of the held shares of one outcome, newest first. Sold or consumed shares count as negative. */
export interface Moves {
  readonly fills: readonly Micros[];
  readonly conversions: readonly Micros[];
}

/**
 * Compares the held shares by outcome, without the skipped shares `opening`. Outcomes in `undecided` cannot be compared
 * now: shares are in flight (`isMoving`), or the list may lag. A lagging list shows the holdings before some of the
 * latest moves (`lately`).
 */
export function compareShares(
  theirs: ReadonlyMap<string, Micros>,
  positions: readonly HeldPosition[],
  opening: ReadonlyMap<string, Micros>,
  isMoving: (market: string) => boolean,
  lately: ReadonlyMap<string, Moves>,
): { readonly differing: readonly Difference[]; readonly undecided: ReadonlySet<string> } {
  const ours = sharesInLedger(positions);
  const differing: Difference[] = [];
  const undecided = new Set<string>();
  for (const subject of new Set([...theirs.keys(), ...ours.keys(), ...opening.keys()])) {
    const booked = ours.get(subject) ?? ZERO;
    const there = sub(theirs.get(subject) ?? ZERO, opening.get(subject) ?? ZERO);
    if (booked === there) continue;
    if (isMoving(parseMarket(subject)) || wasHeld(there, booked, lately.get(subject))) undecided.add(subject);
    else differing.push({ what: 'position', subject, ledger: formatDecimal(booked), exchange: formatDecimal(there) });
  }
  return { differing, undecided };
}

/** Returns true if the account may have held the amount `there` before some of the latest fills and conversions. */
function wasHeld(there: Micros, now: Micros, lately: Moves = { fills: [], conversions: [] }): boolean {
  const earlier = new Set(backwards(now, lately.fills));
  return backwards(there, lately.conversions.map(negate)).some((held) => earlier.has(held));
}

export const negate = (move: Micros): Micros => sub(ZERO, move);

/** Returns the amount held now, and the amount held before each move, newest move first. */
function backwards(from: Micros, moves: readonly Micros[]): readonly Micros[] {
  const held = [from];
  for (const move of moves) held.push(sub(held.at(-1) ?? from, move));
  return held;
}

/** Difference that an operator has accepted, with the figures at that time. Accepted differences are not booked. */
export interface AcceptedDifference extends Difference {
  /** Time when the difference was accepted, our clock, ms; null if not stored. */
  readonly sinceMs: number | null;
  readonly reason: string;
}

/** Returns a comparison's result as text. @param open number of differences that no operator has accepted */
export function agreementText(open: number, accepted: readonly Omit<AcceptedDifference, keyof Difference>[]): string {
  const differ = `ledger and exchange differ in ${countText(open, 'place')}`;
  if (accepted.length === 0) return open > 0 ? differ : 'ledger and exchange agree';
  const times = accepted.flatMap(({ sinceMs }) => sinceMs ?? []);
  const since = times.length === 0 ? 'an unknown time' : `${utcText(Math.min(...times))} UTC`;
  const reasons = [...new Set(accepted.map(({ reason }) => reason).filter((reason) => reason !== ''))];
  const why = reasons.length === 0 ? 'no reason stored' : reasons.join('; ');
  const left = `${countText(accepted.length, 'accepted difference')} since ${since} (${why})`;
  return open > 0 ? `${differ}, apart from ${left}` : `ledger and exchange agree except for ${left}`;
}

const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
