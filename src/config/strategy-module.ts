/** Finds and loads the code of a strategy: a shipped one by its name, the user's own by its path. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createJiti } from 'jiti';
import { TwinbookError } from '../base/errors.js';
import type { Strategy } from '../strategy/contract.js';
import { closest, oneOf } from './problems.js';
import { shippedStrategies, shippedStrategyFile, strategyApiFile } from './shipped.js';

export interface LoadedModule {
  readonly strategy: Strategy;
  /** SHA-256 of the module's own file: a changed strategy is another configuration. */
  readonly sourceHash: string;
}

const EXTENSIONS = ['.ts', '.js', '.mts', '.mjs'];

/** `name` as written; `folder` is what a relative path is relative to. Throws `strategy_invalid` with one sentence. */
export async function loadStrategyModule(name: string, folder: string): Promise<LoadedModule> {
  const shipped = shippedStrategies();
  if (shipped.includes(name)) return loadShipped(name);
  if (!EXTENSIONS.includes(extname(name))) {
    const near = closest(name, shipped);
    const meant = near === null ? `shipped are ${oneOf(shipped)}` : `did you mean '${near}'?`;
    throw invalid(
      `no shipped strategy '${name}'; ${meant}`,
      'Your own module is named by its path, ending in .ts or .js.',
    );
  }
  return loadOwn(isAbsolute(name) ? name : resolve(folder, name));
}

export async function loadShipped(name: string): Promise<LoadedModule> {
  const file = shippedStrategyFile(name);
  const module: unknown = await import(pathToFileURL(file).href);
  return { strategy: strategyOf(module, file), sourceHash: hashOf(readFileSync(file)) };
}

async function loadOwn(file: string): Promise<LoadedModule> {
  let source: Buffer;
  try {
    source = readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const what = code === 'ENOENT' ? 'no such file' : `cannot be read (${code})`;
    throw invalid(`${file}: ${what}`, 'A path in a strategy file is relative to that file.');
  }
  // Without caches: the file that stands there now is the one that trades, and its hash is the one recorded.
  const jiti = createJiti(import.meta.url, {
    alias: { 'twinbook/strategy': strategyApiFile },
    fsCache: false,
    moduleCache: false,
  });
  let module: unknown;
  try {
    module = await jiti.import(file);
  } catch (error) {
    throw invalid(
      `${file}: ${loadFailure(error)}`,
      'The module is run once to load it; it must not need anything but twinbook/strategy.',
      error,
    );
  }
  return { strategy: strategyOf(module, file), sourceHash: hashOf(source) };
}

/** The first line of what the loader said; for a syntax error that line holds the position. */
function loadFailure(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${String(error)} while loading`;
  const [first = ''] = error.message.split('\n');
  const position = /\((\d+):(\d+)\)/.exec(error.message);
  if (error.name === 'SyntaxError' || position !== null) {
    const at = position === null ? '' : ` at line ${position[1]}, column ${Number(position[2]) + 1}`;
    return `syntax error${at}: ${first.replace(/^.*?SyntaxError: /, '').replace(/\s*\(\d+:\d+\)\s*$/, '')}`;
  }
  return `threw while loading: ${error.name}: ${first}`;
}

/** The default export, when it has the shape of a strategy; throws a sentence that names what is missing. */
export function strategyOf(module: unknown, file: string): Strategy {
  const exported = field(module, 'default') ?? null;
  if (exported === null) {
    throw invalid(
      `${file}: has no default export`,
      'Write: export default defineStrategy({ name, summary, params, create }).',
    );
  }
  const problem = shapeProblem(exported);
  if (problem === null) return exported as Strategy; // shapeProblem looked at every member of the interface
  throw invalid(
    `${file}: the default export is not a strategy: ${problem}`,
    'Use defineStrategy of twinbook/strategy.',
  );
}

const PARAM_KINDS = ['integer', 'number', 'shares', 'boolean', 'choice', 'rows'];

function shapeProblem(exported: unknown): string | null {
  if (typeof exported !== 'object' || exported === null)
    return `it is ${exported === null ? 'null' : `a ${typeof exported}`}`;
  const name = field(exported, 'name');
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) return 'name must be lower case with dashes';
  if (typeof field(exported, 'summary') !== 'string') return 'summary must be a text';
  if (typeof field(exported, 'create') !== 'function') return 'create must be a function';
  const check = field(exported, 'check');
  if (check !== undefined && typeof check !== 'function') return 'check must be a function';
  const params = field(exported, 'params');
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    return 'params must be an object of declarations';
  for (const [param, spec] of Object.entries(params)) {
    const kind = field(spec, 'kind');
    if (typeof kind !== 'string' || !PARAM_KINDS.includes(kind))
      return `params.${param}.kind must be ${oneOf(PARAM_KINDS)}`;
    if (field(spec, 'default') === undefined) return `params.${param}.default is missing`;
  }
  return null;
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !(name in value)) return undefined;
  // Anything with that name; what it holds stays unknown.
  return (value as Readonly<Record<string, unknown>>)[name];
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const invalid = (message: string, hint: string, cause?: unknown): TwinbookError =>
  new TwinbookError('strategy_invalid', message, hint, { cause });
