/** Parts of the corpus: seeded drafts that match their intent exactly. */

import { base58 } from '@scure/base';
import { type Micros, micros } from '../../../../src/shared/base/micros.js';
import type { Random } from '../../../../src/shared/base/random.js';
import { type DraftTerms, type DraftText, writeDraftText } from '../../../../src/shared/protocol/drafts/draft-text.js';
import type { StoredDraft, signingRules } from '../../../../src/shell/wallet/draft-signer.js';
import type { Wallet } from '../../../../src/shell/wallet/wallet.js';
import { serviceName } from '../drafts.js';

export type OrderTerms = Extract<DraftTerms, { action: 'place-order'; type: 'limit' }>;

/** An intent as the ledger stores it, and an honest venue's answer to the request for its draft. */
export interface Honest<T extends DraftTerms = DraftTerms> {
  readonly draft: DraftText & { readonly terms: T };
  readonly stored: Omit<StoredDraft, 'message'>;
}

/** A class of messages that must never be signed. */
export interface Hostile<Make> {
  readonly name: string;
  /** The reason of the rejection: another reason would prove nothing about this class. */
  readonly because: RegExp;
  readonly make: Make;
}

/** State in the signer's ledger, and the facts on which the signer decides. */
export interface Question {
  readonly stored: StoredDraft | null;
  readonly rules: ReturnType<typeof signingRules>;
}

/** A sequence of cases, the same for the same seed. */
export class Draw {
  readonly wallet: Wallet;
  readonly #random: Random;

  constructor(random: Random, wallet: Wallet) {
    this.#random = random;
    this.wallet = wallet;
  }

  below(bound: number): number {
    return this.#random.below(bound);
  }

  chance(probability: number): boolean {
    return this.#random.chance(probability);
  }

  pick<T>(first: T, ...more: readonly T[]): T {
    return [first, ...more][this.below(more.length + 1)] ?? first;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256));
  }

  /** Base58 of 32 bytes. */
  key(): string {
    return base58.encode(this.bytes(32));
  }

  /** Small and large amounts, whole and with six decimals. */
  quantity(): Micros {
    return micros(this.chance(0.5) ? 1_000_000 * (1 + this.below(1_000)) : 1 + this.below(9_000_000_000_000));
  }

  price(): Micros {
    return micros(this.chance(0.5) ? 10_000 * (1 + this.below(99)) : 1 + this.below(999_999));
  }

  order(): OrderTerms {
    const [isYes, side] = [this.chance(0.5), this.pick<'buy' | 'sell'>('buy', 'sell')];
    return { action: 'place-order', isYes, side, type: 'limit', price: this.price(), amount: this.quantity() };
  }

  terms(): DraftTerms {
    const [isYes, amount] = [this.chance(0.5), this.quantity()];
    return this.pick<() => DraftTerms>(
      () => this.order(),
      () => ({ action: 'place-order', isYes, side: 'buy', type: 'market', funds: amount }),
      () => ({ action: 'place-order', isYes, side: 'sell', type: 'market', amount }),
      () => ({ action: 'cancel-order', orderPubkey: this.key() }),
      () => ({ action: 'merge-shares', amount }),
      () => ({ action: 'split-shares', amount }),
      () => ({ action: 'redeem-shares', yes: amount, no: this.quantity() }),
      () => ({ action: 'open-margin-position', isYes, type: 'market', leverage: this.quantity(), funds: amount }),
      () => {
        const [leverage, price] = [this.quantity(), this.price()];
        return { action: 'open-margin-position', isYes, type: 'limit', leverage, price, shares: amount };
      },
    )();
  }

  honest<T extends DraftTerms>(terms: T): Honest<T> {
    const draftPubkey = terms.action === 'cancel-order' ? terms.orderPubkey : this.key();
    const hex = () => `0x${this.below(2 ** 30).toString(16)}`;
    const marketConditionId = this.pick(`mkt-${this.below(1_000)}`, this.key(), hex());
    const expires = 1_700_000_000 + this.below(100_000_000);
    return {
      draft: { serviceName, marketConditionId, draftPubkey, expires, terms },
      stored: { intentId: `i-${this.below(1_000_000)}`, marketConditionId, draftPubkey, terms },
    };
  }

  /** A value that differs from this one. */
  other<T>(than: T, draw: () => T): T {
    for (;;) {
      const value = draw();
      if (value !== than) return value;
    }
  }
}

export const textOf = ({ draft }: Honest): string => writeDraftText(draft);
