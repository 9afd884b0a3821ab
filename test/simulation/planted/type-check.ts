/**
 * Whether what each bug makes of the product still type-checks. A replacement that calls what was renamed since would throw
 * at its first step, and the simulation would find that in place of the bug.
 *
 * Each changed file stands alone in a tree of its own, laid over the repository by `rootDirs`, so that one run of the
 * compiler reads the rest of the product once. A class in such a file is another one than that which the rest imports: what
 * the compiler says of that it says of the same files unchanged too, and is left out.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Bug, patched } from './bug.js';

const ROOT = join(import.meta.dirname, '../../..');
/** Ends the name of a tree in which the files of a bug stand unchanged. */
const SOUND = '.sound';

/** What the compiler says of the bugs that does not hold of the product, one line each: bug, file and complaint. */
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

/** Returns the compiler's complaints, one line each. */
function compile(folder: string, trees: readonly Tree[]): readonly string[] {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const files = trees.flatMap((tree) => tree.files);
  const rootDirs = [ROOT, ...trees.map(({ root }) => root)];
  // What a bug no longer uses is no mistake of its text.
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

/** Null where it is of no file of a tree. */
function complaintOf(line: string): Complaint | null {
  const [, tree, file, text] = /^([\w.-]+)\/(.+?)\(\d+,\d+\): (error .*)$/.exec(line) ?? [];
  if (tree === undefined || file === undefined || text === undefined) return null;
  // A text may name the file of a type, which lies in the tree.
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
