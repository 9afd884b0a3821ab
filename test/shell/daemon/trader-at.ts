/** A trader of the daemon's system tests in its own folder, and the operations on it. */

import type { StatusData } from '../../../src/cli/ledger/status.js';
import { askTrader } from '../../../src/shell/control/control-client.js';
import { folderOf, makerYaml, ran, started, traderYaml } from '../../support/cases.js';
import { restingAt } from '../../support/venue.js';

/** `url`: an exchange's address, or null for an embedded one. `more`: YAML of the trader's file. */
export function traderAt(url: string | null, more?: string, files: Readonly<Record<string, string>> = {}) {
  const folder = folderOf({ 'trader.yaml': traderYaml(url, more), 'maker.yaml': makerYaml(), ...files });
  const config = `${folder}/trader.yaml`;
  const command = (...args: readonly string[]) => ran([...args, '-c', config]);
  return {
    folder,
    config,
    command,
    start: (env?: Readonly<Record<string, string>>) => started(['start', '-c', config], env),
    /** The state as the command line prints it. */
    status: async () => JSON.parse((await command('status', '--json')).output) as StatusData,
    /** The state as the running trader sends it. */
    ask: () => askTrader({ command: 'status' }, { socket: `${folder}/ledger.sqlite.sock`, timeoutMs: 60_000 }),
    resting: () => restingAt(folder, url ?? ''),
  };
}
