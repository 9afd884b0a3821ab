/** Import cycles between files, type imports included or not. */

import type { SourceFile } from './source-tree.js';

/** Each cycle as its files, the first one repeated at the end. */
export function findCycles(files: readonly SourceFile[], withTypes: boolean): string[][] {
  const edges = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.flatMap(({ file, typeOnly }) => (file === null || (typeOnly && !withTypes) ? [] : [file])),
    ]),
  );
  const done = new Set<string>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): void => {
    if (done.has(file)) return;
    const since = open.indexOf(file);
    if (since >= 0) {
      cycles.push([...open.slice(since), file]);
      return;
    }
    open.push(file);
    for (const next of edges.get(file) ?? []) visit(next);
    open.pop();
    done.add(file);
  };
  for (const file of edges.keys()) visit(file);
  return cycles;
}
