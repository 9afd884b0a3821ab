/** A process that lives through seeds, one after another, as its parent names them. */

import type { SeedReport, SeedTask } from './campaign.js';
import { simulate } from './simulate.js';

function storyOf({ seed, faultyMs }: SeedTask): SeedReport {
  const before = process.cpuUsage();
  const { tally, violations, traceHash, simulatedMs, events } = simulate({ seed, faultyMs });
  const { user, system } = process.cpuUsage(before);
  return { seed, violations, traceHash, simulatedMs, events, cpuMs: (user + system) / 1000, counts: tally.entries() };
}

process.on('message', (task: SeedTask) => {
  process.send?.(storyOf(task));
});
// The parent is gone, or wants no more.
process.on('disconnect', () => process.exit(0));
// An interrupt goes to the whole group; the parent decides what it means.
process.on('SIGINT', () => undefined);
