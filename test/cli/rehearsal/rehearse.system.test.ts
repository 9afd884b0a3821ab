/** A live start rehearsed on paper and at a venue that matches its profile. */

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { must } from '../../../src/shared/base/errors.js';
import { openLedger, openReadOnly } from '../../../src/trader/ledger/ledger.js';
import { trader } from '../../shell/config/files.js';
import { folderOf } from '../../support/folders.js';
import { run } from '../run.js';
import { COSIGNER, LIVE, never, STEPS, venue } from './venue.js';

describe('on paper alone', () => {
  test('the example for real money goes through its whole life, without a network and without an account', async () => {
    const options = { cwd: process.cwd(), stopAsked: () => never };
    const ran = await run(['rehearse', '-c', 'config/live.example.yaml'], options);
    expect(ran).toMatchObject({ code: 0, err: '' });
    const lines = ran.out.trimEnd().split('\n');
    expect(lines.map((line) => /^ok {4}paper {2}([^:]+):/.exec(line)?.[1])).toEqual(['configuration', ...STEPS]);
    expect(ran.out).toContain(`the fee is paid by ${COSIGNER}; programs Memo`);
  });

  test('what risk refuses on paper is never tried at the venue', async () => {
    const { rehearse, asked } = await venue('risk: { max_order_notional: "0.5" }');
    const { code, steps } = await rehearse(LIVE);
    expect({ code, asked }).toEqual({ code: 1, asked: [] });
    const text = expect.stringContaining('max_order_notional');
    expect(steps.at(-1)).toMatchObject({ where: 'paper', step: 'draft', text });
  });

  test('no venue is asked; an unreadable file, and the trader’s own ledger, are errors of the configuration', async () => {
    const { rehearse, cwd, asked } = await venue();
    expect(await rehearse([])).toMatchObject({ code: 0, result: 'ok' });
    expect(await rehearse(['--ledger', 'twinbook.sqlite'])).toMatchObject({ code: 4, result: 'configuration' });
    expect(existsSync(join(cwd, 'twinbook.sqlite'))).toBe(false);
    writeFileSync(join(cwd, 'trader.yaml'), trader('capitol: 1'));
    expect(await rehearse([])).toMatchObject({ code: 4, steps: [{ step: 'configuration', result: 'configuration' }] });
    expect(asked).toEqual([]);
  });
});

describe('the flags', () => {
  test.each([
    [['--live'], '--live places a real order at the venue and cancels it: give --i-accept-that-this-trades too'],
    [['--i-accept-that-this-trades'], 'applies only with --live'],
  ])('%s alone does nothing', async (args, expected) => {
    const { rehearse, asked } = await venue();
    const { code, err, steps } = await rehearse(args);
    expect({ code, steps, asked }).toEqual({ code: 2, steps: [], asked: [] });
    expect(err).toContain(expected);
  });

  test('a configuration with an embedded exchange has no venue to be live at', async () => {
    const cwd = folderOf({ 'trader.yaml': trader('exchange: {}') });
    const ran = await run(['rehearse', '-c', 'trader.yaml', ...LIVE], { cwd, stopAsked: () => never });
    expect(ran.code).toBe(4);
    expect(ran.out).toContain('this configuration has an embedded exchange: there is no venue');
  });
});

describe('at the venue', () => {
  test('one order lives and is gone, its ledger is kept where it is told, and the same again goes well too', async () => {
    const { rehearse, orders, cwd } = await venue();
    for (const times of [1, 2]) {
      const { code, steps } = await rehearse([...LIVE, '--ledger', 'rehearsal.sqlite']);
      expect(steps.filter(({ result }) => result !== 'ok')).toEqual([]);
      expect(code).toBe(0);
      expect(steps.filter(({ where }) => where === 'live').map(({ step }) => step)).toEqual(STEPS);
      expect(await orders()).toEqual({ all: times, resting: 0 });
    }
    const ledger = openReadOnly(join(cwd, 'rehearsal.sqlite'));
    onTestFinished(() => ledger.close());
    expect([ledger.orders().map(({ status }) => status), ledger.verify()]).toEqual([['canceled', 'canceled'], []]);
  });

  test('it is not begun under a kill, nor beside a trader that holds the ledger', async () => {
    const { rehearse, cwd, asked } = await venue();
    const path = join(cwd, 'twinbook.sqlite');
    writeFileSync(`${path}.kill`, 'the key may be stolen');
    const killed = await rehearse(LIVE);
    expect(killed).toMatchObject({ code: 1, result: 'failed' });
    const text = 'the trader is killed: the key may be stolen';
    expect(killed.steps.at(-1)).toMatchObject({ where: 'live', step: 'keys', text });
    rmSync(`${path}.kill`);
    const held = openLedger(path, { pid: process.pid, startedMs: Date.now() });
    onTestFinished(() => held.close());
    const { steps } = await rehearse(LIVE);
    const running = 'the trader of this configuration file is running';
    expect(steps.at(-1)).toMatchObject({ where: 'live', step: 'keys', text: running });
    expect(asked).toEqual([]);
  });

  test('it is not begun beside orders that rest', async () => {
    const { rehearse, orders, client, wallet } = await venue();
    const own = client();
    const [market] = (await own.markets.list({ state: 'open' })).rows;
    const bid = { is_yes: true, side: 'buy', order_type: 'limit', price: '0.04', amount: '25' } as const;
    await own.place(wallet(), { ...bid, market_condition_id: must(market, 'a market').condition_id });
    const { code, steps } = await rehearse(LIVE);
    expect(code).toBe(1);
    expect(steps.at(-1)).toMatchObject({ step: 'account', result: 'failed', text: 'an order rests under this wallet' });
    expect(await orders()).toEqual({ all: 1, resting: 1 });
  });
});
