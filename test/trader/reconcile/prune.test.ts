import { expect, it } from 'vitest';
import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { adaptRows, adaptToCheckpoint, type PruneBatch, pruneBatch } from '../../../src/trader/reconcile/prune.js';
import { fillOf, HOLDER, inFolder, intentOf, m, ONE, withLedger } from '../ledger/books.js';
import { addCanceled, markComparedTo } from '../ledger/canceled-orders.js';

const MOST_PRUNED_AT_ONCE = 250;
const DAY_MS = 86_400_000;
const NOW_MS = 100 * DAY_MS;

const prune = (ledger: Ledger, options: Partial<PruneBatch> = {}, isUnderWay?: (id: string) => boolean) =>
  pruneBatch(ledger, { beforeMs: NOW_MS, after: 0, rows: 1000, ...options }, NOW_MS, isUnderWay);

const left = (ledger: Ledger) => ({
  orders: Array.from(ledger.orders(), ({ pubkey }) => pubkey).reverse(),
  intents: Array.from(ledger.intents(), ({ id }) => id).reverse(),
});

/** Names as long as those of the exchange. */
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `${i}`.padStart(44, 'x'));

/** Adds orders that were canceled after some days, and the last compared order. */
function addPast(ledger: Ledger, names: readonly string[], daysOf = (_name: string) => 1): void {
  for (const name of names) addCanceled(ledger, name, daysOf(name) * DAY_MS);
  addCanceled(ledger, 'mark', 50 * DAY_MS);
  markComparedTo(ledger, 'mark');
}

/** Opens a ledger and adds one canceled order on each of three old days. */
function withPast(work: (ledger: Ledger) => void): void {
  withLedger((ledger) => {
    ledger.transaction(() => addPast(ledger, ['a', 'b', 'c'], (name) => name.charCodeAt(0) - 96));
    work(ledger);
    expect(ledger.verify()).toEqual([]);
  });
}

const MARKED = ['place-mark', 'cancel-mark'];

it('deletes what ended before the date, keeps what ended later, and remembers the date', () =>
  withPast((ledger) => {
    expect(ledger.prunedBefore()).toBeNull();
    expect(prune(ledger, { beforeMs: 2 * DAY_MS + 10 })).toMatchObject({ rows: 3, untilMs: 2 * DAY_MS + 10 });
    expect(left(ledger).orders).toEqual(['b', 'c', 'mark']);
    expect(ledger.prunedBefore()).toBe(2 * DAY_MS + 10);
    expect(ledger.order('a')).toBeNull();
    prune(ledger, { beforeMs: DAY_MS });
    expect(ledger.prunedBefore()).toBe(2 * DAY_MS + 10);
  }));

it('keeps fills, failed trades, conversions and all that they refer to, and whatever is not over', () =>
  withPast((ledger) => {
    ledger.transaction(() => {
      ledger.changeOrder('a', { status: 'partially_filled_canceled', filledMicros: m(ONE), closedMs: DAY_MS });
      ledger.bookFill(fillOf({ orderPubkey: 'a', amountMicros: m(ONE) }));
      ledger.noteFailedTrade('failed', 'b', m(ONE), DAY_MS);
      ledger.changeOrder('c', { status: 'open', filledMicros: m(0), closedMs: null });
      const merge = { kind: 'merge', isYes: null, side: null, priceMicros: null } as const;
      ledger.addIntent(intentOf({ id: 'merged', ...merge, state: 'done' }));
      ledger.addIntent(intentOf({ id: 'refused', ...merge, state: 'refused' }));
      for (const state of ['unknown', 'abandoned', 'live'] as const) ledger.addIntent(intentOf({ id: state, state }));
      const moved = { yesMicros: m(ONE), noMicros: m(ONE), cashMicros: m(ONE), yesCostMicros: null, seenMs: 1 };
      ledger.bookConversion({ pubkey: 'm', intentId: 'merged', kind: 'merge', marketConditionId: 'a', ...moved });
    });
    const before = [ledger.fills(), ledger.conversions(), ledger.failedTrades(), ledger.pnl(new Map())];
    prune(ledger);
    expect(left(ledger)).toEqual({
      orders: ['a', 'b', 'c', 'mark'],
      intents: ['place-a', 'place-b', 'place-c', ...MARKED, 'merged', 'unknown', 'abandoned', 'live'],
    });
    expect([ledger.fills(), ledger.conversions(), ledger.failedTrades(), ledger.pnl(new Map())]).toEqual(before);
  }));

it('keeps what the next comparison with the exchange may meet', () =>
  withPast((ledger) => {
    ledger.transaction(() => markComparedTo(ledger, 'b'));
    expect(prune(ledger).untilMs).toBe(2 * DAY_MS - 10_000);
    expect(left(ledger).orders).toEqual(['b', 'c', 'mark']);
    ledger.transaction(() => {
      markComparedTo(ledger, 'mark');
      ledger.setNote('differing/orders', JSON.stringify({ rows: [{ pubkey: 'b' }], invented: [] }));
      ledger.setNote('differing/trades', JSON.stringify({ rows: [{ pubkey: 't', order: { pubkey: 'c' } }] }));
    });
    prune(ledger);
    expect(left(ledger).orders).toEqual(['b', 'c', 'mark']);
  }));

it('keeps everything before the first comparison, or where none of the compared orders is its own', () => {
  for (const note of ['null', '{"older":[]}', '{"older":["foreign"]}']) {
    withPast((ledger) => {
      ledger.transaction(() => ledger.setNote('history/orders', note));
      expect(prune(ledger)).toMatchObject({ rows: 0, untilMs: null });
    });
  }
});

it('keeps rows of the last two minutes, and an intent that the trader works on', () =>
  withPast((ledger) => {
    ledger.transaction(() => {
      addCanceled(ledger, 'young', NOW_MS - 60_000);
      addCanceled(ledger, 'newest', NOW_MS - 1);
      markComparedTo(ledger, 'newest');
    });
    expect(prune(ledger, {}, (id) => id === 'place-b').untilMs).toBe(NOW_MS - 120_000);
    expect(left(ledger)).toMatchObject({ orders: ['b', 'young', 'newest'] });
  }));

it('deletes events that are about a pruned row, and no others', () =>
  withPast((ledger) => {
    const event = { timeMs: 1, severity: 'loud', kind: 'came_back' } as const;
    ledger.transaction(() => {
      for (const subject of ['a', 'place-b', 'mark', null])
        ledger.addEvent({ ...event, text: String(subject) }, subject);
    });
    expect(prune(ledger).rows).toBe(11);
    expect(ledger.events().map(({ text }) => text)).toEqual(['null', 'mark']);
  }));

it('looks at no more rows in a batch than were asked for, nor than its limit, and ends', () => {
  withPast((ledger) => {
    const seen: number[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const batch = prune(ledger, { after, rows: 2 });
      seen.push(batch.rows);
      after = batch.after;
    }
    // An order and its cancel have three rows: two intents and the order.
    expect(seen).toEqual([3, 3, 3, 0, 0]);
  });
  withLedger((ledger) => {
    ledger.transaction(() => addPast(ledger, numbered(MOST_PRUNED_AT_ONCE)));
    ledger.rest(0);
    expect(prune(ledger, { rows: 1e9 }).after).toBe(MOST_PRUNED_AT_ONCE);
  });
});

it('grows and shrinks its batches towards the wanted time, within bounds', () => {
  expect(adaptRows(100, 1)).toBe(125);
  expect(adaptRows(100, 30)).toBe(50);
  expect(adaptRows(100, 100_000)).toBe(10);
  expect(adaptRows(MOST_PRUNED_AT_ONCE, 0)).toBe(MOST_PRUNED_AT_ONCE);
  expect(adaptToCheckpoint(100, 1)).toBe(100);
  expect(adaptToCheckpoint(100, 90)).toBe(50);
});

it('carries a long log over in a batch of its own', () =>
  withLedger((ledger) => {
    ledger.transaction(() => addPast(ledger, numbered(50)));
    const done = { bytes: 0, isDone: false };
    expect(prune(ledger, { rows: 20 })).toMatchObject({ ...done, rows: 0, after: 0, untilMs: null });
    expect(prune(ledger, { rows: 20 })).toMatchObject({ ...done, rows: 30, after: 20 });
  }));

it('gives pages back, so many at a time, and the next open finds a sound file', () =>
  inFolder((path) => {
    const ledger = openLedger(path, HOLDER);
    ledger.transaction(() => {
      ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
      addPast(ledger, numbered(300));
    });
    for (let after: number | null = 0; after !== null; ) ({ after } = prune(ledger, { after }));
    ledger.rest(0);
    expect(prune(ledger, { after: null, rows: 5 })).toMatchObject({ bytes: 5 * 4096, isDone: false });
    expect(prune(ledger, { after: null, rows: 1000 }).bytes).toBeGreaterThan(20 * 4096);
    ledger.rest(0);
    expect(prune(ledger, { after: null })).toMatchObject({ bytes: 0, isDone: true });
    ledger.close();
    const again = openLedger(path, HOLDER);
    expect([again.checkPages(), again.verify()]).toEqual([[], []]);
    again.close();
  }));
