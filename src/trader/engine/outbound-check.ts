/**
 * Risk control 16: compares each outgoing request that can move money with its intent in the ledger. The request's
 * content and signature must equal those in the ledger. The draft of an order or cancel may be requested only once. If
 * a request differs from the ledger, the trader does not send it, cancels all orders and exits.
 *
 * The check shares no code with the code that makes requests, so one bug cannot affect both.
 */

import { AssertionFailed } from '../../shared/base/errors.js';
import { declarationOf } from '../../shared/protocol/endpoints.js';
import { describeOwner, type RequestOwner } from '../../shared/protocol/request-owner.js';
import type { AnyCall } from '../../shared/protocol/seam.js';
import type { IntentRow, LedgerReader } from '../ledger/contract.js';

/** Number of intents whose draft requests are remembered. Fewer intents than this are in flight at once. */
const REMEMBERED_DRAFTS = 2_000;

export class OutboundCheck {
  readonly #ledger: Pick<LedgerReader, 'intent'>;
  readonly #drafted = new Set<string>();

  constructor(ledger: Pick<LedgerReader, 'intent'>) {
    this.#ledger = ledger;
  }

  /** Throws AssertionFailed if this call to the exchange must not be sent. */
  check(call: AnyCall, owner: RequestOwner): void {
    if (declarationOf(call.endpoint).method === 'GET') return;
    const intent = owner.kind === 'intent' ? this.#ledger.intent(owner.intentId) : null;
    const objection = intent === null ? 'the request belongs to no known intent' : this.#objection(call, intent);
    if (objection !== null)
      throw new AssertionFailed(`${call.endpoint} for "${describeOwner(owner)}" is not sent: ${objection}`);
  }

  #objection(call: AnyCall, intent: IntentRow): string | null {
    if (!matches(call, intent)) return `the request differs from its ledger row: ${JSON.stringify(call)}`;
    if (call.body !== undefined && 'signature' in call.body) return null;
    if (intent.signature !== null) return 'the intent of the request is already signed';
    // If an answer is lost, a conversion's draft may be requested again, but no draft of an order or cancel.
    if (intent.kind !== 'place' && intent.kind !== 'cancel') return null;
    if (this.#drafted.has(intent.id)) return 'the draft of this intent was already requested';
    this.#drafted.add(intent.id);
    const [oldest] = this.#drafted;
    if (this.#drafted.size > REMEMBERED_DRAFTS && oldest !== undefined) this.#drafted.delete(oldest);
    return null;
  }
}

function matches(call: AnyCall, row: IntentRow): boolean {
  switch (call.endpoint) {
    case 'orders.create':
      return row.kind === 'place' && isOrder(call.body, row);
    case 'orders.submit':
      return row.kind === 'place' && isSigned(call, row);
    case 'orders.cancel':
      return row.kind === 'cancel' && call.params.pubkey === row.orderPubkey;
    case 'orders.cancelSubmit':
      return row.kind === 'cancel' && call.params.pubkey === row.orderPubkey && isSigned(call, row);
    case 'merges.create':
      return row.kind === 'merge' && isOfSets(call.body, row);
    case 'splits.create':
      return row.kind === 'split' && isOfSets(call.body, row);
    case 'merges.submit':
      return row.kind === 'merge' && isSigned(call, row);
    case 'splits.submit':
      return row.kind === 'split' && isSigned(call, row);
    case 'redeems.create':
      return row.kind === 'redeem' && call.body.market_condition_id === row.marketConditionId;
    case 'redeems.submit':
      return row.kind === 'redeem' && isSigned(call, row);
    default:
      return false; // The trader sends no other request except reads.
  }
}

function isOrder(body: CallOf<'orders.create'>['body'], row: IntentRow): boolean {
  const { market_condition_id, is_yes, side, order_type } = body;
  if (order_type !== 'limit' || market_condition_id !== row.marketConditionId) return false;
  if (is_yes !== row.isYes || side !== row.side) return false;
  return isFigure(body.price, row.priceMicros) && isFigure(body.amount, row.amountMicros);
}

const isOfSets = ({ market_condition_id, amount }: CallOf<'merges.create' | 'splits.create'>['body'], row: IntentRow) =>
  market_condition_id === row.marketConditionId && isFigure(amount, row.amountMicros);

type CallOf<Name extends AnyCall['endpoint']> = Extract<AnyCall, { endpoint: Name }>;
type Submit = 'orders.submit' | 'orders.cancelSubmit' | 'merges.submit' | 'splits.submit' | 'redeems.submit';

const isSigned = ({ params, body }: CallOf<Submit>, { orderPubkey, draftPubkey, signature }: IntentRow): boolean =>
  signature !== null && params.pubkey === (orderPubkey ?? draftPubkey) && body.signature === signature;

/** Returns true if a decimal string with at most six decimals equals this number of micros. */
function isFigure(text: string | null | undefined, micros: number | null): boolean {
  const parts = /^(\d+)(?:\.(\d{1,6}))?$/.exec(text ?? '');
  if (parts === null || micros === null) return false;
  return BigInt(parts[1] ?? '') * 1_000_000n + BigInt((parts[2] ?? '').padEnd(6, '0')) === BigInt(micros);
}
