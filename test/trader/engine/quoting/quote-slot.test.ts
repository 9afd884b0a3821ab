import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type Micros, micros } from '../../../../src/shared/base/micros.js';
import { UNCLAIMED } from '../../../../src/trader/engine/market-worth.js';
import { applyStance, findLiveClass, QuoteSlot } from '../../../../src/trader/engine/quoting/quote-slot.js';
import { StrategySandbox } from '../../../../src/trader/engine/quoting/strategy-sandbox.js';
import type { StrategySettings } from '../../../../src/trader/engine/settings.js';
import type { MarketView, Stance } from '../../../../src/trader/market/view.js';
import { checkQuotes } from '../../../../src/trader/strategy/check.js';
import { defineStrategy, NO_QUOTES, type ParamValues, type Quotes } from '../../../../src/trader/strategy/contract.js';
import { paramTable, strategyFrom } from '../../../../src/trader/strategy/read-params.js';
import { LIMITS } from '../../../lab/backtest/plans.js';
import { forAll } from '../../for-all.js';
import { FACTS, paramsFor, VIEW } from '../../strategy/fixtures.js';
import { wish as quotesAt, strategyOf, strategyWith } from '../played-trader.js';

const { market } = VIEW;
const { tickMicros, lotMicros, minAmountMicros } = market;

const view = (stance: Stance, netMicros = 0): MarketView => ({
  ...VIEW,
  stance,
  inventory: { ...VIEW.inventory, netMicros: micros(netMicros) },
});

/** Possible quotes of a sound strategy: ladders on the grid that do not cross, on either side of any fair value. */
const quotes: fc.Arbitrary<Quotes> = fc
  .record({
    fair: fc.integer({ min: 1, max: 999_999 }),
    middle: fc.integer({ min: 12, max: 88 }),
    bids: fc.uniqueArray(fc.integer({ min: 1, max: 10 }), { maxLength: 4 }),
    asks: fc.uniqueArray(fc.integer({ min: 0, max: 10 }), { maxLength: 4 }),
    lots: fc.integer({ min: 0, max: 5_000 }),
  })
  .map(({ fair, middle, bids, asks, lots }) => {
    const level = (ticks: number) => ({
      priceMicros: micros(ticks * tickMicros),
      amountMicros: micros(minAmountMicros + lots * lotMicros),
    });
    const ascending = (a: number, b: number) => a - b;
    return {
      ...NO_QUOTES('any'),
      fairMicros: micros(fair),
      bids: [...bids].sort(ascending).map((below) => level(middle - below)),
      asks: [...asks].sort(ascending).map((above) => level(middle + above)),
    };
  });

const distance = fc.integer({ min: 1, max: 300_000 }).map((value): Micros => micros(value));
const sum = (levels: Quotes['bids']) => levels.reduce((total, { amountMicros }) => total + amountMicros, 0);

describe('quotes under a stance', () => {
  it('are what the strategy wished while all is well', () =>
    forAll([quotes, distance], (wish, far) => applyStance(wish, view('normal'), far) === wish));

  it('keep their distance from the fair value when widened, never come nearer, and stay sound', () =>
    forAll([quotes, distance], (wish, far) => {
      const made = applyStance(wish, view('widen'), far);
      const fair = wish.fairMicros ?? 0;
      expect(checkQuotes(made, VIEW)).toBeNull();
      for (const { priceMicros } of made.bids) expect(priceMicros).toBeLessThanOrEqual(fair - far);
      for (const { priceMicros } of made.asks) expect(priceMicros).toBeGreaterThanOrEqual(fair + far);
      for (const side of ['bids', 'asks'] as const) {
        expect(sum(made[side])).toBeLessThanOrEqual(sum(wish[side]));
        const isFar = (price: number) => (side === 'bids' ? price <= fair - far : price >= fair + far);
        // Levels that were already far enough stay.
        for (const { priceMicros } of wish[side].filter((level) => isFar(level.priceMicros)))
          expect(made[side].map((level) => level.priceMicros)).toContain(priceMicros);
      }
    }));

  it('leave a level that is far enough where it is, and drop probes', () => {
    const level = (price: number) => ({ priceMicros: micros(price * 1_000_000), amountMicros: micros(10_000_000) });
    const wish: Quotes = {
      ...NO_QUOTES('any'),
      fairMicros: micros(500_000),
      bids: [...[0.49, 0.48, 0.45, 0.4].map(level), { ...level(0.3), isProbe: true }],
      asks: [0.51, 0.55].map(level),
    };
    const made = applyStance(wish, view('widen'), micros(30_000));
    expect(made.bids).toEqual([0.47, 0.45, 0.4].map(level));
    expect(made.asks).toEqual([0.53, 0.55].map(level));
    expect(applyStance(wish, view('widen'), micros(600_000))).toMatchObject({ bids: [], asks: [] });
  });

  it('only bring the net position towards zero when reducing, however much is held', () => {
    const net = fc.integer({ min: -400_000_000, max: 400_000_000 });
    forAll([quotes, net], (wish, held) => {
      const made = applyStance(wish, view('reduce-only', held), micros(20_000));
      expect(checkQuotes(made, VIEW)).toBeNull();
      const [adding, reducing] = held > 0 ? (['bids', 'asks'] as const) : (['asks', 'bids'] as const);
      expect(made[adding]).toEqual([]);
      expect(sum(made[reducing])).toBeLessThanOrEqual(Math.abs(held));
      // Never less than possible: the whole wish, or all but a rest that is too small for an order.
      const missing = Math.min(sum(wish[reducing]), Math.abs(held)) - sum(made[reducing]);
      expect(missing).toBeLessThan(minAmountMicros + lotMicros);
      for (const { priceMicros } of made[reducing])
        expect(wish[reducing].map((one) => one.priceMicros)).toContain(priceMicros);
    });
  });

  it('are none where the strategy wants none', () => {
    const none = NO_QUOTES('nothing');
    for (const stance of ['normal', 'widen', 'reduce-only'] as const)
      expect(applyStance(none, view(stance, 5_000_000), micros(20_000))).toMatchObject({ bids: [], asks: [] });
  });
});

const spec = { kind: 'integer', unit: 'ticks', min: 0, max: 9, default: 0, help: 'h' } as const;
const SPECS = {
  soft: { ...spec, live: 'now' },
  firm: { ...spec, live: 'requote' },
  hard: { ...spec, live: 'restart' },
  old: spec,
} as const;

/** Reports its parameters; `takes` decides on new ones: nothing, by throwing, or all. */
const makeModule = (takes: 'nothing' | 'throws' | 'all') =>
  defineStrategy({
    name: 'counting',
    summary: 'Counts.',
    params: SPECS,
    create: (made) => {
      let handed = 'nothing';
      return {
        quote: () => NO_QUOTES(`made with ${made.soft}${made.firm}${made.hard}${made.old}, handed ${handed}`),
        ...(takes === 'nothing'
          ? {}
          : {
              params: (next) => {
                if (takes === 'throws') throw new Error('no');
                handed = `${next.soft}${next.firm}${next.hard}${next.old}`;
              },
            }),
      };
    },
  });

/** A slot's reports at its first two turns after these parameters have changed. */
function change(values: Readonly<Record<string, number>>, takes: 'nothing' | 'throws' | 'all' = 'all', code = 'a') {
  const module = makeModule(takes);
  const markets = { ids: ['M'], state: 'open', categories: [], max: 1 } as const;
  const settings = (raw: Readonly<Record<string, number>>, moduleKey: string): StrategySettings => {
    const params = paramsFor(module, raw);
    return { name: 'tested', module, moduleKey, params, markets, quoteHours: null, risk: LIMITS };
  };
  const slot = new QuoteSlot('M', settings({}, 'a'));
  const create = (values: ParamValues) => module.create(values, FACTS);
  const open = () => slot.open(() => new StrategySandbox(module, create, slot.strategy.params, (call) => call()));
  open();
  const isMadeAnew = slot.configure(settings(values, code));
  if (isMadeAnew) open();
  const wish = (nowMs: number) => slot.wish(VIEW, { nowMs, hold: null, limits: LIMITS }).note;
  return { isMadeAnew, said: [wish(1), wish(2)] };
}

const PULLED = expect.stringContaining('orders are canceled');

describe('other parameters', () => {
  it.each([
    ['now', { soft: 1 }, false, ['made with 0000, handed 1000', 'made with 0000, handed 1000']],
    ['requote', { firm: 1, soft: 2 }, false, [PULLED, 'made with 0000, handed 2100']],
    ['restart', { hard: 1, firm: 2 }, true, ['made with 0210, handed nothing', 'made with 0210, handed nothing']],
    ['restart', { old: 1, soft: 2 }, true, ['made with 2001, handed nothing', 'made with 2001, handed nothing']],
    [null, {}, false, ['made with 0000, handed nothing', 'made with 0000, handed nothing']],
  ] as const)('of the strictest class %s are taken up as it says', (wanted, values, isMadeAnew, said) => {
    const zeros = { soft: 0, firm: 0, hard: 0, old: 0 };
    expect(findLiveClass(SPECS, zeros, { ...zeros, ...values })).toBe(wanted);
    expect(change(values)).toEqual({ isMadeAnew, said });
  });

  it('make another quoter where it takes none, throws, or is other code', () => {
    const anew = ['made with 1000, handed nothing', 'made with 1000, handed nothing'];
    expect(change({ soft: 1 }, 'nothing')).toEqual({ isMadeAnew: true, said: anew });
    expect(change({ soft: 1 }, 'throws')).toEqual({ isMadeAnew: true, said: anew });
    expect(change({ soft: 1 }, 'all', 'b')).toEqual({ isMadeAnew: true, said: anew });
    expect(change({ firm: 1 }, 'nothing').said[0]).toEqual(PULLED);
  });

  it('are shown with their class, and a class that nobody knows is refused', () => {
    const module = makeModule('all');
    expect(paramTable(module).map(({ live }) => live)).toEqual(['now', 'requote', 'restart', 'restart']);
    const wrong = { ...module, params: { soft: { ...spec, live: 'soon' } } };
    expect(() => strategyFrom({ default: wrong }, 'x.ts')).toThrow('parameter soft: live must be one of now, requote');
  });
});

test.each([
  ['a fleet’s market that no wallet has claimed yet', UNCLAIMED, 0.5],
  ['a market that the operator has paused', 'paused: lunch', null],
])('a strategy that has not selected its markets values, and does not quote, %s', (_, hold, wanted) => {
  const module = strategyWith(() => quotesAt(0.5, 0.4, 0.6));
  const settings = strategyOf(['M'], module);
  const slot = new QuoteSlot('M', { ...settings, markets: { ...settings.markets, choose: 'value' } });
  const create = (values: ParamValues) => module.create(values, FACTS);
  slot.open(() => new StrategySandbox(module, create, {}, (call) => call()));
  const turn = () => slot.wish(VIEW, { nowMs: 1, hold, limits: LIMITS });
  expect([turn(), slot.wanted.fairMicros]).toEqual([NO_QUOTES(hold), wanted === null ? null : wanted * 1e6]);
  // A chosen market is valued until the wallet has claimed it, and still gets no order.
  slot.leftOutBecause = null;
  expect([turn(), slot.wanted.fairMicros]).toEqual([NO_QUOTES(hold), wanted === null ? null : wanted * 1e6]);
  // A market without enough time to its resolution has no value.
  slot.wish({ ...VIEW, timeToResolutionMs: 0 }, { nowMs: 1, hold: null, limits: LIMITS });
  expect(slot.wanted.fairMicros).toBeNull();
});
