/** Facts proven to the trader by delivered answers. Invariant 7. */

import type { AnyCall, Outcome } from '../../src/shared/protocol/seam.js';
import { isFinalOrder, type OrderStatus } from '../../src/shared/protocol/states.js';
import type { StoredIntent } from './ledger-file.js';

/** An expiry counts at the second read. */
const LOOKS_AT_EXPIRY = 2;

export class Proofs {
  /** By pubkey: the number of answers with each state. */
  readonly #seen = new Map<string, Map<string, number>>();
  readonly #left = new Set<string>();

  /** An answer has reached the trader. */
  delivered(call: AnyCall, outcome: Outcome): void {
    if (outcome.kind !== 'answered') return;
    switch (call.endpoint) {
      case 'orders.submit':
      case 'orders.cancelSubmit':
      case 'orders.detail':
        // This endpoint's data is an order.
        return this.#note(call.params.pubkey, (outcome.data as { status: string | null }).status);
      case 'merges.submit':
      case 'merges.detail':
      case 'splits.submit':
      case 'splits.detail':
      case 'redeems.submit':
      case 'redeems.detail':
        return this.#note(call.params.pubkey, (outcome.data as { state: string }).state);
      case 'orders.list':
        for (const { pubkey, status } of outcome.data as readonly { pubkey: string | null; status: string | null }[])
          if (pubkey !== null) this.#note(pubkey, status);
        return;
      default:
        return;
    }
  }

  /** A signature is sent to the exchange. */
  left(signature: string): void {
    this.#left.add(signature);
  }

  /** Why the end of this intent is unproven; null if it is proven. */
  objection(intent: StoredIntent): string | null {
    const { kind, state, signature, draft_pubkey, order_pubkey } = intent;
    const seen = this.#seen.get((kind === 'cancel' ? order_pubkey : draft_pubkey) ?? '') ?? NOTHING;
    const times = (status: string) => seen.get(status) ?? 0;
    const looks = [...seen.values()].reduce((sum, count) => sum + count, 0);
    const isConversion = kind !== 'place' && kind !== 'cancel';
    // The observed status belongs to the order of a place or cancel.
    const ended = () => [...seen.keys()].some((status) => isFinalOrder(status as OrderStatus));
    const holds = {
      done: isConversion ? times('done') + times('completed') > 0 : ended(),
      failed: times('failed') > 0,
      // An unsent request has no effect; a cancel's draft has expired if its order still rests later.
      expired:
        signature === null ||
        !this.#left.has(signature) ||
        (kind === 'cancel' ? looks : times('expired')) >= LOOKS_AT_EXPIRY,
      refused: signature === null,
    };
    if (!isEnd(state) || holds[state]) return null;
    const shown = [...seen].map(([status, count]) => `${status} ${count}x`).join(', ');
    return `${kind} ${intent.id} is ${state}, the exchange has shown ${shown || 'nothing'}`;
  }

  #note(pubkey: string, state: string | null): void {
    if (state === null) return;
    const seen = this.#seen.get(pubkey) ?? new Map<string, number>();
    this.#seen.set(pubkey, seen.set(state, (seen.get(state) ?? 0) + 1));
  }
}

const NOTHING: ReadonlyMap<string, number> = new Map();
const ENDS = ['done', 'failed', 'expired', 'refused'] as const;
const isEnd = (state: string): state is (typeof ENDS)[number] => ENDS.some((end) => end === state);
