import { describe, expect, it } from 'vitest';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { MemoryArchive } from '../../../src/exchange/core/records/memory-archive.js';
import type { Snapshot } from '../../../src/exchange/core/wiring.js';
import { throughJson } from './drawer.js';
import { accepted, faultOf, m, settings, Venue } from './venue.js';

/** In the eight cells of an account's shares: what of its NO is locked. */
const NO_LOCKED = 5;

/** A dump as it was while drafts of orders held locks: the sums count them, and each record says its own. */
function withLocks(now: Snapshot, account: number, locks: ReadonlyMap<string, number>): unknown {
  const { funds, orders, catalog } = now;
  const records = orders.records.map((record) => ({ ...record, draftLock: locks.get(record.pubkey) ?? 0 }));
  const sum = (leg: number) =>
    records.filter((record) => record.leg === leg).reduce((total, { draftLock }) => total + draftLock, 0);
  const markets = catalog.markets.map((market) => ({
    ...market,
    shares: { ...market.shares, cells: [...market.shares.cells, account * 8 + NO_LOCKED, sum(SELL_NO)] },
  }));
  return {
    ...now,
    funds: { ...funds, locked: [account, sum(BUY_YES)] },
    catalog: { ...catalog, markets },
    orders: { ...orders, records },
  };
}
const BUY_YES = 0;
const SELL_NO = 3;

describe('a snapshot from when drafts of orders held locks', () => {
  it('lets go of them at once, and its drafts can still be submitted', () => {
    const venue = new Venue();
    const account = venue.account(1);
    venue.split(account, '20');
    const buy = venue.draft(account, [true, 'buy', '0.42', '10']);
    const sell = venue.draft(account, [false, 'sell', '0.7', '12']);
    const now = throughJson(venue.core.snapshot()) as Snapshot;
    const locks = new Map([
      [buy, m('4.242')],
      [sell, m('12')],
    ]);
    const core = ExchangeCore.restore(settings, throughJson(withLocks(now, account, locks)), new MemoryArchive());
    expect(core.readFunds(account)).toMatchObject({ total: m('9980'), locked: 0 });
    expect(core.readHolding(account, 0)).toMatchObject({ yesLocked: 0, noLocked: 0 });
    // Nothing of the old locks is left in what is written from now on.
    expect(throughJson(core.snapshot())).toEqual(now);
    for (const pubkey of [buy, sell]) accepted(core.submitOrder(venue.nowMs, account, pubkey, true));
    expect(core.readFunds(account).locked).toBe(m('4.242'));
    expect(core.readHolding(account, 0)).toMatchObject({ yesLocked: 0, noLocked: m('12') });
    expect(faultOf(core.submitOrder(venue.nowMs, account, buy, true))).toBe('invalid_program_call_status');
  });
});
