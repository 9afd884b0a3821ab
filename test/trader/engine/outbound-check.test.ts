import { describe, expect, it } from 'vitest';
import { AssertionFailed } from '../../../src/shared/base/errors.js';
import type { IntentStep, RequestOwner } from '../../../src/shared/protocol/request-owner.js';
import type { AnyCall } from '../../../src/shared/protocol/seam.js';
import { OutboundCheck } from '../../../src/trader/engine/outbound-check.js';
import { planRequest } from '../../../src/trader/executor/context.js';
import type { IntentRow } from '../../../src/trader/ledger/contract.js';
import { intentOf, m } from '../ledger/books.js';

const POLL: RequestOwner = { kind: 'poll', target: { kind: 'orders' } };
const ownerOf = (step: IntentStep, intentId: string): RequestOwner => ({ kind: 'intent', step, intentId });

const NO_TERMS = { isYes: null, side: null } as const;
const PLACE = intentOf({ id: 'r1.abc.1', priceMicros: m(410_000), amountMicros: m(12_500_000) });
const CANCEL = intentOf({ id: 'r1.abc.2', kind: 'cancel', orderPubkey: 'order', ...NO_TERMS, priceMicros: null });
const MERGE = intentOf({ id: 'r1.abc.3', kind: 'merge', ...NO_TERMS, priceMicros: null });
const REDEEM = intentOf({ id: 'r1.abc.4', kind: 'redeem', ...NO_TERMS, priceMicros: null, amountMicros: null });
const SPLIT = intentOf({ id: 'r1.abc.5', kind: 'split', ...NO_TERMS });
const KINDS = [PLACE, CANCEL, MERGE, SPLIT, REDEEM];

const signed = (intent: IntentRow): IntentRow => ({
  ...intent,
  state: 'signed',
  draftPubkey: intent.orderPubkey ?? 'draft',
  message: 'text',
  signature: 'f'.repeat(128),
});

const holding = (...intents: readonly IntentRow[]) =>
  new OutboundCheck({ intent: (id) => intents.find((intent) => intent.id === id) ?? null });

const callOf = (step: 'draft' | 'submit', intent: IntentRow): AnyCall => planRequest(step, intent, 0).call;

describe('what is about to leave', () => {
  it.each(KINDS)('passes when the ledger has it: $kind', (intent) => {
    expect(() => holding(intent).check(callOf('draft', intent), ownerOf('draft', intent.id))).not.toThrow();
    const submitting = holding(signed(intent));
    for (let again = 0; again < 3; again++)
      expect(() => submitting.check(callOf('submit', signed(intent)), ownerOf('submit', intent.id))).not.toThrow();
  });

  it('is a read as often as anyone likes, for any reason', () => {
    expect(() => holding().check(planRequest('read', signed(PLACE), 0).call, POLL)).not.toThrow();
  });

  it.each(KINDS)('does not leave without its row: $kind', (intent) => {
    for (const step of ['draft', 'submit'] as const) {
      const call = callOf(step, signed(intent));
      expect(() => holding().check(call, ownerOf(step, intent.id))).toThrow(AssertionFailed);
      expect(() => holding(signed(intent)).check(call, POLL)).toThrow('the request belongs to no known intent');
    }
  });

  it.each([PLACE, CANCEL])('is drafted once only: $kind', (intent) => {
    const outgoing = holding(intent);
    outgoing.check(callOf('draft', intent), ownerOf('draft', intent.id));
    expect(() => outgoing.check(callOf('draft', intent), ownerOf('draft', intent.id))).toThrow('already requested');
    const late = holding(signed(intent));
    expect(() => late.check(callOf('draft', intent), ownerOf('draft', intent.id))).toThrow('already signed');
  });

  /** Every figure or text of a call, replaced by another of its kind. */
  function* tampered(value: unknown): Generator<unknown> {
    if (typeof value === 'string') yield `${/^\d/.test(value) ? `${value}1` : `${value}x`}`;
    else if (typeof value === 'boolean') yield !value;
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value))
        for (const other of tampered(inner)) yield { ...value, [key]: other };
    }
  }

  it.each(KINDS)('says to the letter what the ledger says: $kind', (intent) => {
    let tried = 0;
    for (const [step, known] of [
      ['draft', intent],
      ['submit', signed(intent)],
    ] as const) {
      const { body, params, endpoint } = callOf(step, known);
      for (const other of tampered({ endpoint, body, params })) {
        // Altered on purpose: a value of another type must be rejected too.
        const call = { query: {}, ...(other as object) } as AnyCall;
        expect(() => holding(known).check(call, ownerOf(step, intent.id)), JSON.stringify(call)).toThrow();
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThanOrEqual(4);
  });

  const checkPrice = (price: string) => {
    const { body, ...rest } = callOf('draft', PLACE) as Extract<AnyCall, { endpoint: 'orders.create' }>;
    holding(PLACE).check({ ...rest, body: { ...body, price } }, ownerOf('draft', PLACE.id));
  };

  it.each(['0.41', '0.410000'])('has the price in any form of the same digits: %j', (price) => {
    expect(() => checkPrice(price)).not.toThrow();
  });

  it.each(['0.4100001', '0.42', '.41', '4.1e-1', '-0.41', ''])('has no other price or form: %j', (price) => {
    expect(() => checkPrice(price)).toThrow(AssertionFailed);
  });
});
