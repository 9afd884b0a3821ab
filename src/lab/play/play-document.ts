/** The page: text, style and script in one, and the policy that lets a browser run these and nothing else. */

import { ownPolicy } from '../../shell/document/own-document.js';
import { readPageScript } from '../../shell/document/page-script.js';
import { escapeHtml } from '../report/html/markup.js';

const STYLE = `
:root { color-scheme: light dark; --line: #8886; --bid: #1c6cb0; --ask: #b9500f; --fair: #0c7460; --bad: #b23a26 }
@media (prefers-color-scheme: dark) { :root { --bid: #6bb2f2; --ask: #f19a5b; --fair: #52c4a3; --bad: #f28b74 } }
body { margin: 0 auto; max-width: 1100px; padding: 20px; font: 15px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums }
h1 { font-size: 22px; margin: 0 } h2 { font-size: 16px; margin: 18px 0 4px }
.two { display: grid; grid-template-columns: minmax(280px, 1fr) minmax(280px, 1fr); gap: 24px }
.three { display: grid; grid-template-columns: repeat(3, minmax(220px, 1fr)); gap: 16px }
@media (max-width: 760px) { .two, .three { grid-template-columns: 1fr } }
label { display: grid; grid-template-columns: 9em 1fr 6em; gap: 8px; align-items: center }
output { text-align: right } input[type=range], select { width: 100% }
table { border-collapse: collapse; width: 100% } td, th { text-align: right; padding: 2px 8px; border-top: 1px solid var(--line); font-weight: 400 }
.bid { color: var(--bid) } .ask { color: var(--ask) } .own { font-weight: 650 } .error { color: var(--bad); white-space: pre-wrap }
svg { width: 100%; height: 180px; border: 1px solid var(--line) } svg text { fill: currentColor; font-size: 11px }
polyline { fill: none; stroke-width: 1.8 } .l-bid { stroke: var(--bid) } .l-ask { stroke: var(--ask) } .l-fair { stroke: var(--fair); stroke-dasharray: 4 3 } .now { stroke: var(--line) }
#note { min-height: 3em } figure { margin: 0 }`;

export function playDocument(name: string, summary: string): { readonly html: string; readonly policy: string } {
  const script = readPageScript(new URL('./page/', import.meta.url), ['main']);
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(name)} – Twinbook</title><style>${STYLE}</style></head><body>
<h1>${escapeHtml(name)}</h1><p>${escapeHtml(summary)}</p>
<div class="two"><section aria-label="The market"><h2>The market</h2><div id="sliders"></div><div id="recording" hidden><h2>A recording</h2><label>market<select id="market"></select><output></output></label><label>look<input id="look" type="range" min="0" max="0" value="0"><output id="time"></output></label><label>show<select id="source"><option value="hand">the market by hand</option><option value="recorded">the recording</option></select><output></output></label></div></section>
<section aria-label="Quotes"><h2>Quotes</h2><p id="note" aria-live="polite"></p><p id="error" class="error" role="alert"></p><table><thead><tr><th>own</th><th>others</th><th>price</th><th>others</th><th>own</th></tr></thead><tbody id="book"></tbody></table></section></div>
<h2>Best bid, fair price and best ask</h2><div class="three" id="curves"></div>
<h2>Factors</h2><table><tbody id="factors"></tbody></table><h2>Parameters</h2><table><tbody id="params"></tbody></table>
<script type="module">${script}</script></body></html>`;
  return { html, policy: ownPolicy(script, STYLE) };
}
