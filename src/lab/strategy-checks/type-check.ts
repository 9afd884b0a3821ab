/** Checks the user's own module with the TypeScript compiler, if one is installed. */

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CheckResult } from './trial.js';

const NAME = 'its types are right';

/** Time limit of the compiler, ms. */
const WITHIN_MS = 60_000;

/** Output of a compiler. */
export interface Compiled {
  readonly code: number;
  readonly output: string;
}

/** Runs the compiler at `path` on a project. */
export type Compiler = (path: string, args: readonly string[]) => Promise<Compiled>;

/** `compiler`: path of the program; null searches beside the module, then beside Twinbook. */
export async function checkTypes(
  file: string,
  compile: Compiler = runNode,
  compiler = findCompiler(file),
): Promise<CheckResult> {
  if (!/\.m?ts$/.test(file)) return { name: NAME, verdict: 'not asked', text: 'it is JavaScript' };
  if (compiler === null) {
    const text = 'there is no TypeScript compiler here: `npm install --save-dev typescript` beside the module';
    return { name: NAME, verdict: 'not asked', text };
  }
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-types-'));
  try {
    const project = join(folder, 'tsconfig.json');
    writeFileSync(project, JSON.stringify(makeProject(file)));
    return judgeCompiled(await compile(compiler, ['-p', project, '--pretty', 'false']), file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As strict as TypeScript's `strict`, without the machine's own types: a strategy needs none. */
const makeProject = (file: string) => ({
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: [],
    paths: { 'twinbook/strategy': [declarations()] },
  },
  files: [file],
});

/** Of a strategy's imports: compiled, or from the sources. */
function declarations(): string {
  const own = fileURLToPath(new URL('../../trader/strategy/strategy', import.meta.url));
  return [`${own}.d.ts`, `${own}.ts`].find(existsSync) ?? `${own}.d.ts`;
}

function findCompiler(file: string): string | null {
  for (const from of [file, import.meta.url]) {
    try {
      const path = createRequire(from).resolve('typescript/package.json');
      return join(dirname(path), 'bin', 'tsc');
    } catch {
      // Not there: the next place.
    }
  }
  return null;
}

/** The first error is enough to begin with; errors in our own declarations are not the module's. */
function judgeCompiled({ code, output }: Compiled, file: string): CheckResult {
  if (code === 0) return { name: NAME, verdict: 'ok', text: 'the TypeScript compiler finds no mistake' };
  const errors = output.split('\n').filter((line) => /error TS\d+/.test(line));
  const [first = output.trim().slice(0, 200)] = errors;
  const said = first.replace(/^.*?([^/]+\.m?ts\(\d+,\d+\))/, '$1');
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
  return { name: NAME, verdict: 'failed', text: `${said === '' ? `${file} cannot be compiled` : said}${more}` };
}

const runNode: Compiler = (path, args) =>
  new Promise((resolve) => {
    execFile(process.execPath, [path, ...args], { timeout: WITHIN_MS }, (error, stdout, stderr) => {
      resolve({
        code: error === null ? 0 : 1,
        output: `${stdout}${stderr}${error?.killed === true ? 'it took too long' : ''}`,
      });
    });
  });
