import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fillOf, intentOf, m, ONE, orderOf } from '../trader/ledger/books.js';
import { folderWith, MARKET, writeLedger } from './ledger/written.js';
import { run } from './run.js';

const RUN = { id: 'run', version: '0.1.0', configHash: 'hash', startedMs: 1_700_000_000_000 };

/** A ledger with one partly filled order, one intent in progress, and a market with a hostile title. */
const written = (): string =>
  folderWith((ledger) => {
    ledger.startRun(RUN);
    ledger.setCapital(m(1000 * ONE), 1);
    ledger.saveMarket({ ...MARKET, title: 'Will \u001b[2J it rain?' });
    ledger.addIntent(intentOf({ state: 'live', draftPubkey: 'order-1' }));
    ledger.addOrder(orderOf());
    ledger.addIntent(
      intentOf({ id: 'run-a-2', state: 'unknown', draftPubkey: 'order-2', submitCount: 1, lastReason: 'timed out' }),
    );
    ledger.addOrder(orderOf({ pubkey: 'order-2', intentId: 'run-a-2', status: 'canceled', isYes: false, closedMs: 2 }));
    ledger.bookFill(fillOf({ amountMicros: m(2.5 * ONE), seenMs: 1_700_000_000_000 }));
    ledger.changeOrder('order-1', { status: 'partially_filled', filledMicros: m(2.5 * ONE), closedMs: null });
  });

const read = async (...argv: string[]) => {
  const ran = await run([...argv, '-c', 'trader.yaml'], { cwd: written() });
  expect(ran).toMatchObject({ code: 0, err: '' });
  expect(ran.out).not.toContain('\u001b');
  return ran.out;
};
const rows = async (...argv: string[]): Promise<unknown> => JSON.parse(await read(...argv, '--json'));

describe('--json rows have exactly the fields of the surface', () => {
  test('orders', async () => {
    expect(await rows('orders')).toContainEqual({
      pubkey: 'order-1',
      intent_id: 'run-a-1',
      market_condition_id: 'a',
      is_yes: true,
      side: 'buy',
      price: '0.42',
      amount: '10',
      filled_amount: '2.5',
      status: 'partially_filled',
    });
    expect(await rows('orders')).toHaveLength(2);
    expect(await rows('orders', '--open')).toHaveLength(1);
    expect(await rows('orders', '--market', 'b')).toEqual([]);
    expect(await rows('orders', '--limit', '1')).toHaveLength(1);
  });

  const fill = {
    ...{ pubkey: 'trade-1', order_pubkey: 'order-1', market_condition_id: 'a', is_yes: true, side: 'buy' },
    ...{ price: '0.42', amount: '2.5', fee: '0.042', is_maker: false, timestamp: 1_700_000_000 },
  };
  const money = { capital: '1000', cash: '998.908', realised: '0', fees: '0.042', unrealised: '0', total: '-0.042' };
  test.each([
    ['fills', [fill]],
    ['positions', [{ market_condition_id: 'a', is_yes: true, shares: '2.5' }]],
    ['pnl', { ...money, unmarked: ['a'] }],
  ])('%s', async (command, expected) => expect(await rows(command)).toEqual(expected));

  test('drafts: what is under way, or everything', async () => {
    expect(await rows('drafts')).toMatchObject([{ intent_id: 'run-a-2', state: 'unknown', submit_count: 1 }]);
    expect(await rows('drafts', '--all')).toHaveLength(2);
  });

  test('status of a trader that does not run', async () => {
    const counts = { positions: 1, open_orders: 1, unknown_orders: 1, fills: 1 };
    const status = { running: false, last_run: 'run', stopped: null, cash: '998.908', ...counts };
    expect(await rows('status')).toMatchObject(status);
    const cwd = written();
    writeLedger(cwd, (ledger) => ledger.startRun({ ...RUN, id: 'next', startedMs: RUN.startedMs + 1 }));
    const { out } = await run(['status', '--json', '-c', 'trader.yaml'], { cwd });
    expect(JSON.parse(out)).toMatchObject({ last_run: 'next', fills: 0 });
  });
});

describe('tables for a person', () => {
  test('have a header and figures to the right', async () =>
    expect(await read('fills')).toBe(
      'TIME (UTC)           TRADE    MARKET  OUTCOME  SIDE  PRICE  AMOUNT    FEE  ROLE   TITLE\n' +
        '2023-11-14 22:13:20  trade-1  a       YES      buy    0.42     2.5  0.042  taker  Will ?[2J it rain?\n',
    ));

  test.each(['orders', 'positions', 'drafts', 'markets'])('of %s name the market', async (command) => {
    expect(await read(command)).toMatch(/ TITLE.*\n.* Will \?\[2J it rain\?.*\n/);
  });

  test('tell of a killed trader, and of the command for orders that may rest', async () => {
    const out = await read('status');
    expect(out).toMatch(/^stopped +not recorded: the trader was killed, or still runs elsewhere$/m);
    expect(out).toMatch(/^cancel with +twinbook cancel-all --verify$/m);
  });

  test('say when there is more, and when there is nothing', async () => {
    expect(await read('orders', '--limit', '1')).toContain('… more rows exist: --limit N shows them, --json shows all');
    expect(await run(['orders', '--market', 'b', '-c', 'trader.yaml'], { cwd: written() })).toEqual({
      code: 0,
      out: '(none)\n',
      err: 'no market in the ledger matches "b"; `twinbook markets` lists all\n',
    });
  });

  test('explain an order from the ledger alone', async () => {
    const out = await read('explain', 'order-1');
    expect(out).toContain('Order: order-1\n  Terms: buy YES at 0.42\n');
    expect(out).toContain('  Amount: 10 shares\n');
    expect(out).toContain('The trader is not running');
  });
});

const nextStart = async (notes: Readonly<Record<string, string>>, stopFile?: string) => {
  const cwd = written();
  writeLedger(cwd, (ledger) => {
    for (const [key, value] of Object.entries(notes)) ledger.setNote(key, value);
  });
  if (stopFile !== undefined) writeFileSync(join(cwd, 'twinbook.sqlite.kill'), stopFile);
  const { out } = await run(['status', '-c', 'trader.yaml'], { cwd });
  return out.split('\n').filter((line) => /^(next start|then resume with)/.test(line));
};
const modes = (stored: object) => ({ modes: JSON.stringify(stored) });
const HALTED = JSON.stringify({ timesS: [], halted: '9 fills' });
const DIFFERS = { believed_differences: '["position M1 YES"]' };
const ADOPT = 'ledger adopt --reason TEXT';
const PAUSED = JSON.stringify([['a', 'odd']]);

test.each<[string, Readonly<Record<string, string>>, string | undefined, string, string?]>([
  ['nothing', {}, undefined, 'quoting'],
  ['a pause', modes({ paused: 'lunch' }), undefined, 'paused, lunch', 'resume'],
  ['a kill', modes({ killed: 'odd' }), undefined, 'killed, odd', 'unkill --reason TEXT'],
  ['a guardian’s file', {}, 'guardian: no heart beat', 'killed, guardian: no heart beat', 'unkill --reason TEXT'],
  ['a halt by fills', { fill_guard: HALTED }, undefined, 'halted, 9 fills', 'resume --reason TEXT'],
  ['a difference', DIFFERS, undefined, 'reducing, ledger and exchange differ in 1 place', ADOPT],
  ['an odd fill', { fill_alarm: 'a worse price' }, undefined, 'reducing, a worse price', 'resume --reason TEXT'],
  ['a paused market', { paused_markets: PAUSED }, undefined, 'quoting, except market a: odd', 'resume --reason TEXT'],
])('%s left by an earlier process is said, with the command to lift it', async (_, notes, stopFile, mode, command) => {
  const lines = [`next start  ${mode}`, ...(command === undefined ? [] : [`then resume with  twinbook ${command}`])];
  expect((await nextStart(notes, stopFile)).map((line) => line.replace(/ {2,}/, '  '))).toEqual(lines);
});

describe('a name may be shortened', () => {
  test('a fill to its beginning: what was known of it, and its order', async () => {
    const out = await read('explain', 'trade');
    for (const line of ['Fill: trade-1', '  Terms: buy YES at 0.42', '  Amount: 2.5 shares', '  Fee: 0.042 currency'])
      expect(out).toContain(`${line}\n`);
    expect(out).toContain('  As: taker\n');
    expect(out).toContain('    State: partially_filled\n');
  });

  test('a market to words of its title, an order to its beginning or to what a table shows', async () => {
    expect(await rows('fills', '--market', 'RAIN will')).toHaveLength(1);
    for (const typed of ['run-a-2', 'order-2', 'or…-2'])
      expect(await read('explain', typed), typed).toContain('Order: order-2\n');
  });

  test('one that fits several lists them', async () => {
    const ran = await run(['explain', 'order-', '-c', 'trader.yaml'], { cwd: written() });
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain('"order-" matches 2 markets, orders, fills and intents:\n  order-2\n  order-1\n');
  });
});
