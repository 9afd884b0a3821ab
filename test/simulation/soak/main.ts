/**
 * `npm run lab -- soak [--hours H] [--pace busy|patient] [--seed S] [--write]`: simulated hours of a trader, with its
 * memory and disk; see `soak.ts`. Exits with 1 when an invariant broke, the ledger does not add up, or a part grew
 * faster than `bounds.ts` allows.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeFigures } from '../../support/doc-figures.js';
import { orExit } from '../../support/or-exit.js';
import { commit } from '../report.js';
import { judge, type Verdict } from './bounds.js';
import type { Period, TraderFigures } from './lone-trader.js';
import type { Answer } from './process.js';
import { soak } from './soak.js';
import '../../support/tied.js';

const { seed, hours, pace, write } = orExit((args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hours: { type: 'string', default: '48' },
      pace: { type: 'string', default: 'patient' },
      seed: { type: 'string', default: '1' },
      write: { type: 'boolean', default: false },
    },
  });
  const [seed, hours] = [Number(values.seed), Number(values.hours)];
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed must be a whole number, got ${values.seed}`);
  if (!(hours > 0)) throw new Error('--hours must be above 0');
  if (values.pace !== 'busy' && values.pace !== 'patient') throw new Error('--pace must be busy or patient');
  const pace: 'busy' | 'patient' = values.pace;
  return { seed, hours, pace, write: values.write };
});

const folder = mkdtempSync(join(tmpdir(), 'twinbook-soak-'));
const child = fork(join(import.meta.dirname, 'process.ts'), [`${seed}`, pace, folder], { serialization: 'advanced' });
const gone = once(child, 'exit').then(([code]) => {
  throw new Error(`the process of the trader ended with ${code}`);
});
gone.catch(() => undefined);

async function live(period: Period): Promise<TraderFigures> {
  child.send(period);
  period.steps.length = 0;
  const [answer] = (await Promise.race([once(child, 'message'), gone])) as [Answer];
  if ('failure' in answer) throw new Error(answer.failure);
  return answer.figures;
}

const mb = (bytes: number): string => (Number.isFinite(bytes) ? (bytes / 1e6).toFixed(2) : '–');

function tableOf(verdicts: readonly Verdict[]): string {
  const lines = verdicts.map(({ name, start, middle, end, grew, bound, isOver }) => {
    const figures = [start, middle, end, grew, bound].map(mb).join(' | ');
    return `| ${name} | ${figures} | ${isOver ? 'over' : Number.isFinite(bound) ? 'ok' : ''} |`;
  });
  const head = '| MB | Start | Middle | End | Grew a day | At most a day | |\n|---|---:|---:|---:|---:|---:|---|';
  return [head, ...lines].join('\n');
}

const beganMs = performance.now();
const options = { seed, hours, pace, everyHours: Math.min(1, hours / 16) };
const { violations, rows } = await soak(options, live, (row) => {
  const disk = `ledger ${mb(row.ledgerBytes)} + ${mb(row.walBytes)} MB, journal ${mb(row.journalBytes)} MB`;
  const memory = `trader ${mb(row.heapBytes)} and code ${mb(row.codeBytes)} of ${mb(row.residentBytes)} MB, simulation ${mb(row.simulationHeapBytes)} MB`;
  const counts = `${row.steps} steps, ${row.orders} orders and ${row.fills} fills, ${row.records} records`;
  console.log(`${row.hours} h: ${disk}; ${memory}; ${counts}`);
}).finally(() => {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
const last = rows.at(-1);
console.log(`${((performance.now() - beganMs) / 60_000).toFixed(1)} minutes`);
for (const violation of violations) console.log(`  ${violation}`);
const verdicts = judge(rows);
if (verdicts === null) console.log('too short to say how anything grows: that takes 24 hours');
else console.log(tableOf(verdicts));
if (write && verdicts !== null && last !== undefined) {
  const command = `npm run lab -- soak --hours ${hours} --pace ${pace} --seed ${seed}`;
  const counts = `${last.steps} steps, ${last.fills} fills, ${last.records} records at the exchange`;
  const source = `\`${command}\`: ${counts}; commit ${commit()}, ${new Date().toISOString().slice(0, 10)}.`;
  writeFigures('soak', `${tableOf(verdicts)}\n\n${source}`, join(import.meta.dirname, '../../../docs/lab/growth.md'));
}
process.exitCode = violations.length > 0 || verdicts?.some(({ isOver }) => isOver) === true ? 1 : 0;
