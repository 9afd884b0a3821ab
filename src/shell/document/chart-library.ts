/** The chart library with its licence, embedded in a document. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

export interface ChartLibrary {
  /** Declares `uPlot`. */
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
