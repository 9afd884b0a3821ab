/** Tables and lists of figures. A column consists of a heading and a function that makes the content of its cells. */

import { html } from './template.js';

/** @template Row @typedef {{ head: string, kind: string, of: (row: Row) => any }} Column */

/** Returns a function that makes table columns of one kind. `of` makes a cell's content from the row, or names the property of the row that is formatted. @param {string} kind */
const columnOf =
  (kind) =>
  /**
   * @template Row @template {keyof Row & string} Name
   * @param {string} head @param {Name | ((row: Row) => any)} of @param {(value: Row[Name]) => any} [format] @returns {Column<Row>}
   */
  (head, of, format = (value) => value) => ({
    head,
    kind,
    of: typeof of === 'function' ? of : (row) => format(row[of]),
  });
export const text = columnOf('text');
export const number = columnOf('number');
export const time = columnOf('time');
/** @template Row @param {string} head @param {(row: Row) => readonly [words: string, href: string]} of @returns {Column<Row>} */
export const link = (head, of) =>
  text(head, (row) => {
    const [words, href] = of(row);
    return html`<a href=${href}>${words}</a>`;
  });
/**
 * Makes a column of numbers. A bar below each number shows the used fraction of a limit; null draws no bar.
 *
 * @template Row @param {string} head @param {(row: Row) => readonly [figure: any, share: number | null, kind?: string]} of
 * @returns {Column<Row>}
 */
export const used = (head, of) =>
  number(head, (row) => {
    const [figure, share, kind] = of(row);
    return [figure, shareBar(share, kind)];
  });

/** Returns a table row's id or key, else its index. @param {any} row @param {number} index */
const usualKey = ({ id, key }, index) => id ?? key ?? String(index);

/**
 * @template Row
 * @param {{ id: string, title: string, key?: (row: Row, index: number) => string, kind?: (row: Row) => string,
 *   none?: string, isNarrow?: boolean }} options `none`: text shown if there are no rows. `isNarrow`: the table fits a telephone; other tables show each row as a card there
 * @param {readonly Row[]} rows @param {readonly Column<Row>[]} columns
 */
export function table(
  { id, title, key = usualKey, kind = () => '', none: nothing = 'none', isNarrow = false },
  rows,
  columns,
) {
  const heads = columns.map(
    (column) => html`<th class=${column.kind.startsWith('number') ? 'number' : ''}>${column.head}</th>`,
  );
  // On a telephone, where a row is a card, each cell shows its column's heading.
  const cells = (/** @type {Row} */ row) =>
    columns.map((column) => html`<td class=${column.kind} data-head=${column.head}>${column.of(row)}</td>`);
  const lines = rows.map((row, index) => html`<tr key=${key(row, index)} class=${kind(row)}>${cells(row)}</tr>`);
  const none = html`<tr key="none"><td class="none" colspan=${columns.length}>${nothing}</td></tr>`;
  return html`<h3 id="${id}-title">${title}</h3>
    <div class="scroll${isNarrow ? '' : ' cards'}" tabindex="0" role="region" aria-labelledby="${id}-title"><table>
    <thead><tr>${heads}</tr></thead><tbody id=${id}>${rows.length === 0 ? none : lines}</tbody></table></div>`;
}

/**
 * `share`: used fraction of a limit, shown as a bar below the figure. `isMain`: whether the figure is shown larger.
 * @typedef {readonly (readonly [name: string, value: any, isBad?: boolean, more?: { share?: number, isMain?: boolean, isWarning?: boolean }])[]} FigureList
 */

export const figures = (/** @type {string} */ id, /** @type {FigureList} */ list) =>
  html`<dl id=${id}>${list.map(
    ([name, value, isBad = false, { share = null, isMain = false, isWarning = false } = {}]) =>
      html`<div key=${name}><dt>${name}</dt><dd class="${isBad ? 'bad' : isWarning ? 'warning' : ''}${isMain ? ' main' : ''}">${value}${shareBar(share)}</dd></div>`,
  )}</dl>`;

/** @param {number | null} share @param {string} [kind] `much` is red */
export function shareBar(share, kind = share !== null && share >= 0.8 ? 'much' : '') {
  if (share === null) return null;
  const width = `${Math.round(Math.min(1, Math.max(0, share)) * 100)}%`;
  return html`<i class=${kind} style=${{ width }}></i>`;
}

/** Makes cells for gains and losses, each with a bar relative to the largest figure. @param {readonly number[]} all */
export function gainBars(all) {
  const most = Math.max(...all.map(Math.abs)) || 1;
  /** @param {any} figure @param {number} value @returns {[figure: any, share: number, kind: string]} */
  return (figure, value) => [figure, Math.abs(value) / most, value < 0 ? 'much' : 'gain'];
}
