/** Safe page text: every value in a template is escaped unless it is markup. */

/** HTML built by `html` (or our own text): the only text that is not escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | null | readonly Part[];

/**
 * Template tag: ``html`<b>${title}</b>` `` escapes `title`; markup and lists of markup are inserted unchanged; null is
 * empty.
 */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(
    texts.reduce((page, text, index) => `${page}${text}${index < parts.length ? renderPart(parts[index]) : ''}`, ''),
  );

function renderPart(part: Part | undefined): string {
  if (part === null || part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(renderPart).join('');
  return escapeHtml(String(part));
}

/** Also for attribute values in double quotes. Characters that HTML forbids become a question mark. */
export const escapeHtml = (text: string): string =>
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

/** JSON for a script element: it cannot end the element or begin a comment. */
export const jsonForScript = (value: unknown): Markup =>
  new Markup(
    JSON.stringify(value)
      .replaceAll('<', '\\u003c')
      .replaceAll('>', '\\u003e')
      .replaceAll('\u2028', '\\u2028')
      .replaceAll('\u2029', '\\u2029'),
  );

/** The exchange's texts have any length, the page's do not. */
export const shorten = (text: string, length = 160): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;
