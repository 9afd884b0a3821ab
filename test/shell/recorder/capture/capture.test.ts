import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bookOf, type Levels, MARKET, Polls, tradeOf } from './world.js';

const DEAD = { kind: 'unknown', reason: 'connect ECONNREFUSED', sent: true } as const;
const refused = (slug: string) => ({ kind: 'refused', status: 404, slug, message: '', details: [] }) as const;
const ABSENT = refused('not_found');

/** A market whose book was polled once. */
function bookSeen(bids: Levels = { 0.4: 10 }, asks: Levels = {}, only: ReadonlySet<string> | null = null): Polls {
  const polls = new Polls(only);
  polls.detail(0);
  polls.book(1000, bids, asks);
  return polls;
}

/** A market with one poll of its book and trades. */
function begun(bids?: Levels, asks?: Levels): Polls {
  const polls = bookSeen(bids, asks);
  polls.trades(1200, []);
  return polls;
}

describe('a captured market', () => {
  it('begins with its whole book and goes on with what changed', () => {
    const polls = begun({ 0.4: 10, 0.39: 5 }, { 0.5: 7 });
    polls.book(2000, { 0.4: 12 }, { 0.5: 7, 0.51: 1 });
    polls.trades(2200, []);
    expect(polls.remembered.lines()).toEqual([
      'clear 1050',
      'level 1050 bid 0.4 10',
      'level 1050 bid 0.39 5',
      'level 1050 ask 0.5 7',
      'level 2050 bid 0.39 0',
      'level 2050 bid 0.4 12',
      'level 2050 ask 0.51 1',
    ]);
    const event = { eventTitle: 'Rain', eventConditionId: 'E', category: 'tech', rules: ['one'], outcome: null };
    const times = { openTimeMs: 1000, closeTimeMs: 500_000_000, tickPrecision: 2, amountPrecision: 2 };
    const fees = { makerRateMicros: 0, takerRateMicros: 10_000 };
    const source = { kind: 'twinbook', path: 'F', ticker: MARKET, origin: 'V' };
    const market = { conditionId: MARKET, title: 'Will it rain?' };
    expect(polls.remembered.descriptions).toEqual([{ ...market, ...event, ...times, fees, source }]);
    // All but the first, of its description, before which the market was not recorded.
    expect(polls.remembered.polls).toHaveLength(4);
  });

  it('does not wait for ever for a look at the trades', () => {
    const polls = begun();
    polls.book(2000, { 0.4: 9 }, {});
    polls.capture.tick(300_000);
    expect(polls.remembered.book()).toEqual(['bid 0.4 10']);
    polls.capture.tick(303_000);
    expect(polls.remembered.book()).toEqual(['bid 0.4 9']);
  });

  it('has a trade that is read late at its own time, with the side of the book at that time', () => {
    const polls = begun({ 0.3: 10 }, { 0.32: 10 });
    polls.capture.expect(100_000);
    polls.book(30_000, { 0.4: 10 }, { 0.42: 10 });
    for (let nowMs = 31_000; nowMs < 80_000; nowMs += 1000) polls.capture.tick(nowMs);
    polls.trades(80_000, [tradeOf(12, 0.32, 3)]);
    expect(polls.remembered.lines().slice(3, 5)).toEqual(['trade 12500 bid 0.32 3', 'level 30050 bid 0.3 0']);
  });

  it('drops and counts a trade that is older than the last recorded book', () => {
    const polls = begun();
    polls.capture.expect(1_000_000);
    polls.book(30_000, { 0.4: 9 }, {});
    polls.capture.tick(340_000);
    polls.trades(341_000, [tradeOf(30, 0.4, 2), tradeOf(12, 0.4, 1)]);
    polls.book(342_000, { 0.4: 9 }, {});
    polls.trades(343_000, []);
    expect(polls.remembered.lines().slice(2)).toEqual(['level 30050 bid 0.4 9', 'trade 30500 bid 0.4 2']);
    expect(polls.capture.counts).toMatchObject({ trades: 1, dropped: 1 });
  });

  it('has no trade from before its first book, whenever the trade is read', () => {
    const polls = bookSeen();
    polls.trades(1200, []);
    const rows = [tradeOf(3, 0.4, 1), tradeOf(1, 0.4, 2), tradeOf(-60, 0.4, 5)];
    polls.trades(3200, rows);
    polls.book(4000, { 0.4: 10 }, {});
    polls.trades(4200, rows);
    expect(polls.remembered.lines().slice(2)).toEqual(['trade 3500 bid 0.4 1']);
    expect(polls.capture.counts).toMatchObject({ trades: 1, dropped: 0 });
  });

  it('does not call a level gone that lies deeper than was asked', () => {
    const polls = new Polls();
    polls.detail(0);
    polls.book(1000, { 0.4: 10, 0.39: 5, 0.38: 3 }, {}, 3);
    polls.trades(1200, []);
    polls.book(2000, { 0.42: 1, 0.41: 2, 0.4: 10 }, {}, 3);
    polls.trades(2200, []);
    expect(polls.remembered.book()).toEqual(['bid 0.38 3', 'bid 0.39 5', 'bid 0.4 10', 'bid 0.41 2', 'bid 0.42 1']);
    // Fewer levels than requested are all that exist.
    polls.book(3000, { 0.41: 2, 0.4: 10 }, {}, 3);
    polls.trades(3200, []);
    expect(polls.remembered.book()).toEqual(['bid 0.4 10', 'bid 0.41 2']);
  });

  const gaps: [string, (polls: Polls) => void, string][] = [
    ['failed', (polls) => polls.fails('markets.book', 2000, DEAD), 'a poll of the book failed: connect ECONNREFUSED'],
    ['was refused', (polls) => polls.fails('markets.book', 2000, ABSENT), 'a poll of the book failed: not_found'],
    ['came late', () => undefined, 'the book could not be read for 5 s'],
    ['found the market paused', (polls) => polls.detail(2000, 'interrupted'), 'the market is interrupted'],
  ];
  it.each(gaps)('has a gap and a whole book after a poll that %s', (_, trouble, reason) => {
    const polls = begun();
    trouble(polls);
    polls.book(6000, { 0.4: 9, 0.3: 1 }, {});
    polls.trades(6200, [tradeOf(3, 0.4, 1, false)]);
    expect(polls.remembered.lines().slice(2)).toEqual([
      `gap 1050 ${reason}`,
      'clear 6050',
      'level 6050 bid 0.4 9',
      'level 6050 bid 0.3 1',
    ]);
    expect(polls.capture.counts).toMatchObject({ gaps: 1, trades: 0, dropped: 1, levels: 3, markets: 1 });
  });

  it.each([
    ['comes after a suspend', 2000, 30_000_000, 0],
    ['comes after our clock was set back', 30_000_000, 2000, 0],
    ['has an hour’s difference from earlier times', 2000, 2100, 3_600_000],
  ])('has a gap in place of a book whose answer %s', (_, sentMs, seenMs, offsetMs) => {
    const polls = begun();
    const answer = { kind: 'answered', data: bookOf({ 0.4: 9 }, {}) as never, nextCursor: null } as const;
    const id = polls.ask({ endpoint: 'markets.book', params: { condition_id: MARKET } }, 1800);
    polls.answer(id, answer, sentMs, seenMs, offsetMs);
    expect(polls.remembered.lines().at(-1)).toMatch(/^gap 1050 .*: the time of the answer is uncertain$/);
  });

  it('has no gap when only the trades were not answered', () => {
    const polls = bookSeen();
    polls.fails('markets.trades', 1500, DEAD);
    polls.book(2000, { 0.4: 10 }, {});
    polls.trades(2200, []);
    expect(polls.remembered.lines()).toEqual(['clear 1050', 'level 1050 bid 0.4 10']);
  });

  it.each([
    ['what was known', [tradeOf(1, 0.4, 1)], 'more'],
    ['the time without trades', [], null],
  ])('has a gap when a page of trades does not reach back to %s', (_, rows, cursor) => {
    const polls = bookSeen();
    polls.trades(1200, rows, cursor);
    polls.trades(2200, [tradeOf(3, 0.4, 1), tradeOf(2, 0.4, 1)], 'more');
    polls.book(3000, { 0.4: 10 }, {});
    polls.trades(3200, [tradeOf(3, 0.4, 1), tradeOf(2, 0.4, 1), tradeOf(1, 0.4, 1)], 'more');
    expect(polls.remembered.lines().filter((line) => line.startsWith('gap'))[0]).toBe(
      'gap 1050 there were more new trades than one page holds',
    );
  });

  it('begins again, after such a page, with the first book that has all later trades', () => {
    const polls = bookSeen();
    polls.capture.expect(100_000);
    polls.trades(1200, [tradeOf(1, 0.4, 1)], 'more');
    for (const nowMs of [2000, 4000, 6000]) polls.book(nowMs, { 0.4: nowMs / 1000 }, {});
    polls.trades(6200, [tradeOf(5, 0.4, 1), tradeOf(3, 0.4, 1)], 'more');
    expect(polls.remembered.lines().slice(2)).toEqual([
      'gap 1050 there were more new trades than one page holds',
      'clear 4050',
      'level 4050 bid 0.4 4',
      'trade 5500 bid 0.4 1',
      'level 6050 bid 0.4 6',
    ]);
  });

  it.each([3_600_000, 40_000])('goes on when our clock is set back by %i ms', (stepMs) => {
    const polls = new Polls();
    polls.detail(stepMs);
    polls.book(stepMs + 1000, { 0.4: 10 }, {});
    polls.trades(stepMs + 1200, []);
    polls.book(stepMs + 2000, { 0.4: 11 }, {});
    polls.book(1000, { 0.4: 12 }, {});
    expect(polls.remembered.book()).toEqual(['bid 0.4 11']);
    polls.trades(1200, []);
    expect(polls.remembered.book()).toEqual(['bid 0.4 12']);
    expect(polls.remembered.lines().filter((line) => line.startsWith('gap'))).toEqual([]);
  });

  it('ends with the market, and only once', () => {
    const polls = begun();
    polls.detail(5000, 'resolved');
    polls.detail(6000, 'resolved');
    expect(polls.remembered.lines().slice(2)).toEqual(['end 5050']);
  });

  it('learns the outcome from an own redeem, the only answer that tells', () => {
    const polls = bookSeen();
    const redeem = { pubkey: 'R', market_condition_id: MARKET, state: 'done', message: null, created: 1 };
    const paid = { funds: 7_000_000, onchain_funds: 7_000_000, yes_shares: 2_000_000, no_shares: 7_000_000 };
    const unpaid = { ...paid, funds: null, onchain_funds: 0, yes_shares: 0 };
    polls.poll({ endpoint: 'redeems.detail', params: { pubkey: 'R' } }, { ...redeem, ...unpaid }, 1900);
    expect(polls.remembered.descriptions.at(-1)?.outcome).toBeNull();
    polls.poll({ endpoint: 'redeems.detail', params: { pubkey: 'R' } }, { ...redeem, ...paid }, 2000);
    expect(polls.remembered.descriptions.at(-1)?.outcome).toBe(false);
    // A later detail does not contain it and keeps it.
    polls.detail(3000, 'resolved');
    expect(polls.remembered.descriptions.at(-1)?.outcome).toBe(false);
  });

  it('is only one of those that are wanted', () => {
    const polls = bookSeen({ 0.4: 10 }, {}, new Set(['another']));
    polls.capture.close(2000);
    expect(polls.remembered.descriptions).toEqual([]);
  });
});

describe('own orders', () => {
  const begunSlowly = () => {
    const polls = begun();
    polls.capture.expect(100_000);
    return polls;
  };
  const order = (status: string, remaining: number, isYes = true, price = 0.4) => ({
    ...{ pubkey: 'P', status, side: 'buy', price: price * 1e6, amount: 5e6 },
    ...{ remaining_amount: remaining * 1e6, filled_amount: (5 - remaining) * 1e6 },
    ...{ funds: null, remaining_funds: null, filled_funds: null },
    ...{ market: { condition_id: MARKET, title: null }, outcome: { is_yes: isYes, text: null } },
  });
  const place = (polls: Polls, sentMs: number, isYes = true, price = '0.4') => {
    const terms = { market_condition_id: MARKET, is_yes: isYes, price, amount: '5' };
    const body = { ...terms, side: 'buy', order_type: 'limit' } as const;
    polls.poll({ endpoint: 'orders.create', body }, { pubkey: 'P', message: 'm' }, sentMs);
    return polls.ask({ endpoint: 'orders.submit', params: { pubkey: 'P' }, body: { signature: 's' } }, sentMs + 200);
  };
  /** An accepted order of ours. */
  const rests = (polls: Polls, isYes = true, price = 0.4) => {
    const data = order('open', 5, isYes, price) as never;
    polls.answer(place(polls, 1500, isYes, String(price)), { kind: 'answered', data, nextCursor: null }, 1700);
  };
  const seen = (polls: Polls, sentMs: number, bids: Levels, asks: Levels = {}) => {
    polls.book(sentMs, bids, asks);
    polls.trades(sentMs + 200, []);
    return polls.remembered.book();
  };

  it('are not recorded as the liquidity of others', () => {
    const polls = begunSlowly();
    rests(polls);
    expect([seen(polls, 2000, { 0.4: 15 }), seen(polls, 3000, { 0.4: 18 })]).toEqual([['bid 0.4 10'], ['bid 0.4 13']]);
    expect(seen(polls, 1000, { 0.4: 16 })).toEqual(['bid 0.4 11']);
    expect(polls.capture.ownResting).toBe(1);
    polls.poll({ endpoint: 'orders.cancelSubmit', params: { pubkey: 'P' } }, order('canceled', 5), 3500);
    expect(seen(polls, 4000, { 0.4: 13 })).toEqual(['bid 0.4 13']);
    expect(polls.capture.ownResting).toBe(0);
    expect(polls.remembered.own.map(({ status, price_micros }) => [status, price_micros])).toEqual([
      ['open', 400_000],
      ['canceled', 400_000],
    ]);
  });

  it('that buy NO are asks of the YES book', () => {
    const polls = begunSlowly();
    rests(polls, false, 0.45);
    expect(seen(polls, 2000, { 0.4: 10 }, { 0.55: 8 })).toEqual(['ask 0.55 3', 'bid 0.4 10']);
  });

  it('that may or may not be in a book leave its level as it was known', () => {
    const polls = begunSlowly();
    const submit = place(polls, 1500);
    // Its answer is outstanding: 15 may be 10 and ours, or 15 of others.
    expect(seen(polls, 2000, { 0.4: 15 })).toEqual(['bid 0.4 10']);
    polls.answer(submit, refused('invalid'), 1700, 2500);
    expect(seen(polls, 3000, { 0.4: 15 })).toEqual(['bid 0.4 15']);
  });

  it('that were filled before we knew are not taken for a cancellation of others', () => {
    const polls = begunSlowly();
    rests(polls);
    expect(seen(polls, 2000, { 0.4: 15 })).toEqual(['bid 0.4 10']);
    polls.book(3000, { 0.4: 12 }, {});
    const trade = { pubkey: 'T', market_condition_id: MARKET, amount: 3e6, price: 4e5, timestamp: 2, fee: 0 };
    const own = { ...trade, is_maker: true, state: 'done', order: order('partially_filled', 2) };
    polls.poll({ endpoint: 'trades.list' }, [own], 3150);
    polls.trades(3300, []);
    expect(polls.remembered.book()).toEqual(['bid 0.4 10']);
    expect(seen(polls, 4000, { 0.4: 12 })).toEqual(['bid 0.4 10']);
    expect(polls.remembered.own.map(({ record, amount_micros }) => [record, amount_micros])).toEqual([
      ['order', 5e6],
      ['trade', 3e6],
    ]);
    // The book proves a decrease of others even while our own amount is uncertain.
    polls.book(5000, { 0.4: 7 }, {});
    polls.ask({ endpoint: 'orders.cancelSubmit', params: { pubkey: 'P' } }, 5150);
    polls.trades(5200, []);
    expect(polls.remembered.book()).toEqual(['bid 0.4 7']);
  });

  it('that are filled after a book was read stay own in this book', () => {
    const polls = begunSlowly();
    rests(polls);
    polls.book(3000, { 0.4: 15 }, {});
    for (const ms of [4000, 5000]) polls.poll({ endpoint: 'orders.list' }, [order('partially_filled', 2)], ms);
    polls.trades(6000, []);
    expect(polls.remembered.book()).toEqual(['bid 0.4 10']);
  });

  it('that end while a book waits for the trades count as they were at the time of the book', () => {
    const polls = begunSlowly();
    rests(polls);
    polls.book(2000, { 0.4: 18 }, {});
    polls.capture.tick(23_000);
    polls.poll({ endpoint: 'orders.cancelSubmit', params: { pubkey: 'P' } }, order('canceled', 5), 30_000);
    polls.trades(40_000, []);
    expect(polls.remembered.book()).toEqual(['bid 0.4 13']);
  });

  it('that a whole list of what rests does not show are gone', () => {
    const polls = begunSlowly();
    polls.poll({ endpoint: 'orders.list' }, [order('open', 5)], 1500);
    expect(seen(polls, 2000, { 0.4: 15 })).toEqual(['bid 0.4 10']);
    polls.poll({ endpoint: 'orders.list' }, [], 2500);
    expect(polls.capture.ownResting).toBe(0);
    expect(seen(polls, 3000, { 0.4: 15 })).toEqual(['bid 0.4 15']);
  });
});

/** Events at the venue every 100 ms. */
const moment = fc.oneof(
  fc.record({
    what: fc.constant('add' as const),
    price: fc.integer({ min: 51, max: 60 }),
    amount: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({ what: fc.constant('take' as const), amount: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ what: fc.constantFrom('book' as const, 'trades' as const, 'nothing' as const) }),
);

it('any market is recorded as it was: its book, each trade once, time forward, no decrease before its trade', () =>
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 300 }), (moments) => {
      const polls = new Polls();
      polls.capture.expect(1_000_000);
      polls.detail(0);
      const asks = new Map<number, number>([[55, 20]]);
      const rows: ReturnType<typeof tradeOf>[] = [];
      const levels = () => Object.fromEntries([...asks].map(([price, amount]) => [price / 100, amount]));
      polls.book(1000, { 0.4: 1 }, levels());
      polls.trades(1200, rows);
      let nowMs = 3000;
      for (const one of moments) {
        nowMs += 200;
        if (one.what === 'add') asks.set(one.price, (asks.get(one.price) ?? 0) + one.amount);
        if (one.what === 'take') {
          const best = Math.min(...asks.keys());
          const amount = Math.min(one.amount, asks.get(best) ?? 0);
          if (amount === 0) continue;
          rows.unshift(tradeOf(Math.floor(nowMs / 1000), best / 100, amount));
          const left = (asks.get(best) ?? 0) - amount;
          if (left === 0) asks.delete(best);
          else asks.set(best, left);
        }
        if (one.what === 'book') polls.book(nowMs, { 0.4: 1 }, levels());
        if (one.what === 'trades') polls.trades(nowMs, rows.slice(0, 100));
      }
      polls.book(nowMs + 1000, { 0.4: 1 }, levels());
      polls.trades(nowMs + 2000, rows.slice(0, 100));
      polls.capture.close(nowMs + 3000);

      const { events } = polls.remembered;
      const expected = ['bid 0.4 1', ...[...asks].map(([price, amount]) => `ask ${price / 100} ${amount}`)];
      expect(polls.remembered.book()).toEqual(expected.sort());
      expect(events.map(({ timeMs }) => timeMs)).toEqual([...events.map(({ timeMs }) => timeMs)].sort((a, b) => a - b));
      const traded = events.filter(({ what }) => what === 'trade');
      // A page has a hundred rows: unseen rows cannot be recorded.
      if (rows.length <= 100) {
        expect(traded.map(({ price, amount }) => `${price} ${amount}`).sort()).toEqual(
          rows.map(({ price, amount }) => `${price} ${amount}`).sort(),
        );
      }
      const unexplained = new Map<number, number>();
      const known = new Map<number, number>();
      for (const { what, side, price, amount } of events) {
        if (what === 'clear') known.clear();
        if (what === 'trade') unexplained.set(price, (unexplained.get(price) ?? 0) + amount);
        if (what !== 'level' || side === 0) continue;
        const decrease = (known.get(price) ?? 0) - amount;
        known.set(price, amount);
        if (decrease <= 0 || rows.length > 100) continue;
        // Additions at the same price may hide a part of the trades, never the opposite.
        expect(unexplained.get(price) ?? 0).toBeGreaterThanOrEqual(decrease);
      }
    }),
    { numRuns: 300 },
  ));

const heard = (polls: Polls, nowMs: number, p: number, conditionId = MARKET) =>
  polls.capture.onFeed({
    kind: 'feed',
    nowMs,
    feed: 'model',
    values: [{ conditionId, p, bid: null, ask: null, sd: null, atMs: nowMs, validUntilMs: null }],
  });

it('a feed’s value is kept with its market, also from before the first look, on the venue’s clock', () => {
  const polls = new Polls();
  heard(polls, 200, 0.3);
  heard(polls, 500, 0.4);
  heard(polls, 600, 0.9, 'another');
  polls.detail(0);
  polls.book(1000, { 0.4: 10 }, { 0.5: 7 });
  heard(polls, 2000, 0.5);
  const told = polls.remembered.feedValues.map(({ seenMs, timeMs, value }) => [seenMs, timeMs, value.p]);
  expect(told).toEqual([
    [500, 500, 0.4],
    [2000, 2000, 0.5],
  ]);
});
