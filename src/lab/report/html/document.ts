/** One self-contained HTML file without network access: its frame, scripts and security policy. */

import { createHash } from 'node:crypto';
import { readPageScript } from '../../../shell/web-kit/page-script.js';
import { html, Markup } from './markup.js';

/** A script of the page; `tables` only sorts and finds rows. */
export const pageScript = (name: 'main' | 'tables'): string =>
  readPageScript(new URL(`../page/${name}.js`, import.meta.url));

interface PageParts {
  readonly title: string;
  readonly style: string;
  readonly body: Markup;
  readonly script: string;
  /** Data for the script, placed before it. */
  readonly data?: Markup | null;
}

/** Only the script runs, and nothing is fetched: injected markup in a title has no effect. */
export function pageDocument({ title, style, body, script, data = null }: PageParts): string {
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${new Markup(style)}</style></head><body>${body}
${data}<script type="module">${new Markup(script)}</script></body></html>
`.text;
}
