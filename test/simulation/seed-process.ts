/** A process that plays the seeds that its parent sends. */

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

/** An error of the simulation itself must not end other seeds. */
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
// The parent has ended or disconnected.
process.on('disconnect', () => process.exit(0));
// An interrupt goes to the whole group; the parent handles it.
process.on('SIGINT', () => undefined);
