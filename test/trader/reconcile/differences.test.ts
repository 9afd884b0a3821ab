/** Differences that one read of an outcome, an order or a trade shows. */

import { describe, expect, it } from 'vitest';
import type { Micros } from '../../../src/shared/base/micros.js';
import type { OrderRow, OwnTradeRow } from '../../../src/shared/protocol/records.js';
import type { OrderRecord } from '../../../src/trader/ledger/contract.js';
import { ConfirmedDifferences } from '../../../src/trader/reconcile/confirmed-differences.js';
import {
  compareShares,
  type Difference,
  type Moves,
  orderDifference,
  tradeDifference,
} from '../../../src/trader/reconcile/differences.js';
import { MARKET, row, trade } from '../executor/script.js';
import { fillOf, m, ONE, orderOf } from '../ledger/books.js';

const NO_MOVES: Moves = { fills: [], conversions: [] };
const moves = (fills: number[], conversions: number[]): Moves => ({
  fills: fills.map(m),
  conversions: conversions.map((move) => m(move)),
});

function shares(there: number, booked: number, lately: Moves, isMoving = false): string {
  const position = { marketConditionId: 'A', isYes: true, sharesMicros: m(booked), costMicros: m(0) };
  const theirs = new Map<string, Micros>([['A YES', m(there)]]);
  const compared = compareShares(theirs, [position], new Map(), () => isMoving, new Map([['A YES', lately]]));
  if (compared.undecided.has('A YES')) return 'undecided';
  return compared.differing.length === 0 ? 'agrees' : 'differs';
}

describe('shares that are held', () => {
  it.each([
    ['the same', 5, 5, NO_MOVES, 'agrees'],
    ['other ones, and nothing has moved', 4, 5, NO_MOVES, 'differs'],
    ['those before the newest fill', 4, 5, moves([1], []), 'undecided'],
    ['those before the two newest', 2, 5, moves([1, 2], []), 'undecided'],
    ['those before the second newest alone, which never were', 3, 5, moves([1, 2], []), 'differs'],
    ['those before a merge that was booked before the fills', 9, 5, moves([1, 2], [-4]), 'undecided'],
    ['those before a merge and one fill', 8, 5, moves([1, 2], [-4]), 'undecided'],
    ['none that ever were', 7, 5, moves([1], [-4]), 'differs'],
  ])('shown: %s', (_, there, booked, lately, verdict) => expect(shares(there, booked, lately)).toBe(verdict));

  it('are undecided where they are on their way', () => {
    expect(shares(1, 5, NO_MOVES, true)).toBe('undecided');
    expect(shares(5, 5, NO_MOVES, true)).toBe('agrees');
  });

  it('stay believed to differ while nothing can be said of them, and what is only in doubt begins anew', () => {
    const notes = new Map<string, string>();
    const start = () =>
      new ConfirmedDifferences({
        note: (key) => notes.get(key) ?? null,
        setNote: (key, value) => void notes.set(key, value),
      });
    let suspicions = start();
    const drawnOff: Difference = { what: 'position', subject: 'A YES', ledger: '5', exchange: '4' };
    const take = (found: readonly Difference[], nowMs: number, isUndecided: boolean) =>
      suspicions.take(found, nowMs, nowMs, () => isUndecided);
    take([drawnOff], 0, false);
    take([], 20_000, true);
    take([drawnOff], 40_000, false);
    expect(suspicions.verdict).toBeNull();
    take([drawnOff], 60_000, false);
    take([], 80_000, true);
    expect(suspicions.verdict).toContain('A YES');
    suspicions = start();
    take([], 90_000, true);
    expect(suspicions.verdict).toContain('A YES');
    take([], 100_000, false);
    expect(suspicions.verdict).toBeNull();
  });
});

const FOUR = m(4 * ONE);
const ORDER = orderOf({ pubkey: 'order', marketConditionId: MARKET, filledMicros: FOUR, bookedMicros: FOUR });
const ROW = row('partially_filled', 4);
const TRADE = trade('trade', 4, { order: ROW });
const FILL = fillOf({
  pubkey: 'trade',
  orderPubkey: 'order',
  marketConditionId: MARKET,
  amountMicros: FOUR,
  feeMicros: m(0),
});
const books = (order: Partial<OrderRecord> = {}, isFilling = false): Parameters<typeof orderDifference>[1] => ({
  order: (pubkey) => (pubkey === 'order' ? { ...ORDER, ...order } : null),
  fill: (pubkey) => (pubkey === 'trade' ? FILL : null),
  conversion: () => null,
  isFilling: () => isFilling,
  isConverting: () => false,
});
const LIST_MS = 100_000;

const filled = (shares: number) => ({ filled_amount: m(shares * ONE) });
const closed = { status: 'filled', filledMicros: m(10 * ONE), bookedMicros: m(10 * ONE) } as const;
it.each<[string, Partial<OrderRow>, Partial<OrderRecord>, boolean, boolean]>([
  ['is as it was asked for', {}, {}, false, true],
  ['has more filled shares than the ledger knows, because its fills follow', filled(9), {}, false, true],
  ['of which less is filled than before contradicts itself', filled(3), {}, false, false],
  ['of which less is filled than a moment ago comes from a list that lags', filled(3), {}, true, true],
  ['is filled beyond its amount', filled(11), {}, true, false],
  ['has fills beyond its amount in the ledger', {}, { bookedMicros: m(11 * ONE) }, true, false],
  ['has ended long ago and still rests', {}, { ...closed, closedMs: LIST_MS - 20_000 }, false, false],
  ['has ended lately and still rests in a list that lags', {}, { ...closed, closedMs: LIST_MS - 5_000 }, false, true],
  ['has another price', { price: m(1) }, {}, true, false],
  ['has another side', { side: 'sell' }, {}, true, false],
  ['has another outcome', { outcome: { is_yes: false, text: null } }, {}, true, false],
  ['is in another market', { market: { condition_id: 'B', title: null } }, {}, true, false],
  ['is foreign', { pubkey: 'foreign', status: 'canceled' }, {}, false, false],
  ['is foreign, because it has no pubkey', { pubkey: null }, {}, false, false],
  ['is foreign and had no effect', { pubkey: 'foreign', status: 'expired' }, {}, false, true],
])('an order that %s', (_, row, record, isFilling, agrees) =>
  expect(orderDifference({ ...ROW, ...row }, books(record, isFilling), LIST_MS) === null).toBe(agrees),
);

describe('a trade', () => {
  it.each<[string, Partial<OwnTradeRow>, boolean]>([
    ['is as it was booked', {}, true],
    ['has another amount', { amount: m(5) }, false],
    ['has another price', { price: m(5) }, false],
    ['has another fee', { fee: m(5) }, false],
    ['is in another market', { market_condition_id: 'B' }, false],
    ['is of another side', { order: { ...ROW, side: 'sell' } }, false],
    ['is of another outcome', { order: { ...ROW, outcome: { is_yes: false, text: null } } }, false],
    ['is of another order', { order: { ...ROW, pubkey: 'other' } }, false],
    ['has failed though it was booked', { state: 'failed' }, false],
    ['is not settled yet', { state: 'in_process', amount: m(5) }, true],
    ['is foreign', { pubkey: 'foreign', order: { ...ROW, pubkey: 'foreign' } }, false],
    ['is of an order without a pubkey', { pubkey: 'foreign', order: { ...ROW, pubkey: null } }, false],
    ['is foreign and has failed', { pubkey: 'foreign', state: 'failed' }, true],
  ])('%s', (_, row, agrees) => expect(tradeDifference({ ...TRADE, ...row }, books()) === null).toBe(agrees));

  it('that names no fee contradicts none', () => {
    const paid: Parameters<typeof orderDifference>[1] = { ...books(), fill: () => ({ ...FILL, feeMicros: m(7) }) };
    expect(tradeDifference({ ...TRADE, fee: null }, paid)).toBeNull();
    expect(tradeDifference({ ...TRADE, fee: m(6) }, paid)?.what).toBe('fill');
  });
});
