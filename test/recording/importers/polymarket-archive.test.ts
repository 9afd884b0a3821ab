/** Hourly files of the PMXT archive, and messages of the venue's channel. */

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importRecordings } from '../../../src/recording/import.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { withConnection } from '../../../src/recording/store/duckdb.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../samples.js';

const T = Date.parse('2026-07-25T17:20:00Z');
const HOUR = 3_600_000;
const MARKET = `0x${'ab'.repeat(32)}`;

type Level = readonly [price: string, size: string];

const message = (market: string, ms: number, side: 'YES' | 'NO', type: string, rest: object) => ({
  update_type: type,
  market_id: market,
  token_id: `${side === 'YES' ? 2 : 1}${market.slice(-3)}`,
  side,
  timestamp: (T + ms) / 1000,
  ...rest,
});

/** A snapshot of both tokens' book. */
const book = (ms: number, bids: readonly Level[], asks: readonly Level[], market = MARKET) => [
  message(market, ms, 'YES', 'book_snapshot', { bids, asks, best_bid: bids[0]?.[0], best_ask: asks[0]?.[0] }),
  message(market, ms, 'NO', 'book_snapshot', { bids: asks.map(mirror), asks: bids.map(mirror) }),
];
const mirror = ([price, size]: Level): Level => [(1 - Number(price)).toFixed(2), size];

const change = (ms: number, price: string, size: string, best: Level, market = MARKET) =>
  message(market, ms, 'YES', 'price_change', {
    change_price: price,
    change_size: size,
    change_side: 'BUY',
    best_bid: best[0],
    best_ask: best[1],
  });

const BOOK = book(0, [['0.44', '100']], [['0.46', '50']]);
const HEAD = ['0 clear', '0 level bid 0.44 100', '0 level ask 0.46 50'];

async function writeHour(folder: string, hour: string, columns: string, rows: readonly string[]): Promise<void> {
  const path = join(folder, `polymarket_orderbook_2026-07-25T${hour}.parquet`);
  await withConnection(async (connection) => {
    await connection.run(`CREATE TEMP TABLE t (${columns})`);
    if (rows.length > 0) await connection.run(`INSERT INTO t VALUES ${rows.join(', ')}`);
    await connection.run(`COPY t TO '${path}' (FORMAT parquet)`);
  });
}

/** @param hours messages by the hour of their file; an empty one is a file without rows */
async function write(hours: Readonly<Record<string, readonly ReturnType<typeof message>[]>>): Promise<string> {
  const folder = newFolder();
  for (const [hour, messages] of Object.entries(hours)) {
    const rows = messages.map(
      (each) =>
        `(make_timestamp(${Math.round(each.timestamp * 1e6)}), '${each.market_id}', '${each.update_type}', '${JSON.stringify(each)}')`,
    );
    const columns = 'timestamp_received TIMESTAMP, market_id VARCHAR, update_type VARCHAR, data VARCHAR';
    await writeHour(folder, hour, columns, rows);
  }
  return folder;
}

describe('an hour of the archive', () => {
  it('is one market of two tokens, known from its snapshot on, named by the venue, and says that it has no trades', async () => {
    const folder = await write({ 17: [...BOOK, change(5, '0.44', '80', ['0.44', '0.46'])] });
    const recordings = await openRecordings([folder]);
    expect(recordings.map(({ market }) => market.source.ticker)).toEqual([MARKET]);
    const [recording] = recordings;
    expect(await rowsOf(recording, T)).toEqual([...HEAD, '5 level bid 0.44 80', '5 end']);
    expect(recording?.gaps).toEqual([]);
    expect(recording?.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('0.00 % of the rows (0 of 1)'),
      expect.stringContaining('the recording has no trades'),
    ]);
  });

  it('takes what differs from a later snapshot', async () => {
    const bids: Level[] = Object.entries({ '0.43': '7', '0.44': '100' });
    const again = book(9, bids, []);
    const [recording] = await openRecordings([await write({ 17: [...BOOK, ...again] })]);
    expect(await rowsOf(recording, T)).toEqual([...HEAD, '9 level bid 0.43 7', '9 level ask 0.46 0', '9 end']);
  });

  it.each([
    ['level', [['0.46', '50'] as const, ['0.4625', '5'] as const], '0.46', ['0 level ask 0.4625 5'], 4],
    ['best price', [['0.46', '50'] as const], '0.455', [], 3],
  ])('has the tick of its finest %s, though no change is so fine', async (_, asks, best, more, tickPrecision) => {
    const messages = [...book(0, [['0.44', '100']], asks), change(5, '0.44', '80', ['0.44', best])];
    const [recording] = await openRecordings([await write({ 17: messages })]);
    expect(recording?.market.tickPrecision).toBe(tickPrecision);
    expect((await rowsOf(recording, T)).slice(0, -2)).toEqual([...HEAD, ...more]);
  });

  it('goes on in the next file, though the times of the venue overlap', async () => {
    const folder = await write({
      17: [...BOOK, change(2 * HOUR, '0.44', '80', ['0.44', '0.46'])],
      18: [change(2 * HOUR, '0.44', '70', ['0.44', '0.46']), change(2 * HOUR - 5, '0.44', '60', ['0.44', '0.46'])],
      19: [change(2 * HOUR - 9, '0.44', '50', ['0.44', '0.46'])],
    });
    const [recording, ...others] = await openRecordings([folder]);
    expect(others).toEqual([]);
    const sizes = ['80', '70', '60', '50'].map((size) => `7200000 level bid 0.44 ${size}`);
    expect(await rowsOf(recording, T)).toEqual([...HEAD, ...sizes, '7200000 end']);
    expect(recording?.gaps).toEqual([]);
    expect(recording?.market.closeTimeMs).toBe(T + 2 * HOUR);
  });

  it('that cannot be read is a gap beside others', async () => {
    const folder = await write({ 17: BOOK, 19: book(2 * HOUR, [['0.30', '3']], []) });
    writeFileSync(join(folder, 'polymarket_orderbook_2026-07-25T18.parquet'), 'no');
    const failures: string[] = [];
    const [recording] = await openRecordings([folder], { onFailure: ({ message }) => failures.push(message) });
    expect((await rowsOf(recording, T)).slice(3)).toEqual(['7200000 clear', '7200000 level bid 0.3 3', '7200000 end']);
    expect(recording?.gaps).toHaveLength(1);
    expect(failures).toHaveLength(1);
  });

  it('goes on in the next file, though the market is still in an hour between', async () => {
    const later = change(2 * HOUR, '0.44', '80', ['0.44', '0.46']);
    const other = book(HOUR, [['0.10', '1']], [], `0x${'cd'.repeat(32)}`);
    const folder = await write({ 17: BOOK, 18: other, 19: [later] });
    const [recording] = await openRecordings([folder], { markets: [MARKET.slice(0, 9)] });
    expect(await rowsOf(recording, T)).toEqual([...HEAD, '7200000 level bid 0.44 80', '7200000 end']);
    expect(recording?.gaps).toEqual([]);
  });

  it.each([
    ['empty', { 18: [] }],
    ['missing', {}],
  ])('that is %s is a gap to the next snapshot', async (_, between) => {
    const folder = await write({ 17: BOOK, ...between, 19: book(2 * HOUR, [['0.30', '3']], []) });
    const notRead: string[] = [];
    const [recording] = await openRecordings([folder], { onNotRead: (sentence) => notRead.push(sentence) });
    expect(await rowsOf(recording, T)).toEqual([...HEAD, '7200000 clear', '7200000 level bid 0.3 3', '7200000 end']);
    expect(recording?.gaps).toEqual([{ fromMs: T, toMs: T + 2 * HOUR, reason: expect.any(String) }]);
    expect(notRead).toHaveLength(Object.keys(between).length);
  });

  it('holds many markets, of which --market chooses', async () => {
    const markets = ['aa', 'bb', 'cc'].map((name) => `0x${name.repeat(32)}`);
    const folder = await write({ 17: markets.flatMap((market) => book(0, [['0.44', '1']], [['0.46', '1']], market)) });
    expect(await openRecordings([folder])).toHaveLength(3);
    const told = await importRecordings('polymarket', [folder], newFolder(), { markets: ['0xbb'] });
    expect(told.map(({ ticker, status }) => [ticker, status])).toEqual([[markets[1], 'imported']]);
    await expect(openRecordings([folder], { markets: ['0xdd'] })).rejects.toThrow('has no market 0xdd');
  });

  it('gives each of its markets the rows that it has in a file of its own, and leaves nothing beside them', async () => {
    const markets = ['cc', 'aa', 'bb', 'dd'].map((name) => `0x${name.repeat(32)}`);
    const rowsAt = (ms: number) => (market: string, at: number) =>
      change(ms, '0.44', String(80 + at - ms), ['0.44', '0.46'], market);
    const books = markets.flatMap((market) => book(0, [['0.44', '100']], [['0.46', '50']], market));
    const mixed = [...books, ...[5, 5, 4, 9].flatMap((ms) => markets.map(rowsAt(ms)))];
    const out = newFolder();
    await importRecordings('polymarket', [await write({ 17: mixed })], out);
    expect(readdirSync(out).filter((name) => !name.startsWith('market='))).toEqual([]);
    for (const market of markets) {
      const [own] = await openRecordings([await write({ 17: mixed.filter((row) => row.market_id === market) })]);
      const [imported] = await openRecordings([join(out, `market=${own?.market.conditionId}`)]);
      expect(await rowsOf(imported, T)).toEqual(await rowsOf(own, T));
    }
  });

  it('of which more than one row in a hundred is broken is refused, with one of them and a good one', async () => {
    const broken = { ...change(5, '44', '80', ['0.44', '0.46']) };
    await expect(openRecordings([await write({ 17: [...BOOK, broken] })])).rejects.toMatchObject({
      message: expect.stringMatching(/1 of 3 lines .* cannot be read, such as {.*"44"/),
      hint: expect.stringContaining('A line that can be read'),
    });
  });
});

type Cell = string | number | null;

/** Writes an hour as the archive has it since April 2026: one column per field, sorted by market and token. */
async function writeTable(folder: string, hour: string, rows: readonly (readonly Cell[])[]): Promise<void> {
  const moment = (ms: Cell) => `to_timestamp(${(T + Number(ms)) / 1000})`;
  const quoted = (cell: Cell) => (typeof cell === 'string' ? `'${cell}'` : String(cell));
  const values = rows.map(
    ([received = 0, ms = 0, ...rest]) => `(${[moment(received), moment(ms), ...rest.map(quoted)].join(', ')})`,
  );
  const columns = `timestamp_received TIMESTAMPTZ, "timestamp" TIMESTAMPTZ, market BLOB, asset_id VARCHAR,
    event_type VARCHAR, bids VARCHAR, asks VARCHAR, price DECIMAL(9, 4), size DECIMAL(18, 6), side VARCHAR,
    best_bid DECIMAL(9, 4), best_ask DECIMAL(9, 4)`;
  await writeHour(folder, hour, columns, values);
}

describe('an hour of the archive with one column per field', () => {
  const none = [null, null, null, null, null];
  const level = (price: number, size: number, side: string) => [null, null, price, size, side, 0.44, 0.46];
  const tokens = (market: string) => [`1${market.slice(-3)}`, `9${market.slice(-3)}`] as const;
  const hourOf = (market: string): Cell[][] => [
    [
      40,
      -30 * 24 * HOUR,
      market,
      tokens(market)[0],
      'book',
      '[["0.39","7"],["0.44","100"]]',
      '[["0.46","50"]]',
      ...none,
    ],
    [150, 105, market, tokens(market)[0], 'price_change', ...level(0.46, 40, 'SELL')],
    [160, 106, market, tokens(market)[0], 'tick_size_change', null, null, ...none],
    [900, 800, market, tokens(market)[0], 'price_change', ...level(0.44, 90, 'BUY')],
    [170, 120, market, tokens(market)[1], 'last_trade_price', null, null, 0.54, 10, 'SELL', null, null],
  ];
  const ROWS = [
    ...['40 clear', '40 level bid 0.39 7', '40 level bid 0.44 100', '40 level ask 0.46 50'],
    ...['105 trade bid 0.46 10', '105 level ask 0.46 40', '800 level bid 0.44 90'],
  ];

  it('has snapshots, whose old times count from their receipt, and trades of both tokens', async () => {
    const folder = newFolder();
    await writeTable(folder, '17', hourOf(MARKET));
    await writeTable(folder, '18', []);
    const notRead: string[] = [];
    const [recording] = await openRecordings([folder], { onNotRead: (sentence) => notRead.push(sentence) });
    expect(await rowsOf(recording, T)).toEqual([...ROWS, '800 end']);
    expect(recording?.market).toMatchObject({ openTimeMs: T + 40, source: { ticker: MARKET } });
    expect(recording?.gaps).toEqual([]);
    expect(recording?.warnings.map(({ message }) => message)).toEqual([expect.stringContaining('(0 of 2)')]);
    expect(notRead).toEqual([expect.stringContaining('the file is empty')]);
  });

  it('goes on in the next hour, also in a copy that is sorted by market', async () => {
    const folder = newFolder();
    const markets = ['cc', 'aa', 'bb'].map((name) => `0x${name.repeat(32)}`).sort();
    await writeTable(folder, '17', markets.flatMap(hourOf));
    const next = (market: string) =>
      [HOUR, HOUR, market, tokens(market)[0], 'price_change', ...level(0.44, 8, 'BUY')] satisfies Cell[];
    await writeTable(folder, '18', markets.map(next));
    const out = newFolder();
    await importRecordings('polymarket', [folder], out);
    const imported = await openRecordings([out]);
    expect(imported).toHaveLength(3);
    for (const recording of imported) {
      expect(await rowsOf(recording, T)).toEqual([...ROWS, '3600000 level bid 0.44 8', '3600000 end']);
      expect(recording.summary?.gaps).toEqual([]);
    }
  });
});

const [YES, NO] = ['111', '999'];
const event = (event_type: string, ms: number, rest: object) => ({
  ...{ event_type, market: MARKET, timestamp: String(T + ms) },
  ...rest,
});
const bookOf = (asset_id: string, bid: string, ask: string) =>
  event('book', 0, { asset_id, bids: [{ price: bid, size: '100' }], asks: [{ price: ask, size: '50' }] });
const MESSAGES = [
  bookOf(YES, '0.44', '0.46'),
  bookOf(NO, '0.54', '0.56'),
  event('price_change', 5, {
    price_changes: [
      { asset_id: YES, price: '0.46', size: '40', side: 'SELL', best_bid: '0.44', best_ask: '0.46' },
      { asset_id: NO, price: '0.54', size: '40', side: 'BUY', best_bid: '0.54', best_ask: '0.56' },
    ],
  }),
  event('last_trade_price', 20, { asset_id: NO, price: '0.54', size: '10', side: 'SELL' }),
  event('tick_size_change', 30, { asset_id: YES }),
];

it.each([
  ['a.jsonl', MESSAGES.map((each) => JSON.stringify(each)).join('\n')],
  ['a.json', JSON.stringify(MESSAGES)],
])('messages of the channel are read from %s', async (name, text) => {
  const path = join(newFolder(), name);
  writeFileSync(path, text);
  const [recording] = await openRecordings([path]);
  expect(recording?.market.source).toMatchObject({ kind: 'polymarket', ticker: MARKET });
  expect(await rowsOf(recording, T)).toEqual([...HEAD, '5 trade bid 0.46 10', '5 level ask 0.46 40', '5 end']);
  expect(recording?.gaps).toEqual([]);
});
