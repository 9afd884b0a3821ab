import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeBackup } from '../../../src/shell/backup/backups.js';
import { openReadOnly } from '../../../src/trader/ledger/ledger.js';
import { addCanceled, markComparedTo } from '../../trader/ledger/canceled-orders.js';
import { run } from '../run.js';
import { folderWith } from './written.js';

const OLD_MS = Date.UTC(2001, 0, 1);
const BACKUPS = { maxBytes: 1e9 };

/** A folder with a ledger of 2001: nine canceled orders, and the last order that was compared. */
function folder(): { readonly cwd: string; readonly path: string } {
  const cwd = folderWith((ledger) => {
    ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
    for (let day = 0; day < 9; day++) addCanceled(ledger, `order-${day}`, OLD_MS + day * 86_400_000);
    addCanceled(ledger, 'newest', OLD_MS + 30 * 86_400_000);
    markComparedTo(ledger, 'newest');
  });
  return { cwd, path: join(cwd, 'twinbook.sqlite') };
}

const prune = (cwd: string, ...args: string[]) => run(['ledger', 'prune', ...args, '-c', 'trader.yaml'], { cwd });

function countOrders(path: string): number {
  const ledger = openReadOnly(path);
  const { length } = ledger.orders();
  ledger.close();
  return length;
}

const backUpAt = (path: string, atMs: number) => makeBackup({ path, backups: BACKUPS }, atMs);

describe('ledger prune', () => {
  it('wants a whole backup that is newer than the date, and says how to make one', async () => {
    const { cwd, path } = folder();
    const { path: older } = await backUpAt(path, OLD_MS + 86_400_000);
    expect(statSync(`${path}.backup`).mtimeMs).toBe(OLD_MS + 86_400_000);
    const without = await prune(cwd, '--before', '2001-01-05');
    expect(without).toMatchObject({ code: 1, err: expect.stringContaining('no backup in ') });
    expect(without.err).toContain('was made after 2001-01-05 00:00:00 UTC: nothing was deleted');
    expect(without.err).toContain('Make a backup with `twinbook ledger backup`');
    const { path: damaged } = await backUpAt(path, OLD_MS + 9 * 86_400_000);
    appendFileSync(damaged, 'more');
    expect((await prune(cwd, '--before', '2001-01-05')).err).toContain('no undamaged backup in ');
    expect(countOrders(path)).toBe(10);
    expect((await prune(cwd, '--before', '2001-01-02', '--json')).out).toContain(older);
    expect(countOrders(path)).toBe(9);
  });

  it('deletes, tells rows and bytes, and explain names the date', async () => {
    const { cwd, path } = folder();
    await backUpAt(path, OLD_MS + 90 * 86_400_000);
    const { code, out } = await prune(cwd, '--before', '2001-01-05 00:00', '--json');
    expect(code).toBe(0);
    const before = Date.UTC(2001, 0, 5);
    expect(JSON.parse(out)).toMatchObject({ before, until: before, rows: 12, batches: expect.any(Number) });
    expect(countOrders(path)).toBe(6);
    const all = await prune(cwd, '--before', '2001-03-01');
    expect(all.out).toMatch(
      /^deleted 15 rows that ended before 2001-03-01 00:00:00 UTC; the file is [\d.]+ MB smaller\n/,
    );
    expect(all.out).toContain('orders that ended after 2001-01-30 23:59:50 UTC were kept');
    const explained = await run(['explain', 'order-1', '-c', 'trader.yaml'], { cwd });
    expect(explained.err).toContain('orders without fills were pruned before 2001-01-30 23:59:50 UTC');
    expect((await run(['ledger', 'verify', '-c', 'trader.yaml'], { cwd })).code).toBe(0);
  });

  it.each([
    ['yesterday', "argument 'yesterday' is invalid. Wanted a day or a time in UTC: '2026-11-25'"],
    ['2001-02-31', "option '--before <date>' argument '2001-02-31' is invalid. Wanted a day"],
    ['2001-02-03 25:00', "argument '2001-02-03 25:00' is invalid. Wanted a day or a time in UTC"],
    ['9999-01-01', '--before 9999-01-01 00:00:00 UTC lies in the future'],
  ])('refuses %s with the field, the value and the form', async (date, says) => {
    const { code, err } = await prune(folder().cwd, '--before', date);
    expect([code, err]).toEqual([2, expect.stringContaining(says)]);
  });
});
