/** Has the user's own module looked through by the TypeScript compiler, where one is installed. */

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CheckResult } from './trial.js';

const NAME = 'its types are right';

/** The longest that the compiler may take, ms. */
const WITHIN_MS = 60_000;

/** What a compiler has said. */
export interface Compiled {
  readonly code: number;
  readonly output: string;
}

/** Runs the compiler at `path` on a project. */
export type Compiler = (path: string, args: readonly string[]) => Promise<Compiled>;

/** `compiler`: the path of the program; null looks for one beside the module, then beside Twinbook. */
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

/** As strict as TypeScript calls it, and with nothing of the machine's own types: a strategy needs none. */
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

/** Of what a strategy imports: compiled, or as it is run from the sources. */
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

/** The first mistake is enough to begin with; errors in our own declarations are none of the module's. */
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
