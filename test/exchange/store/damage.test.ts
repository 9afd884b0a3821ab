import { mkdirSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { memoryArchive } from '../../../src/exchange/core/records/archive.js';
import { openDatabase, Transactions } from '../../../src/exchange/store/database.js';
import { CoreJournal, PersistentCore, recordMutations } from '../../../src/exchange/store/persistent-core.js';
import { openArchive } from '../../../src/exchange/store/sqlite-archive.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../core/archives.js';
import { Drawer, throughJson } from '../core/drawer.js';
import { settings } from '../core/venue.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = newFolder();
  file = join(folder, 'exchange.sqlite');
});

function fill(): void {
  const drawer = new Drawer(1);
  for (let step = 0; step < 100; step++) drawer.step();
  const persistentCore = PersistentCore.open(folder, settings);
  for (const command of drawer.journal) persistentCore.core.apply(command);
  persistentCore.close();
}

function change(sql: string): void {
  const db = new SqliteDriver(file);
  db.exec(sql);
  db.close();
}

const DAMAGES: readonly (readonly [what: string, damage: () => void])[] = [
  ['cut in half', () => truncateSync(file, Math.floor(readFileSync(file).length / 2))],
  ['overwritten at its beginning', () => writeSync(openSync(file, 'r+'), 'not a database any more, not at all')],
  ['full of something else', () => writeFileSync(file, 'nonsense '.repeat(10_000))],
  ['with a snapshot that was cut', () => change('UPDATE snapshot SET state = substr(state, 1, 500)')],
  ['with a foreign snapshot', () => change(`UPDATE snapshot SET state = '{"settings":{},"core":{"version":7}}'`)],
  ['with an unknown call', () => change(`INSERT INTO journal (now_ms, method, args) VALUES (1, 'forget', '[]')`)],
  ['with a call that was cut', () => change(`INSERT INTO journal (now_ms, method, args) VALUES (1, 'advance', '[')`)],
];

it.each(DAMAGES)('a damaged file: %s is refused at the start, and left alone', (_, damage) => {
  fill();
  damage();
  const before = readFileSync(file);
  expect(() => PersistentCore.open(folder, settings)).toThrowError(
    expect.objectContaining({ code: expect.stringMatching(/^(ledger_broken|file_unreadable)$/) }),
  );
  expect(readFileSync(file).equals(before)).toBe(true);
});

it('a folder whose pid file cannot be written is refused and let go of', () => {
  const pidFile = join(folder, 'exchange.pid');
  mkdirSync(pidFile);
  expect(() => openDatabase(folder)).toThrowError(expect.objectContaining({ code: 'file_unreadable' }));
  rmSync(pidFile, { recursive: true });
  openDatabase(folder).close();
});

it('a full disk ends the exchange, and what it had acknowledged is there when there is room again', () => {
  const drawer = new Drawer(2);
  for (let step = 0; step < 600; step++) drawer.step();
  const db = openDatabase(folder);
  const transactions = new Transactions(db);
  const journal = new CoreJournal(db, transactions);
  const core = new ExchangeCore(settings, undefined, openArchive(db, transactions));
  journal.save({ settings, core: core.snapshot() });
  recordMutations(core, journal);
  // SQLite's own limit has the effect of a full disk.
  db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 12}`);
  let acknowledged = 0;
  const work = () => {
    for (const command of drawer.journal) {
      core.apply(command);
      acknowledged += 1;
    }
  };
  const broken = expect.objectContaining({ code: 'ledger_broken' });
  expect(work).toThrowError(broken);
  expect(acknowledged).toBeGreaterThan(20);
  expect(() => core.advance(drawer.core.nowMs)).toThrowError(broken);
  expect(() => journal.save({ settings, core: core.snapshot() })).toThrowError(broken);
  db.close();

  // The same history up to the last acknowledged call.
  const expected = memoryArchive();
  const kept = new ExchangeCore(settings, undefined, expected);
  for (const command of drawer.journal.slice(0, acknowledged)) kept.apply(command);
  const persistentCore = PersistentCore.open(folder, settings);
  expect(throughJson(persistentCore.core.snapshot())).toEqual(throughJson(kept.snapshot()));
  persistentCore.close();
  const reopened = openDatabase(folder);
  expect(rowsOf(openArchive(reopened, new Transactions(reopened)))).toEqual(throughJson(rowsOf(expected)));
  reopened.close();
});
