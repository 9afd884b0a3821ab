/**
 * `npm run check`: both tiers of tests and all that is held beside them, side by side. Each tier is a run of its own, which leaves
 * its counts here; the whole closes with one line, as a single run does, also where something failed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closingText, readCounts } from './counts.js';

const COMMANDS = ['npm run check:system', 'npm run check:fast', 'npm run check:beside'];

const folder = mkdtempSync(join(tmpdir(), 'twinbook-check-'));
const { status } = spawnSync('concurrently', ['--group', '--raw', '--kill-others-on-fail', ...COMMANDS], {
  stdio: 'inherit',
  env: { ...process.env, TWINBOOK_COUNTS: folder },
});
process.stdout.write(closingText(readCounts(folder)));
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
