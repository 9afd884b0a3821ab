/**
 * `npm run bench [-- NAME…] [--write] [--short]`: runs the benchmarks of this folder (`*.bench.ts`) and prints one
 * table. `--write` puts it into docs/lab/faults.md, whose times are those of `kill.` and `restart`. `--short` only checks
 * within seconds that all of them work; its figures mean nothing.
 */
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { writeFigures } from '../support/doc-figures.js';
import type { Bench, BenchRow } from './bench.js';
import '../support/tied.js';

const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, short: { type: 'boolean', default: false } },
});
if (values.short && values.write) {
  console.error('the figures of --short mean nothing and are not written anywhere');
  process.exit(2);
}
// Set before a benchmark is loaded, because each reads its sizes while loading.
if (values.short) process.env['TWINBOOK_BENCH_SHORT'] = '1';
const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.bench.ts'));
const unknown = wanted.filter((word) => !files.some((file) => file.includes(word)));
if (unknown.length > 0) {
  const names = files.map((file) => file.replace('.bench.ts', '')).join(', ');
  console.error(`no benchmark is named ${unknown.join(', ')}; there are ${names}`);
  process.exit(2);
}
const rows: BenchRow[] = [];
for (const file of files) {
  if (wanted.length > 0 && !wanted.some((word) => file.includes(word))) continue;
  const { bench } = (await import(`./${file}`)) as { bench: Bench };
  process.stderr.write(`${bench.title} …\n`);
  rows.push(...(await bench.run()));
}
const figure = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 });
const table = [
  '| name | figure | unit | spread |\n|---|---:|---|---|',
  ...rows.map((row) => `| ${row.name} | ${figure(row.figure)} | ${row.unit} | ${row.spread} |`),
].join('\n');
console.log(
  values.short ? `${table}\n\nThe short form: every benchmark works. None of these figures is to be quoted.` : table,
);
if (values.write) writeFigures('times', table);
