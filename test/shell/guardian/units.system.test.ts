import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const UNITS = join(import.meta.dirname, '../../../config/systemd');
const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0;

describe.skipIf(!isInstalled)('the units of systemd, as systemd itself rates them', () => {
  it.each(readdirSync(UNITS))('%s exposes little', (unit) => {
    // Exit code 1 above the threshold, which is ten times the figure it prints.
    const args = ['security', '--offline=true', '--threshold=15', join(UNITS, unit)];
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect(stdout).toContain('Overall exposure level');
    expect(status, stdout.split('\n').at(-2)).toBe(0);
  });
});
