import { describe, expect, it } from 'vitest';
import { detailRow, priceRow } from '../../../src/exchange/core/records/market-rows.js';
import { MARKET_STATES, type MarketState } from '../../../src/shared/protocol/states.js';
import { accepted, faultOf, m, Venue } from './venue.js';

function marketIn(state: MarketState): Venue {
  if (state === 'interrupted') {
    const venue = new Venue();
    accepted(venue.now.markets.setState(venue.id, 'interrupted'));
    return venue;
  }
  const settles = state === 'resolved' || state === 'canceled';
  const venue = new Venue({}, settles ? {} : { state });
  if (settles) accepted(venue.now.markets.resolve(venue.id, state === 'resolved' ? true : null));
  return venue;
}

describe('a market', () => {
  it.each(MARKET_STATES)('that is %s goes anywhere unless settled, but is resolved with an outcome only', (from) => {
    const allowed = MARKET_STATES.filter((to) => {
      const venue = marketIn(from);
      const moved = venue.now.markets.setState(venue.id, to);
      expect(venue.core.catalog.market(0).state).toBe(moved.ok ? to : from);
      if (!moved.ok) expect(faultOf(moved)).toBe('invalid_request_params state');
      return moved.ok;
    });
    const isSettled = from === 'resolved' || from === 'canceled';
    expect(allowed).toEqual(isSettled ? [] : MARKET_STATES.filter((to) => to !== 'resolved'));
  });

  it.each(MARKET_STATES)('that is %s can be resolved unless it is settled', (from) => {
    for (const outcome of [true, false, null]) {
      const venue = marketIn(from);
      const isSettled = from === 'resolved' || from === 'canceled';
      const resolved = venue.now.markets.resolve(venue.id, outcome);
      expect(faultOf(resolved)).toBe(isSettled ? 'invalid_request_params is_yes' : 'ok');
      if (!isSettled) expect(venue.core.catalog.market(0).outcome).toBe(outcome);
    }
  });

  it.each(['draft', 'waiting_to_open'] as const)('that is %s takes no orders, and opens', (state) => {
    const venue = new Venue({}, { state });
    const account = venue.account(1);
    const draft = () => faultOf(venue.now.orders.draft(account, venue.request([true, 'buy', '0.4', '5'])));
    expect(draft()).toBe('order_market_not_open');
    accepted(venue.now.markets.setState(venue.id, 'open'));
    expect(draft()).toBe('ok');
  });

  it('shows no book while it is not open, and the recorded one again when it reopens', () => {
    const venue = new Venue();
    venue.now.feed.level(0, 0, m('0.4'), m('5'));
    venue.now.feed.level(0, 1, m('0.6'), m('5'));
    accepted(venue.now.markets.setState(venue.id, 'interrupted'));
    expect(venue.book()).toEqual({ bid: [], ask: [] });
    expect([venue.first.bestBid, priceRow(venue.first, true).price]).toEqual([null, null]);
    accepted(venue.now.markets.setState(venue.id, 'open'));
    expect(venue.book()).toEqual({ bid: ['0.4:5'], ask: ['0.6:5'] });
  });
});

it.each([
  [{ sport: 'soccer' }, 'ok'],
  [{ sport: 'soccer', league: 'bundesliga' }, 'ok'],
  [{ sport: 'soccer', league: 'bundesliga', category: 'sports' }, 'ok'],
  [{ sport: 'chess' }, 'invalid_request_params sport'],
  [{ league: 'bundesliga' }, 'invalid_request_params league'],
  [{ sport: 'soccer', league: 'nba' }, 'invalid_request_params league'],
  [{ sport: 'soccer', category: 'crypto' }, 'invalid_request_params category'],
])('a market of a sport of %o is %s', (spec, expected) => {
  const { core, nowMs } = new Venue();
  const made = core.at(nowMs).markets.create({ config: { kind: 'orderbook' }, ...spec });
  expect(faultOf(made)).toBe(expected);
  if (made.ok) expect(detailRow(core.catalog, core.catalog.market(made.value.index)).category).toBe('sports');
});
