/**
 * `npm run lab -- planted [--only NAME] [--threads N]`: plants every bug and searches it with the random simulation. Prints
 * the table and writes it into docs/lab/simulation.md. Exits with 1 when a bug is not found within 200 seeds, or at a
 * median of 50.
 */

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { SIMULATION, writeFigures } from '../../support/doc-figures.js';
import { orExit } from '../../support/or-exit.js';
import type { Bug } from './bug.js';
import { BUGS } from './bugs.js';
import type { Hunt } from './hunt.js';
import { MOST_SEEDS, trial } from './trial.js';
import { typeErrors } from './type-check.js';
import '../../support/tied.js';

const MEDIAN_BELOW = 50;

interface Result {
  readonly bug: Bug;
  readonly hunt: Hunt;
}

const { bugs, threads, isWhole } = orExit((args) => {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string' }, threads: { type: 'string', default: `${availableParallelism()}` } },
  });
  const threads = Number(values.threads);
  if (!Number.isSafeInteger(threads) || threads < 1)
    throw new Error(`--threads must be a count, got ${values.threads}`);
  const bugs = BUGS.filter(({ name }) => values.only === undefined || name === values.only);
  if (bugs.length === 0)
    throw new Error(`--only must be one of ${BUGS.map(({ name }) => name).join(', ')}, got ${values.only}`);
  return { bugs, threads, isWhole: values.only === undefined };
});

const stale = typeErrors(bugs);
if (stale.length > 0) {
  console.error(`these bugs are not what they say, as the product has changed:\n${stale.join('\n')}`);
  process.exit(1);
}

/** By seed: the result of the product without a bug. */
const sound = new Map<number, Promise<Hunt>>();

const results = await tryAll();
const markdown = shown(results);
console.log(markdown);
if (isWhole) writeFigures('planted', markdown, SIMULATION);
const missed = results.filter(({ hunt }) => hunt.seed === null);
for (const { bug, hunt } of missed) {
  const thrown = hunt.firstThrown === null ? '' : `, in ${hunt.threw} seeds ${hunt.firstThrown}`;
  console.log(`not found: ${bug.name}${thrown}`);
}
process.exitCode = missed.length === 0 && medianOf(results) < MEDIAN_BELOW ? 0 : 1;

/** A seed counts only if the product without the bug passes it. */
async function believed(hunt: Hunt): Promise<Hunt> {
  if (hunt.seed === null) return hunt;
  const seeds = { first: hunt.seed, last: hunt.seed };
  const honest = sound.get(hunt.seed) ?? trial(null, seeds);
  sound.set(hunt.seed, honest);
  const { violation } = await honest;
  if (violation !== null) throw new Error(`seed ${hunt.seed} breaks without any bug: ${violation}`);
  return hunt;
}

async function tryAll(): Promise<readonly Result[]> {
  const found = new Map<Bug, Hunt>();
  const waiting = [...bugs];
  const work = async () => {
    for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
      const hunt = await believed(await trial(bug, { first: 1, last: MOST_SEEDS }));
      console.error(`${bug.name}: ${hunt.seed === null ? 'not found' : `seed ${hunt.seed}, ${short(hunt)}`}`);
      found.set(bug, hunt);
    }
  };
  await Promise.all(Array.from({ length: threads }, work));
  return bugs.flatMap((bug) => {
    const hunt = found.get(bug);
    return hunt === undefined ? [] : [{ bug, hunt }];
  });
}

function shown(results: readonly Result[]): string {
  const rows = results.map(({ bug, hunt }) => `| ${bug.name} | ${bug.what} | ${hunt.seed ?? '–'} | ${short(hunt)} |`);
  const found = results.flatMap(({ hunt }) => (hunt.seed === null ? [] : [hunt.seed]));
  return [
    `${found.length} of ${results.length} bugs found within ${MOST_SEEDS} seeds; median seed ${medianOf(results)}, ` +
      `last seed ${Math.max(0, ...found)}. Measured by \`npm run lab -- planted\`.`,
    '',
    '| Bug | What it does | Found by seed | What broke |',
    '| --- | --- | ---: | --- |',
    ...rows,
  ].join('\n');
}

/** Bugs that were not found rank after all seeds. */
function medianOf(results: readonly Result[]): number {
  const seeds = results.map(({ hunt }) => hunt.seed ?? MOST_SEEDS + 1).sort((a, b) => a - b);
  return seeds[Math.floor(seeds.length / 2)] ?? 0;
}

/** The violation without generated names, short enough for a table's cell. */
function short({ violation }: Hunt): string {
  const text = (violation ?? '').replaceAll(/[1-9A-HJ-NP-Za-km-z]{30,44}/g, '…').replaceAll(/[|\n]/g, ' ');
  return text.length > 110 ? `${text.slice(0, 109)}…` : text;
}
