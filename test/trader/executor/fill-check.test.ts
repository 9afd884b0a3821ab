/** Fills that contradict the signed order are booked, because the exchange has moved the money, and are reported. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OwnTradeRow } from '../../../src/shared/protocol/records.js';
import { fillObjection } from '../../../src/trader/executor/context.js';
import { fillOf, orderOf } from '../ledger/books.js';
import { m, ONE, resting, row, trade } from './script.js';

describe('a fill of a buy of 10 at 0.42', () => {
  it.each<[string, Partial<OwnTradeRow>]>([
    ['at its own price, without a fee', {}],
    ['at a better price', { price: m(10_000), fee: null }],
    ['with the whole fee, rounded up', { fee: m(16_800 + 1) }],
  ])('%s is nothing odd', (_name, changes) => {
    const s = resting();
    s.trades([trade('t', 4, changes)]);
    expect(s.heard()).toEqual(['fillBooked']);
  });

  it.each<[string, Partial<OwnTradeRow>, RegExp]>([
    ['at a worse price', { price: m(420_001), fee: m(0) }, /has the price 0.420001/],
    ['at 0.99', { price: m(990_000) }, /signed: buy 10 YES at 0.42\) has the price 0.99/],
    ['for nothing', { price: m(0) }, /has the price 0$/],
    ['of more than was ordered', { amount: m(100 * ONE) }, /has the amount 100, but only 10 of the order was left/],
    ['of nothing', { amount: m(0) }, /has the amount 0/],
    ['with a fee above the rate', { fee: m(16_800 + 2) }, /has the fee 0.016802, but the market.s maximum is 0.016801/],
    ['with a rebate', { fee: m(-1_000) }, /has the fee -0.001/],
    ['with a fee of 25', { fee: m(25 * ONE) }, /has the fee 25/],
    ['in milliseconds', { timestamp: 1_700_000_000_000 }, /has the time 1700000000000; the present time is 1/],
    ['of a negative time', { timestamp: -9e12 }, /has the time -9000000000000/],
  ])('%s is booked as the exchange reports it, with one alarm', (_name, changes, says) => {
    const s = resting();
    const fill = trade('t', 4, changes);
    s.trades([fill]);
    s.trades([fill]);
    expect(s.events.slice(0, 2)).toMatchObject([
      { kind: 'fillBooked' },
      { kind: 'trouble', trouble: 'fill_differs', text: expect.stringMatching(says) },
    ]);
    expect(s.events).toHaveLength(2);
    expect(s.ledger.fills()).toMatchObject([
      { priceMicros: fill.price, amountMicros: fill.amount, feeMicros: fill.fee },
    ]);
    expect(s.ledger.verify()).toEqual([]);
  });

  it.each([
    ['soon', 0],
    ['when its time has passed', 5_000],
  ])('dated in the future is booked at the exchange’s present time, also if it is read again %s', (_name, laterMs) => {
    const s = resting();
    const presentS = s.venueS;
    const early = (fee: number | null) =>
      trade('t2', 4, { timestamp: presentS + 121, fee: fee === null ? null : m(fee) });
    s.trades([early(null), trade('t1', 4, { timestamp: presentS + 120 })]);
    expect(s.ledger.fills().map(({ timestampS }) => timestampS)).toEqual([presentS, presentS + 120]);
    expect(s.heard()).toEqual(['fillBooked', 'fillBooked', 'fill_differs']);
    const cash = s.ledger.cash();
    s.restart();
    s.nowMs += laterMs;
    s.trades([early(16)]);
    expect(cash - s.ledger.cash(), 'the row with a fee is the same trade').toBe(16);
  });

  it('is held against what is left of it', () => {
    const s = resting();
    s.trades([trade('t1', 6)]);
    s.trades([trade('t2', 4)]);
    expect(s.heard()).toEqual(['fillBooked', 'fillBooked']);
    s.trades([trade('t3', 1)]);
    expect(s.heard()).toEqual(['fillBooked', 'fill_differs']);
  });

  it('whose fee is named later pays it then, once, and nothing is odd unless the fee is above the rate', () => {
    const s = resting();
    s.trades([trade('t1', 4, { fee: null }), trade('t2', 6, { fee: null })]);
    const cash = s.ledger.cash();
    const named = [trade('t1', 4, { fee: m(16_800) }), trade('t2', 6, { fee: m(ONE) })];
    s.trades(named);
    s.trades(named);
    expect(s.heard()).toEqual(['fillBooked', 'fillBooked', 'fill_differs']);
    expect(s.ledger.cash()).toBe(cash - 16_800 - ONE);
    s.trades([trade('t1', 4, { fee: null })]);
    s.trades([trade('t1', 4, { fee: m(1) })]);
    expect(s.heard()).toEqual(['fill_differs']);
    expect(s.ledger.cash()).toBe(cash - 16_800 - ONE);
    expect(s.ledger.verify()).toEqual([]);
  });

  it('that its order alone shows, and that is more than was ordered, is loud and is not waited for', () => {
    const s = resting();
    s.list([row('partially_filled', 100)]);
    s.list([row('partially_filled_canceled', 100)]);
    expect(s.heard()).toEqual(['record_differs', 'orderClosed']);
    expect(s.executor.missingFills()).toEqual([]);
    s.trades([trade('t', 4)]);
    expect(s.heard()).toEqual(['fillBooked', 'fill_differs']);
    expect(s.executor.missingFills()).toEqual([]);
    expect(s.executor.reservations()).toEqual([]);
  });

  it.each([
    ['canceled, with nothing filled', 'canceled', 0, ['fill_differs']],
    ['canceled, with less filled', 'partially_filled_canceled', 3, ['fill_differs']],
    ['canceled, with this much filled', 'partially_filled_canceled', 4, []],
    ['filled', 'filled', 10, []],
  ] as const)('that comes after its record said %s', (_name, status, filled, loud) => {
    const s = resting();
    s.list([row(status, filled)]);
    s.heard();
    s.trades([trade('t', 4)]);
    expect(s.heard()).toEqual(['fillBooked', ...loud]);
  });

  it('that was seen before the record, which shows it, is nothing odd', () => {
    const s = resting();
    s.trades([trade('t', 4)]);
    s.list([row('partially_filled_canceled', 4)]);
    s.trades([trade('t', 4)]);
    expect(s.heard()).not.toContain('fill_differs');
  });

  it.each([true, false])('that a later record of an ended order shows is loud (trades listed: %s)', (listed) => {
    const s = resting({ own_trades: listed });
    s.list([row('canceled', 0)]);
    s.heard();
    s.list([row('canceled', 10)]);
    expect(s.heard()).toContain('fill_differs');
  });

  it('of which the venue lists no trades is held against what was ordered', () => {
    const s = resting({ own_trades: false });
    s.list([row('partially_filled', 100)]);
    expect(s.heard()).toEqual(['fillBooked', 'fill_differs']);
  });
});

it('what a limit order of any outcome and side allows is never odd, and what is worse always is', () => {
  const cent = (least: number, most: number) => fc.integer({ min: least, max: most }).map((value) => m(value * 10_000));
  const order = fc.record({
    isYes: fc.boolean(),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    price: cent(2, 98),
    better: cent(0, 96),
    amount: fc.integer({ min: 1, max: 50 * ONE }).map(m),
    part: fc.double({ min: 0.01, max: 1, noNaN: true }),
    rate: fc.integer({ min: 0, max: 100_000 }).map(m),
  });
  fc.assert(
    fc.property(order, ({ isYes, side, price, better, amount, part, rate }) => {
      const signed = orderOf({ isYes, side, priceMicros: price, amountMicros: amount });
      const filled = m(Math.max(1, Math.floor(amount * part)));
      const got = m(side === 'buy' ? Math.max(10_000, price - better) : Math.min(990_000, price + better));
      const worth = isYes ? Math.floor((got * filled) / ONE) : filled - Math.floor(((ONE - got) * filled) / ONE);
      const fee = m(Math.floor((worth * rate) / ONE));
      const told = fillOf({ isYes, side, priceMicros: got, amountMicros: filled, feeMicros: fee });
      const fees = { schedule: 'notional', rateMicros: rate } as const;
      expect(fillObjection(signed, told, fees)).toBeNull();
      const worse = m(side === 'buy' ? price + 10_000 : price - 10_000);
      expect(fillObjection(signed, { ...told, priceMicros: worse, feeMicros: null }, fees)).toContain('has the price');
      expect(fillObjection(signed, { ...told, feeMicros: m(fee + 10) }, fees)).toContain('the fee');
      const more = { ...told, amountMicros: m(amount + 1), feeMicros: null };
      expect(fillObjection(signed, more, fees)).toContain('was left');
    }),
  );
});
