/** Files that the page carries in itself: the chart library with its licence, and our own scripts. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

export interface ChartLibrary {
  readonly script: string;
  readonly style: string;
  readonly licence: string;
}

export function chartLibrary(): ChartLibrary {
  const folder = dirname(require.resolve('uplot/package.json'));
  return {
    script: readFileSync(join(folder, 'dist/uPlot.iife.min.js'), 'utf8'),
    style: readFileSync(join(folder, 'dist/uPlot.min.css'), 'utf8'),
    licence: readFileSync(join(folder, 'LICENSE'), 'utf8'),
  };
}

/** In an order in which each stands after what it imports. */
const MODULES = ['theme', 'tables', 'format', 'columns', 'zoom', 'frame', 'account', 'market', 'main'] as const;

/**
 * The modules of `page/` (some of them, for a page that needs no more) as one: what they import of each other stands
 * before them. Types and other comments are for those who read the sources; a reference to a source map would be one to
 * another file.
 */
export const pageScript = (modules: readonly (typeof MODULES)[number][] = MODULES): string =>
  modules.map(moduleText).join('\n');

const moduleText = (name: string): string =>
  readFileSync(new URL(`../page/${name}.js`, import.meta.url), 'utf8')
    .replace(/\/\*\*[\s\S]*?\*\/\s*/g, '')
    .replace(/^import [^;]*;\n/gm, '')
    .replace(/^export \{\};?$/gm, '')
    .replace(/^export (?=const |let |function )/gm, '')
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '');
