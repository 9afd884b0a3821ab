/** What tests of real processes share: whatever a test started is ended with it, and every folder goes. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFailed, onTestFinished } from 'vitest';
import { type Running, twinbook } from './processes.js';

/** Starts the program; it is killed at the end of the test if it still runs. */
export function started(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const running = twinbook(args, env);
  // A wait in vain ends with the test's time-out; then what was said instead is all there is to go by.
  onTestFailed(() => console.error(`twinbook ${args.join(' ')} said:\n${running.output()}`));
  onTestFinished(async () => {
    running.process.kill('SIGKILL');
    await running.exited;
  });
  return running;
}

/** Runs a command to its end. */
export async function ran(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const running = started(args, env);
  return { code: await running.exited, output: running.output() };
}

/** An exchange in a process of its own, with controls; returns where it listens. */
export async function exchangeAt(
  ...flags: readonly string[]
): Promise<{ readonly running: Running; readonly url: string }> {
  const port = flags.includes('--port') ? [] : ['--port', '0'];
  const running = started(['exchange', ...port, '--controls', ...flags]);
  return { running, url: (await running.waitFor(/listening on (http:\S+)/))[1] ?? '' };
}

/** A folder with these files (path → text), removed at the end of the test. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** A trader's file that polls quickly; `venue` is an address, or null for an embedded exchange. `more` is YAML. */
export const traderYaml = (url: string | null, more = 'strategies: [maker.yaml]'): string => `
venue: { profile: paper${url === null ? '' : `, base_url: "${url}"`} }
${url === null ? 'exchange: { data_dir: exchange, seed: 3 }' : ''}
wallet: { file: wallet.json }
ledger: { path: ledger.sqlite }
log: { file: trader.log }
capital: "1000"
polling: { own_interval_ms: 300, hot_interval_ms: 200, assets_interval_ms: 2000 }
merge: { min_shares: "5" }
${more}
`;

/** Quotes narrowly in the markets of the simulated crowd. `markets` is YAML. */
export const makerYaml = (markets = '{ max: 4 }'): string => `
strategy: log-odds-maker
markets: ${markets}
params: { half_spread_ticks: 2, improve_ticks: 1, order_shares: "25", risk_aversion: 0.002 }
`;
