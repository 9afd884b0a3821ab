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
  history.replaceState(null, '', hrefWith({ filter: currentTarget.value }));
  update({});
}

/**
 * Whether any of these texts contains every word of the filter. @param {string} filter @param {readonly (string |
 * null)[]} texts
 */
export function isFound(filter, texts) {
  const all = texts.join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

const SPANS = [
  ['600000', '10 minutes'],
  ['3600000', '1 hour'],
  ['21600000', '6 hours'],
  ['86400000', '1 day'],
  ['604800000', '7 days'],
  ['7776000000', '90 days'],
];

/** @param {{ usual: string, go: (href: string, isMove: boolean) => void }} props */
export const SpanSelect = ({ usual, go }) =>
  html`<label class="span">Shown <select value=${route().span || usual}
      onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => go(hrefWith({ span: currentTarget.value }), true)}>
    ${SPANS.map(([ms, label]) => html`<option value=${ms}>${label}</option>`)}
  </select></label>`;

/** Spreadsheet files of the shown trader. @param {{ of: readonly (readonly [name: string, label: string])[] }} props */
export const Downloads = ({ of }) =>
  html`<p class="files">As a file: ${of.map(
    ([name, label]) => html`<button type="button" onClick=${() => void download(name)}>${label}</button> `,
  )}</p>`;

/** Requested with the proof of a session, which a link cannot carry, and then passed to the user. @param {string} name */
async function download(name) {
  const { trader } = route();
  const query = trader === null ? '' : `?${new URLSearchParams({ trader })}`;
  try {
    const response = await ask(`/csv/${name}${query}`);
    if (!response.ok) return update({ unknown: (await response.json()).error });
    const address = URL.createObjectURL(await response.blob());
    const anchor = document.createElement('a');
    const of = trader === null ? '' : `${trader.replaceAll('/', '-')}-`;
    anchor.setAttribute('download', `${of}${name}.csv`);
    anchor.setAttribute('href', address);
    anchor.click();
    // The browser has taken it by the next turn.
    setTimeout(() => URL.revokeObjectURL(address), 0);
  } catch {
    update({ unknown: `${name}: no answer` });
  }
}
