/** Finds and loads the code of a strategy: a shipped one by its name, the user's own by its path. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { closest } from '../../shared/base/closest.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { Strategy } from '../../trader/strategy/contract.js';
import { strategyFrom } from '../../trader/strategy/module.js';
import * as strategyApi from '../../trader/strategy/strategy.js';
import { hashOfFiles, type ModuleFile, moduleFiles, withFiles } from './module-files.js';
import { joinWithOr } from './problems.js';
import { shippedStrategies, shippedStrategyFile } from './shipped.js';

export interface LoadedModule {
  readonly strategy: Strategy;
  /** SHA-256 of the module's own file and all that it imports by relative paths: a changed strategy is another configuration. */
  readonly sourceHash: string;
  /** Equal for equal code. */
  readonly key: string;
  /** Empty for a shipped one, whose code changes with the program. */
  readonly files: readonly ModuleFile[];
}

const EXTENSIONS = ['.ts', '.js', '.mts', '.mjs'];

type Code = ReadonlyMap<string, Strategy>;

/**
 * `name` as written; `folder` is what a relative path is relative to; with `onlyCode` no code of the user's own is run that is not in
 * it. Throws `strategy_invalid` with one sentence.
 */
export async function loadStrategyModule(
  name: string,
  folder: string,
  onlyCode: Code | null = null,
): Promise<LoadedModule> {
  const shipped = shippedStrategies();
  if (shipped.includes(name)) return loadShipped(name);
  if (!EXTENSIONS.includes(extname(name))) {
    const near = closest(name, shipped);
    const meant = near === null ? `shipped are ${joinWithOr(shipped)}` : `did you mean '${near}'?`;
    throw invalid(
      `no shipped strategy '${name}'; ${meant}`,
      'Your own module is named by its path, ending in .ts or .js.',
    );
  }
  return loadOwn(isAbsolute(name) ? name : resolve(folder, name), onlyCode);
}

export async function loadShipped(name: string): Promise<LoadedModule> {
  const file = shippedStrategyFile(name);
  const module: unknown = await import(pathToFileURL(file).href);
  const sourceHash = createHash('sha256').update(readFileSync(file)).digest('hex');
  return { strategy: strategyFrom(module, file), sourceHash, key: `shipped ${name}`, files: [] };
}

async function loadOwn(file: string, onlyCode: Code | null): Promise<LoadedModule> {
  let files: readonly ModuleFile[];
  try {
    files = moduleFiles(file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw invalid(`${file}: ${(error as Error).message}`, '', error);
    const what = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code})`;
    throw invalid(`${file}: ${what}`, 'A path in a strategy file is relative to that file.');
  }
  const identity = identifyFiles(files);
  const strategy = onlyCode === null ? await importStrategy(file, file) : onlyCode.get(identity.key);
  if (strategy === undefined) throw invalid(`${file}: its code is not what runs, and other code wants a reason`, '');
  return { ...identity, strategy };
}

/** From its texts, as a journal or a ledger kept them. Throws as `loadStrategyModule`. */
export function loadModuleFiles(files: readonly ModuleFile[]): Promise<LoadedModule> {
  const name = files[0]?.path ?? 'a module without files';
  return withFiles(files, async (main) => ({ ...identifyFiles(files), strategy: await importStrategy(main, name) }));
}

/** A module by its key: a shipped one, or one of these. Throws as `loadStrategyModule`. */
export async function loadByKey(
  key: string,
  modules: Readonly<Record<string, readonly ModuleFile[]>>,
): Promise<LoadedModule> {
  const [, shipped] = /^shipped (.*)$/.exec(key) ?? [];
  if (shipped !== undefined) return loadStrategyModule(shipped, '.');
  return loadModuleFiles(modules[key] ?? []);
}

function identifyFiles(files: readonly ModuleFile[]) {
  const sourceHash = hashOfFiles(files);
  return { sourceHash, key: `own ${sourceHash}`, files };
}

/** @param name as its user knows it */
async function importStrategy(file: string, name: string): Promise<Strategy> {
  // Loaded here alone: it costs every command a twentieth of a second that few need.
  const { createJiti } = await import('jiti');
  const { transformedBy } = await import('./transformed.js');
  // Without caches: the file that stands there now is the one that trades, and its hash is the one recorded.
  const jiti = createJiti(import.meta.url, {
    // The one that runs here, not a copy: run from its sources, the loader would transform its thirty files for each strategy.
    virtualModules: { 'twinbook/strategy': strategyApi },
    fsCache: false,
    moduleCache: false,
    tryNative: false,
    // Off, or a module without a default export would look like one.
    interopDefault: false,
    transform: transformedBy(createJiti(import.meta.url)),
  });
  let module: unknown;
  try {
    module = await jiti.import(file);
  } catch (error) {
    throw invalid(
      `${name}: ${loadFailure(error)}`,
      'The module is run once to load it; it must not need anything but twinbook/strategy.',
      error,
    );
  }
  return strategyFrom(module, name);
}

/** What the loader said in one line; a syntax error with its position, which the loader puts on a line of its own. */
function loadFailure(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${String(error)} while loading`;
  const [first = ''] = error.message.split('\n');
  const syntax = /^(?:ParseError|SyntaxError): (.*?)\s*$/.exec(first);
  if (syntax === null) return `threw while loading: ${error.name}: ${first}`;
  const position = /:(\d+):(\d+)\s*$/m.exec(error.message);
  const at = position === null ? '' : ` at line ${position[1]}, column ${Number(position[2]) + 1}`; // the loader counts columns from 0
  return `syntax error${at}: ${syntax[1]}`;
}

const invalid = (message: string, hint: string, cause?: unknown): TwinbookError =>
  new TwinbookError('strategy_invalid', message, hint, { cause });
