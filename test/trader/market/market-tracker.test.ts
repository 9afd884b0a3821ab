import { describe, expect, test } from 'vitest';
import { MarketTracker } from '../../../src/trader/market/market-tracker.js';
import type { MarketView, OwnMarketState } from '../../../src/trader/market/view.js';
import { at, book, detail, levels, m, order, own, snapshot, trade } from './fixtures.js';

const BIDS = levels('0.48x30 0.47x50');
const ASKS = [[0.52, 40]] as const;

function fed(nowMs = 2000): MarketTracker {
  const state = new MarketTracker('M');
  state.onDetail(detail(), at(nowMs));
  state.onBook(snapshot(BIDS, ASKS), at(nowMs), []);
  return state;
}

function look(state: MarketTracker, nowMs: number, mine: OwnMarketState = own()): MarketView {
  const view = state.view(nowMs, mine);
  if (view === null) throw new Error('no view');
  return view;
}

/** Polls a book, and returns the view of that time. */
function poll(state: MarketTracker, nowMs: number, bids = BIDS, asks: typeof BIDS = ASKS): MarketView {
  state.onBook(snapshot(bids, asks), at(nowMs), []);
  return look(state, nowMs);
}

test('there is no view before both a detail and a book were seen', () => {
  const state = new MarketTracker('M');
  expect(state.view(1, own())).toBeNull();
  state.onBook(snapshot(BIDS, ASKS), at(2000), []);
  expect(state.view(2000, own())).toBeNull();
  state.onDetail(detail(), at(2100));
  expect(state.view(2100, own())).not.toBeNull();
});

test('facts come from the latest request, and are exact, in millionths and milliseconds', () => {
  const state = new MarketTracker('M');
  state.onDetail(detail({ resolution_date: 1_800_000_000 }), at(5));
  expect(state.onDetail(detail(), at(6, 4))).toBe(false);
  expect(state.facts).toMatchObject({
    eventConditionId: 'E',
    phase: 'open',
    tickMicros: m(0.01),
    lotMicros: m(0.01),
    minAmountMicros: m(1),
    takerFeeRateMicros: m(0.01),
    resolutionTimeMs: 1_800_000_000_000,
  });
});

test('takers and looks are counted: how often they come, how large they are', () => {
  const state = fed(2000);
  expect(look(state, 2000)).toMatchObject({ flow: { meanTradeShares: null }, pace: { lookEveryS: null } });
  const before = look(state, 2000).flow.tradesPerS;
  state.onTrades([trade(3, 0.52, 10), trade(2, 0.48, 30)], at(4000));
  expect(look(state, 4000).flow.meanTradeShares).toBe(20);
  expect(look(state, 4000).flow.tradesPerS).toBeGreaterThan(before);
  expect(poll(state, 6000).pace.lookEveryS).toBe(4);
  state.onBook(snapshot(BIDS, ASKS), at(22_000), []);
  // One of the last eight polls came after 16 s.
  expect(look(state, 22_000).pace.lookEveryS).toBeCloseTo(4 + 12 / 8, 12);
  // A clock that was set back gives no duration.
  state.clockSetBack(10_000, 22_000);
  expect(poll(state, 30_000).pace.lookEveryS).toBeCloseTo(5.5, 12);
});

test('a trade of the far future is ignored, also in an answer without the exchange’s time', () => {
  const state = fed(2000);
  state.onTrades([trade(4_000_000_000, 0.99, 1), trade(2, 0.48, 30)], at(3000));
  state.onTrades([trade(60, 0.52, 10), trade(2, 0.48, 30)], at(4000));
  expect(look(state, 4000).trades.map(({ venueTimeMs }) => venueTimeMs)).toEqual([60_000, 2_000]);
});

test('a margin market has no facts but a reason, until it has settled', () => {
  const state = new MarketTracker('M');
  state.onDetail(detail({ margin_enabled: true }), at(5));
  expect(state.facts).toBeNull();
  expect(state.unsuitable).toContain('margin');
  state.onDetail(detail({ margin_enabled: true, state: 'resolved' }), at(6));
  expect([state.facts?.phase, state.unsuitable]).toEqual(['resolved', null]);
});

test('a market with a rebate has no facts until it has settled', () => {
  const state = new MarketTracker('M');
  const { config, ...rest } = detail();
  state.onDetail({ ...rest, config: { ...config, maker_fee_rate: m(-0.001) } as typeof config }, at(5));
  expect([state.facts, state.unsuitable]).toEqual([null, expect.stringContaining('rebate')]);
  state.onDetail(
    { ...rest, state: 'resolved', config: { ...config, maker_fee_rate: m(-0.001) } as typeof config },
    at(6),
  );
  expect(state.facts?.phase).toBe('resolved');
});

describe('own orders are no part of the book that a fair value comes from', () => {
  test('while they rest', () => {
    const state = fed();
    state.onBook(snapshot(BIDS, ASKS), at(3000), [order()]);
    const view = look(state, 3000, own([order()]));
    expect([view.book, view.others.bids[0]]).toEqual([book(BIDS, ASKS), { priceMicros: m(0.48), amountMicros: m(20) }]);
  });

  test('when one is all there is at its price, the level is gone', () => {
    const state = fed();
    state.onBook(snapshot(BIDS, ASKS), at(3000), [order({ remainingMicros: m(30) })]);
    expect(look(state, 3000).others.bids[0]?.priceMicros).toBe(m(0.47));
  });

  test('when one was canceled after the poll had left', () => {
    const state = fed();
    look(state, 3000, own([order()]));
    look(state, 3900, own([]));
    expect(poll(state, 4000).others.bids[0]?.amountMicros).toBe(m(20));
    // The next poll is sent after the order ended.
    expect(poll(state, 5000).others.bids[0]?.amountMicros).toBe(m(30));
  });

  test('when one was filled in part after the poll had left', () => {
    const state = fed();
    look(state, 3000, own([order()]));
    state.onBook(snapshot(BIDS, ASKS), at(4000), [order({ remainingMicros: m(1) })]);
    expect(look(state, 4000, own([order({ remainingMicros: m(1) })])).others.bids[0]?.amountMicros).toBe(m(20));
  });

  test('but one that was submitted after the answer had come cannot be in it', () =>
    expect(look(fed(), 2500, own([order({ submittedMs: 2400 })])).others).toEqual(book(BIDS, ASKS)));
});

describe('health', () => {
  test('ages count from when a poll left', () => {
    const state = fed(2000);
    state.onTrades([], at(2600));
    expect(look(state, 3000).health).toMatchObject({ bookAgeMs: 1200, tradesAgeMs: 600, unchangedMs: 1000 });
  });

  test('a book that an overtaken poll brings late is not taken', () => {
    const state = fed(2000);
    state.onBook(snapshot([[0.1, 1]], []), { requestId: 1000, sentMs: 1000, seenMs: 2500, venueTimeMs: null }, []);
    expect(look(state, 2500).book).toEqual(book(BIDS, ASKS));
  });

  test.each([
    ['crossed', 0.53, true, false],
    ['locked', 0.52, false, true],
    ['sane', 0.51, false, false],
  ])('%s', (_, bid, crossed, locked) => {
    expect(poll(fed(), 3000, [[bid, 5]]).health).toMatchObject({ crossed, locked, jumpLogOdds: expect.any(Number) });
  });

  test('a book that stands still while trades go through it is frozen, until it changes', () => {
    const state = fed(10_000);
    state.onTrades([trade(12, 0.6, 1), trade(11, 0.6, 1)], at(13_000));
    expect([poll(state, 15_000).health.frozen, poll(state, 25_000).health.frozen]).toEqual([false, true]);
    expect(poll(state, 26_000, BIDS, [[0.6, 1]]).health.frozen).toBe(false);
  });

  test('trades at the best prices freeze nothing: the level may have been filled up again', () => {
    const state = fed(10_000);
    state.onTrades([trade(12, 0.52, 1), trade(11, 0.48, 1)], at(13_000));
    expect(poll(state, 40_000).health.frozen).toBe(false);
  });

  test('a jump is measured and remembered', () => {
    const state = fed(2000);
    expect(look(state, 2000).health).toMatchObject({ jumpLogOdds: 0, sinceJumpMs: null });
    state.onBook(snapshot([[0.68, 5]], [[0.72, 5]]), at(4000), []);
    const { jumpLogOdds, sinceJumpMs } = look(state, 5000).health;
    expect(jumpLogOdds).toBeCloseTo(Math.log(0.7 / 0.3), 9);
    expect(sinceJumpMs).toBe(1000);
  });

  test('levels that cannot be are counted', () => expect(poll(fed(), 3000, [[1, 5]]).health.droppedLevels).toBe(1));
});

test("time to resolution is by the exchange's clock", () => {
  const state = new MarketTracker('M');
  state.onDetail(detail({ resolution_date: 100 }), { requestId: 1, sentMs: 0, seenMs: 1000, venueTimeMs: 60_000 });
  state.onBook(snapshot(BIDS, ASKS), { requestId: 1, sentMs: 0, seenMs: 1000, venueTimeMs: 60_000 }, []);
  // At 500 ms of our clock the exchange was within the second from 60,000: it is 60,000 ms ahead.
  expect(look(state, 1000).timeToResolutionMs).toBe(100_000 - 61_000);
});

test('inventory nets YES against NO and counts complete sets', () => {
  const view = look(fed(), 2000, own([], { yesMicros: m(30), noMicros: m(12) }));
  expect(view.inventory).toMatchObject({ netMicros: m(18), pairsMicros: m(12) });
});

test('trades move estimates and queue places once, however often a page shows them', () => {
  const state = fed(10_000);
  const resting = order();
  state.onBook(snapshot(BIDS, ASKS), at(11_000), [resting]);
  for (const seenMs of [14_000, 15_000]) state.onTrades([trade(13, 0.48, 5)], at(seenMs));
  const view = look(state, 15_000, own([resting]));
  // 30 at the level, 10 of them ours, 5 sold into it.
  expect(view.orders[0]).toMatchObject({ queueAheadMicros: m(15), ageMs: 14_000 });
  expect(view.estimates).toMatchObject({ tradePrice: 0.48, flowImbalance: -1 });
  expect(view.trades).toHaveLength(1);
});

test('tells how the price moves, the same until something new is seen', () => {
  expect(new MarketTracker('M').motion).toBeNull();
  const state = fed(2000);
  const { motion } = state;
  expect(motion).toMatchObject({ seenMs: 1800, takersPerS: 1 / 60 });
  expect(state.motion).toBe(motion);
  const { estimates } = look(state, 2000);
  expect(motion?.price).toBe(estimates.microprice);
  expect(motion?.sigmaPerSqrtS).toBe(estimates.sigmaPricePerSqrtS);
  expect(motion?.halfSpread).toBeCloseTo((estimates.spread ?? 0) / 2, 12);
  // Thirty trades within a minute are more than one a minute.
  state.onTrades(
    Array.from({ length: 30 }, (_, i) => trade(2 + 2 * i, 0.48, i + 1)),
    at(63_000),
  );
  expect(state.motion?.takersPerS).toBeGreaterThan(1 / 20);
  state.onBook(snapshot(BIDS, ASKS), at(70_000), []);
  expect(state.motion?.seenMs).toBe(69_800);
});

describe('when our clock is set back', () => {
  const HOURS_MS = 3 * 3_600_000;

  test('the book is forgotten, and so is what was asked for before', () => {
    const state = fed(20_000_000);
    state.clockSetBack(HOURS_MS, 20_000_001);
    expect(state.view(9_200_000, own())).toBeNull();
    state.onBook(snapshot([[0.1, 1]], []), { requestId: 20_000_001, sentMs: 1, seenMs: 2, venueTimeMs: null }, []);
    expect(state.view(9_200_000, own())).toBeNull();
    state.onBook(snapshot(BIDS, ASKS), at(9_200_000, 20_000_002), []);
    expect(look(state, 9_200_500).health).toMatchObject({ bookAgeMs: 700, tradesAgeMs: null });
  });

  test('an answer that came before it left, by our clock, is not believed', () => {
    const state = fed(20_000_000);
    const late = { requestId: 20_000_001, sentMs: 20_000_500, seenMs: 20_000_400, venueTimeMs: null };
    state.onBook(snapshot([[0.1, 1]], []), late, []);
    expect(look(state, 20_000_500).book).toEqual(book(BIDS, ASKS));
  });

  test('the one that was asked for later is the newer one, wherever the clock stood', () => {
    const state = fed(2000);
    state.onBook(snapshot([[0.1, 1]], []), { requestId: 2001, sentMs: 1500, seenMs: 2100, venueTimeMs: null }, []);
    expect(look(state, 2500).book.bids[0]?.priceMicros).toBe(m(0.1));
  });

  test('an order of before is no part of what others quote, and what was canceled before is', () => {
    const state = fed(20_000_000);
    const resting = order({ submittedMs: 19_999_000 });
    look(state, 20_000_000, own([resting, order({ intentId: 'b', submittedMs: 19_999_000 })]));
    look(state, 20_000_100, own([resting]));
    state.clockSetBack(HOURS_MS, 20_000_001);
    state.onBook(snapshot(BIDS, ASKS), at(9_200_500, 20_000_002), [resting]);
    expect(look(state, 9_200_500, own([resting])).others.bids[0]).toEqual({
      priceMicros: m(0.48),
      amountMicros: m(20),
    });
  });

  test('a process that begins with orders of a later time takes them out of the book too', () => {
    const state = fed(2000);
    const resting = order({ submittedMs: 20_000_000 });
    state.onBook(snapshot(BIDS, ASKS), at(3000), [resting]);
    expect(look(state, 3000, own([resting])).others.bids[0]?.amountMicros).toBe(m(20));
  });

  test('estimates go on as if nothing had happened', () => {
    const prices = [0.5, 0.53, 0.49, 0.56, 0.52, 0.58];
    const seen = (backMs: number) => {
      const state = fed(20_000_000);
      prices.forEach((price, i) => {
        const nowMs = 20_005_000 + i * 5_000 - (i < 3 ? 0 : backMs);
        if (i === 3 && backMs > 0) state.clockSetBack(backMs, 30_000_000);
        const [bid, ask] = [Number((price - 0.01).toFixed(2)), Number((price + 0.01).toFixed(2))];
        state.onBook(snapshot([[bid, 5]], [[ask, 5]]), at(nowMs, 20_005_000 + i + (i < 3 ? 0 : 1e9)), []);
        state.onTrades([trade(20_005 + i * 5, price, 5)], {
          ...at(nowMs, 3e9 + i),
          venueTimeMs: 20_005_000 + i * 5_000,
        });
      });
      const { estimates, health } = look(state, 20_031_000 - backMs);
      const { frozen, sinceJumpMs, jumpLogOdds, unchangedMs } = health;
      return { estimates, health: { frozen, sinceJumpMs, jumpLogOdds, unchangedMs } };
    };
    expect(seen(HOURS_MS)).toEqual(seen(0));
  });
});

describe('what a strategy does to its view', () => {
  const alter = (view: MarketView): void => {
    for (const level of [...view.book.asks, ...view.others.asks]) Reflect.set(level, 'priceMicros', 999_999);
    for (const level of [...view.book.bids, ...view.others.bids]) Reflect.set(level, 'amountMicros', 1);
    for (const list of [view.book.bids, view.book.asks, view.others.asks, view.trades, view.orders])
      Reflect.set(list, 'length', 0);
    for (const part of [view, view.market, view.health, view.inventory, view.estimates, view.book])
      for (const name of Object.keys(part)) Reflect.set(part, name, null);
  };

  test('reaches neither what its orders are judged by nor what the feed finds out next', () => {
    const [touched, untouched] = [fed(2000), fed(2000)];
    for (const state of [touched, untouched]) {
      state.onTrades([trade(2, 0.52, 1)], at(2100));
      const view = look(state, 2500, own([order()]));
      if (state === touched) alter(view);
    }
    expect(touched.sight(2500)).toEqual(untouched.sight(2500));
    expect(look(touched, 2500, own([order()]))).toEqual(look(untouched, 2500, own([order()])));
    for (const state of [touched, untouched]) {
      state.onTrades([trade(12, 0.6, 1), trade(11, 0.6, 1)], at(13_000));
      state.onBook(snapshot(BIDS, ASKS), at(25_000), [order()]);
    }
    expect(touched.sight(25_000)).toEqual(untouched.sight(25_000));
    expect(look(touched, 25_000, own([order()]))).toEqual(look(untouched, 25_000, own([order()])));
  });

  test('taking levels out of a book fails at once, for its author to see', () => {
    const { book: shown, trades, market } = look(fed(), 2500);
    // Possible in JavaScript, where no compiler checks read-only types.
    expect(() => (shown.asks as unknown[]).shift()).toThrow(TypeError);
    expect(() => (trades as unknown[]).pop()).toThrow(TypeError);
    expect(Object.isFrozen(market)).toBe(true);
  });
});
