/**
 * npm run lab -- strategy-pages [NAME…] [--seeds N] [--write]
 *
 * Results of the shipped strategies in the arena and on the shipped sample: two tables for each strategy. NAME: only
 * these modules. `--write` puts the tables, with their date, into docs/lab/strategy-results.md. All of them with 10
 * seeds take about four minutes of one core.
 */

import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadEntrants } from '../../src/lab/arena/arena.js';
import { type Conditions, type Entrant, USUAL_CONDITIONS } from '../../src/lab/arena/contract.js';
import { WORLDS } from '../../src/lab/arena/worlds.js';
import { backtestOf } from '../../src/lab/backtest/backtest.js';
import { loadConfig } from '../../src/shell/config/load.js';
import { feedsNamed } from '../../src/trader/strategy/read-params.js';
import { writeFigures } from '../support/doc-figures.js';
import { rowOf } from './figures.js';
import { arenaTable, type EdgeRow, edgeOf, type SampleRow, sampleTable } from './page-tables.js';
import { STRATEGIES } from './unlimited.js';
import '../support/tied.js';

const ROOT = resolve(import.meta.dirname, '../..');
/** No parameter was ever chosen on these seeds. */
const FIRST_SEED = 20_000;
/** One simulation of the whole trader takes as long as fifty others. */
const CROWD_SEEDS = 2;
const FILL_MODELS = ['risk-averse', 'posts-only', 'optimistic'];
const LATENCY = 'constant:150';
type Feed = Pick<Conditions, 'feedSd' | 'feedLagS'>;
const FEEDS: readonly Feed[] = [
  { feedSd: 0.02, feedLagS: 0 },
  { feedSd: 0.1, feedLagS: 0 },
  { feedSd: 0.5, feedLagS: 0 },
  { feedSd: 0.02, feedLagS: 5 },
];

const { values, positionals } = parseArgs({
  options: { seeds: { type: 'string', default: '10' }, write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const seeds = Number(values.seeds);
const day = new Date().toISOString().slice(0, 10);

type Tried = Readonly<{ file: string; entrant: Entrant }>;

const pages = new Map<string, Tried[]>();
for (const file of readdirSync(STRATEGIES).sort()) {
  const path = join(STRATEGIES, file);
  for (const entrant of await loadEntrants({ file: path, env: {}, cwd: ROOT })) {
    const { moduleName } = entrant;
    if (positionals.length > 0 && !positionals.includes(moduleName)) continue;
    pages.set(moduleName, [...(pages.get(moduleName) ?? []), { file: path, entrant }]);
  }
}
for (const [name, tried] of pages) {
  process.stderr.write(`${name} …\n`);
  const text = await pageOf(tried);
  console.log(`${name}\n\n${text}\n`);
  if (values.write) writeFigures(name, text, join(ROOT, 'docs/lab/strategy-results.md'));
}

async function pageOf(tried: readonly Tried[]): Promise<string> {
  const edges: EdgeRow[] = [];
  const samples: SampleRow[] = [];
  for (const { file, entrant } of tried) {
    const { module, params } = entrant;
    const conditions = feedsNamed(module.params, params).length === 0 ? [null] : FEEDS;
    for (const feed of conditions) edges.push(await edgesOf(basename(file, '.yaml'), entrant, feed));
    samples.push(...(await samplesOf(file)));
  }
  return `${arenaTable(edges, { day, firstSeed: FIRST_SEED, seeds, crowdSeeds: CROWD_SEEDS })}\n\n${sampleTable(samples, LATENCY)}`;
}

async function edgesOf(file: string, entrant: Entrant, feed: Feed | null): Promise<EdgeRow> {
  const conditions = { ...USUAL_CONDITIONS, ...feed };
  const worlds: Record<string, EdgeRow['worlds'][string]> = {};
  for (const world of WORLDS) {
    if (world.name === 'rationed') continue;
    const results = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + (world.name === 'crowd' ? CROWD_SEEDS : seeds); seed++)
      results.push(await world.simulate(seed, entrant, conditions));
    worlds[world.name] = edgeOf(results);
  }
  const late = feed === null || feed.feedLagS === 0 ? '' : ` and ${feed.feedLagS} s late`;
  return { row: feed === null ? file : `${file}, feed off by ${feed.feedSd}${late}`, worlds };
}

/** The three shipped markets; a feed has no values there. */
async function samplesOf(file: string): Promise<readonly SampleRow[]> {
  const config = await loadConfig(file, { strategyFileToo: true, feeds: 'any', env: {}, cwd: ROOT });
  const data = [join(ROOT, 'data/sample')];
  const results = await backtestOf(config, { data, fillModels: FILL_MODELS, latency: LATENCY, allMarkets: true });
  return results.map(({ analysis }) => rowOf(basename(file, '.yaml'), analysis));
}
