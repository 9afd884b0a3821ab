/** Bundles a program of the simulation into one file: it starts fast and runs as if compiled. */

import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** One file of the bundle replaces many: files beside a source must still be found there. */
const PLACES: Plugin = {
  name: 'places',
  setup(setup) {
    setup.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8').replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents: text, loader: 'ts' };
    });
  },
};

export interface Bundle {
  readonly program: string;
  /** Removes it. */
  readonly remove: () => void;
}

/** @param entry a source of this folder */
export async function bundle(entry: string): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-simulation-'));
  // Packages stay outside the bundle and are resolved beside it.
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  const program = join(folder, 'program.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, entry)],
    outfile: program,
    plugins: [PLACES],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
  });
  return { program, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
