import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listArchives, locateArchiveFolder } from '../../../../src/trader/ledger/archive/archive-file.js';
import { ArchiveCopier } from '../../../../src/trader/ledger/archive/copier.js';
import { openWithArchives } from '../../../../src/trader/ledger/archive/joined-reader.js';
import type { Ledger } from '../../../../src/trader/ledger/contract.js';
import { openLedger, openReadOnly } from '../../../../src/trader/ledger/ledger.js';
import { fillOf, HOLDER, inFolder, m, ONE } from '../books.js';
import { BEFORE_MS, fillLedger, OLD, RECENT, readAll, START_MS, withOld } from './old-ledger.js';

/** `stopAfter`: the process ends after so many steps, each a copy or what follows it. */
function archiveAll(path: string, ledger: Ledger, stopAfter = Number.POSITIVE_INFINITY): number {
  const copier = new ArchiveCopier(path, BEFORE_MS, RECENT);
  let steps = 0;
  try {
    for (let next: number | null = 0; next !== null; ) {
      if (++steps > stopAfter) return steps;
      const copied = copier.copy(next, 7);
      if (++steps > stopAfter) return steps;
      ledger.transaction(() => ledger.putAway(copied.archived));
      next = copied.next;
    }
    return steps;
  } finally {
    copier.close();
  }
}

describe('an archive', () => {
  it('takes what moved nothing, by months, and nobody who reads both misses anything', () =>
    withOld((ledger, path) => {
      const before = readAll(path);
      expect(before.problems).toEqual([]);
      const copier = new ArchiveCopier(path, BEFORE_MS, RECENT);
      expect(copier.count()).toEqual({ intents: 76, orders: 36, texts: 4, oldestMs: START_MS });
      copier.close();
      archiveAll(path, ledger);
      expect(readAll(path)).toEqual(before);
      expect(listArchives(path).map(({ month }) => month)).toEqual(['2026-01', '2026-02']);
      const alone = openReadOnly(path);
      expect(alone.verify()).toEqual([]);
      expect(alone.pnl(new Map())).toEqual(before.pnl);
      expect(alone.fills()).toEqual(before.fills);
      expect(alone.orders({ limit: 1e6 }).map(({ pubkey }) => pubkey)).toEqual([
        'newest',
        ...[30, 20, 10, 0].map((i) => `order-${i}`),
      ]);
      expect(alone.intents({ limit: 1e6 }).length).toBe(RECENT + 1 + 4);
      expect(alone.intent('run-p-10')).toMatchObject({ message: null, signature: null, reason: '{"i":10}' });
      // Still known, without its archive too.
      expect(alone.order('order-7')).toEqual(before.order);
      alone.close();
      expect(archiveAll(path, ledger)).toBe(2);
    }));

  it('ended anywhere, and begun again, has every row once', () =>
    withOld((ledger, path) => {
      const before = readAll(path);
      for (let stopAfter = 1; ; stopAfter++) {
        const steps = archiveAll(path, ledger, stopAfter % 5);
        expect(readAll(path)).toEqual(before);
        if (steps < stopAfter % 5) break;
      }
      expect(ledger.orders({ limit: 1e6 }).length).toBe(5);
    }));

  it('leaves what has changed since it was copied', () =>
    withOld((ledger, path) => {
      const copier = new ArchiveCopier(path, BEFORE_MS, RECENT);
      const { archived } = copier.copy(0, 5);
      copier.close();
      ledger.transaction(() => {
        ledger.changeOrder('order-1', { status: 'canceled', filledMicros: m(ONE), closedMs: START_MS });
        ledger.bookFill(fillOf({ pubkey: 'late', orderPubkey: 'order-1', amountMicros: m(ONE) }));
      });
      ledger.transaction(() => ledger.putAway(archived));
      expect(archived.whole).toContain('run-p-1');
      expect(ledger.intent('run-p-1')).not.toBeNull();
      expect(ledger.order('order-1')?.bookedMicros).toBe(ONE);
      expect(ledger.verify()).toEqual([]);
    }));

  it('lets a late trade of an archived order be booked, once', () =>
    withOld((ledger, path) => {
      archiveAll(path, ledger);
      const cash = ledger.cash();
      const late = fillOf({ pubkey: 'late', orderPubkey: 'order-7', amountMicros: m(ONE) });
      const book = () =>
        ledger.transaction(() => {
          expect(ledger.order('order-7')?.amountMicros).toBe(10 * ONE);
          return ledger.bookFill(late);
        });
      expect(book()).toBe('booked');
      expect(book()).toBe('repeated');
      ledger.transaction(() =>
        ledger.changeOrder('order-7', { status: 'canceled', filledMicros: m(ONE), closedMs: 5 }),
      );
      expect(ledger.cash()).toBeLessThan(cash);
      expect(ledger.intent('run-p-7')).toMatchObject({ strategy: 'maker', feeRateMicros: 10_000, runId: 'run' });
      expect(ledger.order('order-7')).toMatchObject({ bookedMicros: ONE, filledMicros: ONE });
      expect(ledger.verify()).toEqual([]);
      // It moved money now: it never leaves again, and its archive still says why it was placed.
      archiveAll(path, ledger);
      expect(ledger.order('order-7')?.bookedMicros).toBe(ONE);
      expect(readAll(path).orders.length).toBe(OLD + 1);
      expect(readAll(path).intent).toMatchObject({ message: 'message 7', signature: 'signature 7' });
    }));

  it('is not needed to trade on, and is refused when it is of another ledger', () =>
    withOld((ledger, path) => {
      archiveAll(path, ledger);
      inFolder((other) => {
        const stranger = openLedger(other, HOLDER);
        stranger.transaction(() => stranger.startRun({ id: 'other', version: '0', configHash: 'h', startedMs: 1 }));
        fillLedger(stranger);
        cpSync(locateArchiveFolder(path), locateArchiveFolder(other), { recursive: true });
        expect(() => archiveAll(other, stranger)).toThrow('of another ledger');
        expect(stranger.orders({ limit: 1e6 }).length).toBe(OLD + 1);
        stranger.close();
      });
      const [first] = listArchives(path);
      writeFileSync(first?.path ?? '', 'no database at all'.repeat(100));
      expect(() => openWithArchives(path)).toThrow('cannot be used');
      rmSync(locateArchiveFolder(path), { recursive: true });
      expect(readAll(path).pnl).toEqual(ledger.pnl(new Map()));
      expect(ledger.order('order-7')).not.toBeNull();
    }));
});
