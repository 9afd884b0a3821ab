/** The script of a page with its libraries, as one text without imports, and the notices of these libraries. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** From the sources each script is bundled once in a process. */
const bundled = new Map<string, string>();

/** @param entry main module of the page, which the build replaces by the whole script */
export function readPageScript(entry: URL): string {
  const file = fileURLToPath(entry);
  const text = bundled.get(file) ?? readFileSync(file, 'utf8');
  if (!text.startsWith('/**')) return text;
  const script = bundlePage(file);
  bundled.set(file, script);
  return script;
}

/** Bundles a page's main module. Only the build and programs that run from the sources have esbuild. */
export function bundlePage(file: string): string {
  const { buildSync, stop } = require('esbuild') as typeof import('esbuild');
  const { outputFiles } = buildSync({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    external: ['uplot'],
  });
  void stop();
  // Templates ignore line breaks and the indentation after them.
  const script = (outputFiles[0]?.text ?? '').replace(/\n {2,}/g, '\n');
  // The library's own build is smaller than another one of its sources.
  const library = chartFile('dist/uPlot.iife.min.js').replace(/^\/\*.*?\*\/\s*/s, '');
  const named = script.replace(/import (\S+) from"uplot";/g, 'const $1=uPlot;');
  return named === script ? script : `${library}${named}`;
}

const chartFile = (name: string): string =>
  readFileSync(join(dirname(require.resolve('uplot/package.json')), name), 'utf8');

/** License text of the chart library; every page includes it. */
export const chartLicence = (): string => chartFile('LICENSE');
