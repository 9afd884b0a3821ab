/** Building blocks of the report pages. Every value in an HTML template is escaped, except markup. */

import type { Analysis } from '../analysis/analyse.js';
import { LEAST_EVENTS } from '../analysis/markets.js';

/** HTML made by the template tag `html`, or constant text; no other type is inserted without escaping. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type MarkupPart = Markup | string | number | null | readonly MarkupPart[];

/** Template tag: ``html`<b>${title}</b>` `` escapes `title`. Markup is inserted unchanged; null as empty text. */
export const html = (texts: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup =>
  new Markup(
    texts.reduce((page, text, index) => `${page}${text}${index < parts.length ? renderPart(parts[index]) : ''}`, ''),
  );

function renderPart(part: MarkupPart | undefined): string {
  if (part === null || part === undefined) return '';
  if (part instanceof Markup) return part.text;
  return typeof part === 'object' ? part.map(renderPart).join('') : escapeHtml(String(part));
}

/** Escapes text for elements and double-quoted attributes. Control and bidirectional characters become `?`. */
const escapeHtml = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu, '?')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Shortens a text from the exchange, which may be of any length. */
export const shorten = (text: string, length = 160) => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);

/** One session of the report page. The session's index is part of the class names of its HTML elements. */
export type ShownText = Readonly<{ index: number; name: string; analysis: Analysis }>;

export const section = (id: string, title: string, lead: string, content: Markup | readonly Markup[]): Markup =>
  html`<section id="${id}"><h2>${title}</h2>${lead === '' ? null : html`<p class="lead">${lead}</p>`}${content}</section>`;

export interface Cell {
  readonly text: string | Markup;
  /** Sort key of a table cell; cells with a null key sort last. */
  readonly value?: number | string | null;
  readonly class?: string;
}

interface Head {
  readonly title: string;
  readonly explains?: string;
  /** True for a left-aligned column of texts; columns of figures are right-aligned. */
  readonly isText?: boolean;
}
export type HtmlColumn<Of> = Head & { readonly cell: (of: Of) => Cell };

interface TableOptions {
  readonly caption: string;
  /** True if the page's script sorts the table when a heading is clicked. */
  readonly sorts?: boolean;
  readonly class?: string;
}

/** A table row; the row that sums the other markets has no `id`. */
export type HtmlRow = Readonly<{ cells: readonly Cell[]; id?: string; class?: string }>;

export function dataTable(heads: readonly Head[], rows: readonly HtmlRow[], options: TableOptions): Markup {
  const head = heads.map(
    ({ title, explains, isText }) =>
      html`<th scope="col" class="${isText === true ? 'text' : 'num'}" title="${explains ?? ''}">${title}</th>`,
  );
  const body = rows.map(
    ({ cells, id, class: name }) =>
      html`<tr data-id="${id ?? ''}"${name === undefined ? null : html` class="${name}"`}>${cells.map((cell, column) => tableCell(cell, heads[column]?.isText === true, column))}</tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${options.caption}"><table class="${options.class ?? ''}" data-sorts="${options.sorts === true ? 'yes' : ''}"><caption>${options.caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function tableCell(cell: Cell, isText: boolean, column: number): Markup {
  const name = `${isText ? 'text' : 'num'} ${cell.class ?? ''}`.trim();
  const value = cell.value === undefined ? null : html` data-v="${cell.value ?? ''}"`;
  if (column === 0) return html`<th scope="row" class="${name}"${value}>${cell.text}</th>`;
  return html`<td class="${name}"${value}>${cell.text}</td>`;
}

export function columnTable<Of>(columns: readonly HtmlColumn<Of>[], all: readonly Of[], options: TableOptions): Markup {
  const rows = all.map((of) => ({ cells: columns.map(({ cell }) => cell(of)) }));
  return dataTable(columns, rows, options);
}

/** Returns the colour class of a value, whose sign is also printed: `good`, `bad`, or empty for 0 and unknown. */
export const tone = (value: number | null): string => (value === null || value === 0 ? '' : value > 0 ? 'good' : 'bad');

/** Returns the colour class of a session's result; empty if the events are too few for a meaningful sign. */
export const resultTone = ({ result, byEvent }: Analysis): string =>
  byEvent.events < LEAST_EVENTS ? '' : tone(result.resultMicros);

export const assumptionSection = (content: Markup | readonly Markup[]): Markup =>
  section('assumptions', 'Assumptions', 'The figures of this report hold under these conditions.', content);

export const assumptionList = (rows: readonly (readonly [name: string, text: string | Markup])[]): Markup =>
  html`<dl class="assume">${rows.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>`;

export const pageHeading = (title: string, ...lines: readonly string[]): Markup =>
  html`<header><div><h1>${shorten(title, 200)}</h1>${lines.map((line) => html`<p class="sub">${line}</p>`)}</div></header>`;

export const note = (text: string): Markup => html`<p class="note">${text}</p>`;
