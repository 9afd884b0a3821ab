/** Passes the executor's events to quoters that subscribe to them. */

import { type Micros, maxMicros, sub, ZERO } from '../../../shared/base/micros.js';
import { ORDER_STANDING } from '../../../shared/protocol/states.js';
import type { ExecutorEvent } from '../../executor/contract.js';
import type { IntentRow, LedgerReader } from '../../ledger/contract.js';
import type { AskedEvent, StrategyEvent } from '../../strategy/events.js';
import { inYesSpace } from './legs.js';
import type { QuoteSlot } from './quote-slot.js';

/** Parts of the trader that list the slots and look up orders. */
interface Around {
  readonly ledger: Pick<LedgerReader, 'intent' | 'order'>;
  listSlots(conditionId: string): readonly QuoteSlot[];
}

type Of<K extends ExecutorEvent['kind']> = Extract<ExecutorEvent, { kind: K }>;

/** Skips the lookup when no quoter of the market subscribes to this kind. */
function askers(around: Around, market: string, kind: AskedEvent): readonly QuoteSlot[] {
  return around.listSlots(market).filter((slot) => slot.asksFor(kind));
}

export function tellRested(around: Around, { intentId, market }: Of<'orderOpened'>, nowMs: number): void {
  const slots = askers(around, market, 'rested');
  const order = slots.length === 0 ? null : findOrder(around, intentId);
  if (order === null) return;
  const { strategy, ...placed } = order;
  tellOwner(slots, strategy, { kind: 'rested', nowMs, ...placed });
}

export function tellClosed(around: Around, event: Of<'orderClosed'>, nowMs: number): void {
  const { market, intentId, status, filledMicros } = event;
  if (ORDER_STANDING[status].filled === 'all') return;
  const slots = askers(around, market, 'canceled');
  const order = slots.length === 0 ? null : findOrder(around, intentId);
  if (order === null) return;
  const { strategy, amountMicros, ...placed } = order;
  const leftMicros = maxMicros(ZERO, sub(amountMicros, filledMicros));
  tellOwner(slots, strategy, { kind: 'canceled', nowMs, ...placed, leftMicros });
}

/** A conversion belongs to no single strategy: every subscribed quoter of the market gets it. */
export function tellRefused(
  around: Around,
  { intentId, market }: Pick<Of<'notDone'>, 'intentId' | 'market'>,
  slug: string,
  nowMs: number,
): void {
  const slots = askers(around, market, 'refused');
  const intent = slots.length === 0 ? null : around.ledger.intent(intentId);
  if (intent === null) return;
  const event = { kind: 'refused', nowMs, what: intent.kind, slug } as const;
  if (intent.kind === 'place') return tellOwner(slots, intent.strategy, event);
  if (intent.kind === 'cancel') return tellOwner(slots, findOwner(around, intent), event);
  for (const slot of slots) slot.observe(event);
}

/** @param cashMicros currency received by a merge or spent by a split: one unit per complete set */
export function tellSets(
  around: Around,
  kind: 'merged' | 'split',
  { market, cashMicros }: { readonly market: string; readonly cashMicros: Micros },
  nowMs: number,
): void {
  const amountMicros = maxMicros(cashMicros, sub(ZERO, cashMicros));
  tellMarket(around, market, { kind, nowMs, amountMicros });
}

/** Passes an event to every subscribed quoter of a market. */
export function tellMarket(around: Pick<Around, 'listSlots'>, market: string, event: StrategyEvent<AskedEvent>): void {
  for (const slot of around.listSlots(market)) if (slot.asksFor(event.kind)) slot.observe(event);
}

function tellOwner(slots: readonly QuoteSlot[], strategy: string | null, event: StrategyEvent<AskedEvent>): void {
  for (const slot of slots) if (slot.strategy.name === strategy) slot.observe(event);
}

/** An own order in YES space. */
function findOrder({ ledger }: Around, intentId: string) {
  const intent = ledger.intent(intentId);
  if (intent === null) return null;
  const { isYes, side, priceMicros, amountMicros, strategy } = intent;
  if (isYes === null || side === null || priceMicros === null || amountMicros === null) return null;
  return { intentId, ...inYesSpace(isYes, side, priceMicros), amountMicros, strategy };
}

/** Strategy of the order that a cancel is for; null for an order that this ledger does not know. */
function findOwner({ ledger }: Around, { orderPubkey }: IntentRow): string | null {
  const order = orderPubkey === null ? null : ledger.order(orderPubkey);
  return order === null ? null : (ledger.intent(order.intentId)?.strategy ?? null);
}
