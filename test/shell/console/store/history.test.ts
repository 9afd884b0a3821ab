import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { SqliteDriver } from '../../../../src/shared/base/sqlite-driver.js';
import { History, MOST_POINTS, StoreFile, takeSample } from '../../../../src/shell/console/store.js';
import { newFolder } from '../../../support/folders.js';
import { m } from '../../../trader/ledger/books.js';
import { market, toldTrader } from '../state-of-markets.js';

const START_MS = 1_699_200_000_000;
const HOUR_MS = 3_600_000;

let folder: string;
let notes: string[];
let steadyMs: number;
beforeEach(() => {
  folder = newFolder();
  notes = [];
  steadyMs = 0;
});

const pathOf = () => join(folder, 'ledger.sqlite.console');
function openFile(): StoreFile {
  const clocks = { nowMs: () => START_MS, steadyMs: () => steadyMs };
  const file = new StoreFile({ path: pathOf(), note: (text) => notes.push(text), ...clocks });
  onTestFinished(() => file.close());
  return file;
}

const sample = (timeMs: number, best = 500_000, id = 'm'): Parameters<History['add']>[0] => ({
  account: { timeMs, equityMicros: null, resultMicros: 7, lossDayMicros: 1 },
  markets: [
    {
      id,
      bestBidMicros: best,
      bestAskMicros: best + 20_000,
      fairMicros: best,
      bidMicros: null,
      askMicros: null,
      netMicros: -3,
    },
  ],
});

test('keeps the newest figures of a point, and the widest of the others’ prices', () => {
  const history = new History(openFile());
  for (const [ms, best] of [
    [0, 500_000],
    [1_000, 400_000],
    [2_000, 600_000],
    [5_000, 550_000],
  ] as const)
    history.add(sample(START_MS + ms, best));
  const span = { fromMs: START_MS, toMs: START_MS + 60_000 };
  expect(history.market('m', span)).toEqual([
    {
      ...sample(0, 600_000).markets[0],
      id: undefined,
      timeMs: START_MS,
      bestBidMicros: 400_000,
      bestAskMicros: 620_000,
    },
    { ...sample(0, 550_000).markets[0], id: undefined, timeMs: START_MS + 5_000 },
  ]);
  expect(history.account(span)).toEqual([sample(START_MS).account, sample(START_MS + 5_000).account]);
  expect(history.market('other', span)).toEqual([]);
});

test('is there after a restart, coarser the longer ago, and never more than a chart can show', () => {
  const first = openFile();
  const history = new History(first);
  for (let ms = 0; ms <= 8 * HOUR_MS; ms += 60_000) history.add(sample(START_MS + ms));
  first.close();
  const file = openFile();
  const again = new History(file);
  again.add(sample(START_MS + 8 * HOUR_MS + 5_000));
  const end = START_MS + 8 * HOUR_MS;
  expect(again.market('m', { fromMs: end - 60_000, toMs: end }).length).toBe(2);
  expect(again.market('m', { fromMs: START_MS, toMs: end }).length).toBe(8 * 60 + 1);
  expect(again.market('m', { fromMs: end - 80 * 86_400_000, toMs: end }).length).toBe(9);
  file.attempt((sqlite) => {
    const oldest = sqlite.prepare('SELECT min(time_s) FROM market_points WHERE scale = 5').pluck().get();
    expect(Number(oldest) * 1000).toBeGreaterThanOrEqual(end - 6 * HOUR_MS);
    const put = sqlite.prepare('INSERT INTO account_points VALUES (5, ?, NULL, NULL, 0)');
    for (let i = 1; i <= MOST_POINTS + 10; i++) put.run(end / 1000 + i * 5 + 5);
  }, undefined);
  expect(again.account({ fromMs: end, toMs: end + MOST_POINTS * 5_000 - 1 }).length).toBeLessThanOrEqual(MOST_POINTS);
});

test('shows and keeps what it has after a clock that was far ahead for a moment', () => {
  const history = new History(openFile());
  const endMs = Date.now();
  for (let ms = endMs - 7 * HOUR_MS; ms < endMs; ms += 60_000) history.add(sample(ms));
  const span = { fromMs: endMs - HOUR_MS, toMs: endMs };
  const before = [history.market('m', span), history.account(span)];
  history.add(sample(endMs + 365 * 86_400_000));
  expect([history.market('m', span), history.account(span)]).toEqual(before);
  expect(before[0]?.length).toBeGreaterThan(58);
  expect(history.newestMs()).toBeLessThanOrEqual(endMs);
});

test('keeps less of everything when it grows too large', () => {
  const file = openFile();
  const history = new History(file, 40_000);
  for (let ms = 0; ms <= 6 * HOUR_MS; ms += 60_000) {
    const { account, markets } = sample(START_MS + ms);
    history.add({ account, markets: [...markets, { ...markets[0], id: 'n' } as (typeof markets)[0]] });
  }
  const bytes = file.attempt(
    (sqlite) =>
      (Number(sqlite.pragma('page_count', { simple: true })) -
        Number(sqlite.pragma('freelist_count', { simple: true }))) *
      4096,
    0,
  );
  expect(bytes).toBeLessThan(80_000);
  const end = START_MS + 6 * HOUR_MS;
  expect(history.market('m', { fromMs: end - 60_000, toMs: end }).length).toBeGreaterThan(0);
});

test.each([
  ['no database', () => writeFileSync(pathOf(), 'something else'.repeat(400))],
  [
    'a damaged one',
    () => {
      const bytes = readFileSync(pathOf());
      bytes.fill(0xff, 4096);
      writeFileSync(pathOf(), bytes);
    },
  ],
  [
    'another version',
    () => {
      const sqlite = new SqliteDriver(pathOf());
      sqlite.pragma('user_version = 99');
      sqlite.close();
    },
  ],
])('puts %s aside and begins anew', (_, damage) => {
  const before = openFile();
  new History(before).add(sample(START_MS));
  before.close();
  damage();
  const file = openFile();
  const history = new History(file);
  // If the damage is met late, the first write is lost, never a later one.
  history.add(sample(START_MS));
  history.add(sample(START_MS + 5_000));
  expect(history.market('m', { fromMs: START_MS + 5_000, toMs: START_MS + 5_000 }).length).toBe(1);
  expect(notes).toEqual([expect.stringContaining('and a new file is created')]);
  expect(readdirSync(folder)).toContain(`ledger.sqlite.console.aside-${START_MS}`);
});

test('goes on without a disk, says so once, and takes it up again when there is room', () => {
  const file = openFile();
  const history = new History(file);
  history.add(sample(START_MS));
  file.attempt((sqlite) => sqlite.pragma('max_page_count = 1'), undefined);
  for (let i = 1; i < 2_000 && notes.length === 0; i++)
    history.add(sample(START_MS + i * 5_000, 500_000, `market ${i}`));
  history.add(sample(START_MS + 5_000));
  expect(notes).toEqual([expect.stringContaining('full')]);
  expect(history.account({ fromMs: START_MS, toMs: START_MS + 60_000 })).toEqual([]);
  steadyMs += 60_000;
  history.add(sample(START_MS + 10_000));
  expect(notes.at(-1)).toContain('can be used again');
  expect(history.market('m', { fromMs: START_MS, toMs: START_MS + 11_000 }).length).toBe(2);
});

test('takes its points from a trader that tells, of markets that matter', () => {
  const idle = { ...market('idle'), orders: [], bidMicros: null, yesMicros: m(0), noMicros: m(0) };
  const held = { ...idle, conditionId: 'held', noMicros: m(2) };
  const trader = toldTrader([market('quoted'), idle, held]);
  const taken = takeSample(trader, START_MS);
  expect(taken?.markets.map(({ id, netMicros, bidMicros }) => [id, netMicros, bidMicros])).toEqual([
    ['quoted', 3_000_000, 590_000],
    ['held', -2, null],
  ]);
  expect(taken?.account).toEqual({
    timeMs: START_MS,
    equityMicros: 1_001_000_000,
    resultMicros: 1_000_000,
    lossDayMicros: 10_000_000,
  });
  trader.onLost('gone');
  expect(takeSample(trader, START_MS)).toBeNull();
});
