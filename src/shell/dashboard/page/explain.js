/** An explanation as a tree. */

import { html } from '../../web-kit/page/template.js';
import { explainHref } from './model.js';

/** @typedef {import('../../console/views/explain-view.js').ExplainView} ExplainView */
/** @typedef {import('../../console/views/explain-view.js').ExplainNode} ExplainNode */

const SOURCES = {
  ledger: 'From the ledger. Open a figure to see its parts.',
  trader: 'The trader’s last message. Open a figure to see its parts.',
};

/** @param {ExplainView} view */
export const explainTitle = ({ tree }) => (tree === null ? 'Nothing has this name.' : `${tree.name} ${tree.value}`);

/** @param {{ view: ExplainView }} props */
export const Explain = ({ view: { subject, source, tree } }) =>
  html`<p class="soft" id="explain-source">${tree === null ? '' : SOURCES[source]}</p>
    <div id="explain-tree" key=${subject}><ul>${tree?.children.map(explained)}</ul></div>`;

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
