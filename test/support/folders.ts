/** Folders with the files of a trader, in a separate place, removed when their test ends. */

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty folder, removed at the end of the test. */
export const newFolder = (): string => folderOf({});

/** An empty folder that other users can enter, unlike the temporary folder. */
export function sharedFolder(): string {
  const folder = mkdtempSync('/tmp/twinbook-shared-');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  return folder;
}

/** A folder with these files (path → text), removed at the end of the test. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  // The programs use the real path: a temporary folder may be behind a link.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'twinbook-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/**
 * A trader's file with fast polls; `url` is an exchange's, or null for an embedded one. `more` is YAML. Guardian and
 * page, each its own process, run only if `more` configures them.
 */
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
${without('guardian', more)}${without('dashboard', more)}`;

const without = (companion: string, yaml: string): string =>
  new RegExp(`^${companion}:`, 'm').test(yaml) ? '' : `${companion}: { enabled: false }\n`;

/** Quotes narrowly in the markets of the simulated crowd. `markets` is YAML. */
export const makerYaml = (markets = '{ max: 4 }'): string => `
strategy: log-odds-maker
markets: ${markets}
params: { half_spread_ticks: 2, improve_ticks: 1, order_shares: "25", risk_aversion: 0.002 }
`;

/** The module of a strategy that always wants the same book: this number of prices on each side of each market. */
export const ladderOf = (levels: number): string => `
import { defineStrategy } from 'twinbook/strategy';
const level = (priceMicros) => ({ priceMicros, amountMicros: 5_000_000 });
const steps = Array.from({ length: ${levels} }, (_, step) => (step + 1) * 10_000);
export default defineStrategy({
  name: 'ladder', summary: 'Wants the same book for ever.', params: {},
  create: () => ({
    quote: () => ({
      fairMicros: 500_000,
      bids: steps.map((step) => level(500_000 - step)),
      asks: steps.map((step) => level(500_000 + step)),
      keepWithinTicks: 0, keepWithinSizeFraction: 0, note: 'ladder', factors: {},
    }),
  }),
});
`;
