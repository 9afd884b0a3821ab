/**
 * `npm run simulate -- --seeds N --hours H [--first S] [--pace P] [--threads T] [--write]`: many seeds, or one that
 * failed.
 *
 * `--hours` is the duration of each seed's faults, in phases of about twenty minutes; the calm after each adds about a
 * third. With `--pace busy` each trader uses the venue's whole budget, with `patient` little of it; with `mixed`, the
 * default, most are patient. Ctrl-C ends it with the results so far. Exits with 1 when an invariant broke, with the
 * command to repeat it.
 */

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { SIMULATION, writeFigures } from '../support/doc-figures.js';
import { orExit } from '../support/or-exit.js';
import { campaign, Figures, PACES, type SeedReport } from './campaign.js';
import { commit, markdown, screenLines } from './report.js';
import '../support/tied.js';

const HOUR_MS = 3_600_000;
const PROGRESS_MS = 30_000;

const { seeds, hours, first, pace, threads, write } = orExit((args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '10' },
      hours: { type: 'string', default: '0.25' },
      first: { type: 'string', default: '1' },
      pace: { type: 'string', default: 'mixed' },
      threads: { type: 'string', default: `${availableParallelism()}` },
      write: { type: 'boolean', default: false },
    },
  });
  const [seeds, hours, first] = [Number(values.seeds), Number(values.hours), Number(values.first)];
  const threads = Number(values.threads);
  if (!Number.isSafeInteger(seeds) || seeds < 1) throw new Error(`--seeds must be a count, got ${values.seeds}`);
  if (!(hours > 0)) throw new Error(`--hours must be hours of faults per seed, above 0, got ${values.hours}`);
  if (!Number.isSafeInteger(first) || first < 0) throw new Error(`--first must be a seed, got ${values.first}`);
  const pace = PACES.find((known) => known === values.pace);
  if (pace === undefined) throw new Error(`--pace must be one of ${PACES.join(', ')}, got ${values.pace}`);
  if (!Number.isSafeInteger(threads) || threads < 1)
    throw new Error(`--threads must be a count, got ${values.threads}`);
  return { seeds, hours, first, pace, threads, write: values.write };
});

const figures = new Figures();
/** The commit of the running sources, even if they change meanwhile. */
const version = commit();

function ended(report: SeedReport): void {
  figures.add(report);
  if (report.violations.length === 0) return;
  console.log(`seed ${report.seed}, commit ${version}, trace ${report.traceHash}:`);
  for (const violation of report.violations) console.log(`  ${violation}`);
  console.log(`  again: npm run simulate -- --seeds 1 --first ${report.seed} --hours ${hours} --pace ${pace}`);
}

const stopped = new Promise<void>((resolve) => process.once('SIGINT', () => resolve()));
const progress = setInterval(() => {
  const { broken, timesRealTime } = figures;
  const so = `${figures.seeds} of ${seeds} seeds, ${figures.hours.toFixed(1)} simulated hours`;
  console.log(`${so}, ${timesRealTime.toFixed(0)} times real time on a core, ${broken.length} with violations`);
}, PROGRESS_MS);
try {
  await campaign({ first, seeds, faultyMs: hours * HOUR_MS, pace, processes: threads, ended }, stopped);
} finally {
  clearInterval(progress);
}
for (const line of screenLines(figures)) console.log(line);
if (figures.seeds < seeds) console.log(`interrupted: ${seeds - figures.seeds} seeds are missing`);
if (write) {
  const part = figures.seeds < seeds ? `, ended after ${figures.seeds} of the seeds` : '';
  const command = `npm run simulate -- --seeds ${seeds} --hours ${hours} --first ${first} --pace ${pace}`;
  const text = markdown(figures, { command, version: `${version}${part}`, date: new Date() });
  writeFigures('simulation', text, SIMULATION);
}
process.exitCode = figures.broken.length === 0 && figures.seeds === seeds ? 0 : 1;
