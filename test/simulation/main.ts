/** `npm run simulate -- --seeds N --hours H [--first S]`: many seeds, or one that failed; 1 when any invariant broke. */

import { parseArgs } from 'node:util';
import { orExit } from '../support/or-exit.js';
import { Tally } from './faults.js';
import { simulate } from './simulate.js';

const HOUR_MS = 3_600_000;

const { seeds, hours, first } = orExit((args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '10' },
      hours: { type: 'string', default: '0.25' },
      first: { type: 'string', default: '1' },
    },
  });
  const [seeds, hours, first] = [Number(values.seeds), Number(values.hours), Number(values.first)];
  if (!Number.isSafeInteger(seeds) || seeds < 1) throw new Error(`--seeds must be a count, got ${values.seeds}`);
  if (!(hours > 0)) throw new Error(`--hours must be hours of faults per seed, above 0, got ${values.hours}`);
  if (!Number.isSafeInteger(first) || first < 0) throw new Error(`--first must be a seed, got ${values.first}`);
  return { seeds, hours, first };
});

const startedMs = performance.now();
const total = new Tally();
let [simulatedMs, events, broken] = [0, 0, 0];
for (let seed = first; seed < first + seeds; seed++) {
  const story = simulate({ seed, faultyMs: hours * HOUR_MS });
  simulatedMs += story.simulatedMs;
  events += story.events;
  total.addAll(story.tally);
  if (story.violations.length === 0) continue;
  broken++;
  console.log(`seed ${seed} (trace ${story.traceHash.slice(0, 12)}):`);
  for (const violation of story.violations) console.log(`  ${violation}`);
}
const seconds = (performance.now() - startedMs) / 1000;
const simulated = simulatedMs / HOUR_MS;
console.log(
  `${seeds} seeds from ${first}, ${simulated.toFixed(1)} simulated hours, ${events} events, ${seconds.toFixed(0)} s`,
);
for (const [kind, count] of total.entries()) console.log(`  ${kind}: ${count}`);
console.log(broken === 0 ? 'no violations' : `${broken} of ${seeds} seeds with violations`);
process.exitCode = broken === 0 ? 0 : 1;
