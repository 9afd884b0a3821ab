import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EMPTY_BOOK } from '../../../src/trader/market/book.js';
import { Tape } from '../../../src/trader/market/tape.js';
import { forAll } from '../for-all.js';
import { book, m, trade } from './fixtures.js';

test('a page that is shown again brings nothing new', () => {
  const tape = new Tape();
  const page = [trade(12, 0.5, 1), trade(11, 0.5, 1), trade(11, 0.5, 1)];
  expect(tape.add(page, 1, () => EMPTY_BOOK)).toHaveLength(3);
  expect(tape.add(page, 2, () => EMPTY_BOOK)).toHaveLength(0);
});

test('an exact twin of a known trade in the same second is new', () => {
  const tape = new Tape();
  tape.add([trade(12, 0.5, 1)], 1, () => EMPTY_BOOK);
  expect(tape.add([trade(12, 0.5, 1), trade(12, 0.5, 1)], 2, () => EMPTY_BOOK)).toHaveLength(1);
});

test('a row that its page had missed is taken when it appears', () => {
  const tape = new Tape();
  tape.add([trade(15, 0.5, 1), trade(10, 0.4, 1)], 1, () => EMPTY_BOOK);
  const fresh = tape.add([trade(15, 0.5, 1), trade(13, 0.6, 2), trade(10, 0.4, 1)], 2, () => EMPTY_BOOK);
  expect(fresh.map(({ priceMicros }) => priceMicros)).toEqual([m(0.6)]);
  expect(tape.trades.map(({ venueTimeMs }) => venueTimeMs)).toEqual([15_000, 13_000, 10_000]);
});

test('failed trades did not happen', () =>
  expect(new Tape().add([trade(12, 0.5, 1, true, 'failed')], 1, () => EMPTY_BOOK)).toEqual([]));

const around = book([[0.4, 10]], [[0.5, 10]]);
test.each([
  ['YES at the ask: he bought', 0.5, true, 'buy', 0.5],
  ['YES at the bid: he sold what he had', 0.4, true, 'sell', 0.4],
  ['NO at 0.6: he bought NO, which is selling YES at 0.4', 0.6, false, 'sell', 0.4],
  ['NO at 0.5: he sold NO, which is buying YES at 0.5', 0.5, false, 'buy', 0.5],
  ['NO in the very middle: as most, he bought', 0.55, false, 'sell', 0.45],
] as const)('the taker is told by the price: %s', (_, price, isYes, taker, yesPrice) => {
  const [seen] = new Tape().add([trade(12, price, 1, isYes)], 1, () => around);
  expect(seen).toMatchObject({ taker, priceMicros: m(yesPrice) });
});

test('whatever pages show a history, every trade is taken once and in order', () => {
  const row = fc.record({ pause: fc.integer({ min: 0, max: 2 }), price: fc.constantFrom(0.4, 0.5), yes: fc.boolean() });
  const history = fc.array(row, { maxLength: 60 });
  forAll([history, fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 40 })], (rows, polls) => {
    let second = 1000;
    const all = rows.map(({ pause, price, yes }) => {
      second += pause;
      return trade(second, price, 1, yes);
    });
    const tape = new Tape();
    let shown = 0;
    let taken = 0;
    for (const more of [...polls, all.length]) {
      shown = Math.min(all.length, shown + more);
      // Pages of 70 rows hold all of them: no row can have left the page unseen.
      taken += tape.add(all.slice(0, shown).toReversed(), shown, () => EMPTY_BOOK).length;
      expect(taken).toBe(shown);
    }
    expect(tape.trades.map((seen) => seen.venueTimeMs / 1000)).toEqual(all.map((a) => a.timestamp).toReversed());
  });
});
