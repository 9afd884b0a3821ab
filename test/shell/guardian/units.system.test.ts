import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../support/folders.js';

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
    const folder = newFolder();
    const files = readdirSync(UNITS).map((unit) => {
      const file = join(folder, unit);
      // systemd only checks further if a unit's program exists.
      const text = readFileSync(join(UNITS, unit), 'utf8').replaceAll('/usr/local/bin/twinbook', process.execPath);
      writeFileSync(file, text);
      return file;
    });
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
    expect([status, stderr.split('\n').filter((line) => line.includes('twinbook'))]).toEqual([0, []]);
  });
});

/** A unit without comments, as systemd reads it. */
const read = (unit: string) =>
  readFileSync(join(UNITS, unit), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

it.each(['twinbook', 'twinbook-guardian'])('the unit %s@ for several traders is that of one with own paths', (unit) => {
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
