/** Code of a user's strategy as texts: its file, and all its relative imports. */

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { makeFolder } from '../../shared/base/files.js';
import { SourceTexts } from './yaml-source.js';

/** One file of it; `path` is relative to a common folder. */
export interface ModuleFile {
  readonly path: string;
  readonly text: string;
}

/** More is no strategy: a copy is kept with every change. */
const MOST_FILES = 100;
const MOST_BYTES = 2_000_000;

const IMPORT = /(?:\bfrom\s*|\bimport\s*|\bimport\s*\(\s*|\brequire\s*\(\s*)['"](\.{1,2}\/[^'"\n]+)['"]/g;
const ENDINGS = ['', '.ts', '.js', '.mts', '.mjs', '.json', '/index.ts', '/index.js'];

/** The module's own file first. Throws the file system's error for it, and an Error when it is too large. */
export function moduleFiles(file: string, sources = new SourceTexts()): readonly ModuleFile[] {
  const texts = new Map<string, string>();
  const waiting = [file];
  let bytes = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (texts.has(next)) continue;
    const text = readModuleFile(next, sources);
    texts.set(next, text);
    bytes += text.length;
    if (texts.size > MOST_FILES || bytes > MOST_BYTES) {
      throw new Error(`it imports more than ${MOST_FILES} files or ${MOST_BYTES / 1e6} MB by relative paths`);
    }
    waiting.push(...findImports(text, dirname(next), (path) => isThere(path, sources)));
  }
  const root = commonFolder([...texts.keys()]);
  return Array.from(texts, ([path, text]) => ({ path: relative(root, path).split(sep).join('/'), text }));
}

/** Only from the copy if there is one. */
function readModuleFile(path: string, sources: SourceTexts): string {
  const copied = sources.findCopied(path);
  if (copied !== null) return copied;
  if (sources.isCopy) throw Object.assign(new Error(`${path} is not in the copy`), { code: 'ENOENT' });
  const stat = statSync(path);
  if (!stat.isFile()) throw new Error('is not an ordinary file');
  if (stat.size > MOST_BYTES) throw new Error(`has ${stat.size} bytes; at most ${MOST_BYTES} are read`);
  const text = readFileSync(path, 'utf8');
  sources.add(path, text);
  return text;
}

/** Lower-case hex SHA-256. For a single file that of its bytes. */
export function hashOfFiles(files: readonly ModuleFile[]): string {
  const [first, ...others] = files;
  const content = others.length === 0 ? (first?.text ?? '') : JSON.stringify(files);
  return createHash('sha256').update(content).digest('hex');
}

/** Runs with the files in a temporary folder. */
export async function withFiles<T>(files: readonly ModuleFile[], run: (main: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-module-'));
  try {
    for (const { path, text } of files) {
      const target = resolve(folder, path);
      if (!target.startsWith(folder + sep)) throw new Error(`a file of the module lies outside of it: ${path}`);
      makeFolder(dirname(target));
      writeFileSync(target, text);
    }
    return await run(join(folder, files[0]?.path ?? ''));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A missing file is left to the loader, which reports it. */
function findImports(text: string, folder: string, isFile: (path: string) => boolean): readonly string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, name = '']) => {
    const path = resolve(folder, name);
    // As TypeScript has it, the file behind `x.js` may be `x.ts`.
    const source = path.replace(/\.(m?)js$/, '.$1ts');
    const found = [...ENDINGS.map((ending) => path + ending), source].find(isFile);
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
