import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { must } from '../../../src/shared/base/errors.js';
import { loadTraderConfig } from '../../../src/shell/config/load.js';
import { run } from '../../cli/run.js';
import { folderOf } from '../../support/folders.js';
import { loadedTrader, trader } from '../config/files.js';

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
    const variables = valuesOf(unit, 'Environment').filter((line) => line.startsWith('TWINBOOK__'));
    const env = Object.fromEntries(variables.map((line) => line.split('=')));
    const { guardian } = loadTraderConfig('trader.yaml', { env, cwd: folderOf({ 'trader.yaml': trader() }) });
    expect(guardian.start).toBe(words[0] !== 'start');
  });

  it('bring the trader back before the guardian takes it for dead', () => {
    const { guardian } = loadedTrader();
    const [afterS = ''] = valuesOf('twinbook.service', 'RestartSec');
    // A start takes a second or two, with a key under a passphrase.
    expect(Number(afterS) * 1_000 + 4_000).toBeLessThan(guardian.timeoutMs);
  });

  it('end a trader that takes no step only after the guardian has acted, and write no core with the key in it', () => {
    const { guardian } = loadedTrader();
    const [watchdogS = ''] = valuesOf('twinbook.service', 'WatchdogSec');
    expect(Number(watchdogS) * 1_000).toBeGreaterThan(2 * guardian.timeoutMs);
    expect(valuesOf('twinbook.service', 'WatchdogSignal')).toEqual(['SIGKILL']);
    for (const unit of readdirSync(UNITS)) expect(valuesOf(unit, 'LimitCORE')).toEqual(['0']);
  });

  it.each(['twinbook', 'twinbook@', 'twinbook-console'])('%s outlives a child that needs too much memory', (name) => {
    expect(valuesOf(`${name}.service`, 'OOMPolicy')).toEqual(['continue']);
    expect(valuesOf(`${name}.service`, 'Restart')).toEqual([expect.stringMatching(/^(on-failure|always)$/)]);
  });

  it('stop the trader first', () =>
    expect(valuesOf('twinbook.service', 'After').join(' ')).toContain('twinbook-guardian.service'));
});

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'config/container');
const lines = readFileSync(join(FOLDER, 'Containerfile'), 'utf8').split('\n');

it('copies what there is, and all that the package needs to be built', () => {
  const copied = lines
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
    .flatMap((line) => line.split(' ').slice(1, -1));
  expect(copied.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  const needed = 'package.json package-lock.json tsconfig.json scripts src strategies config data'.split(' ');
  expect(copied).toEqual(expect.arrayContaining(needed));
});

it('runs as a user without rights', () =>
  expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER 10001:10001']));

it('describes a pod whose commands exist and whose guardian is not started twice', async () => {
  const [pod] = parseAllDocuments(readFileSync(join(FOLDER, 'pod.yaml'), 'utf8'));
  const { spec } = must(pod, 'a pod').toJS() as {
    spec: { shareProcessNamespace: boolean; volumes: object[]; containers: { args: string[]; env: object[] }[] };
  };
  expect(spec.shareProcessNamespace).toBe(true);
  for (const { args } of spec.containers) expect((await run([args[0] ?? '', '--help'])).out).toContain('--config');
  // A file of such a volume is readable by a group or by all, and is rejected.
  expect(JSON.stringify(spec.volumes)).not.toContain('secretName');
  const secretKeyRef = { name: 'twinbook-passphrase', key: 'passphrase' };
  const passphrase = { name: 'TWINBOOK_WALLET_PASSPHRASE', valueFrom: { secretKeyRef } };
  for (const { env } of spec.containers) expect(env).toContainEqual(passphrase);
  expect(JSON.stringify(spec.containers[0])).toContain('{"name":"TWINBOOK__GUARDIAN__START","value":"false"}');
});
