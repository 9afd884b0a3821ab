/** The built package contains every exported module with its types. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

interface Offered {
  readonly default: string;
  readonly types: string;
}

it('is there with its types, module by module', () => {
  const { exports } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
    readonly exports: Readonly<Record<string, Offered | string>>;
  };
  const modules = Object.entries(exports).filter((entry): entry is [string, Offered] => typeof entry[1] !== 'string');
  expect(modules.map(([name]) => name)).toContain('./strategy');
  for (const [name, { default: code, types }] of modules) {
    expect(types, name).toBe(code.replace(/\.js$/, '.d.ts'));
    for (const path of [code, types]) expect(existsSync(resolve(ROOT, path)), `${name}: ${path}`).toBe(true);
  }
});
