import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { must } from '../../../src/shared/base/errors.js';
import { run } from '../../cli/run.js';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'config/container');
const lines = readFileSync(join(FOLDER, 'Containerfile'), 'utf8').split('\n');

it('copies what there is, and all that the package needs to be built', () => {
  const copied = lines
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
    .flatMap((line) => line.split(' ').slice(1, -1));
  expect(copied.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  expect(copied).toEqual(
    expect.arrayContaining(['package.json', 'package-lock.json', 'tsconfig.json', 'scripts', 'src']),
  );
  expect(copied).toEqual(expect.arrayContaining(['strategies', 'config', 'data']));
});

it('runs as a user without rights', () => {
  expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER 10001:10001']);
});

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
