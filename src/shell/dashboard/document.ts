/** The page as one HTML document with style and script, and the security policy that permits only these two. */

import { CHART_FRAME, chartLicence, ownPolicy, readPageScript, THEME } from '../web-kit/page-script.js';

const STYLE = `${THEME}${CHART_FRAME}
:root { --win: light-dark(#e4f4ee, #16302a); --share: light-dark(#dbe8f4, #20384d); --much: light-dark(#f6d9d2, #55281f) }
body { margin: 0 auto; max-width: 1360px; padding: 16px }
[hidden] { display: none !important }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
h1 { margin: 0; font-size: 28px; line-height: 1.15; letter-spacing: -.01em }
h1.stopped { color: var(--bad) } h1.quoting { color: var(--good) }
h2 { margin: 0 0 6px; font-size: 20px; overflow-wrap: anywhere } h3 { margin: 22px 0 6px; font-size: 16px }
p { margin: 4px 0; overflow-wrap: anywhere }
.soft, .none, dt, th, small { color: var(--soft) }
.banner.mild { border-color: var(--warning); background: var(--warn) } .zone { font-size: 13px }
.old td:not(.text:first-child), #main.old dd { color: var(--soft) } #main.old .plot { opacity: .55 }
.banner { position: sticky; top: 0; z-index: 3; margin: 0 0 12px; padding: 10px 12px; border-left: 4px solid var(--bad); background: var(--alarm); border-radius: 4px }
#main { display: grid; grid-template-columns: 9.5rem minmax(0, 1fr); gap: 0 24px; align-items: start }
header, .actions, #said { grid-column: 1 / -1 }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin: 14px 0 6px; align-items: end }
#rest { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; flex: 1 1 0 } #rest label { flex: 1 1 16rem } .stop { display: flex; gap: 8px } #more { display: none }
nav { position: sticky; top: 12px; display: flex; flex-direction: column; gap: 2px }
nav a { min-height: 44px; padding: 10px 12px; border: 0; border-radius: 6px; background: none; color: inherit; font: inherit; text-align: left; text-decoration: none }
nav a:hover { background: var(--panel) }
nav a[aria-current] { background: var(--panel); color: var(--bid); font-weight: 650; box-shadow: inset 3px 0 0 var(--bid) }
label { display: block } .link { padding: 6px 0; border: 0; background: none; color: var(--bid); font: inherit; text-decoration: underline } .choices { display: flex; flex-wrap: wrap; align-items: end; gap: 8px 16px; margin-bottom: 8px } .choices select { max-width: 16rem } .pages a { padding: 12px 6px } label.span { margin: 12px 0 4px }
input::placeholder { color: var(--soft); opacity: 1 }
input, select, .actions button, #login button, #compare, .files button, td button[data-action] { min-height: 44px; padding: 8px 14px; border: 1px solid var(--soft); border-radius: 6px; background: var(--panel); color: inherit; font: inherit }
input { display: block; width: 100%; padding: 8px 10px } select { padding: 6px 8px } button { cursor: pointer }
.actions button:hover { border-color: var(--ink) }
.actions button[data-action=kill] { background: var(--bad); border-color: var(--bad); color: var(--page); font-weight: 700 }
:focus-visible { outline: 3px solid var(--bid); outline-offset: 2px }
#said { min-height: 1.45em; font-weight: 600 } #said.refused { color: var(--bad) }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 8px; margin: 12px 0 }
dl > div { padding: 8px 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); min-width: 0 }
dt { font-size: 13px } dd { margin: 0; font-size: 17px; overflow-wrap: anywhere } dd.bad { color: var(--bad) } dd.warning { color: var(--warning) }
.cards { max-height: 75vh } .cards th { position: sticky; top: 0; z-index: 1; background: var(--panel) }
th, td { padding: 5px 9px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
tr:last-child td { border-bottom: 0 }
#ladder td.number { width: 22% } #ladder tr.bid td:last-child { color: var(--bid) } #ladder tr.ask td:last-child { color: var(--ask) }
th { font-weight: 500; font-size: 13px; white-space: nowrap } th.number { text-align: right }
a { color: var(--bid) }
tr.ours td { font-weight: 600 } tr.fair td { color: var(--good); border-top: 2px solid var(--good) } tr.loud td { color: var(--bad) }
td.number { position: relative; text-align: right; white-space: nowrap } td.text { min-width: 9ch; max-width: 60ch; overflow-wrap: anywhere } td.time { white-space: nowrap }
#refusals td.text:first-child, #risk-limits td.text:first-child, #health-requests td.text:first-child, #events td.text:nth-child(2), #log-lines td.text:nth-child(2), p code { white-space: nowrap } #risk-limits td.text:nth-child(5) { min-width: 20ch } #events td.text:last-child, #log-lines td.text:nth-child(4) { min-width: 30ch } #alerts-recent td.text { white-space: pre-line !important }
#markets td:first-child, #money-markets td:first-child, #money-day td:first-child, #config-settings td:first-child,
#orders td:nth-child(2), #fills td:nth-child(2), #order-list td:nth-child(2), #fill-list td:nth-child(2), #trip-list td:nth-child(2) { min-width: 20ch }
#money-days-title + .scroll, #calendar { max-height: 27rem } .beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr)); gap: 0 20px } .beside > div { min-width: 0 } #config-settings-title + .scroll { max-height: 75vh } .choices label.span { margin-bottom: 0 } #log-lines td.text:nth-child(3) { min-width: 18ch } #calendar { display: flex; flex-wrap: wrap; align-items: start; gap: 0 20px; padding: 6px 8px }
.month { flex: 1 1 20rem; max-width: 34rem; table-layout: fixed; font-size: 13px } .month caption { text-align: left; font-weight: 600; padding: 4px 2px } .month th, .month td { padding: 3px 2px; text-align: right } .month td { border: 1px solid var(--line); overflow-wrap: anywhere } .month small { display: block; text-align: left; font-size: 12px }
.month td.good { background: var(--win) } .month td.bad { background: var(--alarm) } .month a { color: inherit }
dl > div { position: relative } dd.main { font-size: 24px; font-weight: 650; line-height: 1.3 }
dd > i { position: absolute; left: -1px; bottom: -1px; height: 4px; background: var(--bid); border-radius: 0 0 0 6px } dl i.much { background: var(--bad) }
td.number > i { position: absolute; left: 0; bottom: 0; height: 4px; background: var(--bid) } td.number > i.much { background: var(--bad) } td.number > i.gain { background: var(--good) }
td.depth { isolation: isolate } td.depth > i, td.depth > i.much { z-index: -1; top: 0; right: 0; left: auto; height: auto; background: var(--share) }
summary { cursor: pointer; padding: 6px 0; min-height: 32px }
#parity { white-space: pre } pre { padding: 10px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); overflow: auto; min-height: 2.6em; white-space: pre-wrap; overflow-wrap: anywhere }
#explain-tree ul { margin: 0; padding: 0 0 0 1.1rem; list-style: none } #explain-tree > ul { padding-left: 0 }
#explain-tree li { padding: 2px 0; overflow-wrap: anywhere } #explain-tree b { font-weight: 600 }
@media (max-width: 860px) {
  #main { display: block } th { white-space: normal } nav { position: static; flex-direction: row; flex-wrap: wrap; margin: 8px 0 16px }
  nav a { padding: 10px } nav a[aria-current] { box-shadow: inset 0 -3px 0 var(--bid) }
}
@media (min-width: 481px) { #risk-limits-title + .scroll { max-height: none } }
@media (min-width: 481px) and (max-width: 1120px) {
  #rest { display: contents } #rest label { order: -1; flex: 1 1 100% }
}
@media (max-width: 480px) {
  body { padding: 12px 12px 84px } th, td { padding: 5px 6px } #more { display: block; flex: 1 1 100% } #more[aria-expanded=false] + #rest { display: none } #rest button { flex: 1 1 45% } #rest label { flex: 1 1 100% }
  .cards thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden }
  .cards tr { display: grid; grid-template-columns: 1fr 1fr; gap: 0 16px; padding: 8px 10px; border-bottom: 1px solid var(--line) } .cards tr:last-child { border-bottom: 0 }
  .cards td { display: flex; justify-content: space-between; gap: 8px; padding: 2px 0; border: 0; min-width: 0 !important; max-width: none; text-align: right }
  .cards td:first-child { display: block; grid-column: 1 / -1; font-weight: 600; text-align: left } .cards td:empty { display: none } .cards td::before { content: attr(data-head); flex: none; color: var(--soft); font-weight: 400 }
  .cards td.number::before { flex-shrink: 1; white-space: normal; text-align: left } .cards td:first-child::before { content: none } .cards td.text, #risk-limits td.number, #risk-events td.number, #risk-markets td.number { white-space: normal !important; grid-column: 1 / -1; overflow-wrap: anywhere }
  .month { font-size: 11px } .month th, .month td { padding: 3px 1px }
  .stop { position: fixed; z-index: 2; left: 0; right: 0; bottom: 0; padding: 10px 12px; background: var(--page); border-top: 1px solid var(--line) }
  .stop button { flex: 1 1 50%; min-height: 52px }
}
@media (prefers-reduced-motion: no-preference) { button, a { transition: border-color .12s, background-color .12s } }
`;

/** Returns the document and the value of its `content-security-policy` header. */
export function pageDocument() {
  const script = readPageScript(new URL('./page/main.js', import.meta.url));
  const style = STYLE.replace(/\s*([{};>/])\s*|([:,])\s+/g, '$1$2');
  const html = `<!doctype html>
<!-- Charts by uPlot. ${chartLicence()}
Templates by Preact, Copyright (c) 2015-present Jason Miller, under the same licence, and by htm, Copyright 2018 Google Inc., under the Apache License 2.0 (http://www.apache.org/licenses/LICENSE-2.0). -->
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
<div id="page"></div>
<script type="module">${script}</script>
</body>
</html>
`;
  return { html, policy: ownPolicy(script, style) };
}
