/**
 * npm run lab -- kill-points [--points N] [--flow NAME] [--seed N] [--write]
 *
 * Kills real processes as they enter a system call that has an outside effect, and again while they recover. Compares
 * the result with the exchange, which stays up. `--points` in all flows together, default 200. Needs strace; without
 * it, reports that and exits with 0.
 */

import { parseArgs } from 'node:util';
import { writeFigures } from '../support/doc-figures.js';
import { orExit } from '../support/or-exit.js';
import { FLOWS } from './kill-flows.js';
import { type KillResult, killedFlow } from './kill-run.js';
import { type KillPoint, tracingMissing } from './traced.js';

const options = orExit((args) => {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      points: { ...text, default: '200' },
      flow: text,
      seed: { ...text, default: '1' },
      write: { type: 'boolean' },
    },
  });
  const [points, seed] = [Number(values.points), Number(values.seed)];
  if (!(Number.isInteger(points) && points > 0)) throw new Error('--points wants a number above 0');
  if (!Number.isInteger(seed)) throw new Error('--seed wants a whole number');
  if (values.flow !== undefined && !(values.flow in FLOWS)) throw new Error(`--flow: ${Object.keys(FLOWS).join(', ')}`);
  return { points, seed, flows: values.flow === undefined ? Object.keys(FLOWS) : [values.flow], write: values.write };
});

const missing = tracingMissing();
if (missing !== null) {
  console.log(`skipped: nothing was killed: ${missing}`);
  process.exit(0);
}

const told = ({ first, second, lost, doubled, different, hits }: KillResult): string => {
  const at = ({ call, nth, target = '' }: KillPoint) => `${call} ${nth} (${target.split('/').at(-1)})`;
  const bad = [...lost, ...doubled, ...different];
  return `killed ${hits} times, at ${at(first)}, then ${at(second)}: ${bad.length === 0 ? 'agrees' : bad.join('; ')}`;
};

const table = new Map<string, readonly KillResult[]>();
// Three at a time, because they mostly wait for other processes.
const waiting = options.flows.map((name, index) => ({ name, count: share(index) }));
await Promise.all(
  Array.from({ length: 3 }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { name, count } = next;
      if (count === 0) continue;
      const { seed } = options;
      table.set(name, await killedFlow(name, { count, seed }, (result) => console.log(`${name}: ${told(result)}`)));
    }
  }),
);

/** Points of this flow, divided evenly. */
function share(index: number): number {
  return (
    Math.floor(((index + 1) * options.points) / options.flows.length) -
    Math.floor((index * options.points) / options.flows.length)
  );
}

const sum = (results: readonly KillResult[], of: (result: KillResult) => number) =>
  results.reduce((total, result) => total + of(result), 0);
const row = (name: string, results: readonly KillResult[]): string =>
  `| ${[
    name,
    ...[results.length, sum(results, ({ hits }) => hits), sum(results, ({ lost }) => lost.length)],
    ...[sum(results, ({ doubled }) => doubled.length), sum(results, ({ different }) => different.length)],
  ].join(' | ')} |`;

const all = options.flows.flatMap((name) => table.get(name) ?? []);
const figures = [
  '| Flow | Points | Kills | Lost | Doubled | Otherwise different |',
  '|---|---|---|---|---|---|',
  ...options.flows.map((name) => row(FLOWS[name]?.about ?? name, table.get(name) ?? [])),
  row('**all**', all),
].join('\n');
console.log(`\n${figures}`);
if (options.write) writeFigures('kills', figures);
process.exit(all.some(({ lost, doubled, different }) => lost.length + doubled.length + different.length > 0) ? 1 : 0);
