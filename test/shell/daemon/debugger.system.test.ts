/** SIGUSR1, which some tools send to reopen a log, opens Node's debugger in a program without a listener for it. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readBeat } from '../../../src/shell/guardian/beat-file.js';
import { locateReportFile, reportSchema } from '../../../src/shell/guardian/decide.js';
import { endInOrder, exchangeAt } from '../../support/cases.js';
import { until } from '../../support/waiting.js';
import { traderAt } from './trader-at.js';

/** Any free port: the default one may be taken, and then no debugger could open. */
const ANY_PORT = { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --inspect-port=0`.trim() };

it('SIGUSR1 opens no debugger in trader, guardian and exchange, and the logs say that it does nothing', async () => {
  const exchange = await exchangeAt('--no-rate-limits');
  const { folder, start } = traderAt(exchange.url, 'guardian: {}\nstrategies: [maker.yaml]');
  const trader = start(ANY_PORT);
  await trader.waitFor(/quoting \|/);
  const beat = () => readBeat(locateReportFile(`${folder}/ledger.sqlite`), reportSchema);
  const report = await until(beat, (seen) => seen !== null && seen !== 'unreadable');
  if (report === null || report === 'unreadable') return expect.unreachable();
  const read = (file: string) => () => readFileSync(`${folder}/${file}`, 'utf8');
  for (const [pid, log] of [
    [trader.process.pid ?? 0, read('trader.log')],
    [report.process.pid, read('ledger.sqlite.guardian.log')],
  ] as const) {
    process.kill(pid, 'SIGUSR1');
    await until(log, (text) => text.includes('SIGUSR1 does nothing: it opens no debugger'));
  }
  exchange.running.process.kill('SIGUSR1');
  await endInOrder(trader);
  await endInOrder(exchange.running);
  expect(trader.output() + exchange.running.output()).not.toMatch(/debugger/i);
});
