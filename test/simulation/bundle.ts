/** Bundles a program of the simulation into one file: it starts fast and runs as if compiled. */

import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

export interface Bundle {
  readonly program: string;
  /** Removes it. */
  readonly remove: () => void;
}

/**
 * @param entry a source of this folder
 * @param alter changes the text of a source; `file` is its path in the repository
 */
export async function bundle(
  entry: string,
  alter = (_file: string, source: string): string => source,
): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-simulation-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Packages stay outside the bundle and are resolved beside it.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const program = join(folder, 'program.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, entry)],
    outfile: program,
    plugins: [
      {
        name: 'sources',
        setup(setup) {
          setup.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const text = alter(relative(ROOT, path), readFileSync(path, 'utf8'));
            // One file of the bundle replaces many: files beside a source must still be found there.
            return { contents: text.replaceAll('import.meta.dirname', JSON.stringify(dirname(path))), loader: 'ts' };
          });
        },
      },
    ],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
  }).catch((error: unknown) => {
    remove();
    throw error;
  });
  return { program, remove };
}
