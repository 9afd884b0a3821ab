/** What the reader does. */

import { drawAccount, session } from './account.js';
import { data } from './columns.js';
import { say } from './format.js';
import { drawMarket } from './market.js';
import { ACTIONS, groups, handle, show, shown } from './zoom.js';

let drawnMarket = 0;

function redraw() {
  const names = data.sessions.length > 1 ? (data.sessions[session()]?.name ?? '') : '';
  for (const place of document.querySelectorAll('.drawn-session')) place.textContent = names;
  drawAccount();
  keepingTime('price', () => drawMarket(drawnMarket));
}

/** Another fill model or width is looked at in the same place. @param {string} name @param {() => void} work */
function keepingTime(name, work) {
  const before = groups[name];
  const range = before === null || before === undefined ? null : shown(before);
  work();
  const group = groups[name];
  if (range !== null && group !== null && group !== undefined) show(group, ...range);
}

const market = /** @type {HTMLSelectElement | null} */ (document.getElementById('market'));

/** @param {number} index */
function pick(index) {
  drawnMarket = index;
  if (market !== null) market.value = String(index);
  const id = data.markets[index]?.id;
  for (const row of document.querySelectorAll('.markets tbody tr'))
    if (row instanceof HTMLElement) row.classList.toggle('picked', row.dataset['id'] === id);
  drawMarket(index);
}

market?.addEventListener('change', () => pick(Number(market.value)));
document.addEventListener('market-picked', (event) => {
  const index = data.markets.findIndex(({ id }) => id === /** @type {CustomEvent<string>} */ (event).detail);
  if (index < 0) return say('read-price', [['', 'This market is not drawn, see the note below the chart.']]);
  pick(index);
  document.getElementById('price')?.scrollIntoView({ behavior: 'smooth' });
});
for (const input of document.querySelectorAll('input[name=session]')) input.addEventListener('change', redraw);
for (const button of document.querySelectorAll('[data-zoom]'))
  if (button instanceof HTMLElement)
    button.addEventListener('click', () => {
      const group = groups[button.dataset['zoom'] ?? ''];
      if (group !== null && group !== undefined) ACTIONS[button.dataset['do'] ?? '']?.(group);
    });
for (const [id, name] of [
  ['plot-equity', 'account'],
  ['plot-drawdown', 'account'],
  ['plot-locked', 'account'],
  ['plot-price', 'price'],
  ['plot-held', 'price'],
]) {
  const plot = document.getElementById(id ?? '');
  if (plot !== null) handle(plot, () => groups[name ?? ''] ?? null);
}
document.addEventListener('theme-changed', () => {
  for (const group of Object.values(groups)) for (const chart of group?.charts ?? []) chart.redraw();
});
new ResizeObserver(() => {
  for (const group of Object.values(groups))
    for (const chart of group?.charts ?? []) {
      const width = chart.root.parentElement?.clientWidth ?? 0;
      if (width > 0 && width !== chart.width) chart.setSize({ width, height: chart.height });
    }
}).observe(document.body);

redraw();
pick(0);
