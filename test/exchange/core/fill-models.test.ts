import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASK, BID } from '../../../src/exchange/core/contract.js';
import { type CoreSnapshot, ExchangeCore } from '../../../src/exchange/core/core.js';
import {
  chosenModel,
  FILL_MODEL_NAMES,
  type FillModel,
  fillModel,
} from '../../../src/exchange/core/matching/fill-model.js';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { m, settings, Venue } from './venue.js';

/**
 * After hftbacktest (models/queue.rs): we join a level of 100, then trade 30, depth 60, depth 90, depth 50, trade 25,
 * depth 25; the shares ahead of us after each. A negative number is our filled amount.
 */
const GOLDEN: Readonly<Record<string, readonly number[]>> = {
  'risk-averse': [70, 60, 60, 50, 25, 25],
  'trade-through': [70, 60, 60, 50, 25, 25],
  'power:1': [70, 60, 60, 33.333333, 8.333333, 8.333333],
  'power:2': [70, 60, 60, 28, 3, 3],
  'power:3': [70, 60, 60, 24.444444, -0.555556],
  power: [70, 60, 60, 24.444444, -0.555556],
  'power2:2': [70, 60, 60, 24.444444, -0.555556],
  'power3:3': [70, 60, 60, 48.148148, 23.148148],
  log: [70, 60, 60, 38.205701, 13.205701],
  log2: [70, 60, 60, 50, 25],
};

/** A market with the finest amounts and its own fill model. */
function market(model: string) {
  const fine = { min_amount: m('0.01'), amount_precision: 6, taker_fee_rate: m(0) };
  const venue = new Venue(fine, {}, { ...settings, fillModel: model });
  const account = venue.account(1);
  return {
    venue,
    account,
    level: (total: number) => venue.now.feed.level(0, BID, m('0.4'), m(total)),
    trade: (amount: number, price = '0.4') => venue.now.feed.trade(0, ASK, m(price), m(amount)),
    join: (amount = '10') => venue.place(account, [true, 'buy', '0.4', amount]),
    filled: (pubkey: string) => Number(venue.order(account, pubkey).filled_amount),
    ahead: () => (((venue.core.snapshot() as CoreSnapshot).resting[0] ?? [])[7] ?? Number.NaN) / 1e6,
  };
}

it.each(Object.entries(GOLDEN))('a published sequence moves orders up under %s as hftbacktest does', (name, golden) => {
  const { level, trade, join, filled, ahead } = market(name);
  level(100);
  const order = join();
  const steps = [() => trade(30), () => level(60), () => level(90), () => level(50), () => trade(25), () => level(25)];
  for (const [at, expected] of golden.entries()) {
    steps[at]?.();
    // The unit is a millionth of a share; the amount ahead is rounded up to it.
    expect(expected < 0 ? -filled(order) : ahead()).toBeCloseTo(expected, 5);
  }
});

it('a decrease without a trade never fills, and leaves whole lots ahead', () => {
  const venue = new Venue({ amount_precision: 0 }, {}, { ...settings, fillModel: 'power:1' });
  const account = venue.account(1);
  const level = (total: number) => venue.now.feed.level(0, BID, m('0.4'), m(total));
  const ahead = () => ((venue.core.snapshot() as CoreSnapshot).resting[0] ?? [])[7];
  level(100);
  const order = venue.place(account, [true, 'buy', '0.4', '10']);
  level(200);
  level(167);
  // 100 - 33 / 2 = 83.5, against us.
  expect(ahead()).toBe(m(84));
  level(0);
  expect([ahead(), venue.order(account, order).filled_amount]).toEqual([0, '0']);
});

describe('a snapshot', () => {
  const all = FILL_MODEL_NAMES.map((name) => name.replace(':N', ':2'));

  /** A half-consumed queue, and later events. */
  const half = ({ level, trade, join }: ReturnType<typeof market>): string => {
    level(100);
    const order = join('20');
    trade(30);
    level(50);
    return order;
  };
  const rest = ({ venue, level, trade }: ReturnType<typeof market>): string => {
    level(20);
    trade(15);
    trade(3, '0.39');
    return JSON.stringify(venue.core.snapshot());
  };

  it.each(all)('in the middle of a queue changes nothing under %s', (name) => {
    const [straight, restored] = [market(name), market(name)];
    for (const each of [straight, restored]) half(each);
    const saved: unknown = JSON.parse(JSON.stringify(restored.venue.core.snapshot()));
    restored.venue.core = new ExchangeCore({ ...settings, fillModel: name }, saved);
    expect(rest(restored)).toBe(rest(straight));
  });

  it("keeps an order's place, which from then on moves by the model of the day", () => {
    const { venue, level, ahead, ...others } = market('risk-averse');
    half({ venue, level, ahead, ...others });
    expect(ahead()).toBe(50);
    venue.core = new ExchangeCore({ ...settings, fillModel: 'power:1' }, venue.core.snapshot());
    level(90);
    expect(ahead()).toBe(50);
    level(72);
    // 50 of the 90 shares in the queue were ahead: 10 of the 18 that left were theirs.
    expect(ahead()).toBe(40);
  });
});

describe('the name of a fill model', () => {
  it.each([
    ['power', 'power:3'],
    ['power:1', 'power:1'],
    ['power:2.5', 'power:2.5'],
    ['power3:3', 'power3:3'],
    ['log', 'log'],
    ['trade-through', 'trade-through'],
  ])('%s is the model %s', (given, name) => {
    expect(fillModel(given).name).toBe(name);
    expect(fillModel(fillModel(given).name).name).toBe(name);
  });

  it('may be given as data', () => {
    expect(fillModel({ kind: 'power', exponent: 2 }).name).toBe('power:2');
    expect(fillModel({ kind: 'optimistic' }).name).toBe('optimistic');
  });

  it.each([
    ...['', ...'fifo Power power: power:0 power:-1 power:0.3 power:11 power:two log:2'.split(' ')],
    ...['risk-averse:1', 'optimistic:1'],
    { kind: 'power', exponent: Number.NaN } as Parameters<typeof fillModel>[0],
  ])('%j is none, and the error says which there are', (given) => {
    expect(() => fillModel(given)).toThrow(TwinbookError);
    try {
      fillModel(given);
    } catch (error) {
      // Only TwinbookErrors are thrown, as the line above checks.
      const { code, message, hint } = error as TwinbookError;
      expect(code).toBe('usage');
      expect(message).toContain(JSON.stringify(typeof given === 'string' ? given : JSON.stringify(given)));
      for (const name of FILL_MODEL_NAMES) expect(hint).toContain(name);
    }
  });

  it('stops an exchange from being made with a model that it does not know', () =>
    expect(() => new Venue({}, {}, { ...settings, fillModel: 'lucky' })).toThrow(/"lucky"/));
});

it.each([0.5, 1, 1.5, 2, 2.5, 10])('a half exponent %d lies where the formula says', (exponent) => {
  const { aheadAfterChange } = fillModel({ kind: 'power', exponent });
  const [front, back, canceled] = [40e6, 60e6, 10e6];
  const behind = back ** exponent / (back ** exponent + front ** exponent);
  expect(aheadAfterChange(front, 100e6, 90e6, 0, 1)).toBeCloseTo(front - (1 - behind) * canceled, -1);
});

const madeUp = (ahead: number): FillModel => ({
  name: 'mine',
  fillsAtTouch: true,
  aheadOnJoin: () => ahead,
  aheadAfterChange: () => ahead,
});

describe('a fill model of somebody’s own', () => {
  it('never leaves its place in the queue, whatever it answers, and counts in whole lots', () => {
    const amount = fc.integer({ min: 0, max: 1_000 });
    const anyAnswer = fc.double({ noNaN: true });
    fc.assert(
      fc.property(
        anyAnswer,
        amount,
        amount,
        amount,
        fc.constantFrom(1, 5, 100),
        (answer, ahead, before, after, lot) => {
          const bounded = chosenModel(madeUp(answer));
          const joined = bounded.aheadOnJoin(before * lot);
          expect(joined).toBeGreaterThanOrEqual(0);
          expect(joined).toBeLessThanOrEqual(before * lot);
          const left = bounded.aheadAfterChange(ahead * lot, before * lot, after * lot, 0, lot);
          expect(left).toBeGreaterThanOrEqual(0);
          expect(left).toBeLessThanOrEqual(Math.min(ahead, after) * lot);
          expect(left % lot).toBe(0);
        },
      ),
    );
  });

  it('that answers no number, or has no name, is an error of its author', () => {
    expect(() => chosenModel(madeUp(Number.NaN)).aheadOnJoin(1)).toThrow(TwinbookError);
    expect(() => chosenModel({ ...madeUp(0), name: '' })).toThrow(TwinbookError);
  });

  it('that says what a shipped one says moves orders as that does', () => {
    const shipped = fillModel('power:2');
    const own = chosenModel({ ...shipped, name: 'mine' });
    const amount = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(amount, amount, amount, (ahead, before, after) => {
        expect(own.aheadAfterChange(ahead, before, after, 0, 1)).toBe(
          shipped.aheadAfterChange(ahead, before, after, 0, 1),
        );
      }),
    );
  });
});
