/** The one document: text, style and script in one, and the policy that lets a browser run these and nothing else. */

import { ownPolicy } from '../document/own-document.js';
import { pageScriptOf } from '../document/page-script.js';
import { STYLE } from './style.js';

export interface PageDocument {
  readonly html: string;
  /** `content-security-policy`. */
  readonly policy: string;
}

export function pageDocument(): PageDocument {
  const script = pageScriptOf(new URL('./page/', import.meta.url), ['main']);
  return { html: htmlOf(script), policy: ownPolicy(script, STYLE) };
}

const BUTTONS = [
  ['widen', 'Widen', 'quotes keep away from the fair value'],
  ['reduce-only', 'Reduce only', 'only what brings positions towards zero'],
  ['pause', 'Pause', 'pulls every order, stays out'],
  ['cancel-all', 'Cancel all', 'cancels everything once'],
  ['flatten', 'Flatten', 'sells what is held into the book, then stays out'],
  ['kill', 'KILL', 'cancels everything; nothing new until it is lifted, also after a restart'],
  ['resume', 'Resume', 'quotes as usual again'],
  ['unkill', 'Lift the kill', 'needs a reason'],
] as const;

const SECTIONS = [
  [
    'markets',
    'Markets',
    ['Market', 'Best bid', 'Our bid', 'Fair', 'Our ask', 'Best ask', 'Net', 'YES', 'NO', 'Book', 'State'],
  ],
  ['orders', 'Orders', ['Market', 'Side', 'Price', 'Amount', 'Filled', 'Since']],
  ['fills', 'Newest fills', ['Time', 'Market', 'Side', 'Price', 'Amount']],
  ['events', 'What happened', ['Time', 'Kind', 'What']],
] as const;

const buttons = BUTTONS.map(
  ([name, label, help]) => `<button type="button" data-action="${name}" title="${help}">${label}</button>`,
).join('\n');

/** Of one market. */
const CLOSE_BY = [
  ['ladder', 'Ladder, YES', ['Price', 'Side', 'Others', 'Ours', 'Ahead of ours (estimate)']],
  ['factors', 'What led to the quotes', ['Factor', 'Value']],
  ['refusals', 'What held them back', ['Control', 'Times', 'Newest words']],
] as const;

type Table = readonly [name: string, title: string, columns: readonly string[]];

const tables = (all: readonly Table[]): string =>
  all
    .map(
      ([name, title, columns]) => `<section aria-labelledby="${name}-title"><h2 id="${name}-title">${title}</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="${name}-title"><table>
<thead><tr>${columns.map((column) => `<th scope="col">${column}</th>`).join('')}</tr></thead><tbody id="${name}"></tbody>
</table></div></section>`,
    )
    .join('\n');

const htmlOf = (script: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Twinbook</title>
<style>${STYLE}</style>
</head>
<body>
<noscript><p class="banner">This page needs its script. The command line does the same: twinbook status, twinbook kill.</p></noscript>
<p class="banner" id="banner" role="alert" hidden></p>
<form id="login" hidden><label>Password, or the token that the trader printed
<input id="secret" type="password" autocomplete="current-password"></label> <button type="submit">Open</button></form>
<main id="main" hidden>
<header><h1 id="mode">…</h1><p id="reason"></p><p class="soft" id="about"></p></header>
<div class="actions">
<label>Reason <input id="why" maxlength="500" placeholder="kept with what you press"></label>
${buttons}
</div>
<p id="said" role="status"></p>
<div id="overview">
<dl id="figures"></dl>
${tables(SECTIONS)}
</div>
<div id="close-by" hidden>
<h2 id="market-title"></h2>
<p><a id="back">All markets</a></p>
<p id="market-note"></p>
<dl id="market-figures"></dl>
${tables(CLOSE_BY)}
</div>
</main>
<script type="module">${script}</script>
</body>
</html>
`;
