/**
 * Puts a trader's data folder on a faulty disk before its program begins: `NODE_OPTIONS=--import=…/preload.mjs`, with the
 * plan in TWINBOOK_FAULTY_DISK. What the disk counted is written to the plan's file when the process ends.
 */

import { writeFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';

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
