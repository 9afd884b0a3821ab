import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CoreSnapshot, ExchangeCore, MUTATORS } from '../../../src/exchange/core/core.js';
import { memoryArchive } from '../../../src/exchange/core/records/archive.js';
import { assetPage } from '../../../src/exchange/core/records/assets.js';
import { bookRow, priceRow, publicTradePage, statsRow } from '../../../src/exchange/core/records/market-rows.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import { times } from '../../support/effort.js';
import { checkConservation } from '../model/compare.js';
import { copyOf, rowsOf } from './archives.js';
import { Drawer, throughJson } from './drawer.js';
import { MARGIN_CALLS } from './margin/drawer.js';
import { levelAmount, settings } from './venue.js';

const hash = (core: ExchangeCore): string => createHash('sha256').update(JSON.stringify(core.snapshot())).digest('hex');

/** The column has pairs of an account and a 1. */
const unlimitedOf = ({ funds }: CoreSnapshot): number[] => funds.unlimited.filter((_, at) => at % 2 === 0);

/** Every lock belongs to an open order, a conversion or the draft of a redeem, and no more is locked than exists. */
function checkLocks(core: ExchangeCore, saved: CoreSnapshot): void {
  const { funds, resting, conversions, redeems } = saved;
  const locks = new Map<string, number>();
  const add = (key: string, amount: number) => locks.set(key, (locks.get(key) ?? 0) + amount);
  for (const [market, values] of resting.entries()) {
    for (let at = 0; at < values.length; at += 8) {
      const [, , account = 0, , leg = 0, remaining = 0, locked = 0] = values.slice(at, at + 8);
      if (leg % 2 === 0) add(`${account}`, locked);
      else add(`${account}/${market}/${leg === 1 ? 'yes' : 'no'}`, remaining);
    }
  }
  for (const { state, kind, account, market, amount } of [...conversions.merges, ...conversions.splits]) {
    if (state !== 'waiting_to_sign' && state !== 'in_process') continue;
    for (const key of kind === 'split' ? [`${account}`] : [`${account}/${market}/yes`, `${account}/${market}/no`])
      add(key, amount);
  }
  for (const { state, account, market, yes, no } of redeems.records) {
    if (state !== 'waiting_to_sign') continue;
    add(`${account}/${market}/yes`, yes);
    add(`${account}/${market}/no`, no);
  }
  const unlimited = unlimitedOf(saved);
  for (let slot = 0; slot < funds.count; slot++) {
    const { total, locked, available } = core.funds.read(slot);
    expect(locked).toBe(locks.get(`${slot}`) ?? 0);
    if (!unlimited.includes(slot)) expect(Math.min(total, available)).toBeGreaterThanOrEqual(0);
    for (let market = 0; market < core.catalog.markets.length; market++) {
      const held = core.catalog.market(market).shares.read(slot);
      expect(held.yesLocked).toBe(locks.get(`${slot}/${market}/yes`) ?? 0);
      expect(held.noLocked).toBe(locks.get(`${slot}/${market}/no`) ?? 0);
      expect(Math.min(held.yes - held.yesLocked, held.no - held.noLocked)).toBeGreaterThanOrEqual(0);
    }
  }
}

describe('the exchange under random commands', () => {
  it('creates and loses nothing, and every lock has its reason, after each command', () =>
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const drawer = new Drawer(seed);
        for (let step = 0; step < 120; step++) {
          drawer.step();
          const saved = drawer.core.snapshot() as CoreSnapshot;
          const accounts = Array.from({ length: saved.funds.count }, (_, slot) => slot);
          checkConservation(drawer.core, accounts, unlimitedOf(saved));
          checkLocks(drawer.core, saved);
        }
      }),
      { numRuns: times(4, 12) },
    ));

  it('is the same after a snapshot and the journal since, and after the journal alone', () =>
    fc.assert(
      fc.property(fc.nat(), fc.nat(400), (seed, cut) => {
        const drawer = new Drawer(seed);
        for (let step = 0; step < cut; step++) drawer.step();
        const snapshot = throughJson(drawer.core.snapshot());
        const before = hash(drawer.core);
        const done = drawer.journal.length;
        for (let step = 0; step < 400 - cut; step++) drawer.step();
        // As after a crash: the archive is newer than the snapshot.
        const archive = copyOf(drawer.archive);
        const copy = new ExchangeCore(settings, snapshot, archive);
        expect(hash(copy)).toBe(before);
        for (const command of drawer.journal.slice(done)) copy.apply(command);
        const rebuilt = memoryArchive();
        const core = new ExchangeCore(settings, undefined, rebuilt);
        for (const command of drawer.journal) core.apply(command);
        expect([hash(copy), hash(core)]).toEqual([hash(drawer.core), hash(drawer.core)]);
        expect(rowsOf(drawer.archive).length).toBeGreaterThan(0);
        expect([rowsOf(archive), rowsOf(rebuilt)]).toEqual([rowsOf(drawer.archive), rowsOf(drawer.archive)]);
        expect(bookRow(copy.catalog.market(0), true, 100)).toEqual(bookRow(drawer.core.catalog.market(0), true, 100));
      }),
      { numRuns: times(8, 25) },
    ));

  it('draws every mutator', () => {
    const drawn = new Set<string>();
    for (let seed = 0; seed < 10; seed++) {
      const drawer = new Drawer(seed);
      for (let step = 0; step < 400; step++) drawer.step();
      for (const [, method] of drawer.journal) drawn.add(method);
    }
    // Calls of margin are drawn in margin/replay.test.ts.
    const ours = MUTATORS.filter((method) => !MARGIN_CALLS.some((other) => other === method));
    expect([...drawn].sort()).toEqual([...ours].sort());
  });

  it('reads without changing anything', () => {
    const drawer = new Drawer(3);
    for (let step = 0; step < 300; step++) drawer.step();
    const { core } = drawer;
    const before = hash(core);
    for (let account = 0; account < 7; account++) {
      core.orders.page(account, { limit: 100 });
      core.orders.trades(account, { limit: 100 });
      assetPage(core.catalog, account, { limit: 200 });
      core.funds.read(account);
      core.catalog.market(0).shares.read(account);
    }
    bookRow(core.catalog.market(0), false, 100);
    statsRow(core.catalog.market(0), core.nowMs);
    priceRow(core.catalog.market(0), true);
    publicTradePage(core.catalog.market(0), { limit: 100 });
    levelAmount(core.catalog.market(0), 0, 400_000 as Micros);
    expect(hash(core)).toBe(before);
  });

  it('keeps the names of its trades under settings with another seed', () => {
    const drawer = new Drawer(5);
    for (let step = 0; step < 300; step++) drawer.step();
    const copy = new ExchangeCore({ ...settings, seed: 99 }, throughJson(drawer.core.snapshot()), drawer.archive);
    const trades = [1, 2, 3, 4].flatMap((account) => drawer.core.orders.trades(account, { limit: 100 }).rows);
    expect(trades.length).toBeGreaterThan(5);
    expect([1, 2, 3, 4].flatMap((account) => copy.orders.trades(account, { limit: 100 }).rows)).toEqual(trades);
  });

  it('refuses what is no snapshot of this version', () => {
    for (const nonsense of [null, 7, {}, { version: 1 }, { version: '2' }])
      expect(() => new ExchangeCore(settings, nonsense)).toThrow(RangeError);
  });
});
