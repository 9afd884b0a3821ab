/** The same messages give the same events in every format in which they are stored. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openRecordings } from '../../../src/recording/recording.js';
import { withConnection } from '../../../src/recording/store/duckdb.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../samples.js';

const T = Date.parse('2026-08-01T10:00:00Z');
const TICKER = 'KXFORM-26AUG01';

interface Message {
  readonly recv_ms: number;
  readonly event: { readonly type: string; readonly sid: number; readonly seq: number; readonly msg: object };
}

const message = (type: string, seq: number, msg: object): Message => ({
  recv_ms: T + 100 * seq + 20,
  event: { type, sid: 1, seq, msg: { market_ticker: TICKER, ...msg } },
});

const sides = (yes: readonly unknown[], no: readonly unknown[]) => ({ yes_dollars_fp: yes, no_dollars_fp: no });
const change = (seq: number, side: string, price: string, delta: string): Message =>
  message('orderbook_delta', seq, { side, price_dollars: price, delta_fp: delta, ts_ms: T + 100 * seq });

const MESSAGES: readonly Message[] = [
  message('orderbook_snapshot', 1, sides([['0.4000', '100.00']], [['0.5500', '50.00']])),
  ...[2, 3, 4, 5, 6].map((seq) => change(seq, 'yes', '0.4000', '1.00')),
  message('trade', 7, {
    taker_side: 'yes',
    yes_price_dollars: '0.4500',
    no_price_dollars: '0.5500',
    count_fp: '10.00',
    ts_ms: T + 700,
  }),
  { ...change(8, 'no', '0.5500', '-10.00'), event: { ...change(7, 'no', '0.5500', '-10.00').event, seq: 8 } },
];

const lines = (messages: readonly unknown[]): string => messages.map((each) => `${JSON.stringify(each)}\n`).join('');

async function read(name: string, content: string | Buffer) {
  const folder = join(newFolder(), TICKER);
  mkdirSync(folder);
  writeFileSync(join(folder, name), content);
  const [recording] = await openRecordings([folder]);
  return { recording, rows: await rowsOf(recording, T) };
}

const ROWS = [
  '120 clear',
  '120 level bid 0.4 100',
  '120 level ask 0.45 50',
  ...[2, 3, 4, 5, 6].map((seq) => `${100 * seq} level bid 0.4 ${99 + seq}`),
  '700 trade bid 0.45 10',
  '700 level ask 0.45 40',
  '700 end',
];

describe('messages of Kalshi', () => {
  const files: [string, string | Buffer][] = [
    ['a.ndjson', lines(MESSAGES)],
    ['a.jsonl', lines(MESSAGES)],
    ['a.ndjson.gz', gzipSync(lines(MESSAGES))],
    ['a.jsonl.gz', Buffer.concat([gzipSync(lines(MESSAGES.slice(0, 3))), gzipSync(lines(MESSAGES.slice(3)))])],
    ['a.json', JSON.stringify(MESSAGES, null, 2)],
    ['a.json.gz', gzipSync(JSON.stringify(MESSAGES))],
    ['b.json', lines(MESSAGES)],
    ['bom.ndjson', `\uFEFF${lines(MESSAGES)}`],
    ['bom.json', `\uFEFF${JSON.stringify(MESSAGES)}`],
    ['crlf.ndjson', lines(MESSAGES).replaceAll('\n', '\r\n\r\n')],
  ];
  it.each(files)('are read from %s', async (name, content) => expect((await read(name, content)).rows).toEqual(ROWS));

  const lineColumns = "columns = {line: 'VARCHAR'}, delim = chr(1), quote = '', escape = '', header = false";
  it.each([
    [
      'zst',
      `(SELECT line FROM read_csv('$', ${lineColumns}, auto_detect = false))`,
      "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIM '\u0001', COMPRESSION zstd",
    ],
    ['parquet', "(SELECT * FROM read_json('$', format = 'newline_delimited'))", 'FORMAT parquet'],
  ])('are read from .%s', async (ending, rows, form) => {
    const source = join(newFolder(), 'a.ndjson');
    writeFileSync(source, lines(MESSAGES));
    const sql = `COPY ${rows.replace('$', source)} TO '${source}.${ending}' (${form})`;
    await withConnection((connection) => connection.run(sql));
    const [recording] = await openRecordings([`${source}.${ending}`]);
    expect(await rowsOf(recording, T)).toEqual(ROWS);
  });

  it('need no envelope: a snapshot has the time of the message after it', async () => {
    const { rows } = await read('a.ndjson', lines(MESSAGES.map(({ event }) => event)));
    expect(rows).toEqual(ROWS.map((row) => row.replace('120 ', '200 ')));
  });

  it('may have cents, whole counts and times of older ones', async () => {
    const at = (seq: number) => new Date(T + 100 * seq).toISOString();
    const older = [
      message('orderbook_snapshot', 1, { yes: [[40, 100]], no: [[55, 50]] }),
      ...[2, 3, 4, 5, 6].map((seq) =>
        message('orderbook_delta', seq, { side: 'yes', price: 40, delta: 1, ts: at(seq) }),
      ),
      message('orderbook_delta', 7, { side: 'no', price: 55, delta: -10, ts: at(7) }),
      message('trade', 8, { taker_side: 'yes', yes_price: 45, no_price: 55, count: 10, ts: T / 1000 }),
    ];
    expect((await read('a.ndjson', lines(older))).rows).toEqual(ROWS);
  });

  it.each([
    ['0.4050', '0.001', 3],
    ['0.4055', '0.0001', 4],
  ])('with a price of %s make a market with a tick of %s', async (price, _, precision) => {
    const fine = [
      message('orderbook_snapshot', 1, sides([[price, '100.00']], [['0.5500', '50.00']])),
      change(2, 'yes', price, '5.00'),
    ];
    const { recording, rows } = await read('a.ndjson', lines(fine));
    expect(recording?.market.tickPrecision).toBe(precision);
    expect(rows).toContain(`200 level bid ${Number(price)} 105`);
  });

  it('whose snapshot has its sides under other names are refused, not an empty book', async () => {
    const other = message('orderbook_snapshot', 1, { sides: [['0.4000', '100.00']] });
    await expect(read('a.ndjson', lines([other, ...MESSAGES.slice(1)]))).rejects.toMatchObject({
      message: expect.stringContaining('1 of 8 lines'),
      hint: expect.stringContaining('A line that can be read: {"recv_ms"'),
    });
  });

  /** Enough messages before a missing number. */
  const BEFORE = [
    MESSAGES[0],
    ...Array.from({ length: 40 }, (_, at) => ({ ...change(2 + at, 'yes', '0.4000', '1.00'), recv_ms: T + 700 })).map(
      ({ event, recv_ms }, at) => ({ recv_ms, event: { ...event, msg: { ...event.msg, ts_ms: T + 200 + 10 * at } } }),
    ),
  ];
  const LAST = change(60, 'yes', '0.4000', '1.00');

  it('have a gap from the last message before a missing number to the next snapshot', async () => {
    const again = message('orderbook_snapshot', 61, sides([['0.3000', '7.00']], []));
    const after = [LAST, again, change(62, 'yes', '0.3000', '1.00')];
    const { recording, rows } = await read('a.ndjson', lines([...BEFORE, ...after]));
    expect(recording?.gaps).toEqual([{ fromMs: T + 590, toMs: T + 6120, reason: expect.stringContaining('missing') }]);
    expect(rows.slice(-4)).toEqual(['6120 clear', '6120 level bid 0.3 7', '6200 level bid 0.3 8', '6200 end']);
  });

  it.each([
    ['numbered', BEFORE, 590],
    ['not numbered', BEFORE.slice(0, 2), 200],
  ])('that are %s have a gap from the last one to the snapshot of a new subscription', async (_, before, lastMs) => {
    const again = message('orderbook_snapshot', 61, sides([['0.3000', '7.00']], []));
    const { recording, rows } = await read(
      'a.ndjson',
      lines([...before, { ...again, event: { ...again.event, sid: 7 } }]),
    );
    const gap = { fromMs: T + lastMs, toMs: T + 6120, reason: expect.stringContaining('new subscription') };
    expect(recording?.gaps).toEqual([gap]);
    expect(rows.slice(-3)).toEqual(['6120 clear', '6120 level bid 0.3 7', '6120 end']);
  });

  it('have a gap to the end where no snapshot follows a missing number', async () => {
    const { recording, rows } = await read('a.ndjson', lines([...BEFORE, LAST]));
    expect(recording?.gaps).toEqual([{ fromMs: T + 590, toMs: T + 6000, reason: expect.stringContaining('missing') }]);
    expect(rows.slice(-2)).toEqual(['590 level bid 0.4 140', '6000 end']);
  });

  it('leave a .json file beside them alone that has no message', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'a.ndjson'), lines(MESSAGES));
    writeFileSync(join(folder, 'about.json'), '{"made": "by hand"}');
    const notRead: string[] = [];
    const [recording] = await openRecordings([folder], { onNotRead: (sentence) => notRead.push(sentence) });
    expect(await rowsOf(recording, T)).toEqual(ROWS);
    expect(notRead).toEqual([`${join(folder, 'about.json')}: the file contains no message`]);
  });

  it('have no gap where other markets have the numbers between', async () => {
    const shared = MESSAGES.map(({ event, ...rest }) => ({ ...rest, event: { ...event, seq: 7 * event.seq } }));
    const { recording, rows } = await read('a.ndjson', lines(shared));
    expect(recording?.gaps).toEqual([]);
    expect(rows).toEqual(ROWS);
  });
});
