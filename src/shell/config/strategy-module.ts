/** Finds and loads a strategy's code: a shipped module by name, the user's own by path. */

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import type { Jiti, JitiOptions } from 'jiti';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder } from '../../shared/base/files.js';
import { closest } from '../../shared/base/text.js';
import type { Strategy } from '../../trader/strategy/contract.js';
import { strategyFrom } from '../../trader/strategy/read-params.js';
import * as strategyApi from '../../trader/strategy/strategy.js';
import { joinWithOr } from './problems.js';
import { shippedStrategies, shippedStrategyFile } from './shipped.js';
import { SourceTexts } from './yaml-source.js';

/** Permissions for the user's own code. Shipped strategies may always run. */
export interface CodeRules {
  /** Strategies that were loaded before, by module key; absent if no strategy was loaded before. */
  readonly loaded?: ReadonlyMap<string, Strategy>;
  /** Rule for code not loaded before: `omit` skips it; a function returns why it must not be loaded, else null. */
  readonly other?: 'omit' | ((key: string) => string | null);
}

interface FoundModule {
  /** The module's strategy; null if its code may not be loaded. */
  readonly strategy: Strategy | null;
  /** SHA-256 of the module's file and its relative imports; changed code therefore changes the configuration's hash. */
  readonly sourceHash: string;
  /** Key of the module; equal for equal code. */
  readonly key: string;
}

/** Finds a strategy module, and loads it if the rules in `code` permit that. Throws `strategy_invalid`. */
export async function findStrategyModule(name: string, folder: string, code: CodeRules = {}, sources?: SourceTexts) {
  const shipped = shippedStrategies();
  if (shipped.includes(name)) return loadShipped(name);
  if (!['.ts', '.js', '.mts', '.mjs'].includes(extname(name))) {
    const near = closest(name, shipped);
    const meant = near === null ? `shipped are ${joinWithOr(shipped)}` : `did you mean '${near}'?`;
    throw invalid(`no shipped strategy '${name}'; ${meant}`, 'Give your own module as a path that ends in .ts or .js.');
  }
  return findOwn(isAbsolute(name) ? name : resolve(folder, name), code, sources);
}

export async function loadShipped(name: string) {
  const file = shippedStrategyFile(name);
  const strategy = strategyFrom(await import(pathToFileURL(file).href), file);
  const sourceHash = createHash('sha256').update(readFileSync(file)).digest('hex');
  return { strategy, sourceHash, key: `shipped ${name}` };
}

async function findOwn(file: string, code: CodeRules, sources?: SourceTexts): Promise<FoundModule> {
  let files: readonly ModuleFile[];
  try {
    files = moduleFiles(file, sources);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw invalid(`${file}: ${(error as Error).message}`, '', error);
    const what = error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code})`;
    throw invalid(`${file}: ${what}`, 'A path in a strategy file is relative to that file.');
  }
  const sourceHash = hashOfFiles(files);
  const identity = { sourceHash, key: `own ${sourceHash}` };
  const loaded = code.loaded?.get(identity.key);
  if (loaded !== undefined) return { ...identity, strategy: loaded };
  if (code.other === 'omit') return { ...identity, strategy: null };
  const refusal = code.other?.(identity.key) ?? null;
  if (refusal !== null) throw invalid(`${file}: ${refusal}`, '');
  const strategy =
    sources?.isCopy === true
      ? await withFiles(files, (main) => importStrategy(main, file))
      : await importStrategy(file, file);
  return { ...identity, strategy };
}

/** Imports a strategy from its module file. `name`: the module's name in messages. */
async function importStrategy(file: string, name: string): Promise<Strategy> {
  // The module loader is imported on demand, because the import takes 50 ms and few commands need it.
  const { createJiti } = await import('jiti');
  // The loader's caches are off, so that the loaded code is exactly the hashed code.
  const jiti = createJiti(import.meta.url, {
    // A module's import of `twinbook/strategy` gets this process's copy, so that jiti need not compile thirty files.
    virtualModules: { 'twinbook/strategy': strategyApi },
    fsCache: false,
    moduleCache: false,
    tryNative: false,
    // With `interopDefault: true`, a module without a default export would seem to have a default export.
    interopDefault: false,
    transform: transformedBy(createJiti(import.meta.url)),
  });
  let module: unknown;
  try {
    // jiti's asynchronous import leaves .mjs and .js to Node, which would return old code for a changed file.
    module = jiti(file);
  } catch (error) {
    throw invalid(
      `${name}: ${loadFailure(error)}`,
      'Loading a module runs it once. A module may import only twinbook/strategy and its own files.',
      error,
    );
  }
  return strategyFrom(module, name);
}

/** Returns the loader's error message in one line. For a syntax error, the message includes line and column. */
function loadFailure(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${String(error)} while loading`;
  const [first = ''] = error.message.split('\n');
  if (first.startsWith('await is only valid')) return 'uses await at its top level; a strategy module must not';
  const syntax = /^(?:ParseError|SyntaxError): (.*?)\s*$/.exec(first);
  if (syntax === null) return `threw while loading: ${error.name}: ${first}`;
  const position = /:(\d+):(\d+)\s*$/m.exec(error.message);
  const at = position === null ? '' : ` at line ${position[1]}, column ${Number(position[2]) + 1}`; // the loader counts columns from 0
  return `syntax error${at}: ${syntax[1]}`;
}

const invalid = (message: string, hint: string, cause?: unknown): TwinbookError =>
  new TwinbookError('strategy_invalid', message, hint, { cause });

/** Key of Node's environment data through which new threads inherit the cache of compiled code. */
const KEPT = 'twinbook strategies, transformed';
/** Maximum number of cached compiled files, so that reloads over months do not fill the memory. */
const MOST = 32;

/** Caches compiled code for this process and its later threads, because loading the compiler takes 300 ms. */
export function transformedBy(jiti: Pick<Jiti, 'transform'>): NonNullable<JitiOptions['transform']> {
  return (options) => {
    const known: unknown = getEnvironmentData(KEPT);
    const kept: Map<string, string> = known instanceof Map ? known : new Map();
    const key = JSON.stringify(options);
    const code = kept.get(key) ?? jiti.transform(options);
    kept.delete(key);
    kept.set(key, code);
    const [oldest] = kept.keys();
    if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
    setEnvironmentData(KEPT, kept);
    return { code };
  };
}

/** One file of a strategy module; `path` is relative to the common folder of all its files. */
type ModuleFile = Readonly<{ path: string; text: string }>;

/** Maximum number of files of one module. Each configuration change stores a copy of all these files. */
const MOST_FILES = 100;
const MOST_BYTES = 2_000_000;

const IMPORT = /(?:\bfrom\s*|\bimport\s*|\bimport\s*\(\s*|\brequire\s*\(\s*)['"](\.{1,2}\/[^'"\n]+)['"]/g;
const ENDINGS = ['', '.ts', '.js', '.mts', '.mjs', '.json', '/index.ts', '/index.js'];

/** Reads a module's files, the main file first. Throws an Error for unreadable, too many or too large files. */
export function moduleFiles(file: string, sources = new SourceTexts()): readonly ModuleFile[] {
  const texts = new Map<string, string>();
  const waiting = [file];
  let bytes = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (texts.has(next)) continue;
    const text = readModuleFile(next, sources);
    texts.set(next, text);
    bytes += text.length;
    if (texts.size > MOST_FILES || bytes > MOST_BYTES)
      throw new Error(`the module imports more than ${MOST_FILES} files or ${MOST_BYTES / 1e6} MB by relative paths`);
    waiting.push(...findImports(text, dirname(next), (path) => isThere(path, sources)));
  }
  const root = commonFolder([...texts.keys()]);
  return Array.from(texts, ([path, text]) => ({ path: relative(root, path).split(sep).join('/'), text }));
}

/** Reads a module's file. If the configuration comes from a stored copy, reads the file only from that copy. */
function readModuleFile(path: string, sources: SourceTexts): string {
  const copied = sources.findCopied(path);
  if (copied !== null) return copied;
  if (sources.isCopy) throw Object.assign(new Error(`${path} is not in the saved copy`), { code: 'ENOENT' });
  const stat = statSync(path);
  if (!stat.isFile()) throw new Error('is not an ordinary file');
  if (stat.size > MOST_BYTES) throw new Error(`has ${stat.size} bytes; at most ${MOST_BYTES} are read`);
  const text = readFileSync(path, 'utf8');
  sources.all.set(path, text);
  return text;
}

/** Returns the lower-case hex SHA-256 of a module's files. The hash of a single file is the hash of its bytes. */
export function hashOfFiles(files: readonly ModuleFile[]): string {
  const [first, ...others] = files;
  const content = others.length === 0 ? (first?.text ?? '') : JSON.stringify(files);
  return createHash('sha256').update(content).digest('hex');
}

/** Writes files into a temporary folder, calls `run` with the path of the first file, and deletes the folder. */
async function withFiles<T>(files: readonly ModuleFile[], run: (main: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-module-'));
  try {
    for (const { path, text } of files) {
      const target = resolve(folder, path);
      if (!target.startsWith(folder + sep)) throw new Error(`a file of the module is outside its folder: ${path}`);
      makeFolder(dirname(target));
      writeFileSync(target, text);
    }
    return await run(join(folder, files[0]?.path ?? ''));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the files that a module's text imports by relative paths. The module loader reports missing files. */
function findImports(text: string, folder: string, isFile: (path: string) => boolean): readonly string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, name = '']) => {
    const path = resolve(folder, name);
    // In TypeScript, an import of `x.js` may refer to the file `x.ts`.
    const found = [...ENDINGS.map((ending) => path + ending), path.replace(/\.(m?)js$/, '.$1ts')].find(isFile);
    return found === undefined ? [] : [found];
  });
}

const isThere = (path: string, sources: SourceTexts): boolean =>
  sources.isCopy ? sources.findCopied(path) !== null : statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function commonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => dirname(path).split(sep));
  let length = first.length;
  for (const other of others) while (!first.slice(0, length).every((part, i) => part === other[i])) length -= 1;
  return first.slice(0, length).join(sep) || sep;
}
