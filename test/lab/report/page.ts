/** Reads a page without a browser: its elements in order, its text, its tables. Throws if a tag is not closed. */

const VOID = new Set(['meta', 'input', 'br', 'link', 'img', 'hr']);
/** The content of these elements is not markup. */
const RAW = new Set(['script', 'style', 'title']);

export interface PageElement {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Its text and that of its descendants, with entities resolved. */
  text: string;
  readonly children: PageElement[];
}

export function parsePage(page: string): PageElement {
  const root: PageElement = { tag: '#page', attributes: new Map(), text: '', children: [] };
  const open: PageElement[] = [root];
  const tags = /<!doctype html>|<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z][a-z0-9-]*(?:="[^"]*")?)*)\s*\/?>/gi;
  let at = 0;
  for (let match = tags.exec(page); match !== null; match = tags.exec(page)) {
    addText(open, page.slice(at, match.index));
    at = tags.lastIndex;
    const [whole, slash, name, written = ''] = match;
    if (name === undefined) continue;
    const tag = name.toLowerCase();
    if (slash === '/') {
      const closed = open.pop();
      if (closed?.tag !== tag) throw new Error(`</${tag}> closes <${closed?.tag}> near ${page.slice(at - 200, at)}`);
      continue;
    }
    const element: PageElement = { tag, attributes: attributesOf(written), text: '', children: [] };
    open.at(-1)?.children.push(element);
    if (VOID.has(tag) || whole.endsWith('/>')) continue;
    open.push(element);
    if (RAW.has(tag)) {
      const end = page.indexOf(`</${tag}`, at);
      element.text = page.slice(at, end);
      tags.lastIndex = at = end;
    }
  }
  if (open.length !== 1) throw new Error(`not closed: ${open.map((element) => element.tag).join(' ')}`);
  return root;
}

function addText(open: readonly PageElement[], raw: string): void {
  if (raw.includes('<')) throw new Error(`a < that is no tag: ${raw.slice(0, 200)}`);
  const text = resolved(raw);
  for (const element of open) element.text += text;
}

const attributesOf = (written: string): ReadonlyMap<string, string> =>
  new Map(
    [...written.matchAll(/([a-z][a-z0-9-]*)(?:="([^"]*)")?/gi)].map(([, name = '', value = '']) => [
      name,
      resolved(value),
    ]),
  );

const resolved = (raw: string): string =>
  raw.includes('&')
    ? raw
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&')
    : raw;

/** The element and its descendants, in page order. */
export function all(from: PageElement, isWanted: (element: PageElement) => boolean): readonly PageElement[] {
  const found: PageElement[] = [];
  const look = (element: PageElement): void => {
    if (isWanted(element)) found.push(element);
    for (const child of element.children) look(child);
  };
  look(from);
  return found;
}

export function byId(page: PageElement, id: string): PageElement {
  const found = all(page, ({ attributes }) => attributes.get('id') === id);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} elements have the id ${id}`);
  return found[0];
}

export const hasClass = ({ attributes }: PageElement, name: string): boolean =>
  (attributes.get('class') ?? '').split(' ').includes(name);

/** Cells of the rows of a table's body. */
export const rowsOf = (table: PageElement): readonly (readonly string[])[] =>
  all(table, ({ tag }) => tag === 'tbody').flatMap((body) =>
    body.children.map((row) => row.children.map(({ text }) => text)),
  );
