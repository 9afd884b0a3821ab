import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTraderConfig } from '../../../src/shell/config/load.js';
import { run } from '../../cli/run.js';
import { folderOf } from '../../support/folders.js';
import { trader } from '../config/files.js';

const UNITS = join(import.meta.dirname, '../../../config/systemd');

/** Values of a setting of a unit file, in order. */
const valuesOf = (unit: string, name: string): readonly string[] =>
  readFileSync(join(UNITS, unit), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1));

describe('the units of systemd', () => {
  it.each(readdirSync(UNITS))('%s runs a command that there is, with settings that there are', async (unit) => {
    const [command = ''] = valuesOf(unit, 'ExecStart');
    const [, ...words] = command.split(' ');
    expect((await run([words[0] ?? '', '--help'])).out).toContain('--config');
    expect(words[1]).toBe('-c');
    const variables = valuesOf(unit, 'Environment').map((line): [string, string] => {
      const [name = '', value = ''] = line.split('=');
      return [name, value];
    });
    const env = Object.fromEntries(variables.filter(([name]) => name.startsWith('TWINBOOK__')));
    const { guardian } = loadTraderConfig('trader.yaml', { env, cwd: folderOf({ 'trader.yaml': trader() }) });
    expect(guardian.start).toBe(words[0] !== 'start');
  });

  it('bring the trader back before the guardian takes it for dead', () => {
    const { guardian } = loadTraderConfig('trader.yaml', { env: {}, cwd: folderOf({ 'trader.yaml': trader() }) });
    const [afterS = ''] = valuesOf('twinbook.service', 'RestartSec');
    // A start takes a second or two, with a key under a passphrase.
    expect(Number(afterS) * 1_000 + 4_000).toBeLessThan(guardian.timeoutMs);
  });

  it('end a trader that takes no step only after the guardian has acted, and write no core with the key in it', () => {
    const { guardian } = loadTraderConfig('trader.yaml', { env: {}, cwd: folderOf({ 'trader.yaml': trader() }) });
    const [watchdogS = ''] = valuesOf('twinbook.service', 'WatchdogSec');
    expect(Number(watchdogS) * 1_000).toBeGreaterThan(2 * guardian.timeoutMs);
    expect(valuesOf('twinbook.service', 'WatchdogSignal')).toEqual(['SIGKILL']);
    for (const unit of readdirSync(UNITS)) expect(valuesOf(unit, 'LimitCORE')).toEqual(['0']);
  });

  it('stop the trader first', () => {
    expect(valuesOf('twinbook.service', 'After').join(' ')).toContain('twinbook-guardian.service');
  });
});
