/** The log on a disk that takes no more of it. */

import { expect, it } from 'vitest';
import { openLog } from '../../../src/shell/daemon/log.js';
import { folderOf, makerYaml, started, traderYaml } from '../../support/cases.js';

it('a log that cannot be written says so once and stops nobody', () => {
  const said: string[] = [];
  const log = openLog({ level: 'info', file: '/dev/full' }, { write: (line) => void said.push(line) });
  for (let line = 0; line < 1000; line++) log.logger.info({ line, text: 'x'.repeat(10_000) }, 'a line');
  expect(said).toEqual([expect.stringMatching(/^the log \/dev\/full cannot be written: ENOSPC/)]);
});

it('a trader whose log cannot be written trades on, and cancels when it is stopped', async () => {
  const yaml = traderYaml(null).replace('trader.log', '/dev/full');
  const folder = folderOf({ 'trader.yaml': yaml, 'maker.yaml': makerYaml() });
  const trader = started(['start', '-c', `${folder}/trader.yaml`]);
  await trader.waitFor(/the log \/dev\/full cannot be written: ENOSPC/);
  await trader.waitFor(/fill: /);
  trader.process.kill('SIGTERM');
  expect(await trader.exited, trader.output()).toBe(0);
  expect(trader.output()).toContain('nothing rests at the exchange');
});
