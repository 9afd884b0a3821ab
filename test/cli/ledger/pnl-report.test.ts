import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serveControl } from '../../../src/shell/control/control-server.js';
import { lockWriter } from '../../../src/trader/ledger/lock.js';
import { trader } from '../../shell/config/files.js';
import { ACCOUNT, market, PROCESS } from '../../shell/console/state-of-markets.js';
import { folderOf } from '../../support/folders.js';
import { fillOf, intentOf, m, ONE, orderOf } from '../../trader/ledger/books.js';
import { run } from '../run.js';
import { folderWith, MARKET, writeLedger } from './written.js';

const T0 = 1_700_000_000_000;

/** A folder with a ledger in which one order filled. */
const written = (): string =>
  folderWith((ledger) => {
    ledger.startRun({ id: 'run', version: '0.1.0', configHash: 'hash-of-run', startedMs: T0 - 60_000 });
    ledger.setCapital(m(1000 * ONE), T0);
    ledger.addIntent(intentOf({ state: 'done', draftPubkey: 'order-1', updatedMs: T0 }));
    const filledMicros = m(10 * ONE);
    ledger.addOrder(orderOf({ status: 'filled', filledMicros, createdMs: T0 - 5_000, closedMs: T0 }));
    ledger.bookFill(fillOf({ amountMicros: filledMicros, timestampS: T0 / 1000, seenMs: T0, isMaker: true }));
    ledger.stopRun('run', T0 + 600_000, '');
  });

const pnl = (cwd: string, ...argv: string[]) => run(['pnl', '-c', 'trader.yaml', ...argv], { cwd });

describe('pnl --report', () => {
  test('writes the page beside what pnl prints', async () => {
    const cwd = written();
    const ran = await pnl(cwd, '--report', 'report.html');
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toContain('total       -0.042');
    expect(ran.out).toContain('report: report.html');
    const page = readFileSync(join(cwd, 'report.html'), 'utf8');
    expect(page).toContain('Live session');
    expect(page).toContain('hash-of-run');
    expect(page).toContain('−0.04<span class="minor">2000</span>');
  });

  test('puts every figure into the JSON', async () => {
    const ran = await pnl(written(), '--report', 'report.html', '--json');
    const { total, report } = JSON.parse(ran.out) as {
      total: string;
      report: { result: Record<string, unknown>; kind: string };
    };
    expect(total).toBe('-0.042');
    const result = { resultMicros: -42_000, feesMicros: 42_000, spreadMicros: null };
    expect(report).toMatchObject({ kind: 'live', result });
  });

  test('says of an empty ledger that it is empty', async () => {
    const cwd = folderWith();
    expect(await pnl(cwd, '--report', 'report.html')).toMatchObject({ code: 0, err: '' });
    expect(readFileSync(join(cwd, 'report.html'), 'utf8')).toContain(
      'No market was in this session: there is nothing to report.',
    );
  });

  test('needs a ledger', async () => {
    const cwd = folderOf({ 'trader.yaml': trader() });
    expect((await pnl(cwd, '--report', 'report.html')).code).toBe(1);
    expect(existsSync(join(cwd, 'report.html'))).toBe(false);
  });

  test('leaves an older report as it was when the new one cannot take its place', async () => {
    const cwd = folderOf({ 'trader.yaml': trader(), 'report.html/kept.txt': 'kept' });
    writeLedger(cwd, () => undefined);
    const ran = await pnl(cwd, '--report', 'report.html');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('cannot write');
    expect(readdirSync(cwd).filter((name) => name.includes('part'))).toEqual([]);
    expect(readFileSync(join(cwd, 'report.html/kept.txt'), 'utf8')).toBe('kept');
  });
});

test('pnl uses the marks of a trader that does not quote, and hides none of its errors', async () => {
  const cwd = written();
  const held = { ...market('a'), fairMicros: null, markMicros: m(300_000) };
  const { pid } = process;
  const running = { pid, dashboard: null, signingRefused: 0, account: ACCOUNT, process: PROCESS };
  let data: object | null = { ...running, nowMs: T0, markets: [held] };
  const control = await serveControl(join(cwd, 'twinbook.sqlite.sock'), {
    answer: async () => (data === null ? { ok: false, error: 'no status' } : { ok: true, data }),
    subscribe: () => 'none',
  });
  const lock = lockWriter(join(cwd, 'twinbook.sqlite'), { pid, startedMs: T0 });
  onTestFinished(() => void [control.close(), lock.release()]);
  const figures = JSON.parse((await pnl(cwd, '--json')).out);
  expect(figures).toMatchObject({ unrealised: '-1.2', total: '-1.242', unmarked: [] });
  data = null;
  expect(await pnl(cwd)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('refused: no status') });
});

describe('pnl --by', () => {
  const MARKET_TITLE = 'bitcoin "up", or down';
  const place = () => {
    const cwd = written();
    writeLedger(cwd, (ledger) => ledger.saveMarket({ ...MARKET, title: MARKET_TITLE, eventConditionId: 'coins' }));
    return cwd;
  };
  const common = { fills: 1, bought: '10', sold: '0', fees: '0.042', result: '-0.042' };
  // Without a recorded book the split into spread and drift is unknown.
  const split = { spread: null, drift: null, merges: '0', settlement: '0', undivided: '0' };

  test.each([
    ['day', { day: '2023-11-14', ...common, equity: '999.958' }],
    ['market', { market: 'a', title: MARKET_TITLE, ...common, ...split }],
    ['strategy', { strategy: 'maker', ...common, ...split }],
    ['event', { event: 'coins', ...common, ...split }],
  ])('%s has a row for each, with the fields of the surface', async (by, row) => {
    const ran = await pnl(place(), '--by', by, '--json');
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(ran.out)).toEqual([row]);
  });

  test('as CSV has a header and cells that a spreadsheet reads, as a table it ends with the total', async () => {
    expect((await pnl(place(), '--by', 'market', '--csv')).out).toBe(
      'market,title,fills,bought,sold,fees,result,spread,drift,merges,settlement,undivided\n' +
        'a,"bitcoin ""up"", or down",1,10,0,0.042,-0.042,,,0,0,0\n',
    );
    expect((await pnl(place(), '--csv')).code).toBe(2);
    const ran = await pnl(place(), '--by', 'day');
    expect(ran.out).toMatch(/^day +fills .* equity\n2023-11-14 .* 999\.958\ntotal -0\.042\n$/);
  });

  test('values what is held at the last prices that the trader has kept, as pnl itself does', async () => {
    const cwd = place();
    writeLedger(cwd, (ledger) => ledger.setNote('marks', JSON.stringify([['a', 500_000]])));
    const { total, unmarked } = JSON.parse((await pnl(cwd, '--json')).out) as Record<string, unknown>;
    expect({ total, unmarked }).toEqual({ total: '0.758', unmarked: [] });
    expect((await pnl(cwd)).out).toContain('holdings are valued at the last prices in its ledger');
    expect((await pnl(cwd, '--by', 'day')).out).toContain('total 0.758\nThe trader is not running: holdings');
  });
});
