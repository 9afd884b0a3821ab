/** An operator at the control socket of a running trader, through the command line. */

import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import { exchangeHere } from '../../support/cases.js';
import { expectAgreement } from '../../support/venue.js';
import { until } from '../../support/waiting.js';
import { traderAt } from './trader-at.js';

const WAY_UP = '  `twinbook status` shows the current mode and the command that ends this mode.\n';

it('a running trader obeys its operator: pause, resume, cancel-all, kill, unkill, stop', async () => {
  const url = await exchangeHere('--no-rate-limits');
  const { folder, start, command, status, ask, resting } = traderAt(url);
  const trader = start();
  await trader.waitFor(/ fill: /);
  expect(statSync(`${folder}/ledger.sqlite.sock`).mode & 0o777).toBe(0o600);

  const quoting = await until(ask, (seen) => seen.account.openOrders >= 4);
  expect(await status()).toMatchObject({ running: true, mode: 'quoting', pid: trader.process.pid, base_url: url });
  expect(quoting.markets).toHaveLength(4);
  const market = quoting.markets.find((row) => row.orders.length > 0);
  const aboutMarket = await command('explain', market?.conditionId ?? '');
  expect(aboutMarket.output).toContain(market?.title);
  expect(aboutMarket.output).toMatch(/Strategy: maker\n +State: /);
  const [order] = await until(resting, (rows) => rows.length > 0);
  const aboutOrder = await command('explain', order?.pubkey ?? '');
  expect(aboutOrder.output).toMatch(/Terms: (buy|sell) (YES|NO) at 0\.\d+/);
  expect(aboutOrder.output).toMatch(/Decided by: maker[\s\S]*Configuration: [0-9a-f]{12}/);
  expect((await command('explain', 'nonsense')).output).toBe(
    'the trader refused: nonsense is no order, fill, intent or market that this trader knows; `twinbook orders`, `fills` and `markets` list them\n',
  );

  expect(await command('pause', '--reason', 'lunch')).toEqual({ code: 0, output: 'paused: lunch\n' });
  await until(resting, (rows) => rows.length === 0);
  expect(await command('resume')).toEqual({ code: 0, output: 'quoting\n' });
  await until(resting, (rows) => rows.length > 0);
  expect(await command('widen', '--reason', 'rumours')).toEqual({ code: 0, output: 'widened: rumours\n' });
  expect((await command('reduce-only')).output).toBe('reducing: operator\n');
  expect((await command('resume')).output).toBe('quoting\n');
  await until(resting, (rows) => rows.length > 0);

  const canceled = await command('cancel-all', '--verify');
  expect(canceled.code, canceled.output).toBe(0);
  expect(canceled.output).toMatch(/^canceled \d+ orders?; two reads show that none rests\n$/);

  const said = await command('kill', '--reason', 'odd prices');
  expect(said.code, said.output).toBe(0);
  expect(said.output).toMatch(
    /^killed: odd prices\n(as far as the trader knows, no order rests|\d+ orders? may rest .*)\n$/,
  );
  await until(resting, (rows) => rows.length === 0);
  expect((await command('stop')).output).toBe('stopped; no order is left open\n');
  expect(await trader.exited).toBe(0);
  expect((await command('pause')).code).toBe(3);

  const killed = start();
  await killed.waitFor(/killed: odd prices \| markets 0 of/);
  expect(await resting()).toEqual([]);
  expect(await command('resume', '--reason', 'I want to')).toEqual({
    code: 2,
    output: `the trader refused: other stops are lifted, but the trader stays killed (odd prices): only unkill --reason TEXT lifts the kill\n${WAY_UP}`,
  });
  expect((await command('unkill', '--reason', 'prices are back')).code).toBe(0);
  await killed.waitFor(/ fill: /);
  expect((await command('stop')).code).toBe(0);
  expect(await killed.exited).toBe(0);
  const told = JSON.parse((await command('events', '--json')).output) as { kind: string; text: string }[];
  // The scheduled reconciliation, every five minutes, must not appear here.
  const commands = told.filter(({ kind }) => kind === 'command').map(({ text }) => text);
  expect(commands.reverse()).toEqual([
    ...['pause: lunch', 'resume: none given', 'widen: rumours', 'reduce-only: operator', 'resume: none given'],
    ...['cancel-all', 'kill: odd prices', 'stop', 'resume: I want to', 'unkill: prices are back', 'stop'],
  ]);
  await expectAgreement(folder, url, micros(1_000_000_000));
});
