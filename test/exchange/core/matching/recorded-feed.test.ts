/** A call with many recorded events equals one call for each event. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASK, BID, type MatchingSide } from '../../../../src/exchange/core/contract.js';
import type { ExchangeCore } from '../../../../src/exchange/core/core.js';
import {
  bookRow,
  candleRows,
  priceRow,
  publicTradePage,
  statsRow,
} from '../../../../src/exchange/core/records/market-rows.js';
import { EVENT, type EventChunk } from '../../../../src/recording/contract.js';
import type { Micros } from '../../../../src/shared/base/micros.js';
import { Random } from '../../../../src/shared/base/random.js';
import { accepted, levelAmount, m, settings, Venue } from '../venue.js';

interface Event {
  readonly timeMs: number;
  readonly kind: number;
  readonly side: MatchingSide;
  readonly price: number;
  readonly amount: number;
}

const START_MS = 1_700_000_000_000;
/** The events follow those of `world`. */
const FIRST_MS = START_MS + 500;

function columns(events: readonly Event[]): EventChunk {
  return {
    length: events.length,
    timeMs: Float64Array.from(events, ({ timeMs }) => timeMs),
    kind: Uint8Array.from(events, ({ kind }) => kind),
    side: Uint8Array.from(events, ({ side }) => side),
    priceMicros: Int32Array.from(events, ({ price }) => price),
    amountMicros: Float64Array.from(events, ({ amount }) => amount),
  };
}

/** Events around 0.5; some do not fit in any market. */
function drawEvents(random: Random, count: number): Event[] {
  let timeMs = FIRST_MS;
  return Array.from({ length: count }, () => {
    if (random.chance(0.6)) timeMs += random.below(random.chance(0.02) ? 400_000 : 300);
    const dice = random.uniform();
    const kind = dice < 0.7 ? EVENT.level : dice < 0.97 ? EVENT.trade : EVENT.clear;
    const side = random.below(2) === 0 ? BID : ASK;
    const offGrid = random.chance(0.03) ? random.below(3) * 5_000 - 5_000 : 0;
    const price = random.chance(0.02) ? 0 : (40 + random.below(21)) * 10_000 + offGrid;
    const amount = random.chance(0.02) ? random.below(3) - 1.5 : random.below(60) * 1_000_000;
    return { timeMs, kind, side, price, amount };
  });
}

/** An exchange with orders in the queues, and drafts and landings that become due while the events are played. */
function world(model: string): Venue {
  const venue = new Venue({ maker_fee_rate: m('0.003') }, {}, { ...settings, fillModel: model });
  const internal = venue.now.identity.openInternal('maker', { unlimited: true });
  for (const [number, price] of ['0.44', '0.46', '0.47'].entries()) {
    const account = venue.account(number + 1);
    venue.place(account, [true, 'buy', price, '25']);
    venue.place(account, [false, 'buy', price, '25']);
    venue.draft(account, [true, 'buy', price, '5']);
    const split = accepted(venue.now.conversions.draft('split', account, venue.id, '7'));
    accepted(venue.now.conversions.submit('split', account, split.pubkey, true));
    venue.now.internal.place(internal, 0, number === 0 ? BID : ASK, m(0.45 + number / 10), m(40), false);
    venue.nowMs += 150;
  }
  return venue;
}

/** Account 1 is the maker without a wallet. */
const TRADERS = [2, 3, 4];

/** Effect of one call for each event, and the number of rejected calls. */
function oneByOne(core: ExchangeCore, events: readonly Event[], market = 0): number {
  let refused = 0;
  for (const { timeMs, kind, side, price, amount } of events) {
    // Some of the amounts are invalid Micros on purpose.
    const micros = amount as Micros;
    if (kind === EVENT.clear) core.at(timeMs).feed.clear(market);
    else if (kind === EVENT.level) refused += core.at(timeMs).feed.level(market, side, m(price / 1e6), micros) ? 0 : 1;
    else refused += core.at(timeMs).feed.trade(market, side, m(price / 1e6), micros) ? 0 : 1;
  }
  return refused;
}

/** All public and account data of a market. */
function readable(core: ExchangeCore, market = 0) {
  return {
    book: bookRow(core.catalog.market(market), true, 100),
    stats: statsRow(core.catalog.market(market), core.nowMs),
    price: priceRow(core.catalog.market(market), true),
    candles: candleRows(core.catalog.market(market), '5m', START_MS - 1e6, START_MS + 1e9, true),
    prints: publicTradePage(core.catalog.market(market), { limit: 1_000 }).rows,
    own: TRADERS.map((account) => core.orders.trades(account, { limit: 100 }).rows),
  };
}

describe('recorded events in one call', () => {
  const drawn = fc.record({
    seed: fc.nat(),
    model: fc.constantFrom('risk-averse', 'power:2', 'optimistic', 'trade-through'),
    cuts: fc.array(fc.nat({ max: 200 }), { maxLength: 8 }),
  });

  it('leave the exchange as one call for each leaves it, however the call is cut', () => {
    let fills = 0;
    fc.assert(
      fc.property(drawn, ({ seed, model, cuts }) => {
        const events = drawEvents(Random.fromSeed(seed, 'feed'), 200);
        const [single, batch] = [world(model).core, world(model).core];
        const refused = oneByOne(single, events);
        const chunk = columns(events);
        let [at, refusedInBatch] = [0, 0];
        const untils = cuts.map((cut) => events[cut]?.timeMs ?? 0).sort((a, b) => a - b);
        for (const untilMs of [...untils, Number.POSITIVE_INFINITY]) {
          at = batch.feed.play(0, chunk, at, untilMs);
          refusedInBatch += batch.feed.refused;
          expect(events[at]?.timeMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(Math.min(untilMs, 1e15));
        }
        expect([at, refusedInBatch]).toEqual([events.length, refused]);
        expect(readable(batch)).toEqual(readable(single));
        expect(batch.snapshot()).toEqual(single.snapshot());
        fills += readable(batch).own.flat().length;
      }),
      { numRuns: 60 },
    );
    expect(fills).toBeGreaterThan(100);
  });

  it('are played up to and including a time, and the next call goes on there', () => {
    const { core } = world('risk-averse');
    const level = (timeMs: number): Event => ({
      timeMs: START_MS + timeMs,
      kind: EVENT.level,
      side: BID,
      price: 400_000,
      amount: timeMs * 1e6,
    });
    const chunk = columns([level(1000), level(2000), level(2000), level(3000)]);
    expect([core.feed.play(0, chunk, 0, START_MS + 999), core.feed.play(0, chunk, 0, START_MS + 2000)]).toEqual([0, 3]);
    expect([core.nowMs, levelAmount(core.catalog.market(0), BID, m('0.4'))]).toEqual([START_MS + 2000, 2000e6]);
    expect([core.feed.play(0, chunk, 3, START_MS + 9000), core.nowMs]).toEqual([4, START_MS + 3000]);
  });

  it('stop at the end of a recording, which the caller handles', () => {
    const { core } = world('risk-averse');
    const event = (kind: number): Event => ({ timeMs: START_MS, kind, side: BID, price: 400_000, amount: 1e6 });
    const chunk = columns([event(EVENT.level), event(EVENT.end)]);
    expect(core.feed.play(0, chunk, 0, Number.POSITIVE_INFINITY)).toBe(1);
    expect(core.feed.play(0, chunk, 1, Number.POSITIVE_INFINITY)).toBe(1);
  });

  it('do what is due between two of them at its own time', () => {
    const venue = new Venue();
    const account = venue.account(1);
    const draft = venue.draft(account, [true, 'buy', '0.4', '5']);
    const { pubkey } = accepted(venue.now.conversions.draft('split', account, venue.id, '7'));
    accepted(venue.now.conversions.submit('split', account, pubkey, true));
    const event = (timeMs: number): Event => ({ timeMs, kind: EVENT.level, side: BID, price: 300_000, amount: timeMs });
    const dueMs = venue.core.timers.nextMs;
    expect(dueMs).toBe(venue.nowMs + settings.landingMs);
    const chunk = columns([event(dueMs - 1), event(dueMs), event(venue.nowMs + 60_000)]);
    venue.core.feed.play(0, chunk, 0, dueMs - 1);
    expect(venue.shares(account).yes).toBe(0);
    venue.core.feed.play(0, chunk, 1, dueMs);
    expect([venue.shares(account).yes, venue.order(account, draft).status]).toEqual([7, 'waiting_to_sign']);
    venue.core.feed.play(0, chunk, 2, Number.POSITIVE_INFINITY);
    expect(venue.order(account, draft).status).toBe('expired');
  });

  it('of one market after another keep their own times', () =>
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const random = Random.fromSeed(seed, 'two markets');
        const feeds = [drawEvents(random, 120), drawEvents(random, 120)];
        const two = () => {
          const venue = world('risk-averse');
          const { condition_id } = accepted(venue.now.markets.create({ config: { kind: 'orderbook' } as const }));
          for (const account of TRADERS)
            venue.place(account, { ...venue.request([true, 'buy', '0.48', '30']), market_condition_id: condition_id });
          return venue.core;
        };
        const [merged, inTurn] = [two(), two()];
        const inOrder = feeds
          .flatMap((events, market) => events.map((event) => ({ event, market })))
          .sort((a, b) => a.event.timeMs - b.event.timeMs);
        for (const { event, market } of inOrder) oneByOne(merged, [event], market);
        const chunks = feeds.map(columns);
        const at = [0, 0];
        for (let untilMs = START_MS; inTurn.nowMs < merged.nowMs; untilMs += 1_000) {
          for (const [market, chunk] of chunks.entries())
            at[market] = inTurn.feed.play(market, chunk, at[market] ?? 0, untilMs);
        }
        for (const market of [0, 1]) {
          const { own: a, ...shown } = readable(inTurn, market);
          const { own: b, ...expected } = readable(merged, market);
          expect(shown).toEqual(expected);
          // The fills of two markets within a step are numbered by market; each market's fills are equal.
          const plain = (rows: typeof a) =>
            rows.map((list) => list.map((row) => JSON.stringify({ ...row, pubkey: '' })).sort());
          expect(plain(a)).toEqual(plain(b));
        }
        for (const account of [1, ...TRADERS]) expect(inTurn.funds.read(account)).toEqual(merged.funds.read(account));
      }),
      { numRuns: 25 },
    ));

  it('are not played for a trade while the market does not trade, and are counted', () => {
    const { core, id, nowMs } = world('risk-averse');
    core.at(nowMs).markets.setPaused(id, true);
    const event = (kind: number): Event => ({ timeMs: nowMs, kind, side: ASK, price: 440_000, amount: 1e6 });
    core.feed.play(0, columns([event(EVENT.trade), event(EVENT.level)]), 0, Number.POSITIVE_INFINITY);
    expect(core.feed.refused).toBe(1);
    expect(statsRow(core.catalog.market(0), core.nowMs).trade_count).toBe(0);
  });
});
