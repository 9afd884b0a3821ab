/**
 * `npm run soak -- [--hours H] [--keep-hours K] [--pace busy|patient] [--seed S] [--write]`: simulated hours of a trader whose ledger is
 * archived meanwhile; see `soak.ts`. 1 when an invariant broke or the ledger does not add up.
 */

import { parseArgs } from 'node:util';
import { writeFigures } from '../support/doc-figures.js';
import { orExit } from '../support/or-exit.js';
import { commit } from './report.js';
import { type SoakRow, soak } from './soak.js';
import '../support/tied.js';

const { seed, hours, keepHours, pace, write } = orExit((args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hours: { type: 'string', default: '24' },
      'keep-hours': { type: 'string', default: '4' },
      pace: { type: 'string', default: 'busy' },
      seed: { type: 'string', default: '1' },
      write: { type: 'boolean', default: false },
    },
  });
  const [seed, hours, keepHours] = [Number(values.seed), Number(values.hours), Number(values['keep-hours'])];
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed must be a whole number, got ${values.seed}`);
  if (!(hours > 0 && keepHours > 0)) throw new Error('--hours and --keep-hours must be above 0');
  if (values.pace !== 'busy' && values.pace !== 'patient') throw new Error('--pace must be busy or patient');
  const pace: 'busy' | 'patient' = values.pace;
  return { seed, hours, keepHours, pace, write: values.write };
});

const mb = (bytes: number): string => (bytes / 1e6).toFixed(2);
const rows: SoakRow[] = [];
const beganMs = performance.now();
const { violations, last } = soak({ seed, hours, keepHours, pace, newest: 100, everyHours: 1 }, (row) => {
  rows.push(row);
  const disk = `ledger ${mb(row.ledgerBytes)} MB, archives ${mb(row.archiveBytes)} MB`;
  console.log(
    `${row.hours} h: ${disk}, ${row.orders} orders and ${row.fills} fills in it, ${row.archived} intents left; heap ${mb(row.heapBytes)} MB`,
  );
});
const minutes = (performance.now() - beganMs) / 60_000;
console.log(`${minutes.toFixed(1)} minutes`);
for (const violation of violations) console.log(`  ${violation}`);
if (write && last !== null) {
  const shown = rows.filter(({ hours: at }) => at % Math.max(1, Math.round(hours / 8)) === 0);
  const lines = shown.map(
    (row) =>
      `| ${row.hours} | ${mb(row.ledgerBytes)} | ${mb(row.archiveBytes)} | ${row.orders} | ${row.fills} | ${row.archived} | ${mb(row.heapBytes)} |`,
  );
  const command = `npm run soak -- --hours ${hours} --keep-hours ${keepHours} --pace ${pace} --seed ${seed}`;
  writeFigures(
    'soak',
    [
      '| Simulated hours | Ledger, MB | Archives, MB | Orders in it | Fills | Intents that left | Heap, MB |',
      '|---:|---:|---:|---:|---:|---:|---:|',
      ...lines,
      '',
      `\`${command}\`, commit ${commit()}, ${new Date().toISOString().slice(0, 10)}.`,
    ].join('\n'),
    new URL('../../docs/operations.md', import.meta.url).pathname,
  );
}
process.exitCode = violations.length === 0 ? 0 : 1;
