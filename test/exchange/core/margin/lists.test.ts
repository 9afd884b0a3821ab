import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarginPage, MarginPageQuery } from '../../../../src/exchange/core/contract.js';
import { eventRow } from '../../../../src/exchange/core/records/market-rows.js';
import type { SortedPlace } from '../../../../src/shared/protocol/cursors.js';
import { accepted, m } from '../venue.js';
import { MarginDesk, POLYMARKET, STEP } from './desk.js';
import { MarginDrawer } from './drawer.js';

/** All pages of a list in order. */
function walk<T>(read: (query: MarginPageQuery) => MarginPage<T>, limit: number, oldestFirst: boolean): T[] {
  const rows: T[] = [];
  for (let after: SortedPlace | undefined; ; ) {
    const page = read({ limit, after, oldestFirst });
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    rows.push(...page.rows);
    if (page.next === null) return rows;
    expect(page.rows).toHaveLength(limit);
    after = page.next;
  }
}

describe('the lists of margin', () => {
  it('page by page, either way and under any filter, are the whole list filtered', () => {
    const sizes = fc.integer({ min: 1, max: 7 });
    const filters = fc.record({
      market: fc.option(fc.integer({ min: 0, max: 3 })),
      isYes: fc.option(fc.boolean()),
      isClosed: fc.option(fc.boolean()),
      state: fc.option(fc.constantFrom('completed', 'failed', 'cancelled', 'order_placed', 'created')),
      settled: fc.option(fc.constantFrom('done', 'claimable', 'created')),
    });
    const seeds = fc.integer({ min: 0, max: 1e6 });
    fc.assert(
      fc.property(seeds, sizes, fc.boolean(), filters, (seed, limit, oldestFirst, filter) => {
        const drawer = new MarginDrawer(seed);
        for (let step = 0; step < 200; step++) drawer.step();
        const { catalog, margin } = drawer.core;
        const account = 1 + (seed % 3);
        const { market, isYes, isClosed, state, settled } = filter;
        const id = market === null ? undefined : catalog.market(market % catalog.markets.length).card.conditionId;
        const isAny = <T>(wanted: T | null | undefined, found: T) => (wanted ?? found) === found;

        /** The pages under the filter, and the rows of the whole list that it wants. */
        function compare<T>(read: (q: MarginPageQuery, own: boolean) => MarginPage<T>, isWanted: (_: T) => boolean) {
          const wanted = read({ limit: 10_000 }, false).rows.filter(isWanted);
          const pages = walk((query) => read(query, true), limit, oldestFirst);
          expect(pages).toEqual(oldestFirst ? wanted.toReversed() : wanted);
        }

        const requested = { is_yes: isYes ?? undefined, states: state === null ? undefined : [state] };
        compare(
          (query, own) =>
            margin.requestPage(account, own ? { ...query, ...requested, market_condition_id: id } : query),
          (row) => isAny(id, row.market.condition_id) && isAny(isYes, row.is_yes) && isAny<string>(state, row.state),
        );
        const held = { is_closed: isClosed ?? undefined, market_condition_id: id };
        compare(
          (query, own) => margin.positionPage(account, own ? { ...query, ...held } : query),
          (row) => isAny(id, row.market.condition_id) && isAny(isClosed, row.is_closed),
        );
        const ended = { states: settled === null ? undefined : [settled], market_condition_id: id };
        compare(
          (query, own) => margin.settlementPage(account, own ? { ...query, ...ended } : query),
          (row) => isAny(id, row.position.market.condition_id) && isAny<string>(settled, row.state),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('show live and final records together, newest first, across more than a block of the archive', () => {
    const desk = new MarginDesk();
    const account = desk.account(1);
    const made: string[] = [];
    for (let number = 0; number < 230; number++) {
      const { pubkey } = accepted(desk.draft(account, { funds: '5' }));
      made.push(pubkey);
      // Every fifth stays a draft.
      if (number % 5 !== 0) accepted(desk.now.margin.requests.cancel(account, pubkey));
    }
    const read = (query: MarginPageQuery) => core.margin.requestPage(account, query);
    const { core } = desk;
    expect(walk(read, 13, false).map((row) => row.pubkey)).toEqual([...made].reverse());
    expect(walk(read, 100, true).map((row) => row.pubkey)).toEqual(made);
  });

  it('of settlements filter by position, leverage and the state of the market', () => {
    const desk = new MarginDesk();
    const account = desk.account(1);
    const other = desk.market(POLYMARKET);
    const first = desk.open(account, { leverage: '2.5' }).pubkey;
    accepted(desk.close(account, first));
    const second = desk.open(account, { leverage: '3', market: other }).pubkey;
    accepted(desk.now.markets.resolve(other, true));
    desk.pass(STEP);
    const pubkeys = (query: object) =>
      desk.core.margin.settlementPage(account, { limit: 10, ...query }).rows.map((row) => row.position_pubkey);
    expect([pubkeys({}), pubkeys({ position_pubkey: first })]).toEqual([[second, first], [first]]);
    expect([pubkeys({ position_leverage: m('2.5') }), pubkeys({ market_state: 'open' })]).toEqual([[first], [first]]);
    expect([pubkeys({ market_state: 'resolved' }), pubkeys({ market_state: 'interrupted' })]).toEqual([[second], []]);
    accepted(desk.now.markets.setState(desk.id, 'interrupted'));
    expect(pubkeys({ market_state: 'open' })).toEqual([first]);
    accepted(desk.now.markets.resolve(desk.id, null));
    expect([pubkeys({ market_state: 'open' }), pubkeys({ market_state: 'resolved' })]).toEqual([[], [second, first]]);
    expect([pubkeys({ market_state: 'canceled' }), pubkeys({ market_condition_id: 'nowhere' })]).toEqual([[first], []]);
  });

  it('of positions filter by event', () => {
    const desk = new MarginDesk(POLYMARKET, { event: 'A' });
    const account = desk.account(1);
    const other = desk.market(POLYMARKET, { event: 'B' });
    const [inA, inB] = [desk.open(account).pubkey, desk.open(account, { market: other }).pubkey];
    const of = (event: string) =>
      desk.core.margin.positionPage(account, { limit: 10, event_condition_id: event }).rows.map((row) => row.pubkey);
    expect(of(eventRow(desk.core.catalog, 0).condition_id)).toEqual([inA]);
    expect([of(eventRow(desk.core.catalog, 1).condition_id), of('nowhere')]).toEqual([[inB], []]);
  });

  it('the activity of a market keeps the newest thousand, by type and page by page', () => {
    const desk = new MarginDesk({ ...POLYMARKET, opening_fee: '0', closing_fee: '0' });
    const account = desk.account(1);
    for (let number = 0; number < 505; number++) {
      const { pubkey } = desk.open(account, { funds: '5', leverage: '1' });
      accepted(desk.close(account, pubkey));
    }
    const all = [];
    for (let beforeId: number | undefined; ; ) {
      const page = desk.core.margin.activityPage(0, { limit: 99, beforeId });
      all.push(...page.rows);
      if (page.nextBeforeId === null) break;
      beforeId = page.nextBeforeId;
    }
    expect(all).toHaveLength(1_000);
    expect(all[0]).toMatchObject({ activity_type: 'closed', user: { username: expect.stringMatching(/^trader-/) } });
    expect(desk.core.margin.activityPage(0, { limit: 1_000, activity_type: 'opened' }).rows).toHaveLength(500);
  });
});
