/** `npm ci` installs only packages with a checked hash. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

const root = resolve(import.meta.dirname, '..');
// The format of a lock file, version 3.
const lock = JSON.parse(readFileSync(resolve(root, 'package-lock.json'), 'utf8')) as {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');

it('holds every package of every platform to a hash', () => {
  expect(lock.lockfileVersion).toBe(3);
  expect(packages.length).toBeGreaterThan(100);
  expect(packages.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))).toEqual([]);
});

it('names no address: every package comes from the registry that is set', () =>
  expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]));

it('has every binding that a package of ours names for a platform', () => {
  const bindings = packages.filter(([path]) => path.startsWith('node_modules/@duckdb/node-bindings-'));
  const platforms = bindings.flatMap(([, { os = [], cpu = [] }]) => os.flatMap((on) => cpu.map((at) => `${on} ${at}`)));
  expect([...new Set(platforms)].sort()).toEqual(
    ['darwin arm64', 'darwin x64', 'linux arm64', 'linux x64', 'win32 arm64', 'win32 x64'].sort(),
  );
});
