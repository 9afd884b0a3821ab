import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { Micros } from '../../../src/shared/base/micros.js';
import { decodeCursor, encodeCursor } from '../../../src/shared/protocol/cursors.js';
import { type DraftText, readDraftText, writeDraftText } from '../../../src/shared/protocol/drafts/draft-text.js';
import { ENDPOINTS, fillPath, writeQuery } from '../../../src/shared/protocol/endpoints.js';
import { inferOutcome, outcomeOf, settledValue } from '../../../src/shared/protocol/outcome.js';
import type { Call } from '../../../src/shared/protocol/seam.js';
import {
  requestSignature,
  signatureMatches,
  signedPayload,
  submittedSignature,
} from '../../../src/shared/protocol/signing.js';
import { isFinalOrder, ORDER_STANDING, ORDER_STATUSES, RESTING_STATUSES } from '../../../src/shared/protocol/states.js';
import { parseBySchema } from '../../../src/shared/protocol/wire.js';

const m = (n: number) => n as Micros;

describe('the signing payload', () => {
  const secret = 'ws_live_1f7c2a9b5d4e';
  const body = '{"market_condition_id":"7n9G9WfQ2V7d6hM3XK8pQ4LwR2eY6aT1uJ5cB8mN3qPz","amount":"10"}';
  const cases = [
    ['GET', '/orders/?limit=10', '', '3a1bf87c31ca5772b55633a85a7aa83e6d621ff7790b266ecdb783518f70acfa'],
    ['POST', '/orders/abc/cancel/', '', '539c6fba28fc2235c23d35dddadb0110bf63fc023b87fd44fd511824b778d98e'],
    ['post', '/share-merges/', body, '4a128a6460e48eb9ed120ceefdaaa3c541b85022c31dcd44d7a8370a54476826'],
  ] as const;

  it.each(cases)('has the published signature for %s %s', (method, pathWithQuery, text, hex) => {
    const parts = { timestamp: '1714300000', method, pathWithQuery, body: text };
    expect(requestSignature(secret, parts)).toBe(hex);
    expect(signatureMatches(hex, secret, parts)).toBe(true);
    expect(signatureMatches(hex.toUpperCase(), secret, parts)).toBe(false);
    expect(signatureMatches(hex, `${secret}x`, parts)).toBe(false);
  });

  it('is plain concatenation', () =>
    expect(signedPayload({ timestamp: '1', method: 'get', pathWithQuery: '/a/?b=1', body: '' })).toBe('1GET/a/?b=1'));

  it('takes a leading 0x off a submitted signature before its length counts', () => {
    const hex = 'a'.repeat(128);
    expect(submittedSignature(`0x${hex}`)).toBe(hex);
    expect([submittedSignature(`${hex}a`), submittedSignature('0x')]).toEqual([null, null]);
  });
});

describe('draft texts', () => {
  const base = { serviceName: 'SVC', marketConditionId: 'mkt-1', draftPubkey: 'Dr1ft', expires: 1_714_300_060 };
  const textOf = (action: string, terms: string) =>
    `SVC draft v1 | ${action} | Market: mkt-1 | ${terms} | Draft: Dr1ft | Expires: 1714300060`;
  const place = { action: 'place-order', isYes: true, side: 'buy' } as const;
  const drafts: [DraftText['terms'], string][] = [
    [
      { ...place, type: 'limit', price: m(420_000), amount: m(10_000_000) },
      'Outcome: YES, Side: buy, Type: limit, Price: 0.42, Amount: 10',
    ],
    [{ ...place, isYes: false, type: 'market', funds: m(25e6) }, 'Outcome: NO, Side: buy, Type: market, Funds: 25'],
    [{ ...place, side: 'sell', type: 'market', amount: m(5e5) }, 'Outcome: YES, Side: sell, Type: market, Amount: 0.5'],
    [{ action: 'cancel-order', orderPubkey: 'ABC' }, 'Order: ABC'],
    [{ action: 'merge-shares', amount: m(10_000_000) }, 'Amount: 10'],
    [{ action: 'redeem-shares', yes: m(12_000_000), no: m(0) }, 'Yes: 12, No: 0'],
  ];

  it.each(drafts)('are written and read back: %j', (terms, line) => {
    const text = textOf(terms.action, line);
    expect(writeDraftText({ ...base, terms })).toBe(text);
    expect(readDraftText(text)).toEqual({ ...base, terms });
  });

  it('are refused unless they are exactly what would have been written', () => {
    const good = textOf('place-order', drafts[0]?.[1] ?? '');
    const bad = [
      good.replace('0.42', '0.420'),
      good.replace('Amount: 10', 'Amount: 10, Amount: 11'),
      good.replace('place-order', 'withdraw'),
      good.replace('Outcome: YES', 'Outcome: yes'),
      good.replace('Side: buy', 'Side: BUY'),
      good.replace('v1', 'v2'),
      `${good} `,
      `${good}\n`,
      good.replace(' | Market', ' | Market: x | Market'),
      // Characters that are invisible, or that look like others.
      good.replace('mkt-1', 'mkt-1\u202e'),
      good.replace('mkt-1', 'mkt-1\u200b'),
      good.replace('SVC', 'S\u001b[2JVC'),
      good.replace(/place-order .* \| Draft/, 'cancel-order | Market: mkt-1 | Order: \u001b[2J | Draft'),
      good.replace(/place-order .* \| Draft/, 'cancel-order | Market: mkt-1 | Order: l0O | Draft'),
      'Create SVC API credential | Wallet: abc | Nonce: def',
      '',
    ];
    for (const text of bad) expect(readDraftText(text), text).toBeNull();
  });
});

it('cursors come back under the key they were made for and no other', () => {
  const cursor = encodeCursor({ before_id: 17 });
  expect(cursor).toBe('eyJiZWZvcmVfaWQiOjE3fQ');
  expect([decodeCursor(cursor, 'before_id'), decodeCursor(cursor, 'o')]).toEqual([17, null]);
  const wrong = [-1, '1'].map((id) => encodeCursor({ before_id: id }));
  for (const bad of ['', '!', 'e30', ...wrong, 'a'.repeat(300)]) expect(decodeCursor(bad, 'before_id'), bad).toBeNull();
});

describe('endpoint declarations', () => {
  it('end every path with a slash and are unique', () => {
    const seen = Object.values(ENDPOINTS).map((e) => `${e.method} ${e.path}`);
    expect(new Set(seen).size).toBe(seen.length);
    for (const line of seen) expect(line.endsWith('/')).toBe(true);
  });

  it('fill paths and write queries percent-encoded', () => {
    expect(fillPath('/orders/{pubkey}/', { pubkey: 'a/b' })).toBe('/orders/a%2Fb/');
    expect(writeQuery({ limit: 10, is_yes: false, status: ['open', 'filled'], cursor: undefined })).toBe(
      '?limit=10&is_yes=false&status=open%2Cfilled',
    );
    expect(writeQuery({})).toBe('');
  });

  it('refuse bad parameters in words that say what is wanted', () => {
    const parsed = ENDPOINTS['orders.list'].query.safeParse({ limit: '101' });
    expect(parsed.error?.issues[0]).toMatchObject({
      path: ['limit'],
      message: 'Ensure this value is less than or equal to 100.',
    });
  });
});

it('a call of the trader’s core carries decimals of a query as text, never as Micros', () => {
  expectTypeOf<Call<'positions.close'>['query']>().toEqualTypeOf<{ readonly price?: string | undefined }>();
  expectTypeOf<Call<'positions.estimate'>['query']['funds']>().toEqualTypeOf<string>();
  expectTypeOf<Call<'orders.list'>['query']['is_yes']>().toEqualTypeOf<boolean | undefined>();
  expect(writeQuery({ funds: '100', leverage: '2.5' })).toBe('?funds=100&leverage=2.5');
});

it('rests while it can still be matched, and a draft does not', () => {
  expect(RESTING_STATUSES).toEqual(['open', 'partially_filled']);
  expect(ORDER_STATUSES.filter((status) => !isFinalOrder(status))).toEqual([...RESTING_STATUSES, 'waiting_to_sign']);
});

it.each(ORDER_STATUSES)('does not contradict itself: %s', (status) => {
  const { phase, tookEffect, filled, isCanceled } = ORDER_STANDING[status];
  if (phase === 'resting' || filled !== 'nothing' || isCanceled) expect(tookEffect).toBe(true);
  if (phase === 'unsigned') expect(tookEffect).toBe(false);
  if (isCanceled || filled === 'all') expect(phase).toBe('over');
  expect(isCanceled && filled === 'all').toBe(false);
});

it('never took effect where its draft lapsed or its submit failed', () => {
  const withoutEffect = ORDER_STATUSES.filter((status) => !ORDER_STANDING[status].tookEffect);
  expect(withoutEffect).toEqual(['waiting_to_sign', 'expired', 'failed']);
});

describe('an outcome', () => {
  it.each([
    [true, 3_000_001, 5, 3_000_001],
    [false, 3_000_001, 5, 5],
    [0.5, 3, 4, 3],
    [0.37, 100_000_000, 10_000_000, 43_300_000],
  ])('%s pays %d YES and %d NO %d, rounded down once', (outcome, yes, no, paid) => {
    expect(settledValue(outcome, yes, no)).toBe(paid);
  });

  it.each([true, false, 0.5, 0.37])('%s is inferred from the payment', (outcome) => {
    for (const [yes, no] of [
      [100_000_001, 0],
      [7_000_000, 9_000_003],
      [0, 12_345_678],
    ] as const)
      expect(inferOutcome(yes, no, settledValue(outcome, yes, no))).toBe(outcome);
  });

  it('is not known from as many shares of both, nor from a payment beyond 1 a share', () => {
    expect(inferOutcome(5_000_000, 5_000_000, 5_000_000)).toBeNull();
    expect(inferOutcome(5_000_000, 0, 5_000_001)).toBeNull();
  });

  it('is YES at 1, NO at 0, and none beyond', () =>
    expect([1, 0, 0.25, -0.1, 1.1, Number.NaN].map(outcomeOf)).toEqual([true, false, 0.25, null, null, null]));
});

const ROUNDS = 250;

const order = z.strictObject({
  side: z.enum(['buy', 'sell']),
  shares: z.string().regex(/^\d+$/).transform(Number),
  legs: z.array(z.object({ price: z.number().min(0) })).default([]),
});

it.each([
  ['what is right', { side: 'buy', shares: '12', legs: [{ price: 1, more: true }] }],
  ['what leaves out', { side: 'sell', shares: '3' }],
  ['what is wrong', { side: 'bought', shares: 'many', legs: [{ price: -1 }, {}], other: 1 }],
  ['another thing', null],
])('reads %s as zod does, however often', (_, value) => {
  const read = Array.from({ length: ROUNDS }, () => parseBySchema(order, value));
  const [said] = read.map(({ success, data, error }) => JSON.stringify({ success, data, issues: error?.issues }));
  const { success, data, error } = order.safeParse(value);
  expect(said).toBe(JSON.stringify({ success, data, issues: error?.issues }));
  for (const one of read) expect(one).toStrictEqual(read[0]);
});
