/** Templates of pages. Every text that they show is inserted as text, never as markup. */

import htm from 'htm';
import { h } from 'preact';

export { Component, render } from 'preact';

/** Marks that change the text direction, or are invisible, are removed: titles come from the exchange. */
const UNSEEN = /\p{Cf}|(?!\n)\p{Cc}/gu;

/** @param {string} content */
export const plain = (content) => content.replace(UNSEEN, '');

/** @param {unknown} child @returns {any} */
function cleaned(child) {
  if (typeof child === 'string') return plain(child);
  return Array.isArray(child) ? child.map(cleaned) : child;
}

/**
 * Template tag: a tree of elements for `render`.
 *
 * @type {(texts: TemplateStringsArray, ...values: any[]) => import('preact').VNode}
 */
export const html = /** @type {any} */ (
  /** @type {any} */ (htm).bind(
    (/** @type {any} */ type, /** @type {any} */ props, /** @type {unknown[]} */ ...children) =>
      h(type, props, ...children.map(cleaned)),
  )
);
