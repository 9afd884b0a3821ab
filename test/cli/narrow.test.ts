/** Human-readable output in terminals of 80 and 60 columns: no line is wider than the terminal. */

import { describe, expect, test } from 'vitest';
import { measureText } from '../../src/shared/base/text.js';
import { trader } from '../shell/config/files.js';
import { folderOf } from '../support/folders.js';
import { fillOf, intentOf, m, ONE, orderOf } from '../trader/ledger/books.js';
import { folderWith, MARKET } from './ledger/written.js';
import { run } from './run.js';

const TITLES = {
  m1: 'Will it rain in Oslo on the first of May, and for longer than an hour, as the weather service tells it?',
  m2: '東京で雪が降りますか、それとも晴れますか、それとも曇りのままでしょうか',
};

/** A ledger in which every name is long. */
const written = (): string =>
  folderWith((ledger) => {
    ledger.startRun({ id: 'run', version: '0.1.0', configHash: 'hash', startedMs: 1_700_000_000_000 });
    ledger.setCapital(m(1000 * ONE), 1);
    for (const [marketConditionId, title] of Object.entries(TITLES)) {
      const long = (name: string) => `${name}-${marketConditionId}-mwwjh0cl23a93bGG1zRV`;
      const of = { marketConditionId, id: long('intent'), draftPubkey: long('order') };
      ledger.saveMarket({ ...MARKET, conditionId: marketConditionId, title });
      ledger.addIntent(intentOf({ ...of, state: 'live', lastReason: 'the exchange shows it open, and says so twice' }));
      ledger.addOrder(orderOf({ ...of, pubkey: of.draftPubkey, intentId: of.id, status: 'partially_filled' }));
      ledger.bookFill(fillOf({ marketConditionId, pubkey: long('trade'), orderPubkey: of.draftPubkey }));
    }
    const text = `the exchange said: ${TITLES.m2} ${TITLES.m1}`;
    ledger.addEvent({ timeMs: 2, severity: 'loud', kind: 'settled_trade_failed', text });
  });

const COMMANDS = [
  ...['status', 'orders', 'drafts --all', 'fills', 'positions', 'pnl', 'pnl --by market', 'pnl --by strategy'],
  ...['pnl --by day', 'markets', 'events', 'top --once', 'ledger backups'],
];

const read = async (cwd: string, command: string, columns?: number) => {
  const argv = [...command.split(' '), '-c', 'trader.yaml'];
  const ran = await run(argv, { cwd, ...(columns === undefined ? {} : { columns }) });
  expect(ran).toMatchObject({ code: 0, err: '' });
  return ran.out.split('\n');
};
/** Sentences beside a table may wrap. */
const tooWide = (lines: readonly string[], columns: number) =>
  lines.filter((line) => measureText(line) > columns && !line.endsWith('.'));

describe('in a terminal', () => {
  test('no table has a line that is wider', async () => {
    const cwd = written();
    for (const columns of [80, 60])
      for (const command of COMMANDS)
        expect(tooWide(await read(cwd, command, columns), columns), `${command}, ${columns}`).toEqual([]);
  });

  test('a check goes on below itself, and so does what to do about it', async () => {
    const cwd = folderOf({ 'trader.yaml': trader() });
    for (const columns of [80, 60]) {
      const { out } = await run(['doctor', '-c', 'trader.yaml'], { cwd, columns });
      expect(out).toMatch(/^warn {2}configuration:/m);
      expect(tooWide(out.split('\n'), columns)).toEqual([]);
    }
  });

  test('settings and strategies go on below themselves', async () => {
    for (const argv of [['config', 'explain', 'risk'], ['strategies']]) {
      const { out } = await run(argv, { columns: 80 });
      const lines = out.split('\n').filter((line) => !/^[a-z-]+: /.test(line));
      expect(tooWide(lines, 80)).toEqual([]);
      expect((await run(argv)).out.length).toBeGreaterThan(0);
    }
  });

  test('orders keep what is asked for most, and what had no room is named', async () => {
    const [head = '', first = '', , note] = await read(written(), 'orders', 80);
    expect(head.split(/ +/)).toEqual('ORDER OUTCOME SIDE PRICE AMOUNT FILLED STATUS TITLE'.split(' '));
    expect(first).toMatch(/^order-m[12]….* YES .* buy .* 0\.42 .* 10 .*…$/);
    expect(note).toBe('columns left out because the table is too wide: INTENT, MARKET');
  });

  test('a message is whole', async () => {
    const words = (await read(written(), 'events', 60)).join('').replaceAll(' ', '');
    for (const title of Object.values(TITLES)) expect(words).toContain(title.replaceAll(' ', ''));
  });
});

test('in a file every column is there, and every title is whole', async () => {
  const lines = await read(written(), 'orders');
  expect(lines[0]).toContain('INTENT');
  for (const title of Object.values(TITLES)) expect(lines.filter((line) => line.endsWith(title))).toHaveLength(1);
});
