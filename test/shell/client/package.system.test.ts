import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../support/folders.js';

const root = resolve(import.meta.dirname, '../../..');
const examples = resolve(import.meta.dirname, 'example');

const run = (command: string, args: readonly string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** A project with the packed package in its `node_modules`, as after an installation. */
function installPacked(): string {
  const folder = newFolder();
  const installed = join(folder, 'node_modules', 'twinbook');
  mkdirSync(installed, { recursive: true });
  // Without scripts: the build that precedes these tests is the one to pack.
  const packed = run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], root).trim();
  run('tar', ['-xzf', packed, '-C', installed, '--strip-components=1'], folder);
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
  return folder;
}

describe('the package from outside', () => {
  it('runs the example of README and docs/client.md through its own exports', () => {
    const lines = run(process.execPath, [join(examples, 'quick-start.mjs')], root)
      .trim()
      .split('\n');
    expect(lines.map((line) => line.split(' ').at(-1))).toEqual(['open', 'open', 'open', 'open']);
  });

  it('packs to what a strict TypeScript project compiles and runs, all six entries', () => {
    const project = installPacked();
    copyFileSync(join(examples, 'consumer.ts.txt'), join(project, 'consumer.ts'));
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      target: 'es2023',
      module: 'nodenext',
      moduleResolution: 'nodenext',
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], project);
    expect(run(process.execPath, ['consumer.js'], project)).toBe('in_process\n0.05 open 3\ntrue 404 true\n0 4\n');
  });
});
