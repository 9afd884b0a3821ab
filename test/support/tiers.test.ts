/** The rule of docs/testing.md: tests that start processes or wait on the clock are named `*.system.test.ts`. */

import processes, { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULE } from './no-processes.js';

const TESTS = resolve(import.meta.dirname, '..');

/** Waits for real time. Code with a virtual clock replaces the global timers and reports it. */
const WAITS = /\bsetTimeout as \w+ }|\bset(?:Timeout|Interval)\(|\bAtomics\.wait\(/;
const VIRTUAL = /\buse(?:Fake|Virtual)Timers\b/;

const IMPORT = /\bfrom '(\.[^']+)\.js'/g;

/** This file and all files of `test/` that it imports, directly or not. */
function reached(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || file.startsWith('..') || !existsSync(join(TESTS, file))) return found;
  found.add(file);
  for (const [, path = ''] of readFileSync(join(TESTS, file), 'utf8').matchAll(IMPORT))
    reached(join(dirname(file), `${path}.ts`), found);
  return found;
}

const waits = (file: string): boolean => WAITS.test(readFileSync(join(TESTS, file), 'utf8'));
const isVirtual = (file: string): boolean => VIRTUAL.test(readFileSync(join(TESTS, file), 'utf8'));

const fast = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.test.ts') && !file.endsWith('.system.test.ts'),
);
const own = relative(TESTS, import.meta.filename);

describe('a test of the fast tier', () => {
  it('does not wait on the clock of the machine, nor does a module of tests that it uses', () => {
    const waiting = fast
      .filter((file) => file !== own && !isVirtual(file))
      .flatMap((file) => [...reached(file)].filter(waits).map((module) => `${file} by ${module}`));
    expect(waiting).toEqual([]);
  });

  it.each(['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const)(
    'cannot %s',
    (name) => expect(() => processes[name]('true')).toThrow(RULE),
  );

  it('cannot start a process by a name that it imported either', () => expect(() => spawn('true')).toThrow(RULE));
});
