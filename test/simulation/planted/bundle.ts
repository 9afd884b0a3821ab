/** The whole simulation as one file with at most one planted bug: it starts fast. */

import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type Bug, patched } from './bug.js';

const ROOT = join(import.meta.dirname, '../../..');

/** @param outfile in a folder above which the packages are found */
export async function bundle(bug: Bug | null, outfile: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, 'hunt.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
    plugins: [planting(bug)],
  });
}

function planting(bug: Bug | null): Plugin {
  return {
    name: 'planting',
    setup(setup) {
      setup.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        const text = bug === null ? source : patched(bug, relative(ROOT, path), source);
        // One file of the bundle replaces many: files beside a source must still be found there.
        return { contents: text.replaceAll('import.meta.dirname', JSON.stringify(dirname(path))), loader: 'ts' };
      });
    },
  };
}
