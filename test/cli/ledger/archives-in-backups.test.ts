import {
  cpSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { ArchiveCopier } from '../../../src/trader/ledger/archive/copier.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { trader } from '../../shell/config/files.js';
import { folderOf } from '../../support/folders.js';
import { BEFORE_MS, fillLedger, RECENT, readAll, START_MS } from '../../trader/ledger/archive/old-ledger.js';
import { fillOf, HOLDER, m, ONE } from '../../trader/ledger/books.js';
import { run } from '../run.js';

const DAY_MS = 86_400_000;
const CONFIG = ['-c', 'trader.yaml'] as const;

/** A ledger whose old orders have left it. */
function makeArchived(cwd = folderOf({})): { cwd: string; ledger: string } {
  writeFileSync(join(cwd, 'trader.yaml'), trader());
  const path = join(cwd, 'twinbook.sqlite');
  const ledger = openLedger(path, HOLDER);
  fillLedger(ledger);
  ledger.close();
  archive(path, BEFORE_MS);
  return { cwd, ledger: path };
}

/** One with a backup, which is made once for all tests. */
const shared = mkdtempSync(join(tmpdir(), 'twinbook-'));
let name = '';
beforeAll(async () => {
  makeArchived(shared);
  name = basename(await backUp(shared));
});
afterAll(() => rmSync(shared, { recursive: true }));

function copyShared(): { cwd: string; ledger: string; backup: string } {
  const cwd = folderOf({});
  cpSync(shared, cwd, { recursive: true, preserveTimestamps: true });
  const ledger = join(cwd, 'twinbook.sqlite');
  const backup = join(`${ledger}.backups`, name);
  // Copied as files of their own.
  rmSync(`${ledger}.backup`);
  linkSync(backup, `${ledger}.backup`);
  return { cwd, ledger, backup };
}

function archive(path: string, beforeMs: number): void {
  const ledger = openLedger(path, HOLDER);
  const copier = new ArchiveCopier(path, beforeMs, RECENT);
  const { archived } = copier.copy(0, 1_000);
  ledger.transaction(() => ledger.putAway(archived));
  copier.close();
  ledger.close();
}

const ask = (cwd: string, ...words: string[]) => run(['ledger', ...words, ...CONFIG], { cwd });
const restore = (cwd: string, file: string, ...more: string[]) => ask(cwd, 'restore', file, '--reason', 'why', ...more);

async function backUp(cwd: string): Promise<string> {
  const { out, code } = await ask(cwd, 'backup', '--json');
  expect(code).toBe(0);
  return (JSON.parse(out) as { readonly path: string }).path;
}

const copiesOf = (ledger: string) => join(`${ledger}.backups`, 'archives');
const copyOf = (ledger: string, month: string) =>
  join(copiesOf(ledger), readdirSync(copiesOf(ledger)).find((name) => name.startsWith(month)) ?? '');

describe('archives', () => {
  it('are copied with a backup, once for all backups, and come back with it', async () => {
    const { cwd, ledger } = copyShared();
    const before = readAll(ledger);
    const copies = readdirSync(copiesOf(ledger)).sort();
    const file = statSync(copyOf(ledger, '2026-01')).ino;
    const made = await ask(cwd, 'backup');
    expect([made.code, made.out]).toEqual([0, expect.stringContaining('archive of 2026-02: 48 intents, 22 orders')]);
    const [backup = ''] = made.out.split(':', 1);
    expect(readdirSync(copiesOf(ledger)).sort()).toEqual(copies);
    expect(statSync(copyOf(ledger, '2026-01')).ino).toBe(file);
    expect(copies.map((name) => name.slice(0, 8))).toEqual(['2026-01.', '2026-02.']);
    expect(statSync(copyOf(ledger, '2026-01')).mode & 0o777).toBe(0o600);
    const listed = JSON.parse((await ask(cwd, 'backups', '--json')).out) as object[];
    expect(listed).toHaveLength(2);
    expect(listed).toMatchObject([{ archives: ['2026-01', '2026-02'] }, { path: backup }]);
    const verified = await ask(cwd, 'verify', backup);
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('with the archive of 2026-01')]);
    // Ledger and archives are lost, and the folder of backups was somewhere else meanwhile.
    const elsewhere = join(cwd, 'elsewhere');
    renameSync(`${ledger}.backups`, elsewhere);
    rmSync(`${ledger}.archive`, { recursive: true });
    writeFileSync(ledger, 'lost');
    const restored = await restore(cwd, join(elsewhere, backup.slice(backup.lastIndexOf('/') + 1)));
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining('archives: 2026-01 … 2026-02 (2)')]);
    expect(readAll(ledger)).toEqual(before);
    expect((await ask(cwd, 'verify')).code).toBe(0);
    expect(readdirSync(cwd).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  it('that had less when the backup was made serve it too, and those that were there go aside with their ledger', async () => {
    const cwd = folderOf({ 'trader.yaml': trader() });
    const path = join(cwd, 'twinbook.sqlite');
    const ledger = openLedger(path, HOLDER);
    fillLedger(ledger);
    ledger.close();
    archive(path, START_MS + 1.5 * DAY_MS);
    const before = readAll(path);
    const backup = await backUp(cwd);
    archive(path, BEFORE_MS);
    await backUp(cwd);
    const { code, out } = await restore(cwd, backup);
    expect(code).toBe(0);
    expect(readAll(path)).toEqual(before);
    const [, aside = ''] = /the ledger until now is (\S+)/.exec(out) ?? [];
    expect(readAll(aside)).toEqual(before);
    expect((await ask(cwd, 'verify', aside)).code).toBe(0);
  });

  it('leave a fill of an archived order booked once after a restore', async () => {
    const { cwd, ledger: path, backup } = copyShared();
    const late = fillOf({ pubkey: 'late', orderPubkey: 'order-7', amountMicros: m(ONE) });
    const book = () => {
      const ledger = openLedger(path, HOLDER);
      const booked = [1, 2].map(() => ledger.transaction(() => [ledger.order('order-7'), ledger.bookFill(late)][1]));
      const found = {
        booked,
        cash: ledger.cash(),
        problems: ledger.verify(),
        filled: ledger.order('order-7')?.bookedMicros,
      };
      ledger.close();
      return found;
    };
    const before = book();
    expect(before).toMatchObject({ booked: ['booked', 'repeated'], problems: [], filled: ONE });
    // The backup does not know of it: the exchange tells of it again.
    expect((await restore(cwd, backup)).code).toBe(0);
    expect(book()).toEqual(before);
    // This one does.
    const second = await backUp(cwd);
    expect((await restore(cwd, second)).code).toBe(0);
    expect(book()).toEqual({ ...before, booked: ['repeated', 'repeated'] });
    expect(readAll(path).orders).toHaveLength(41);
  });

  it.each([
    ['missing', (copy: string) => rmSync(copy), 'the archive of 2026-01 is not in '],
    [
      'changed',
      (copy: string) => {
        const sqlite = new SqliteDriver(copy);
        sqlite.exec("UPDATE intents SET reason = 'another'");
        sqlite.close();
      },
      'its checksum is not the one in its name',
    ],
    ['cut short', (copy: string) => writeFileSync(copy, ''), 'its checksum is not the one in its name'],
  ])('that are %s are an error of a restore and of a check, and no obstacle', async (_, spoil, says) => {
    const { cwd, ledger, backup } = copyShared();
    spoil(copyOf(ledger, '2026-01'));
    const verified = await ask(cwd, 'verify', backup);
    expect([verified.code, verified.out]).toEqual([6, expect.stringContaining(says)]);
    const refused = await restore(cwd, backup);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(says)]);
    expect(refused.err).toContain('--without-archives');
    expect(existsSync(`${ledger}.kill`)).toBe(false);
    expect(readdirSync(cwd).filter((name) => /restor/.test(name))).toEqual([]);
    const alone = await restore(cwd, backup, '--without-archives');
    expect([alone.code, alone.out]).toEqual([0, expect.stringContaining('stay as they are')]);
    expect((await ask(cwd, 'verify')).code).toBe(0);
  });

  it('that are lost beside the ledger are told by a check; the copies of its backups keep what they had', async () => {
    const { cwd, ledger } = copyShared();
    rmSync(`${ledger}.archive/2026-02.sqlite`);
    const verified = await ask(cwd, 'verify');
    expect([verified.code, verified.out]).toEqual([
      6,
      expect.stringContaining('21 orders of 2026-02 that left the ledger are in no archive'),
    ]);
    const made = await ask(cwd, 'backup');
    expect([made.code, made.out]).toEqual([0, expect.stringContaining('archive of 2026-02: 48 intents, 22 orders')]);
  });

  it('of the oldest month may have gone for their room', async () => {
    const { cwd, ledger } = makeArchived();
    rmSync(`${ledger}.archive/2026-01.sqlite`);
    const { code, out } = await ask(cwd, 'verify');
    expect(code).toBe(0);
    expect(out).toContain('14 orders of 2026-01 that left the ledger are in no archive: it went for its room');
  });

  it('lose no row in their copies when a month begins anew', async () => {
    const { cwd, ledger } = copyShared();
    const archived = `${ledger}.archive/2026-01.sqlite`;
    const sqlite = new SqliteDriver(archived);
    sqlite.exec('DELETE FROM orders WHERE seq > 5; DELETE FROM intents WHERE seq > 9');
    sqlite.close();
    expect((await ask(cwd, 'backup')).out).toContain('with the archive of 2026-01: 32 intents, 14 orders');
    const damaged = readFileSync(archived);
    writeFileSync(archived, damaged.fill(7, 4096, 9000));
    const made = await ask(cwd, 'backup');
    expect([made.code, made.out]).toEqual([6, expect.stringContaining('the archive of 2026-01 was not copied')]);
    expect(made.out).toContain('with the archive of 2026-01: 32 intents, 14 orders');
  });

  it('stay where a backup from before has no list of them, and one that was changed is refused', async () => {
    const { cwd, ledger, backup } = copyShared();
    rmSync(`${backup}.archives`);
    const restored = await restore(cwd, `${ledger}.backup`);
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining('stay as they are')]);
    const sqlite = new SqliteDriver(backup);
    sqlite.exec("INSERT INTO notes VALUES ('x', 'y')");
    sqlite.close();
    const refused = await restore(cwd, backup);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('was changed since it was made')]);
  });
});
