/** Calls of an intent: request its draft, submit its signature, read its record. */

import { formatDecimal } from '../../shared/base/decimal.js';
import { must } from '../../shared/base/errors.js';
import type { EndpointName } from '../../shared/protocol/endpoints.js';
import type { IntentStep } from '../../shared/protocol/request-owner.js';
import type { AnyCall, PlannedRequest } from '../../shared/protocol/seam.js';
import type { IntentKind, IntentRow } from '../ledger/contract.js';
import { PLACE_USEFUL_MS } from './pace.js';

/** A quote whose draft could not be requested in this time is stale: the engine decides again. */
const DRAFT_USEFUL_MS = 3_000;
/** Other requests stay useful longer; one that could not leave in this time is decided again. */
const USEFUL_MS = 10_000;

export function planRequest(step: IntentStep, intent: IntentRow, nowMs: number): PlannedRequest {
  const owner = { kind: 'intent', step, intentId: intent.id } as const;
  switch (step) {
    case 'draft': {
      const lane = intent.kind === 'cancel' ? 'cancel' : 'draft';
      const usefulMs = intent.kind === 'place' ? DRAFT_USEFUL_MS : USEFUL_MS;
      return { lane, call: draftCall(intent), latestMs: nowMs + usefulMs, owner };
    }
    case 'submit': {
      const lane = intent.kind === 'cancel' ? 'cancel' : 'submit';
      const usefulMs = nowMs + USEFUL_MS;
      // Time in the queue ages its price too.
      const latestMs = intent.kind === 'place' ? Math.min(usefulMs, intent.createdMs + PLACE_USEFUL_MS) : usefulMs;
      return { lane, call: submitCall(intent), latestMs, owner };
    }
    case 'read':
      return { lane: 'own', call: readCall(intent), latestMs: nowMs + USEFUL_MS, owner };
  }
}

function draftCall(intent: IntentRow): AnyCall {
  const market_condition_id = intent.marketConditionId;
  switch (intent.kind) {
    case 'place': {
      const body = {
        market_condition_id,
        is_yes: must(intent.isYes, 'outcome of a place'),
        side: must(intent.side, 'side of a place'),
        order_type: 'limit',
        price: formatDecimal(must(intent.priceMicros, 'price of a place')),
        amount: formatDecimal(must(intent.amountMicros, 'amount of a place')),
      };
      return { endpoint: 'orders.create', params: {}, query: {}, body };
    }
    case 'cancel': {
      const pubkey = must(intent.orderPubkey, 'order of a cancel');
      return { endpoint: 'orders.cancel', params: { pubkey }, query: {}, body: undefined };
    }
    case 'merge':
    case 'split': {
      const amount = formatDecimal(must(intent.amountMicros, `amount of a ${intent.kind}`));
      const endpoint = intent.kind === 'merge' ? 'merges.create' : 'splits.create';
      return { endpoint, params: {}, query: {}, body: { market_condition_id, amount } };
    }
    case 'redeem':
      return { endpoint: 'redeems.create', params: {}, query: {}, body: { market_condition_id } };
  }
}

/** By kind: the call that submits it and the call that reads its record. A cancel has only its order's record. */
const CALLS = {
  place: { submit: 'orders.submit', read: 'orders.detail' },
  cancel: { submit: 'orders.cancelSubmit', read: 'orders.detail' },
  merge: { submit: 'merges.submit', read: 'merges.detail' },
  split: { submit: 'splits.submit', read: 'splits.detail' },
  redeem: { submit: 'redeems.submit', read: 'redeems.detail' },
} as const satisfies Record<IntentKind, Record<'submit' | 'read', EndpointName>>;

function submitCall({ kind, draftPubkey, signature }: IntentRow): AnyCall {
  const params = { pubkey: must(draftPubkey, 'pubkey of a signed draft') };
  const body = { signature: must(signature, 'signature of a submit') };
  return { endpoint: CALLS[kind].submit, params, query: {}, body };
}

function readCall({ kind, draftPubkey, orderPubkey }: IntentRow): AnyCall {
  const params = { pubkey: must(draftPubkey ?? orderPubkey, 'pubkey to read') };
  return { endpoint: CALLS[kind].read, params, query: {}, body: undefined };
}
