/** Each check passes a sound strategy and finds its own mistake. */

import { describe, expect, it } from 'vitest';
import { checkStrategy } from '../../../src/lab/strategy-checks/checks.js';
import { showEvents, showMarkets, type TriedStrategy } from '../../../src/lab/strategy-checks/shown-markets.js';
import type { MarketView, WholeEventView } from '../../../src/trader/market/view.js';
import {
  defineStrategy,
  ladder,
  micros,
  NO_QUOTES,
  ONE,
  passiveLimit,
  positionRoom,
  type Quotes,
} from '../../../src/trader/strategy/strategy.js';
import { paramsFor } from '../../trader/strategy/fixtures.js';

const SHOWN = showMarkets(1, 4, 100);
/** A clock that never moves: calls take no time. */
const still = () => 0;

const failedChecks = (tried: TriedStrategy, stopwatch = still) =>
  checkStrategy(tried, SHOWN, stopwatch)
    .filter(({ verdict }) => verdict === 'failed')
    .map(({ name }) => name);

/** Quotes behind others' best on both sides, up to the limits; `alter` plants a mistake. */
function soundQuotes(view: MarketView): Quotes {
  const { market, others, health } = view;
  const [bid, ask] = [others.bids[0], others.asks[0]];
  if (bid === undefined || ask === undefined) return NO_QUOTES('a side is empty');
  if (health.crossed || health.locked || health.frozen || health.bookAgeMs > 60_000) return NO_QUOTES('not sound');
  const side = (name: 'bid' | 'ask', price: number) => {
    const shares = Math.min(10 * ONE, positionRoom(name, view)) / ONE;
    return ladder({ side: name, price, stepTicks: 1, levels: 1, levelShares: shares, totalShares: shares }, market);
  };
  return {
    ...NO_QUOTES('joins', { best_bid_price: bid.priceMicros / ONE }),
    fairMicros: micros(Math.round((bid.priceMicros + ask.priceMicros) / 2)),
    bids: side('bid', Math.min(bid.priceMicros, passiveLimit(others, 'bid', market.tickMicros)) / ONE),
    asks: side('ask', Math.max(ask.priceMicros, passiveLimit(others, 'ask', market.tickMicros)) / ONE),
  };
}

type Quote = (view: MarketView, call: number) => Quotes;

function altered(quote: Quote): TriedStrategy {
  const create = () => {
    let calls = 0;
    return { quote: (view: MarketView) => quote(view, ++calls) };
  };
  const strategy = defineStrategy({ name: 'altered', summary: 'Joins, with a mistake.', params: {}, create });
  return { strategy, params: paramsFor(strategy) };
}

let shared = 0;
const isQuoting = ({ bids, asks }: Quotes) => bids.length > 0 && asks.length > 0;

/** Names of checks. */
const EXPLAINED = 'quotes have a note and factors that explain them';
const REDUCES = 'at the position limit the reducing side is still quoted';
const MIRRORED = 'if YES and NO are swapped, the quotes are mirrored';
const ISOLATED = 'the strategy uses no clock, timer, randomness or network';
const REPEATABLE = 'the same views give the same quotes';
const SEPARATE = 'quotes of a market do not depend on other markets';
const RESTORED = 'a quoter restored from saved state continues unchanged';
const REDUCING = 'in reduce-only mode quotes never add to the position';
const FRESH = 'there are no quotes on old, crossed or frozen books';

/** A mistake, and the checks that must find it. */
const MISTAKES: readonly (readonly [what: string, quote: Quote, found: string[]])[] = [
  ['quotes nothing at all', () => NO_QUOTES('never'), ['the strategy never throws', EXPLAINED, REDUCES]],
  [
    'reads the clock and catches what that throws',
    (view) => {
      try {
        Date.now();
      } catch {
        return soundQuotes(view);
      }
      return soundQuotes(view);
    },
    [ISOLATED],
  ],
  ['makes a date', (view) => ({ ...soundQuotes(view), note: new Date(view.nowMs).toISOString() }), [ISOLATED]],
  ['draws', (view) => ({ ...soundQuotes(view), factors: { drawn: Math.random() } }), [ISOLATED, REPEATABLE, SEPARATE]],
  ['counts all instances', (view) => ({ ...soundQuotes(view), factors: { calls: ++shared } }), [REPEATABLE, SEPARATE]],
  [
    'quotes off the grid',
    (view) => {
      const quotes = soundQuotes(view);
      const bids = quotes.bids.map((level) => ({ ...level, priceMicros: micros(level.priceMicros + 1) }));
      return { ...quotes, bids };
    },
    ["quotes are on the market's grid and within its limits"],
  ],
  ['gives no reason', (view) => ({ ...soundQuotes(view), note: '' }), [EXPLAINED]],
  ['gives no figures', (view) => ({ ...soundQuotes(view), factors: {} }), [EXPLAINED]],
  [
    'bids what others ask',
    (view) => {
      const quotes = soundQuotes(view);
      const ask = view.others.asks[0]?.priceMicros;
      if (!isQuoting(quotes) || ask === undefined) return quotes;
      return { ...quotes, bids: [{ priceMicros: ask, amountMicros: micros(ONE) }], asks: [] };
    },
    ["quotes never cross others' orders", MIRRORED],
  ],
  [
    'forgets the limit',
    (view) => soundQuotes({ ...view, inventory: { ...view.inventory, maxPositionMicros: micros(1e12) } }),
    ['possible fills on one side stay within the position limit'],
  ],
  ['forgets its stance', (view) => soundQuotes({ ...view, stance: 'normal' }), [REDUCING]],
  [
    'is silent at the limit',
    (view) =>
      Math.abs(view.inventory.netMicros) === view.inventory.maxPositionMicros ? NO_QUOTES('full') : soundQuotes(view),
    [REDUCES],
  ],
  ['believes old books', (view) => soundQuotes({ ...view, health: { ...view.health, bookAgeMs: 0 } }), [FRESH]],
  ['bids only', (view) => ({ ...soundQuotes(view), asks: [] }), [REDUCES, MIRRORED]],
];

describe('the checks of strategies', () => {
  it('pass a sound one', () => {
    const checks = checkStrategy(altered(soundQuotes), SHOWN, still);
    expect(checks.filter(({ verdict }) => verdict !== 'ok').map(({ text }) => text)).toEqual([
      'the strategy declares no state',
    ]);
    expect(checks).toHaveLength(16);
  });

  it.each(MISTAKES)('find one that %s', (_, quote, found) => expect(failedChecks(altered(quote))).toEqual(found));

  const checked = (quote: Quote, check: string) =>
    checkStrategy(altered(quote), showMarkets(1, 4, 100), still).find(({ name }) => name === check);

  it('find one that throws, and say where', () => {
    const throws: Quote = (view, call) => {
      if (call > 50) throw new TypeError('no such level');
      return soundQuotes(view);
    };
    const failed = { verdict: 'failed', text: expect.stringContaining('no such level') };
    expect(checked(throws, 'the strategy never throws')).toMatchObject(failed);
  });

  it('find one that alters what it is shown', () => {
    const greedy: Quote = (view) => {
      // Books are copies, which a strategy could modify.
      (view.others.bids as unknown[]).length = 0;
      return NO_QUOTES('took the bids');
    };
    expect(checked(greedy, 'the strategy does not change its views')?.verdict).toBe('failed');
  });

  it.each([
    ['all that it needs', (calls: number) => ({ calls }), []],
    ['nothing', () => undefined, [RESTORED]],
    ['what it began with', () => ({ calls: 0 }), [RESTORED]],
  ])('ask one that saves %s', (_, save: (calls: number) => unknown, found) => {
    const strategy = defineStrategy({
      name: 'counting',
      summary: 'Counts its looks.',
      params: {},
      state: { version: 1 },
      create: (_params, _market, saved) => {
        let calls = saved === undefined ? 0 : (saved as { calls: number }).calls;
        return {
          quote(view) {
            calls += 1;
            return { ...soundQuotes(view), factors: { calls } };
          },
          save: () => save(calls),
        };
      },
    });
    expect(failedChecks({ strategy, params: paramsFor(strategy) })).toEqual(found);
  });

  it('find one that is slow', () => {
    let nowMs = 0;
    expect(failedChecks(altered(soundQuotes), () => (nowMs += 6))).toEqual(['99 of 100 calls take less than 5 ms']);
  });

  describe('of whole events', () => {
    const say = (view: WholeEventView): Readonly<Record<string, Quotes>> =>
      Object.fromEntries(view.markets.map(({ view: { market }, view: of }) => [market.conditionId, soundQuotes(of)]));
    const wholeOf = (quote: typeof say): TriedStrategy => {
      const create = () => ({ quote });
      const strategy = defineStrategy({ name: 'whole', summary: 'Joins all.', scope: 'event', params: {}, create });
      return { strategy, params: {} };
    };
    const failed = (quote: typeof say) =>
      checkStrategy(wholeOf(quote), showEvents(1, 4, 40), still).filter(({ verdict }) => verdict === 'failed');

    it('pass one that is sound', () => expect(failed(say)).toEqual([]));

    it.each<[string, typeof say, RegExp]>([
      [
        'leaves a market out',
        (view) => Object.fromEntries(Object.entries(say(view)).slice(1)),
        /threw TypeError: no quotes for/,
      ],
      ['quotes another', (view) => ({ ...say(view), other: NO_QUOTES('none') }), /quotes for other, which is not one/],
    ])('find one that %s', (_name, quote, words) => expect(failed(quote)[0]?.text).toMatch(words));

    it('refuse to show a market where an event is quoted', () =>
      expect(checkStrategy(wholeOf(say), SHOWN, still)[1]?.text).toMatch(
        /whole quotes events, but was called for a market/,
      ));
  });

  it('put back what they took away', () => {
    failedChecks(altered(soundQuotes));
    expect([typeof Date.now(), typeof Math.random(), typeof performance.now()]).toEqual(['number', 'number', 'number']);
  });
});
