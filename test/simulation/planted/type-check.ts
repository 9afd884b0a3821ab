/**
 * Checks that the product with each bug still type-checks. A replacement with a call of a renamed function would throw
 * at its first step, and the simulation would find that instead of the bug.
 *
 * Each changed file has its own tree, overlaid on the repository by `rootDirs`, so that one compiler run reads the rest
 * of the product once. A class in such a file differs from the one that the rest imports: the compiler reports the same
 * errors for the unchanged files, and those are dropped.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Bug, patched } from './bug.js';

const ROOT = join(import.meta.dirname, '../../..');
/** Suffix of the tree with a bug's unchanged files. */
const SOUND = '.sound';

/** The compiler's errors for the bugs that the product does not have, one line each: bug, file and error. */
export function typeErrors(bugs: readonly Bug[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-planted-types-'));
  try {
    const trees = bugs.flatMap((bug) => [writeTree(folder, bug, true), writeTree(folder, bug, false)]);
    return newComplaints(compile(folder, trees));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Tree {
  readonly root: string;
  readonly files: readonly string[];
}

/** The files of a bug, with the bug or unchanged. */
function writeTree(folder: string, bug: Bug, isPlanted: boolean): Tree {
  const root = join(folder, isPlanted ? bug.name : `${bug.name}${SOUND}`);
  const files = [...new Set(bug.edits.map(({ file }) => file))].map((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    const path = join(root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, isPlanted ? patched(bug, file, source) : source);
    return path;
  });
  return { root, files };
}

/** Returns the compiler's errors, one line each. */
function compile(folder: string, trees: readonly Tree[]): readonly string[] {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const files = trees.flatMap((tree) => tree.files);
  const rootDirs = [ROOT, ...trees.map(({ root }) => root)];
  // A declaration that a bug no longer uses is no error.
  const unused = { noUnusedLocals: false, noUnusedParameters: false };
  const compilerOptions = {
    ...unused,
    rootDir: '/',
    rootDirs,
    noEmit: true,
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  const config = join(folder, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, files, include: [] }));
  const words = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config, '--singleThreaded', '--pretty', 'false'];
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
  const [lines, others] = [stdout.split('\n').filter((line) => /error TS\d+/.test(line)), stderr.trim()];
  const outside = lines.filter((line) => complaintOf(line) === null);
  if (others !== '' || outside.length > 0) throw new Error(`the compiler said:\n${others}\n${outside.join('\n')}`);
  return lines;
}

interface Complaint {
  readonly tree: string;
  readonly file: string;
  readonly text: string;
}

/** Null if it is not about a tree's file. */
function complaintOf(line: string): Complaint | null {
  const [, tree, file, text] = /^([\w.-]+)\/(.+?)\(\d+,\d+\): (error .*)$/.exec(line) ?? [];
  if (tree === undefined || file === undefined || text === undefined) return null;
  // A text may name a type's file, whose path includes the tree.
  return { tree, file, text: text.replaceAll(`/${tree}/`, '/…/') };
}

/** Those of the bugs that the unchanged files do not have. */
function newComplaints(lines: readonly string[]): readonly string[] {
  const shown = lines.flatMap((line) => {
    const complaint = complaintOf(line);
    return complaint === null ? [] : `${complaint.tree}: ${complaint.file}: ${complaint.text}`;
  });
  const sound = new Set(shown.filter((line) => line.includes(`${SOUND}: `)).map((line) => line.replace(SOUND, '')));
  return shown.filter((line) => !line.includes(`${SOUND}: `) && !sound.has(line));
}
