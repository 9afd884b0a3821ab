/** Colours and texts of every page: light and dark. */

export const THEME = `
:root { color-scheme: light dark;
  --page: light-dark(#fbfbf9, #121416); --panel: light-dark(#fff, #191c1f); --ink: light-dark(#1c2126, #e9e7e2); --soft: light-dark(#59636d, #a0a8b0);
  --line: light-dark(#dcded8, #33393f); --faint: light-dark(#f0f1ec, #20252a); --mark: light-dark(#8a929a, #79828a); --book: light-dark(rgb(110 120 130 / .2), rgb(150 160 170 / .22));
  --bid: light-dark(#1c6cb0, #6bb2f2); --ask: light-dark(#a8500f, #f19a5b); --good: light-dark(#0c6a57, #52c4a3); --bad: light-dark(#a4301d, #f28b74);
  --alarm: light-dark(#fdf0ec, #33201c); --warn: light-dark(#fdf7e3, #2b2617); --warning: light-dark(#8a5a00, #f0b429);
  --s0: var(--bad); --s1: var(--bid); --s2: var(--good); --s3: light-dark(#7a4fb0, #bd97ee); --s4: light-dark(#8a6a00, #d9b64a) }
:root[data-theme=light] { color-scheme: light } :root[data-theme=dark] { color-scheme: dark }
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums lining-nums }
code, kbd, pre, td.code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 13px }
table { border-collapse: collapse; width: 100%; font-size: 14px }
.scroll { overflow-x: auto; max-width: 100%; border: 1px solid var(--line); border-radius: 6px; background: var(--panel) }
.good { color: var(--good) } .bad { color: var(--bad) }`;
