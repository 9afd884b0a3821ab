/**
 * `npm run check`: both tiers of tests and all that is held beside them, side by side. Each tier is a run of its own, which leaves
 * its counts here; the whole closes with one line, as a single run does, also where something failed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { closingText, readCounts } from './counts.js';

/** The scripts that `npm run` starts by these names. This program runs below npm already, and each start of npm takes 0.2 s of a processor. */
const { scripts } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<'types' | 'lint' | 'simulate', string>>;
};
/** Command that starts `npm test`, as README names it, such as `faketime -f +97d`; `.ci/run` sets it. */
const fastUnder = process.env['TWINBOOK_FAST_UNDER'] ?? '';
const COMMANDS = [
  'vitest run --project system',
  `nice -n 5 ${fastUnder} npm test`,
  `${scripts.types} && ${scripts.lint} && ${scripts.simulate} --seeds 2 --hours 0.5`,
];

const folder = mkdtempSync(join(tmpdir(), 'twinbook-check-'));
const { status } = spawnSync('concurrently', ['--group', '--raw', '--kill-others-on-fail', ...COMMANDS], {
  stdio: 'inherit',
  env: { ...process.env, TWINBOOK_COUNTS: folder },
});
process.stdout.write(closingText(readCounts(folder)));
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
