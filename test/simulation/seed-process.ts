/** A process that lives through seeds, one after another, as its parent names them. */

import type { SeedReport, SeedTask } from './campaign.js';
import { simulate } from './simulate.js';

function storyOf({ seed, faultyMs, pace }: SeedTask): SeedReport {
  const before = process.cpuUsage();
  const { tally, violations, traceHash, simulatedMs, events } = simulate({ seed, faultyMs, pace });
  tally.add(`traders: ${pace}`);
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  return { seed, violations, traceHash, simulatedMs, faultyMs, events, cpuMs, counts: tally.entries() };
}

/** What the simulation itself stumbles over must not end the others' seeds. */
function reported(task: SeedTask): SeedReport {
  try {
    return storyOf(task);
  } catch (error) {
    const violations = [`the simulation threw: ${error instanceof Error ? error.stack : String(error)}`];
    const { seed, faultyMs } = task;
    return { seed, violations, traceHash: '', simulatedMs: 0, faultyMs, events: 0, cpuMs: 0, counts: [] };
  }
}

process.on('message', (task: SeedTask) => {
  process.send?.(reported(task));
});
// The parent is gone, or wants no more.
process.on('disconnect', () => process.exit(0));
// An interrupt goes to the whole group; the parent decides what it means.
process.on('SIGINT', () => undefined);
