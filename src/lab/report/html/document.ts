/** A report page is one self-contained HTML file without network access, with styles, scripts and security policy. */

import { createHash } from 'node:crypto';
import { CHART_FRAME, readPageScript, THEME } from '../../../shell/web-kit/page-script.js';
import { html, Markup } from './parts.js';

const STYLE = `${THEME}${CHART_FRAME}
html { scroll-padding-top: 52px }
body { margin: 0 }
.page { max-width: 1180px; margin: 0 auto; padding: 28px 24px 64px }
h1 { font-size: 25px; line-height: 1.25; font-weight: 650; letter-spacing: -.012em; margin: 0 0 4px; overflow-wrap: anywhere }
h2 { font-size: 18px; font-weight: 640; letter-spacing: -.006em; margin: 0 0 2px }
h3 { font-size: 14px; font-weight: 640; margin: 0 0 8px }
p { margin: 0 0 10px; max-width: 76ch }
section { margin-top: 44px }
.lead, .note, caption, .sub { color: var(--soft) }
.lead { margin-bottom: 14px; font-size: 14px }
.note, caption { font-size: 13px }
button, select, input { font: inherit; color: inherit }
:focus-visible { outline: 2px solid var(--bid); outline-offset: 2px }
header .sub { margin: 0; overflow-wrap: anywhere }
html:not(.scripted) [data-needs-script] { display: none }
.verdict { margin: 20px 0 0; padding: 12px 16px; border: 1px solid var(--line); border-left: 4px solid var(--line); background: var(--panel); border-radius: 6px }
.verdict.gain { border-left-color: var(--good) } .verdict.loss { border-left-color: var(--bad) } .verdict.unclear { color: var(--soft) }
.verdict.flips { border-left-color: var(--bad); background: var(--alarm) }
.verdict p { margin: 0; max-width: none } .verdict strong { font-weight: 650 }
.warnings { list-style: none; margin: 14px 0 0; padding: 0; font-size: 14px; display: grid; gap: 1px }
.warnings li { padding: 3px 12px; border-left: 4px solid var(--line); overflow-wrap: anywhere }
.warnings .wrong { border-color: var(--bad); background: var(--alarm); font-weight: 600 }
.warnings .caution { border-color: #c99700; background: var(--warn) }
.warnings b { font-weight: 600 }
details > summary { cursor: pointer; font-size: 14px; color: var(--soft) } details { margin-top: 10px }
.scroll.tall { max-height: 560px; overflow-y: auto }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
th, td { padding: 6px 12px; text-align: right; white-space: nowrap; border-top: 1px solid var(--faint); font-weight: 400; vertical-align: baseline }
th.text, td.text { text-align: left } td.wrap, th.wrap { white-space: normal; min-width: 15em; overflow-wrap: anywhere }
thead th { position: sticky; top: 0; z-index: 1; background: var(--panel); border-top: 0; border-bottom: 1px solid var(--line); color: var(--soft); font-size: 13px; font-weight: 560; vertical-align: bottom }
thead th button { all: unset; cursor: pointer } thead th button:focus-visible { outline: 2px solid var(--bid) }
thead th[aria-sort=ascending] button::after { content: " ↑" } thead th[aria-sort=descending] button::after { content: " ↓" }
tbody tr:first-child > * { border-top: 0 }
tr.total > * { border-top: 1px solid var(--mark); font-weight: 640 }
.minor { color: var(--soft); opacity: .8; font-weight: 400 }
.bars { width: 46%; min-width: 180px; padding: 0 } td.bars { vertical-align: middle }
.cell { position: relative; display: block; height: 18px; margin: 0 12px }
.bar { position: absolute; top: 0; bottom: 0; min-width: 2px; border-radius: 2px; background: var(--mark) }
.bar.good { background: var(--good) } .bar.bad { background: var(--bad) } .bar.ink { background: var(--ink) }
.zero { position: absolute; top: -7px; bottom: -7px; width: 1px; background: var(--line) }
.bracket td, .bracket thead th { min-width: 7.5em } .bracket th[scope=row] { color: var(--soft) } .bracket tr.main > * { font-weight: 650; color: var(--ink) } .bracket tr.main td.good { color: var(--good) } .bracket tr.main td.bad { color: var(--bad) }
.markets tbody th { max-width: 30em; overflow: hidden; text-overflow: ellipsis; position: sticky; left: 0; background: var(--panel) } .markets thead th:first-child { left: 0; z-index: 2 }
.tools { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 0 0 10px; font-size: 13px }
.tools input, .tools select { border: 1px solid var(--line); background: var(--panel); border-radius: 6px; padding: 3px 8px; max-width: 100% } .tools select { flex: 1 1 16em; min-width: 0 }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 1px; margin: 0; background: var(--line); border: 1px solid var(--line); border-radius: 8px; overflow: hidden }
.tiles > div { background: var(--panel); padding: 11px 14px 12px } .tiles dt { font-size: 13px; color: var(--soft) } .tiles dd { margin: 0; font-size: 22px; line-height: 1.3; font-weight: 620; letter-spacing: -.01em } .tiles dd.note { font-size: 12.5px; font-weight: 400; letter-spacing: 0; line-height: 1.4 }
.assume { display: grid; grid-template-columns: max-content 1fr; gap: 4px 20px; font-size: 14px; margin: 0 } .assume dt { color: var(--soft) } .assume dd { margin: 0; overflow-wrap: anywhere }
footer { margin-top: 56px; border-top: 1px solid var(--line); padding-top: 14px; font-size: 13px; color: var(--soft) } footer pre { white-space: pre-wrap; font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace }`;

/** CSS that must follow all other rules. */
const SMALL = `
@media (max-width: 640px) { .page { padding: 18px 14px 48px } h1 { font-size: 21px } section { margin-top: 34px } th, td { padding: 6px 9px } .bars { min-width: 110px } .wide { display: none } th[scope=row], thead th { white-space: normal } .bracket th[scope=row] { min-width: 8.5em } .markets tbody th { max-width: 11em; white-space: nowrap } .chooser span { display: none } .tiles { grid-template-columns: repeat(2, 1fr) } .tiles dd { font-size: 19px } .assume { grid-template-columns: 1fr; gap: 0 } .assume dd { margin-bottom: 8px } }
@media print { .scroll, .scroll.tall { max-height: none; overflow: visible } .tools, .chooser { display: none } .model { position: static !important; width: auto !important; height: auto !important; clip-path: none !important } body { background: #fff } section { break-inside: avoid-page } }`;

/** Returns styles with which radio buttons select the shown session, without scripts. */
function choosing(sessions: number): string {
  const rules = Array.from({ length: sessions }, (_, index) => {
    const chosen = `#session-${index}:checked ~`;
    return `${chosen} .page .of:not(.of-${index}) { display: none } ${chosen} .page label[for=session-${index}] { background: var(--ink); color: var(--page); border-color: var(--ink) } #session-${index}:focus-visible ~ .page label[for=session-${index}] { outline: 2px solid var(--bid); outline-offset: 2px }`;
  });
  const names =
    sessions < 2
      ? '.model { display: none }'
      : '.model { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }';
  return `.choice { position: fixed; opacity: 0; pointer-events: none } .chooser { position: sticky; top: 0; z-index: 5; display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 28px -8px 0; padding: 8px; background: var(--page); font-size: 13px; color: var(--soft) } .chooser label { border: 1px solid var(--line); border-radius: 99px; padding: 2px 12px; cursor: pointer; background: var(--panel); color: var(--ink) } .model { color: var(--soft); font-weight: 560; font-size: 13px } ${names} ${rules.join(' ')}`;
}

interface ReportParts {
  readonly title: string;
  /** Number of sessions that the page compares; 0 on other pages. */
  readonly sessions: number;
  readonly body: Markup;
  /** Script of the page. The script `main` draws charts and sorts tables; the script `tables` only sorts tables. */
  readonly program: 'main' | 'tables';
  /** Data for the page's script; it is placed before the script. */
  readonly data?: Markup;
}

/** Builds the page. The page's security policy allows only its script and no network; injected markup has no effect. */
export function pageDocument({ title, sessions, body, program, data }: ReportParts): string {
  const script = readPageScript(new URL(`../page/${program}.js`, import.meta.url));
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${new Markup(STYLE + choosing(sessions) + SMALL)}</style></head><body>${body}
${data ?? null}<script type="module">${new Markup(script)}</script></body></html>
`.text;
}
