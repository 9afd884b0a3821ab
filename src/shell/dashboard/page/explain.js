/** An explanation as a tree, and a market at an earlier time: the requested time, and the result of its run's replay. */

import { html } from '../../web-kit/page/template.js';
import { explainHref, hrefWith, route } from './model.js';

/** @typedef {import('../../console/views/explain-view.js').ExplainView} ExplainView */
/** @typedef {import('../../console/views/explain-view.js').ExplainNode} ExplainNode */

/** Default moment before one is chosen, ms ago. */
const LATELY_MS = 300_000;

/** Format of the input field: local time, to the second. @param {number} ms */
const localText = (ms) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);

/** Requested past moment, Unix ms; null for now. @param {import('./model.js').Route} wanted */
export function wantedMoment({ at }) {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? null : ms;
}

let typed = localText(wantedMoment(route()) ?? Date.now() - LATELY_MS);

const SOURCES = {
  ledger: 'From the ledger. Open a figure to see its parts.',
  trader: 'The trader’s last message. Open a figure to see its parts.',
};

/** @param {ExplainView} view */
export const explainTitle = ({ tree }) => (tree === null ? 'Nothing has this name.' : `${tree.name} ${tree.value}`);

/** @param {{ view: ExplainView, go: (href: string) => void }} props */
export const Explain = ({ view: { subject, source, tree }, go }) =>
  html`<p class="soft" id="explain-source">${tree === null ? '' : SOURCES[source]}</p>
    ${tree === null || tree.name === 'Market' ? momentForm(go) : null}
    <div id="explain-tree" key=${subject}><ul>${tree?.children.map(explained)}</ul></div>`;

/** @param {{ view: import('../../console/own-commands.js').PastView, go: (href: string) => void }} props */
export const Past = ({ view: { state, text }, go }) =>
  html`${momentForm(go)}
    <p id="past-state" role="status">${state === 'done' ? '' : text}</p>
    ${state === 'done' ? html`<pre id="past-lines">${text}</pre>` : null}`;

/** @param {(href: string) => void} go */
function momentForm(go) {
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const ms = new Date(typed).getTime();
    if (!Number.isNaN(ms)) go(hrefWith({ at: new Date(ms).toISOString() }));
  };
  const type = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => {
    typed = currentTarget.value;
  };
  return html`<form id="explain-at" class="actions" onSubmit=${submit}><label>State at (your time) <input
      type="datetime-local" id="at" step="1" required value=${typed} onInput=${type} /></label>
    <button type="submit">Show that moment</button>
    <button type="button" id="explain-now" onClick=${() => go(hrefWith({ at: '' }))}>Now</button></form>`;
}

/** A part that the user closed stays closed. @param {ExplainNode} node @returns {any} */
function explained(node) {
  const { name, value, unit, subject, children } = node;
  const isLeaf = children.length === 0;
  const link = (/** @type {string} */ words) => html`<a href=${explainHref(subject ?? '')}>${words}</a>`;
  const figure = html`<span>${name} <b>${subject !== null && isLeaf ? link(value) : value}</b>${unit === '' ? '' : ` ${unit}`}</span>`;
  if (isLeaf) return html`<li>${figure}</li>`;
  // A link within a summary would be two targets at one place.
  return html`<li key=${name}><details open><summary>${figure}</summary><ul>${
    subject === null ? null : html`<li>${link('explain this')}</li>`
  }${children.map(explained)}</ul></details></li>`;
}
