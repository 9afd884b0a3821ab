/** The page as one document: text, style and script, and the policy that lets a browser run only these. */

import { chartLibrary } from '../document/chart-library.js';
import { ownPolicy } from '../document/own-document.js';
import { readPageScript } from '../document/page-script.js';
import { ABOVE, HELP, VIEWS } from './markup.js';
import { STYLE } from './style.js';

export interface PageDocument {
  readonly html: string;
  /** `content-security-policy`. */
  readonly policy: string;
}

/** Each module follows its imports. */
const MODULES = [
  'format',
  'dom',
  'address',
  'theme',
  'chart',
  'overview',
  'market',
  'money',
  'past',
  'lists',
  'traders',
  'session',
  'ask',
  'stream',
  'controls',
  'files',
  'keys',
  'main',
] as const;

export function pageDocument(): PageDocument {
  const { script: library, style: chartStyle, licence } = chartLibrary();
  const script = `${library}\n${readPageScript(new URL('./page/', import.meta.url), MODULES)}`;
  const style = `${chartStyle}\n${STYLE.replace(/\s*([{};])\s*|([:,])\s+/g, '$1$2')}`;
  return { html: makeHtml({ script, style, licence }), policy: ownPolicy(script, style) };
}

interface Parts {
  readonly script: string;
  readonly style: string;
  readonly licence: string;
}

const makeHtml = ({ script, style, licence }: Parts): string => `<!doctype html>
<!-- Charts by uPlot. ${licence} -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Twinbook</title>
<style>${style}</style>
</head>
<body>
<noscript><p class="banner">This page needs its script. The command line does the same: twinbook status, twinbook kill.</p></noscript>
<p class="banner" id="banner" role="alert" hidden></p>
<p class="unseen" id="spoken" role="status"></p>
<i id="probe" hidden></i>
<main id="login" hidden><h1>Twinbook</h1>
<form><label>Password, or the token from the address that <code>twinbook dashboard</code> prints
<input id="secret" type="password" autocomplete="current-password"></label> <button type="submit">Open</button></form></main>
<div id="main" hidden>
${ABOVE}
<main>
<p id="unknown" class="soft"></p>
${VIEWS.replaceAll('>\n<', '><')}
</main>
</div>
${HELP}
<script type="module">${script}</script>
</body>
</html>
`;
