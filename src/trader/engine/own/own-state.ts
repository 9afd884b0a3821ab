/** Computes own holdings, own orders and exposure from the ledger and the executor. */

import { type Micros, maxMicros, micros, sub, ZERO } from '../../../shared/base/micros.js';
import type { Reservation } from '../../executor/contract.js';
import type { Executor } from '../../executor/executor.js';
import type { LedgerReader } from '../../ledger/contract.js';
import type { OwnOrder } from '../../market/view.js';
import { type EventRule, Exposure, type WorkingOrder } from '../../risk/exposure.js';
import { inYesSpace, type QuotedOrder } from '../quoting/changes.js';

interface HeldShares {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  readonly yesCostMicros: Micros;
  readonly noCostMicros: Micros;
}

const NO_ORDERS: readonly OwnOrder[] = [];
const NOTHING: HeldShares = { yesMicros: ZERO, noMicros: ZERO, yesCostMicros: ZERO, noCostMicros: ZERO };

/** Own holdings and orders at one moment. The next change of the ledger or the executor makes the object outdated. */
export interface OwnState {
  readonly exposure: Exposure;
  readonly cashMicros: Micros;
  /** Cash that is not reserved by working buys and splits. */
  readonly availableMicros: Micros;
  readonly held: ReadonlyMap<string, HeldShares>;
  /** Own orders that rest or may rest, by market. */
  readonly orders: ReadonlyMap<string, readonly QuotedOrder[]>;
  /**
   * Number of unsettled orders: they may still fill, or some of their fills are not booked. The number does not
   * include cancels. `countUnsettled` leaves out ended orders whose missing fill stays unlisted.
   */
  readonly unsettled: number;
}

export function readOwnState(
  ledger: LedgerReader,
  executor: Executor,
  markets: { findEvent(conditionId: string): string | null },
  events: readonly EventRule[],
): OwnState {
  const exposure = new Exposure(events);
  const held = new Map<string, HeldShares>();
  for (const { marketConditionId: market, isYes, sharesMicros, costMicros } of ledger.positions()) {
    const before = held.get(market) ?? NOTHING;
    if (isYes) held.set(market, { ...before, yesMicros: sharesMicros, yesCostMicros: costMicros });
    else held.set(market, { ...before, noMicros: sharesMicros, noCostMicros: costMicros });
  }
  const reservations = executor.reservations();
  const marketIds = new Set(held.keys());
  for (const { kind, marketConditionId } of reservations) if (kind === 'split') marketIds.add(marketConditionId);
  for (const market of marketIds) {
    const { yesMicros, noMicros, yesCostMicros, noCostMicros } = held.get(market) ?? NOTHING;
    exposure.setHolding({
      marketConditionId: market,
      eventConditionId: markets.findEvent(market),
      yesMicros,
      noMicros,
      costMicros: micros(yesCostMicros + noCostMicros),
      ...lockedIn(market, reservations),
    });
  }
  const resting = new Map<string, ReturnType<Executor['restingOrders']>[number]>();
  for (const order of executor.restingOrders()) resting.set(order.intentId, order);
  const orders = new Map<string, QuotedOrder[]>();
  let unsettled = 0;
  for (const reservation of reservations) {
    const { kind, marketConditionId, isYes, side, priceMicros, phase } = reservation;
    if (kind !== 'place') continue;
    if (phase !== 'abandoned') unsettled += 1;
    if (isYes === null || side === null || priceMicros === null) continue;
    const terms = { eventConditionId: markets.findEvent(marketConditionId), isYes, side, priceMicros };
    exposure.addOrder(toWorkingOrder(reservation, terms));
    if (phase === 'abandoned') continue;
    const order = toQuotedOrder(reservation, terms, resting.get(reservation.intentId));
    const list = orders.get(marketConditionId);
    if (list === undefined) orders.set(marketConditionId, [order]);
    else list.push(order);
  }
  const cashMicros = ledger.cash();
  const availableMicros = maxMicros(sub(cashMicros, exposure.reservedCashMicros), ZERO);
  return { exposure, cashMicros, availableMicros, held, orders, unsettled };
}

export const heldIn = (own: Pick<OwnState, 'held'>, market: string): HeldShares => own.held.get(market) ?? NOTHING;

export const ownOrders = (own: Pick<OwnState, 'orders'>, market: string): readonly OwnOrder[] =>
  own.orders.get(market) ?? NO_ORDERS;

/** Returns the shares locked by merges and redeems in flight, and the currency of splits in flight. */
function lockedIn(market: string, reservations: readonly Reservation[]) {
  let yes = 0;
  let no = 0;
  let splitting = 0;
  for (const reservation of reservations) {
    if (reservation.marketConditionId !== market || reservation.kind === 'place') continue;
    yes += reservation.yesMicros;
    no += reservation.noMicros;
    if (reservation.kind === 'split') splitting += reservation.cashMicros;
  }
  return { lockedYesMicros: micros(yes), lockedNoMicros: micros(no), splittingMicros: micros(splitting) };
}

/** Cached order objects by reservation. They are reused, because the risk module caches a weight per object. */
const workingOrders = new WeakMap<Reservation, WorkingOrder>();

type OrderTerms = Pick<WorkingOrder, 'eventConditionId' | 'isYes' | 'side' | 'priceMicros'>;

function toWorkingOrder(reservation: Reservation, terms: OrderTerms): WorkingOrder {
  const known = workingOrders.get(reservation);
  if (known !== undefined && known.eventConditionId === terms.eventConditionId) return known;
  const { intentId, marketConditionId, remainingMicros, feeRateMicros, phase } = reservation;
  const order = { intentId, marketConditionId, ...terms, remainingMicros, feeRateMicros, phase };
  workingOrders.set(reservation, order);
  return order;
}

function toQuotedOrder(
  { intentId, strategy, isProbe, remainingMicros, createdMs }: Reservation,
  { isYes, side, priceMicros }: OrderTerms,
  resting: ReturnType<Executor['restingOrders']>[number] | undefined,
): QuotedOrder {
  const inYes = inYesSpace(isYes, side, priceMicros);
  const working = resting?.cancelPending === true ? 'canceling' : 'resting';
  return {
    intentId,
    orderPubkey: resting?.orderPubkey ?? '',
    strategy,
    isProbe,
    side: inYes.side,
    priceMicros: inYes.priceMicros,
    isYes,
    remainingMicros,
    submittedMs: createdMs,
    acceptedMs: resting === undefined ? null : resting.createdMs,
    phase: resting === undefined ? 'pending' : working,
  };
}
