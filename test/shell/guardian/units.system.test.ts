import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const UNITS = join(import.meta.dirname, '../../../config/systemd');
const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0;

describe.skipIf(!isInstalled)('the units of systemd, as systemd itself rates them', () => {
  it.each(readdirSync(UNITS))('%s exposes little', (unit) => {
    // Exit code 1 above the threshold, which is ten times the printed figure.
    const args = ['security', '--offline=true', '--threshold=15', join(UNITS, unit)];
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect(stdout).toContain('Overall exposure level');
    expect(status, stdout.split('\n').at(-2)).toBe(0);
  });

  it('name nothing that systemd does not know', () => {
    const folder = mkdtempSync(join(tmpdir(), 'twinbook-units-'));
    try {
      const files = readdirSync(UNITS).map((unit) => {
        const text = readFileSync(join(UNITS, unit), 'utf8');
        const file = join(folder, unit);
        // systemd only checks further if a unit's program exists.
        writeFileSync(file, text.replaceAll('/usr/local/bin/twinbook', process.execPath));
        return file;
      });
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
      expect([status, stderr.split('\n').filter((line) => line.includes('twinbook'))]).toEqual([0, []]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the units for several traders', () => {
  /** A unit without comments, as systemd reads it. */
  const read = (unit: string) =>
    readFileSync(join(UNITS, unit), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));

  it.each(['twinbook', 'twinbook-guardian'])('%s@ is %s with paths of its own', (unit) => {
    const own = read(`${unit}@.service`);
    expect(own.filter((line) => line.includes('%i')).length).toBeGreaterThanOrEqual(5);
    const same = own.map((line) =>
      line
        .replace('/etc/twinbook/%i.passphrase', '/etc/twinbook/passphrase')
        .replace('/etc/twinbook/%i.yaml', '/etc/twinbook/trader.yaml')
        .replace('twinbook-guardian@%i.service', 'twinbook-guardian.service')
        .replace(/\/%i$| %i(?=,| )/, ''),
    );
    expect(same).toEqual(read(`${unit}.service`));
  });
});
