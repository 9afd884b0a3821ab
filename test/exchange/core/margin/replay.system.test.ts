import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CoreSnapshot, ExchangeCore } from '../../../../src/exchange/core/core.js';
import { memoryArchive } from '../../../../src/exchange/core/records/archive.js';
import { times } from '../../../support/effort.js';
import { copyOf, rowsOf } from '../archives.js';
import { settings } from '../venue.js';
import { MARGIN_CALLS, MarginDrawer } from './drawer.js';

const RUNS = Number(process.env['TWINBOOK_MARGIN_RUNS'] ?? times(20, 200));
const STEPS = 150;

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const hash = (core: ExchangeCore): string => createHash('sha256').update(JSON.stringify(core.snapshot())).digest('hex');
const seeds = fc.integer({ min: 0, max: 1e9 });

/** Every place that can hold a user's funds, read from the records. */
function expectConserved({ core, accounts }: MarginDrawer): void {
  const { margin, catalog } = core.snapshot() as CoreSnapshot;
  const requests = margin?.requests.records ?? [];
  let currency = 0;
  for (const account of accounts) {
    const { total, locked, available } = core.funds.read(account);
    const drafted = requests.filter((record) => record.account === account && !record.isFunded);
    expect(locked).toBe(sum(drafted.map(({ reserved }) => reserved)));
    expect(available).toBeGreaterThanOrEqual(0);
    currency += total;
  }
  const pools = catalog.markets.map((market) => market.margin);
  const users = [
    ...requests.filter(({ isFunded }) => isFunded).map(({ reserved }) => reserved),
    ...(margin?.positions.records ?? []).filter(({ end }) => end === null).map(({ userLiquidity }) => userLiquidity),
    ...(margin?.settlements.records ?? []).map(({ payout }) => payout),
  ];
  expect(sum(pools.map((pool) => pool?.held ?? 0))).toBe(sum(users));
  expect(sum(accounts.map((account) => core.margin.pnl(account).held))).toBe(sum(users));
  expect(core.deposited).toBe(currency + core.matching.fees + core.margin.held);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('under random calls of several accounts, moves of prices, clock and markets', () => {
  it('no millionth appears or vanishes, and what an account has won is what its settlements say', () =>
    fc.assert(
      fc.property(seeds, (seed) => {
        const drawer = new MarginDrawer(seed);
        for (let step = 0; step < STEPS; step++) {
          drawer.step();
          expectConserved(drawer);
        }
        drawer.wind();
        expectConserved(drawer);
        const { core, accounts } = drawer;
        for (const account of accounts) {
          const { rows } = core.margin.settlementPage(account, { limit: 10_000 });
          const won = sum(rows.map(({ total_pnl }) => Math.round(Number(total_pnl) * 1e6)));
          expect(core.funds.read(account)).toMatchObject({ locked: 0, total: settings.startingFunds + won });
          expect(core.margin.pnl(account)).toEqual({ settlements: won, unrealized: 0, openingFees: 0, held: 0 });
          expect(rows.every(({ state, position }) => state === 'done' && position.is_claimed)).toBe(true);
        }
        // Finished records leave memory.
        const { margin } = core.snapshot() as CoreSnapshot;
        expect([margin?.requests.records, margin?.positions.records, margin?.settlements.records]).toEqual([
          [],
          [],
          [],
        ]);
      }),
      { numRuns: RUNS },
    ));

  it('a snapshot and the journal since give the identical state and archive', () =>
    fc.assert(
      fc.property(seeds, fc.integer({ min: 0, max: STEPS }), (seed, cut) => {
        const drawer = new MarginDrawer(seed);
        for (let step = 0; step < cut; step++) drawer.step();
        const snapshot = throughJson(drawer.core.snapshot());
        const since = drawer.journal.length;
        for (let step = cut; step < STEPS; step++) drawer.step();
        // The archive after a crash: with all rows added since the snapshot.
        const archive = copyOf(drawer.archive);
        const core = new ExchangeCore(settings, snapshot, archive);
        for (const command of throughJson(drawer.journal.slice(since))) core.apply(command);
        expect(hash(core)).toBe(hash(drawer.core));
        expect(rowsOf(archive)).toEqual(rowsOf(drawer.archive));
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    ));

  it('an exchange that is restored before every call, and so looks at everything, finds nothing else', () => {
    for (const seed of [1, 2, 3, 4]) {
      const drawer = new MarginDrawer(seed);
      for (let step = 0; step < STEPS; step++) drawer.step();
      const archive = memoryArchive();
      let core = new ExchangeCore(settings, undefined, archive);
      for (const command of throughJson(drawer.journal)) {
        core = new ExchangeCore(settings, throughJson(core.snapshot()), archive);
        core.apply(command);
      }
      expect(hash(core)).toBe(hash(drawer.core));
      expect(rowsOf(archive)).toEqual(rowsOf(drawer.archive));
    }
  });

  it('every call of margin is made, and each kind of end is met', () => {
    const methods = new Set<string>();
    const seen = new Set<string>();
    for (let seed = 0; seed < 12; seed++) {
      const drawer = new MarginDrawer(seed);
      for (let step = 0; step < 400; step++) drawer.step();
      for (const [, method] of drawer.journal) methods.add(method);
      for (const account of drawer.accounts) {
        for (const { state } of drawer.core.margin.requestPage(account, { limit: 10_000 }).rows) seen.add(state);
        for (const { is_liquidated, is_closed, tp_sl } of drawer.core.margin.positionPage(account, { limit: 10_000 })
          .rows) {
          seen.add(is_liquidated ? 'liquidated' : is_closed ? 'closed' : 'open');
          if (tp_sl?.trigger_type) seen.add(tp_sl.trigger_type);
        }
      }
      for (let market = 0; market < drawer.core.catalog.markets.length; market++) {
        for (const { activity_type } of drawer.core.margin.activityPage(market, { limit: 1_000 }).rows)
          seen.add(activity_type);
      }
    }
    expect(MARGIN_CALLS.filter((method) => !methods.has(method))).toEqual([]);
    const ends = [
      ...['completed', 'failed', 'cancelled', 'liquidated', 'closed', 'open'],
      ...['take_profit', 'stop_loss', 'increased'],
    ];
    expect(ends.filter((end) => !seen.has(end))).toEqual([]);
  });
});
