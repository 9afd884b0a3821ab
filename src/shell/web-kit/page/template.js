/** HTML templates for pages. Templates insert every value as text, never as markup. */

import htm from 'htm';
import { Component, h } from 'preact';

export { render } from 'preact';
export { Component };

/** Matches characters that are invisible or change the text's direction; titles from the exchange may contain them. */
const UNSEEN = /\p{Cf}|(?!\n)\p{Cc}/gu;

export const plain = (/** @type {string} */ content) => content.replace(UNSEEN, '');

/** @param {unknown} child @returns {any} */
function cleaned(child) {
  if (typeof child === 'string') return plain(child);
  return Array.isArray(child) ? child.map(cleaned) : child;
}

/**
 * Tag `html` for template literals: returns a tree of elements for `render`.
 *
 * @type {(texts: TemplateStringsArray, ...values: any[]) => import('preact').VNode}
 */
export const html = /** @type {any} */ (
  /** @type {any} */ (htm).bind(
    (/** @type {any} */ type, /** @type {any} */ props, /** @type {unknown[]} */ ...children) =>
      h(type, props, ...children.map(cleaned)),
  )
);

/**
 * Makes a component that is redrawn only if `view` changes, because charts and long tables change less often than the
 * state.
 *
 * @template {{ view: unknown }} Props @param {(props: Props) => any} draw
 */
export const drawnByView = (draw) =>
  /** @extends {Component<Props>} */
  class extends Component {
    /** @override @param {Props} next */
    shouldComponentUpdate({ view }) {
      return view !== this.props.view;
    }

    /** @override */
    render() {
      return draw(this.props);
    }
  };
