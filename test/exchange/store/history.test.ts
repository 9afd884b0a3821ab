import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FiltersOf, Wire } from '../../../src/exchange/core/contract.js';
import type { CoreSnapshot, ExchangeCore } from '../../../src/exchange/core/core.js';
import { PersistentCore } from '../../../src/exchange/store/persistent-core.js';
import { HISTORY_SETTINGS, History } from './history.js';

const ORDERS = 20_000;
const OPEN = 40;
const ACCOUNTS = [1, 2, 3, 4, 5, 6, 7, 8];

let folder: string;
let persistentCore: PersistentCore;
let history: History;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'twinbook-history-'));
  persistentCore = PersistentCore.open(folder, HISTORY_SETTINGS);
  history = new History(persistentCore.core, 1_600_000_000_000);
  while (history.orders < ORDERS) {
    persistentCore.batch(() => {
      for (let n = 0; n < 500; n++) history.step();
    });
  }
  for (let n = 0; n < OPEN; n++) history.rest();
  persistentCore.core.advance(history.nowMs + HISTORY_SETTINGS.draftLifetimeMs);
}, 120_000);

afterAll(() => {
  persistentCore.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A whole list, page by page. */
function all(core: ExchangeCore, account: number, filter: FiltersOf<'orders.list'>): Wire<'orderRow'>[] {
  const rows: Wire<'orderRow'>[] = [];
  for (let beforeId: number | undefined; ; ) {
    const page = core.orders.page(account, { limit: 100, beforeId, ...filter });
    rows.push(...page.rows);
    if (page.nextBeforeId === null) return rows;
    beforeId = page.nextBeforeId;
  }
}

const pubkeys = (rows: readonly Wire<'orderRow'>[]) => rows.map(({ pubkey }) => pubkey);

describe('an exchange with a history', () => {
  it('holds in memory only what is alive', () => {
    const { orders, due } = persistentCore.core.snapshot() as CoreSnapshot;
    expect(orders.records).toHaveLength(OPEN);
    expect(orders.lastId).toBe(history.orders);
    expect(due.entries).toEqual([]);
  });

  it('lists every order once, and by each filter those that it says', () => {
    const { core } = persistentCore;
    let listed = 0;
    for (const account of ACCOUNTS) {
      const rows = all(core, account, {});
      expect(new Set(pubkeys(rows)).size).toBe(rows.length);
      listed += rows.length;
      const market = rows[0]?.market.condition_id;
      const filters: readonly (readonly [FiltersOf<'orders.list'>, (row: Wire<'orderRow'>) => boolean])[] = [
        [{ status: ['partially_filled_canceled'] }, ({ status }) => status === 'partially_filled_canceled'],
        [{ status: ['open', 'expired'] }, ({ status }) => status === 'open' || status === 'expired'],
        [{ is_yes: false }, ({ outcome }) => !outcome.is_yes],
        [{ side: 'sell' }, ({ side }) => side === 'sell'],
        [{ market_condition_id: market }, (row) => row.market.condition_id === market],
        [
          { market_condition_id: market, is_yes: true, side: 'buy', status: ['filled'] },
          (row) => row.market.condition_id === market && row.outcome.is_yes && row.status === 'filled',
        ],
      ];
      for (const [filter, wanted] of filters) {
        expect(pubkeys(all(core, account, filter))).toEqual(pubkeys(rows.filter(wanted)));
      }
    }
    expect(listed).toBe(history.orders);
  });
});
