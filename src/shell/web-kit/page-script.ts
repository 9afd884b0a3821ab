/** Parts of web pages; each page contains its style and script. The page's security policy forbids all other code. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** CSS of every page, light and dark. A shadow at an edge of `.scroll` shows that the table continues there. */
export const THEME = `
:root { color-scheme: light dark;
  --page: light-dark(#fbfbf9, #121416); --panel: light-dark(#fff, #191c1f); --ink: light-dark(#1c2126, #e9e7e2); --soft: light-dark(#59636d, #a0a8b0);
  --line: light-dark(#dcded8, #33393f); --faint: light-dark(#f0f1ec, #20252a); --mark: light-dark(#8a929a, #79828a); --book: light-dark(rgb(110 120 130 / .2), rgb(150 160 170 / .22));
  --bid: light-dark(#1c6cb0, #6bb2f2); --ask: light-dark(#a8500f, #f19a5b); --good: light-dark(#0c6a57, #52c4a3); --bad: light-dark(#a4301d, #f28b74);
  --edge: light-dark(rgb(0 0 0 / .22), rgb(255 255 255 / .28)); --alarm: light-dark(#fdf0ec, #33201c); --warn: light-dark(#fdf7e3, #2b2617); --warning: light-dark(#8a5a00, #f0b429);
  --s0: var(--bad); --s1: var(--bid); --s2: var(--good); --s3: light-dark(#7a4fb0, #bd97ee); --s4: light-dark(#8a6a00, #d9b64a); --s5: light-dark(#a3326f, #ee8fc0) }
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums lining-nums }
code, kbd, pre, td.code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 13px }
table { border-collapse: collapse; width: 100%; font-size: 14px }
.scroll { overflow: auto; max-width: 100%; border: 1px solid var(--line); border-radius: 6px; background: linear-gradient(90deg, var(--panel) 30%, transparent) 0 0 / 48px 100% no-repeat local, linear-gradient(270deg, var(--panel) 30%, transparent) 100% 0 / 48px 100% no-repeat local, linear-gradient(90deg, var(--edge), transparent) 0 0 / 16px 100% no-repeat scroll, linear-gradient(270deg, var(--edge), transparent) 100% 0 / 16px 100% no-repeat scroll, var(--panel) }
.good { color: var(--good) } .bad { color: var(--bad) }`;

/** CSS of a chart with its title, unit, legend and the values at the pointer. */
export const CHART_FRAME = `
.chart { margin: 12px 0 0; padding: 10px 8px 6px; border: 1px solid var(--line); border-radius: 8px; background: var(--panel); min-width: 0 }
.chart h3 { margin: 0 8px 2px; display: flex; justify-content: space-between; gap: 0 12px; flex-wrap: wrap; font-size: 14px } .chart h3 span { font-weight: 400; color: var(--soft); font-size: 13px }
.plot { min-height: 40px; touch-action: pan-y }
.readout { min-height: 1.5em; margin: 8px 4px 0; font-size: 13px; color: var(--soft) } .readout b { color: var(--ink); font-weight: 600 }
.keys { display: flex; flex-wrap: wrap; gap: 2px 16px; font-size: 13px; color: var(--soft); margin: 4px 8px; padding: 0; list-style: none } .keys i { font-style: normal; font-size: 11px; margin-right: 4px } .keys i:empty { display: inline-block; width: 18px; height: 0; border-top: 2px solid; vertical-align: middle; margin-right: 6px } .keys i.area { height: 10px; border: 0; background: var(--book) }
.uplot { width: min-content } .u-wrap { position: relative; user-select: none } .u-over, .u-under, .u-axis, .u-select, .u-cursor-x { position: absolute } .u-under { overflow: hidden }
.uplot canvas { display: block; width: 100%; height: 100% } .u-select { background: rgba(110,130,150,.18) } .u-select, .u-cursor-x { pointer-events: none }
.u-cursor-x { left: 0; top: 0; height: 100%; border-right: 1px dashed var(--mark) } .u-off, .u-cursor-y, .u-cursor-pt { display: none }`;

/** Returns the `content-security-policy` of a document that contains this one script and this one style. */
export const ownPolicy = (script: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src '${hashForCsp(script)}'`,
    `style-src '${hashForCsp(style)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // The browser refuses to insert strings as markup, so that text from the exchange cannot become a script.
    "require-trusted-types-for 'script'",
  ].join('; ');

const hashForCsp = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** HTTP headers of a page: no caching, no framing, no guessing of its type, and no referrer from its links. */
export const OWN_HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const require = createRequire(import.meta.url);

/** Scripts already bundled, by file; used only if this program runs from the sources. */
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

/** Bundles a page's main module. Only the build, and programs that run from the sources, use esbuild. */
export function bundlePage(file: string): string {
  const { buildSync, stop } = require('esbuild') as typeof import('esbuild');
  // Bars and splines are removed from the chart library, because the pages do not use them.
  const library = chartFile('dist/uPlot.esm.js').replaceAll(/\(paths\.(?:bars|spline) *= \w+\);/g, '');
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
    alias: { uplot: `data:text/javascript,${encodeURIComponent(library)}` },
  });
  void stop();
  // Indentation, and line breaks beside tags, are removed, because HTML templates ignore them.
  return (outputFiles[0]?.text ?? '').replaceAll(/\n {2,}/g, '\n').replaceAll(/>\n|\n(?=<)/g, (end) => end.trim());
}

const chartFile = (name: string): string =>
  readFileSync(join(dirname(require.resolve('uplot/package.json')), name), 'utf8');

/** Returns the license text of the chart library, which every page must include. */
export const chartLicence = (): string => chartFile('LICENSE');
