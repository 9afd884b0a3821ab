/**
 * Puts a trader's data folder on a faulty disk before its program begins: `NODE_OPTIONS=--import=…/preload.mjs`, with the
 * plan in TWINBOOK_FAULTY_DISK. What the disk counted is written to the plan's file when the process ends.
 */

import { writeFileSync } from 'node:fs';

// As `src/shared/base/sqlite-driver.ts` chooses: a disk belongs to the SQLite that the trader loads.
const name = Number.parseInt(process.versions.node, 10) < 22 ? 'better-sqlite3' : 'better-sqlite3-13';
const { default: Sqlite } = await import(name);

/** @type {{ library: string, folder: string, fault: (number | string)[], report: string }} */
const plan = JSON.parse(process.env['TWINBOOK_FAULTY_DISK'] ?? '');

// Programs that the trader starts inherit the environment; their disk is another matter.
if (process.argv.includes('start')) {
  const control = new Sqlite(':memory:').loadExtension(plan.library);
  control.prepare('SELECT disk_open(?)').get(plan.folder);
  control.prepare(`SELECT disk_fail(?${', ?'.repeat(plan.fault.length)})`).get(plan.folder, ...plan.fault);
  process.on('exit', () => {
    writeFileSync(plan.report, String(control.prepare('SELECT disk_counts(?)').pluck().get(plan.folder)));
  });
}
