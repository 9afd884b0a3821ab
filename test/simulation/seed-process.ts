/** A process that lives through seeds, one after another, as its parent names them. */

import { type SeedReport, type SeedTask, storyOf } from './campaign.js';

process.on('message', (task: SeedTask) => {
  const report: SeedReport = storyOf(task);
  process.send?.(report);
});
// The parent is gone, or wants no more.
process.on('disconnect', () => process.exit(0));
// An interrupt goes to the whole group; the parent decides what it means.
process.on('SIGINT', () => undefined);
