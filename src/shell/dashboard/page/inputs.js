/** Inputs of views: the filter, the shown time, downloads. */

import { html } from '../../web-kit/page/template.js';
import { hrefWith, route } from './address.js';
import { ask } from './ask.js';
import { update } from './model.js';

/** @param {{ name: string, hint: string, found: string }} props */
export const Filter = ({ name, hint, found }) =>
  html`<label>Filter <input type="search" id="filter-${name}" placeholder=${hint} value=${route().filter} onInput=${setFilter} /></label>
    <p class="soft" id="${name}-found">${found}</p>`;

/** @param {{ currentTarget: HTMLInputElement }} event */
function setFilter({ currentTarget }) {
  history.replaceState(null, '', hrefWith({ filter: currentTarget.value, page: '' }));
  update({});
}

/** Whether any of these texts contains every word of the filter. @param {string} filter @param {readonly string[]} texts */
export function isFound(filter, texts) {
  const all = texts.join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** @typedef {(href: string, isMove: boolean) => void} Go */
/** @typedef {readonly (readonly [value: string, label: string])[]} Choices */

export const SPANS = /** @type {Choices} */ ([
  ['600000', '10 minutes'],
  ['3600000', '1 hour'],
  ['21600000', '6 hours'],
  ['86400000', '1 day'],
  ['604800000', '7 days'],
  ['7776000000', '90 days'],
]);

/** A choice that the address keeps. @param {{ name: 'span' | 'side' | 'market', label: string, choices: Choices, usual?: string, go: Go }} props */
export const Choice = ({ name, label, choices, usual = '', go }) =>
  html`<label class="span">${label} <select id="choose-${name}" value=${route()[name] || usual}
      onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => go(hrefWith({ [name]: currentTarget.value, page: '' }), true)}>
    ${choices.map(([value, words]) => html`<option value=${value}>${words}</option>`)}
  </select></label>`;

/** @param {{ usual: string, go: Go }} props */
export const SpanSelect = ({ usual, go }) =>
  html`<${Choice} name="span" label="Shown" choices=${SPANS} usual=${usual} go=${go} />`;

/** Links to the pages of lists. @param {{ lists: readonly { page: number, size: number, count: number }[] }} props */
export function Pages({ lists }) {
  const page = lists[0]?.page ?? 0;
  const last = Math.max(0, ...lists.map(({ count, size }) => Math.ceil(count / size) - 1));
  const to = (/** @type {number} */ other, /** @type {string} */ words) =>
    other < 0 || other > last
      ? null
      : html`<a href=${hrefWith({ page: other === 0 ? '' : String(other) })}>${words}</a>`;
  return last === 0
    ? null
    : html`<p class="pages">${to(page - 1, 'Previous')} Page ${page + 1} of ${last + 1} ${to(page + 1, 'Next')}</p>`;
}

/** Spreadsheet files of the shown trader. @param {{ of: readonly (readonly [name: string, label: string])[] }} props */
export const Downloads = ({ of }) =>
  html`<p class="files">As a file: ${of.map(
    ([name, label]) => html`<button type="button" onClick=${() => void download(name)}>${label}</button> `,
  )}</p>`;

/** Query with the name of the shown trader, if there are several. @param {Record<string, string>} parts */
export function traderQuery(parts) {
  const { trader } = route();
  return new URLSearchParams(trader === null ? parts : { ...parts, trader });
}

/** Opens an address in a tab, or saves its file. @param {Record<string, string>} attributes */
function follow(attributes) {
  const anchor = document.createElement('a');
  for (const [name, value] of Object.entries(attributes)) anchor.setAttribute(name, value);
  anchor.click();
}

/** Requested with the proof of a session, which a link cannot carry, and then passed to the user. @param {string} name */
async function download(name) {
  const { trader } = route();
  try {
    const response = await ask(`/csv/${name}?${traderQuery({})}`);
    if (!response.ok) return update({ unknown: (await response.json()).error });
    const href = URL.createObjectURL(await response.blob());
    const of = trader === null ? '' : `${trader.replaceAll('/', '-')}-`;
    follow({ href, download: `${of}${name}.csv` });
    // The browser has taken it by the next turn.
    setTimeout(() => URL.revokeObjectURL(href), 0);
  } catch {
    update({ unknown: `${name}: no answer` });
  }
}

/** @param {string} name */
export async function openReport(name) {
  const response = await ask(`/reports?${traderQuery({ name })}`, { method: 'POST', body: '{}' });
  const { path, error } = await response.json();
  if (response.ok) follow({ href: path, target: '_blank', rel: 'noopener' });
  else update({ unknown: error });
}
