/** A demonstration for development scripts: the compiled trader quotes the simulated crowd, beside its console. */

import { cpSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { traderYaml } from '../../support/cases.js';
import { twinbook } from '../../support/processes.js';

const ROOT = resolve(import.meta.dirname, '../../..');

/** A trader, an embedded exchange with its crowd, and a console that outlives the trader. */
export async function startDemo(folder: string) {
  const file = join(folder, 'trader.yaml');
  const more = `strategies: [strategies/belief-maker.yaml, strategies/crowd-maker.yaml]
dashboard: { start: false, port: 0 }
recording: { enabled: true, dir: recordings }
risk: { max_loss_day: "50", max_drawdown: "100", max_open_orders: 40, max_position_shares: "500" }`;
  cpSync(join(ROOT, 'config/strategies'), join(folder, 'strategies'), { recursive: true });
  writeFileSync(file, traderYaml(null, more));
  const trader = twinbook(['start', '-c', file]);
  await trader.waitFor(/ quoting \| /);
  const console = twinbook(['console', '-c', file]);
  const [, url = '', token = ''] = await console.waitFor(/(http:\/\/[\d.:]+\/)#(\S+)/);
  return {
    ...{ file, trader, console, url, token },
    async stop() {
      for (const { process, exited } of [console, trader]) {
        process.kill('SIGTERM');
        await exited;
      }
    },
  };
}
