/** One self-contained HTML file without network access: its frame, scripts and security policy. */

import { createHash } from 'node:crypto';
import { readPageScript } from '../../../shell/document/page-script.js';
import { html, Markup } from './markup.js';

/** Our own scripts, each after its imports. */
const MODULES = ['tables', 'data', 'frame', 'charts'] as const;

/** The given modules of `page/` as one. */
export const pageScript = (modules: readonly (typeof MODULES)[number][] = MODULES): string =>
  readPageScript(new URL('../page/', import.meta.url), modules);

/** Only these scripts run, and nothing is fetched: injected markup in a title has no effect. */
export function policy(scripts: readonly string[]): string {
  const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  return `default-src 'none'; style-src 'unsafe-inline'; script-src ${hashes.join(' ')}; base-uri 'none'; form-action 'none'`;
}

interface PageParts {
  readonly title: string;
  readonly style: string;
  readonly body: Markup;
  /** Plain scripts, then one module. */
  readonly scripts?: readonly string[];
  /** Data for the scripts, placed before them. */
  readonly data?: Markup | null;
}

export function pageDocument({ title, style, body, scripts = [], data = null }: PageParts): string {
  const elements = scripts.map((script, index) => {
    const isModule = index === scripts.length - 1;
    return html`<script${isModule ? new Markup(' type="module"') : null}>${new Markup(script)}</script>\n`;
  });
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy(scripts)}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${new Markup(style)}</style></head><body>${body}
${data}${elements}</body></html>
`.text;
}
