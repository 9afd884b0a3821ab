import { describe, expect, it } from 'vitest';
import { makeEventView } from '../../../../src/trader/engine/quoting/event-turns.js';
import { MarketTracker } from '../../../../src/trader/market/market-tracker.js';
import type { EventRule } from '../../../../src/trader/risk/exposure.js';
import { at, detail, m, order, snapshot } from '../../market/fixtures.js';

const toCent = (price: number): number => Math.round(price * 100) / 100;

/** A market of the event E (or of another), with a book around this price; null: without a book. */
function entry(conditionId: string, mid: number | null, event: string | null = 'E') {
  const feed = new MarketTracker(conditionId);
  const of = event === null ? null : { title: event, condition_id: event, logo: null };
  feed.onDetail(detail({ condition_id: conditionId, event: of }), at(1000));
  if (mid !== null) feed.onBook(snapshot([[toCent(mid - 0.01), 100]], [[toCent(mid + 0.01), 50]]), at(2000), []);
  return { conditionId, feed };
}

const [A, B, C] = [entry('A', 0.5), entry('B', 0.3), entry('C', null)];
const MARKETS = [A, B, C, entry('D', 0.4, 'F'), entry('X', 0.2, null)];

const around = (events: readonly EventRule[] = []) => ({
  markets: { all: MARKETS },
  account: {
    own: {
      held: new Map([['B', { yesMicros: m(3), noMicros: m(10), yesCostMicros: m(1), noCostMicros: m(5) }]]),
      orders: new Map(),
    },
  },
  settings: { events },
});

describe('what a market is shown of its event', () => {
  it('is the other markets of it, with how old their books are and what is held there', () => {
    const event = makeEventView(around(), A, 7000);
    expect(event).toMatchObject({ eventConditionId: 'E', outcomes: null, markets: null });
    expect(event?.siblings.map(({ conditionId }) => conditionId)).toEqual(['B', 'C']);
    const [b, c] = event?.siblings ?? [];
    expect(b).toMatchObject({ mid: 0.3, bid: 0.29, ask: 0.31, bookAgeMs: 5200, netMicros: m(-7), isSound: true });
    expect(c).toMatchObject({ mid: null, bookAgeMs: null, netMicros: m(0), isSound: false });
    expect(Object.isFrozen(event) && Object.isFrozen(event?.siblings) && Object.isFrozen(b)).toBe(true);
  });

  it('is nothing for a market that belongs to none', () =>
    expect(makeEventView(around(), MARKETS[4] ?? A, 7000)).toBeNull());

  it('says what is declared of it, and how many markets it has where all are named', () => {
    const rule = { eventConditionId: 'E', outcomes: 'exhaustive', marketConditionIds: ['A', 'B', 'C', 'Z'] } as const;
    expect(makeEventView(around([rule]), A, 7000)).toMatchObject({ outcomes: 'exhaustive', markets: 4 });
    const exclusive = { eventConditionId: 'E', outcomes: 'exclusive', marketConditionIds: [] } as const;
    expect(makeEventView(around([exclusive]), A, 7000)).toMatchObject({ outcomes: 'exclusive', markets: null });
  });

  it('names our best orders there', () => {
    const quoted = { orderPubkey: 'o', strategy: 'any', phase: 'resting' } as const;
    const orderAt = (side: 'bid' | 'ask', price: number) => ({ ...order({ side, priceMicros: m(price) }), ...quoted });
    const orders = [orderAt('bid', 0.2), orderAt('bid', 0.25), orderAt('ask', 0.4), orderAt('ask', 0.35)];
    const { account, ...others } = around();
    const own = { ...account.own, orders: new Map([['B', orders]]) };
    const event = makeEventView({ ...others, account: { own } }, A, 7000);
    expect(event?.siblings[0]).toMatchObject({ ownBidMicros: m(0.25), ownAskMicros: m(0.35) });
    expect(event?.siblings[1]).toMatchObject({ ownBidMicros: null, ownAskMicros: null });
  });
});
