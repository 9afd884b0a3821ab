import { existsSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RecordedMarket } from '../../src/recording/contract.js';
import { delta, kalshiFile, OPEN_MS, PADDING, snapshot, trade, writeKalshi } from '../recording/samples.js';
import { at, market, openStore, shortLife, written } from '../recording/store/writing.js';
import { trader } from '../shell/config/files.js';
import { folderOf, newFolder } from '../support/folders.js';
import { run } from './run.js';

const SAMPLE = resolve(import.meta.dirname, '../../data/sample');
const T = OPEN_MS + 60_000;
const KALSHI = [
  snapshot(T, [['0.4000', '100.00']], [['0.5500', '50.00']]),
  delta(T + 5, 'no', '0.5500', '-10.00'),
  trade(T + 5, 'yes', '0.4500', '0.5500', '10.00'),
];

const data = (...argv: string[]) => run(['data', ...argv]);

const recorded = (changes: Partial<RecordedMarket> = {}) => written(newFolder(), shortLife, {}, changes);

describe('data list', () => {
  test('shows each recording in a line', async () => {
    const { code, out, err } = await data('list', SAMPLE);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [head, ...lines] = out.trim().split('\n');
    expect(head).toMatch(/^MARKET +ORIGIN +FROM \(UTC\) +SPAN +EVENTS +TRADES +GAPS +OUTCOME +TITLE$/);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/paper-crowd +2026-11-20 14:00:00 +15 min +1330 +90 +0 +NO +Will the budget bill/);
    const facts = { format: 'twinbook', origin: 'paper-crowd', events: 1330, outcome: false };
    expect(JSON.parse((await data('list', SAMPLE, '--json')).out)[0]).toMatchObject(facts);
  });

  test('looks where the configuration says when no path is given', async () => {
    const cwd = folderOf({ 'trader.yaml': trader('recording: { dir: recs }') });
    const missing = await run(['data', 'list', '-c', 'trader.yaml'], { cwd });
    expect(missing.code).toBe(1);
    expect(missing.err).toContain(join(cwd, 'recs'));
    await written(join(cwd, 'recs'), shortLife);
    expect((await run(['data', 'list', '-c', 'trader.yaml'], { cwd })).out).toContain('Will it happen?');
  });
});

test('data stats measures what was recorded, and says which market has no outcome', async () => {
  const { code, out } = await data('stats', SAMPLE, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)[0]).toMatchObject({ coverage: 1, trades: 90, two_sided: 1, gaps: 0, outcome: false });
  expect((await data('stats', SAMPLE)).out).toContain('100.0 %');
  expect((await data('stats', await recorded({ outcome: null }))).out).toContain('the outcome is unknown');
});

describe('data verify', () => {
  test('ends with 0 when nothing is wrong, with 6 when something is', async () => {
    const folder = await recorded();
    expect(await data('verify', folder)).toEqual({ code: 0, out: '1 market, 7 events: nothing is wrong\n', err: '' });
    const file = join(folder, 'market=market-1/date=2026-11-20/events-0001.parquet');
    truncateSync(file, 100);
    const { code, out } = await data('verify', folder);
    expect(code).toBe(6);
    expect(out).toContain(`DIFFERENCE  ${file}: the file has 100 bytes`);
    expect(JSON.parse((await data('verify', folder, '--json')).out)).toMatchObject({ markets: 1, repaired: 0 });
  });

  test('repairs what a writer left open', async () => {
    const folder = newFolder();
    const store = await openStore(folder);
    shortLife(store.market(market()));
    await store.flush();
    const busy = await data('verify', folder, '--repair');
    expect(busy.code).toBe(1);
    expect(busy.err).toContain(`another process (${process.pid}) writes recordings to ${folder}`);
    await store.close();
    expect((await data('verify', folder, '--repair')).code).toBe(0);
  });
});

describe('data import', () => {
  test('writes our format of the wanted markets, says what it left out, and shows it in the list', async () => {
    const out = newFolder();
    const set = writeKalshi([...PADDING, 'broken', ...KALSHI]);
    const { code, out: text } = await data('import', 'kalshi', set, '--out', out, '-v');
    expect(code).toBe(0);
    expect(text).toContain('1 broken lines were skipped');
    expect(text).toContain(`to ${out}: 1 market with 6 events imported\n`);
    const brief = (await data('import', 'kalshi', set, '--out', newFolder())).out;
    expect(brief.split('\n').filter((line) => /^(note|warning)/.test(line))).toEqual([
      'warning: 3 notes on the quality of the recordings: -v prints them',
    ]);
    expect((await data('list', out)).out).toContain('kalshi');
    const again = await data('import', 'kalshi', set, '--out', out);
    expect(again.out).toContain('1 already in the folder (--replace overwrites them)');
    expect(again.out).toMatch(/0 markets with 0 events imported\n$/);
    const replaced = await data('import', 'kalshi', set, '--out', out, '--replace', '--json', '--market', 'KXTEST');
    expect(JSON.parse(replaced.out)).toMatchObject([{ status: 'imported', events: 6 }]);
    const none = await data('import', 'kalshi', set, '--out', newFolder(), '--market', 'KXOTHER');
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('has no market KXOTHER') });
  });

  test('of a market that cannot be read ends with 1', async () => {
    const { code, out } = await data('import', 'kalshi', writeKalshi(['broken']), '--out', newFolder());
    expect(code).toBe(1);
    expect(out).toContain('FAILED');
    expect(out).not.toContain('imported');
  });

  test('names the lines of a file that is refused, and the files that are not read', async () => {
    const set = writeKalshi([...KALSHI, '{"orderbook": {"yes": 1}}']);
    const refused = await data('import', 'kalshi', set, '--out', newFolder());
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(/1 of \d+ lines of .* cannot be read, such as {"orderbook": {"yes": 1}}/);
    expect(refused.out).toContain('A line that can be read: {"recv_ms"');
    const beside = writeKalshi(KALSHI);
    for (const name of ['a.tar.zst', 'b.csv', 'c.csv']) writeFileSync(join(dirname(kalshiFile(beside)), name), '');
    const read = await data('import', 'kalshi', beside, '--out', newFolder());
    expect(read.code).toBe(0);
    expect(read.out).toMatch(/NOT READ {2}.*: 1 file that ends in \.tar\.zst\n/);
    expect(read.out).toMatch(/NOT READ {2}.*: 2 files that end in \.csv\n/);
  });

  test.each([
    [['binance', SAMPLE], 2, 'Give kalshi or polymarket.'],
    [['kalshi'], 2, 'missing required argument'],
    [['kalshi', '/nowhere/at/all'], 1, '/nowhere/at/all'],
    [['kalshi', SAMPLE], 1, 'is a recording of twinbook, not of kalshi'],
  ])('of %s is an error', async (argv, code, said) => {
    const ran = await data('import', ...argv, '--out', newFolder());
    expect(ran.code).toBe(code);
    expect(ran.err).toContain(said);
  });
});

describe('data query', () => {
  test('says how recordings come to be where there are none yet, and how to ask the ledger', async () => {
    const cwd = folderOf({ 'trader.yaml': trader() });
    const { code, err } = await run(['data', 'query', 'SELECT 1', '-c', 'trader.yaml'], { cwd });
    expect(code).toBe(1);
    expect(err).toContain('there is no folder of recordings');
    expect(err).toContain('`twinbook ledger query`');
  });

  test('answers as a table, CSV or JSON', async () => {
    const sql = "select kind, count(*) as n from events where kind in ('trade', 'end') group by kind order by kind";
    expect((await data('query', sql, SAMPLE)).out).toBe('kind     n\nend      3\ntrade  264\n');
    expect((await data('query', sql, SAMPLE, '--csv')).out).toBe('kind,n\nend,3\ntrade,264\n');
    expect((await data('query', "select '=1+1' a, -5 b", SAMPLE, '--csv')).out).toBe("a,b\n'=1+1,-5\n");
    expect(JSON.parse((await data('query', sql, SAMPLE, '--json')).out)).toEqual([
      { kind: 'end', n: 3 },
      { kind: 'trade', n: 264 },
    ]);
    expect((await data('query', `${sql} limit 0`, SAMPLE, '--json')).out).toBe('[]\n');
  });

  test('knows markets, polls, own rows and what is still open', async () => {
    const folder = newFolder();
    const store = await openStore(folder);
    const sink = store.market(market());
    shortLife(sink);
    sink.own({
      ...({ record: 'trade', seen_ms: at(0).timeMs, pubkey: 'p', order_pubkey: 'o', status: 'done' } as const),
      ...({ side: 'buy', is_yes: true, price_micros: 400_000, amount_micros: 1_000_000, fee_micros: 0 } as const),
      ...{ filled_amount_micros: null, remaining_amount_micros: null, is_maker: true, timestamp: 1_790_000_000 },
    });
    await store.flush();
    const ask = async (sql: string) => JSON.parse((await data('query', sql, folder, '--json')).out);
    expect(await ask('select pubkey, is_maker, price_micros from own')).toEqual([
      { pubkey: 'p', is_maker: true, price_micros: 400_000 },
    ]);
    expect(await ask('select title, outcome, trades from markets join events using (market) limit 1')).toEqual([
      { title: 'Will it happen?', outcome: 1, trades: 1 },
    ]);
    expect(await ask('select * from polls')).toEqual([]);
    await store.close();
  });

  test('knows an id that is no name of a folder by its own spelling, closed or open', async () => {
    const folder = newFolder();
    const conditionId = '../a b/ä?%2F';
    const store = await openStore(folder);
    const sink = store.market(market({ conditionId }));
    sink.clear(at(0));
    await store.rotate();
    sink.level(at(10), 0, 400_000, 1_000_000);
    await store.flush();
    const sql = 'select distinct market from events union select market from markets';
    expect(JSON.parse((await data('query', sql, folder, '--json')).out)).toEqual([{ market: conditionId }]);
    await store.close();
  });

  test('shows a long answer only in part as a table', async () => {
    const { out } = await data('query', 'select seq from events', SAMPLE);
    expect(out.split('\n')).toHaveLength(1 + 200 + 2);
    expect(out).toContain('… more rows exist');
    const { out: csv } = await data('query', 'select seq from events', SAMPLE, '--csv');
    expect(csv.split('\n').length).toBeGreaterThan(3000);
  });

  test.each([
    ['a copy to a file', "copy (select 1) to '$folder/x.csv'"],
    ['a copy out of the folder', "copy (select 1) to '/tmp/twinbook-x.csv'"],
    ['a new table', 'create table t as select 1'],
    ['an attached database', "attach '$folder/x.db'"],
    ['an extension', 'install httpfs'],
    ['a setting', 'set enable_external_access = true'],
    ['two statements', 'select 1; select 2'],
    ['no statement', ''],
    ['another file of the machine', "select * from read_text('/etc/hostname')"],
    ['an address', "select * from read_csv('https://example.com/x.csv')"],
    ['what is no SQL', 'selec'],
    ['an unknown column', 'select nothing from events'],
  ])('refuses %s and writes nothing', async (_, sql) => {
    const folder = await recorded();
    const before = readdirSync(folder, { recursive: true }).length;
    const { code, out, err } = await data('query', sql.replace('$folder', folder), folder);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).not.toBe('');
    expect(readdirSync(folder, { recursive: true })).toHaveLength(before);
    expect(existsSync('/tmp/twinbook-x.csv')).toBe(false);
  });

  test('says of a raw recording that it must be imported first', async () => {
    const { code, err } = await data('query', 'select 1', writeKalshi(KALSHI));
    expect(code).toBe(1);
    expect(err).toContain('twinbook data import');
  });
});
