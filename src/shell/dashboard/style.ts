/** How the page looks: light and dark, down to a phone held upright. */

export const STYLE = `
:root { color-scheme: light dark;
  --page: light-dark(#fbfbf9, #121416); --panel: light-dark(#fff, #191c1f); --ink: light-dark(#1c2126, #e9e7e2);
  --soft: light-dark(#59636d, #a0a8b0); --line: light-dark(#dcded8, #33393f); --bad: light-dark(#a4301d, #f28b74);
  --good: light-dark(#0c6a57, #52c4a3); --alarm: light-dark(#fdf0ec, #33201c); --mark: light-dark(#1c6cb0, #6bb2f2) }
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0 auto; max-width: 1180px; padding: 16px; background: var(--page); color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums }
[hidden] { display: none !important }
h1 { margin: 0; font-size: 28px; line-height: 1.15; letter-spacing: -.01em }
h1.stopped { color: var(--bad) } h1.quoting { color: var(--good) }
h2 { margin: 24px 0 6px; font-size: 16px }
p { margin: 4px 0; overflow-wrap: anywhere }
.soft, .none, dt, th { color: var(--soft) }
.banner { position: sticky; top: 0; margin: 0 0 12px; padding: 10px 12px; border-left: 4px solid var(--bad); background: var(--alarm); border-radius: 4px }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin: 14px 0 6px; align-items: end }
.actions label { flex: 1 1 100% }
input { display: block; width: 100%; padding: 8px 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); color: inherit; font: inherit }
button { min-height: 44px; padding: 8px 14px; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); color: inherit; font: inherit; cursor: pointer }
button:hover { border-color: var(--soft) }
button:disabled { opacity: .55; cursor: default }
button[data-action=kill] { background: var(--bad); border-color: var(--bad); color: var(--page); font-weight: 700 }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px }
#said { min-height: 1.45em; font-weight: 600 } #said.refused { color: var(--bad) }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 8px; margin: 12px 0 }
dl > div { padding: 8px 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); min-width: 0 }
dt { font-size: 13px } dd { margin: 0; font-size: 17px; overflow-wrap: anywhere } dd.bad { color: var(--bad) }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--panel) }
table { width: 100%; border-collapse: collapse; font-size: 14px }
th, td { padding: 5px 9px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
tr:last-child td { border-bottom: 0 }
#ladder td.number, #factors td.number, #refusals td.number { text-align: left }
th { font-weight: 500; font-size: 13px; white-space: nowrap }
a { color: var(--mark) }
tr.ours td { font-weight: 600 } tr.fair td { color: var(--mark); border-top: 2px solid var(--mark) }
td.number { text-align: right; white-space: nowrap } td.text { min-width: 15ch; overflow-wrap: anywhere } td.time { white-space: nowrap }
@media (max-width: 480px) { body { padding: 12px } th, td { padding: 5px 6px } button { flex: 1 1 45% } }
@media (prefers-reduced-motion: no-preference) { button { transition: border-color .12s } }
`;
