/**
 * `npm run check`: both tiers of tests without the longest files, and all other checks, in parallel. Each tier is its
 * own run and leaves its counts here; the whole closes with one line, like a single run, also after a failure.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { closingText, readCounts } from './counts.js';
import { LAB_SCRIPTS } from './lab.js';

/** The script behind this name. This runs under npm, and each start of npm takes 0.2 s of processor time. */
const { scripts } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<'lint', string>>;
};
/** Prefix of the command `npm test` in README, such as `faketime -f +97d`; `.ci/run` sets it. */
const fastUnder = process.env['TWINBOOK_FAST_UNDER'] ?? '';
/** Long forms of models, worlds and sweeps. `npm run test:all` runs them; this check has 15 minutes. */
const ONLY_IN_ALL = [
  'test/lab/{arena,parity,sweep}/**',
  'test/lab/backtest/no-leak*',
  'test/lab/report/page.system.test.ts',
  'test/exchange/model/**',
  'test/recording/**/*.system.test.ts',
  'test/shell/wallet/corpus/*.system.test.ts',
  'test/{cli/{replay,rehearsal/altered},shell/daemon/{record,run-journal}}.system.test.ts',
  'test/trader/scheduler/polling-loss.system.test.ts',
  'test/examples/programs.system.test.ts',
];
const COMMANDS = [
  `vitest run --project system ${ONLY_IN_ALL.map((files) => `--exclude '${files}'`).join(' ')}`,
  `nice -n 5 ${fastUnder} npm test`,
  `${LAB_SCRIPTS['types']} && ${scripts.lint}`,
];

const folder = mkdtempSync(join(tmpdir(), 'twinbook-check-'));
const { status } = spawnSync('concurrently', ['--group', '--raw', '--kill-others-on-fail', ...COMMANDS], {
  stdio: 'inherit',
  env: { ...process.env, TWINBOOK_COUNTS: folder },
});
process.stdout.write(closingText(readCounts(folder)));
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
