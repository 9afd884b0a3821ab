import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { readStopFile } from '../../../src/shell/control/stop-file.js';
import { openLedger, openReadOnly } from '../../../src/trader/ledger/ledger.js';
import { trader } from '../../shell/config/files.js';
import { folderOf } from '../../support/folders.js';
import { HOLDER } from '../../trader/ledger/books.js';
import { run } from '../run.js';
import { folderWith, writeLedger } from './written.js';

const CONFIG = ['-c', 'trader.yaml'] as const;

const keep = (cwd: string, note: string) => writeLedger(cwd, (ledger) => ledger.setNote('test', note));

/** A folder with a ledger that holds one note. */
const folder = () => folderWith((ledger) => ledger.setNote('test', 'first'));

function noteIn(cwd: string, file = 'twinbook.sqlite'): string | null {
  const ledger = openReadOnly(resolve(cwd, file));
  try {
    return ledger.note('test');
  } finally {
    ledger.close();
  }
}

async function backUp(cwd: string): Promise<string> {
  const made = await run(['ledger', 'backup', '--json', ...CONFIG], { cwd });
  expect(made.err).toBe('');
  return (JSON.parse(made.out) as { readonly path: string }).path;
}

/** Commits postings that do not add up to 0. */
function spoil(file: string): string {
  const sqlite = new SqliteDriver(file);
  sqlite.exec("INSERT INTO balances (account, asset, amount) VALUES ('nobody', 'currency', 5)");
  sqlite.close();
  return file;
}

function overwrite(file: string, content: string | Buffer): string {
  writeFileSync(file, content);
  return file;
}

describe('a backup', () => {
  it('is made beside whoever writes the ledger, checked, private, with its checksum and under the name of the newest', async () => {
    const cwd = folder();
    const writer = openLedger(join(cwd, 'twinbook.sqlite'), HOLDER);
    const path = await backUp(cwd);
    writer.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${path}.sha256`, 'utf8')).toMatch(/^[0-9a-f]{64} {2}2\S+Z\.sqlite\n$/);
    expect(statSync(join(cwd, 'twinbook.sqlite.backup')).ino).toBe(statSync(path).ino);
    expect(readdirSync(join(cwd, 'twinbook.sqlite.backups'))).toHaveLength(2);
    expect((await run(['ledger', 'verify', path, ...CONFIG], { cwd })).out).toBe(`${path} is undamaged\n`);
    expect(JSON.parse((await run(['ledger', 'backups', '--json', ...CONFIG], { cwd })).out)).toMatchObject([{ path }]);
  });

  it('of a ledger that does not add up is none, and the one before stays', async () => {
    const cwd = folder();
    const before = await backUp(cwd);
    spoil(join(cwd, 'twinbook.sqlite'));
    const { code, err } = await run(['ledger', 'backup', ...CONFIG], { cwd });
    expect(code).toBe(1);
    expect(err).toContain('is damaged: balance of nobody: 5 instead of 0');
    expect(statSync(join(cwd, 'twinbook.sqlite.backup')).ino).toBe(statSync(before).ino);
    const verified = await run(['ledger', 'verify', ...CONFIG], { cwd });
    expect([verified.code, verified.out]).toMatchObject([6, expect.stringContaining('balance of nobody')]);
  });
});

describe('a restore', () => {
  const restore = (cwd: string, file: string) =>
    run(['ledger', 'restore', file, '--reason', 'the disk lied', ...CONFIG], { cwd });

  it('puts the backup in its place, keeps what was there, and leaves a kill', async () => {
    const cwd = folder();
    const backup = await backUp(cwd);
    keep(cwd, 'second');
    // The name as `ledger backups` prints it.
    const { code, out } = await restore(cwd, basename(backup));
    expect(code).toBe(0);
    expect(noteIn(cwd)).toBe('first');
    expect(readFileSync(join(cwd, 'twinbook.sqlite.kill'), 'utf8')).toContain('the disk lied');
    expect(existsSync(backup)).toBe(true);
    const [, aside = ''] = /the previous ledger is kept as (\S+)/.exec(out) ?? [];
    expect(noteIn(cwd, aside)).toBe('second');
    expect(out).toContain('twinbook cancel-all --verify');
    expect(readdirSync(cwd).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  it('moves the log of a lost ledger aside', async () => {
    const cwd = folder();
    const path = join(cwd, 'twinbook.sqlite');
    const backup = await backUp(cwd);
    const writer = openLedger(path, HOLDER);
    writer.transaction(() => writer.setNote('test', 'second'));
    copyFileSync(`${path}-wal`, `${path}-kept`);
    writer.close();
    rmSync(path);
    renameSync(`${path}-kept`, `${path}-wal`);
    const { code, out } = await restore(cwd, backup);
    expect([code, noteIn(cwd), out.includes('is kept as')]).toEqual([0, 'first', false]);
    expect(readdirSync(cwd).filter((name) => name.includes('.before-restore-'))).toEqual([
      expect.stringMatching(/^twinbook\.sqlite\..*-wal$/),
    ]);
  });

  it('works where the ledger is damaged beyond reading, and keeps the reason of an earlier stop file', async () => {
    const cwd = folder();
    const backup = await backUp(cwd);
    writeFileSync(join(cwd, 'twinbook.sqlite'), 'not a ledger any more');
    const stopFile = join(cwd, 'twinbook.sqlite.kill');
    writeFileSync(stopFile, 'odd prices\n');
    expect([(await restore(cwd, backup)).code, noteIn(cwd)]).toEqual([0, 'first']);
    expect(readStopFile(stopFile)).toMatch(/^the ledger was restored from .*: the disk lied; earlier: odd prices$/);
  });

  it('takes the newest commits of a ledger from the log beside it', async () => {
    const cwd = folder();
    const path = join(cwd, 'twinbook.sqlite');
    const writer = openLedger(path, HOLDER);
    writer.transaction(() => writer.setNote('test', 'second'));
    for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, join(cwd, `old.sqlite${end}`));
    writer.close();
    keep(cwd, 'third');
    expect((await restore(cwd, 'old.sqlite')).code).toBe(0);
    expect(noteIn(cwd)).toBe('second');
    const moved = folderOf({ 'trader.yaml': trader().replace('twinbook.sqlite', 'new/twinbook.sqlite') });
    expect(await restore(moved, join(cwd, 'old.sqlite'))).toMatchObject({ code: 0, err: '' });
  });

  it.each<[string, (path: string) => string, string]>([
    ['that is not there', () => 'nowhere.sqlite', 'there is no file'],
    ['that is half a file', (path) => overwrite(path, readFileSync(path).subarray(0, 20_000)), ''],
    ['that does not add up', spoil, 'is damaged or incomplete: balance of nobody: 5 instead of 0'],
    ['that is no ledger', (path) => overwrite(path, 'x'.repeat(5_000)), ''],
  ])('from a backup %s changes nothing', async (_, spoilt, says) => {
    const cwd = folder();
    const backup = await backUp(cwd);
    keep(cwd, 'second');
    const { code, err } = await restore(cwd, spoilt(backup));
    expect(code).toBe(1);
    expect(err).toContain(says);
    expect(err.length).toBeGreaterThan(20);
    expect(noteIn(cwd)).toBe('second');
    expect(existsSync(join(cwd, 'twinbook.sqlite.kill'))).toBe(false);
    expect(readdirSync(cwd).filter((name) => name.includes('restor'))).toEqual([]);
  });

  it('is refused beside a trader', async () => {
    const cwd = folder();
    const backup = await backUp(cwd);
    const writer = openLedger(join(cwd, 'twinbook.sqlite'), HOLDER);
    const { code, err } = await restore(cwd, backup);
    writer.close();
    expect(code).toBe(1);
    expect(err).toContain('is written by process');
    expect(existsSync(join(cwd, 'twinbook.sqlite.kill'))).toBe(false);
  });
});
