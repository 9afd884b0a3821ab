/** Lists own resting orders and the reservations of intents, for the engine and risk. */

import { must } from '../../shared/base/errors.js';
import { type FeeSchedule, notionalRate } from '../../shared/base/fees.js';
import { add, type Micros, maxMicros, mul, sub, ZERO } from '../../shared/base/micros.js';
import { type IntentRow, isFinalIntent, type OrderRecord } from '../ledger/contract.js';
import type { ExecutorContext } from './context.js';
import type { Reservation } from './contract.js';
import type { InFlightIntent } from './in-flight-intents.js';
import { STANDINGS } from './lifecycle.js';

/** Orders that rest by current knowledge. */
export function restingOrders(context: ExecutorContext) {
  const live = [];
  for (const inFlight of context.intents.each) {
    const { kind, state, id: intentId, draftPubkey, strategy } = inFlight.intent;
    if (kind !== 'place' || state !== 'live' || draftPubkey === null) continue;
    const order = must(context.orders.get(draftPubkey), `order of ${intentId}`);
    const { marketConditionId, amountMicros, createdMs } = order;
    live.push({
      orderPubkey: draftPubkey,
      intentId,
      marketConditionId,
      /**
       * Shares that may still fill: the amount less the larger of the exchange's and the booked fills. Shares of failed
       * fills may rest again.
       */
      remainingMicros: sub(amountMicros, maxMicros(sub(order.filledMicros, order.failedMicros), order.bookedMicros)),
      strategy,
      createdMs,
      /** True when a list or read of this process has shown the order. */
      confirmed: inFlight.confirmed,
      /** True while a cancel of the order is in flight. */
      cancelPending: context.intents.findCancel(draftPubkey) !== null,
    });
  }
  return live;
}

export type RestingOrder = Readonly<ReturnType<typeof restingOrders>[number]>;

/** Reservations of all intents that may still move money or shares; cancels move none. */
export function reservations(context: ExecutorContext): Reservation[] {
  const found: Reservation[] = [];
  for (const inFlight of context.intents.each) {
    const reservation = refreshReservation(context, inFlight);
    if (reservation !== null) found.push(reservation);
  }
  for (const order of context.orders.unsettled) {
    const inFlight = context.intents.get(order.intentId);
    // An intent that has not ended has its reservation from the loop above.
    if (order.closedMs === null || (inFlight !== null && !isFinalIntent(inFlight.intent.state))) continue;
    const intent = must(context.ledger.intent(order.intentId), `intent of order ${order.pubkey}`);
    // The order has ended, but some fills are not booked yet, so their shares and currency have not moved here.
    const left = subtractBooked(order, sub(order.filledMicros, order.failedMicros));
    found.push(reserving(intent, 'resting', left, context.feeSchedule));
  }
  return found;
}

/** The reservation of an intent; the same object while its rows are unchanged. */
function refreshReservation(context: ExecutorContext, inFlight: InFlightIntent): Reservation | null {
  const { intent, reserved } = inFlight;
  const pubkey = intent.kind === 'place' ? intent.draftPubkey : null;
  const order = pubkey === null ? null : context.orders.findUnsettled(pubkey);
  if (reserved !== null && reserved.intent === intent && reserved.order === order) return reserved.reservation;
  const phase = STANDINGS[intent.state].reserves;
  const amount = intent.amountMicros ?? ZERO;
  // Failed fills count as unfilled: while the order may rest, their shares may rest again.
  const left = order === null ? amount : subtractBooked(order, amount);
  const isOver = phase === null || intent.kind === 'cancel';
  const reservation = isOver ? null : reserving(intent, phase, left, context.feeSchedule);
  inFlight.reserved = { intent, order, reservation };
  return reservation;
}

/** Part of `upTo` that is not booked yet. */
const subtractBooked = (order: OrderRecord, upTo: Micros): Micros => maxMicros(ZERO, sub(upTo, order.bookedMicros));

/** Makes a reservation. A sale, merge or redeem gives up shares; a buy or split costs currency. */
function reserving(
  intent: IntentRow,
  phase: Reservation['phase'],
  remainingMicros: Micros,
  schedule: FeeSchedule,
): Reservation {
  const { kind, marketConditionId, isYes, side, priceMicros, strategy, isProbe, createdMs } = intent;
  const feeRateMicros =
    side === null || priceMicros === null ? ZERO : notionalRate(schedule, intent.feeRateMicros, priceMicros);
  const notional = side === 'buy' ? mul(must(priceMicros, 'price of a place'), remainingMicros, 'ceil') : ZERO;
  const split = kind === 'split' ? remainingMicros : ZERO;
  const given = side === 'buy' || kind === 'split' ? ZERO : remainingMicros;
  return {
    intentId: intent.id,
    kind,
    marketConditionId,
    phase,
    isYes,
    side,
    priceMicros,
    remainingMicros,
    feeRateMicros,
    cashMicros: add(split, add(notional, mul(feeRateMicros, notional, 'ceil'))),
    yesMicros: isYes === false ? ZERO : (intent.redeemYesMicros ?? given),
    noMicros: isYes === true ? ZERO : (intent.redeemNoMicros ?? given),
    strategy,
    isProbe,
    createdMs,
  };
}
