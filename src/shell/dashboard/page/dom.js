/** Changes of the document: only differing elements are touched, so focus and selection stay. */

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function part(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}

/** @param {string} id */
export const field = (id) => /** @type {HTMLInputElement} */ (part(id));

/** Marks that change the text direction, or are invisible, are removed: titles come from the exchange. */
const UNSEEN = /\p{Cf}|(?!\n)\p{Cc}/gu;

/** @param {string} content */
export const plain = (content) => content.replace(UNSEEN, '');

/** @param {Element | undefined | null} element @param {string} content @param {string} [className] */
export function setText(element, content, className) {
  if (element === undefined || element === null) return;
  const shown = plain(content);
  if (element.textContent !== shown) element.textContent = shown;
  if (className !== undefined && element.className !== className) element.className = className;
}

/**
 * `share` draws how much of a limit is used below the figure; `isMain` are those that are read first.
 * @typedef {readonly (readonly [name: string, value: string, isBad?: boolean, more?: { share?: number, isMain?: boolean, isWarning?: boolean }])[]} Figures
 */

/** @param {string} id @param {Figures} figures */
export function showFigures(id, figures) {
  const list = part(id);
  while (list.children.length > figures.length) list.lastElementChild?.remove();
  figures.forEach(([name, value, isBad, { share, isMain, isWarning } = {}], i) => {
    const [title, figure] = (list.children[i] ?? list.appendChild(makeFigure())).children;
    setText(title, name);
    setText(figure?.firstElementChild, value);
    const kind = `${isBad === true ? 'bad' : isWarning === true ? 'warning' : ''}${isMain === true ? ' main' : ''}`;
    if (figure !== undefined && figure.className !== kind) figure.className = kind;
    drawShare(/** @type {HTMLElement} */ (figure?.lastElementChild), share ?? null);
  });
}

function makeFigure() {
  const [box, figure] = [document.createElement('div'), document.createElement('dd')];
  figure.append(document.createElement('span'), document.createElement('i'));
  box.append(document.createElement('dt'), figure);
  return box;
}

/**
 * `share` draws how much of a limit is used behind the figure.
 * @typedef {{ text: string, kind: string, href?: string, share?: number | null }} Cell
 */

/** @param {string} content @returns {Cell} */
export const text = (content) => ({ text: content, kind: 'text' });
/** @param {string} content @returns {Cell} */
export const number = (content) => ({ text: content, kind: 'number' });
/** @param {string} content @returns {Cell} */
export const time = (content) => ({ text: content, kind: 'time' });
/** @param {string} content @param {string} href @returns {Cell} */
export const link = (content, href) => ({ text: content, kind: 'text', href });
/** @param {string} content @param {number | null} share @returns {Cell} */
export const used = (content, share) => ({ text: content, kind: 'number', share });
/** A share of the deepest level. @param {string} content @param {number} share @returns {Cell} */
export const depth = (content, share) => ({ text: content, kind: 'number depth', share });

/** @typedef {readonly [key: string, cells: readonly Cell[], className?: string]} Line */

/**
 * A row keeps its element while its key exists.
 *
 * @param {string} id
 * @param {readonly Line[]} lines
 */
export function rows(id, lines) {
  const body = part(id);
  const before = new Map([...body.children].map((row) => [row.getAttribute('data-key'), row]));
  const heads = Array.from(body.parentElement?.querySelectorAll('th') ?? [], (head) => head.textContent ?? '');
  /** @type {readonly Line[]} */
  const shown = lines.length === 0 ? [['none', [{ text: 'none', kind: 'none' }]]] : lines;
  let next = body.firstElementChild;
  for (const [key, cells, className = ''] of shown) {
    const row = before.get(key) ?? document.createElement('tr');
    before.delete(key);
    row.setAttribute('data-key', key);
    if (row.className !== className) row.className = className;
    fillCells(row, cells, heads, lines.length === 0);
    if (row === next) next = next.nextElementSibling;
    else body.insertBefore(row, next);
  }
  for (const row of before.values()) row.remove();
}

/** @param {Element} row @param {readonly Cell[]} cells @param {readonly string[]} heads @param {boolean} isNone one cell that says so */
function fillCells(row, cells, heads, isNone) {
  cells.forEach(({ text: content, kind, href, share }, i) => {
    const cell = row.children[i] ?? row.appendChild(makeCell(isNone ? '' : (heads[i] ?? '')));
    if (isNone) cell.setAttribute('colspan', String(heads.length));
    if (cell.className !== kind) cell.className = kind;
    if (share !== undefined) showShare(cell, share);
    const holder = href === undefined ? cell : linkIn(cell, href);
    // A meter is behind the figure.
    if (share === undefined) setText(holder, content);
    else if (cell.firstChild?.nodeValue !== content) cell.firstChild?.replaceWith(content);
  });
}

/** In a card, cells show their headings. @param {string} head */
function makeCell(head) {
  const cell = document.createElement('td');
  if (head !== '') cell.dataset['head'] = head;
  return cell;
}

/** @param {Element} cell @param {string} href */
function linkIn(cell, href) {
  const found = cell.firstElementChild ?? cell.appendChild(document.createElement('a'));
  if (found.getAttribute('href') !== href) found.setAttribute('href', href);
  return found;
}

/** @param {Element} cell @param {number | null} share */
function showShare(cell, share) {
  if (cell.firstChild === null) cell.append('');
  let bar = /** @type {HTMLElement | null} */ (cell.querySelector('i'));
  if (bar === null) {
    bar = document.createElement('i');
    cell.append(bar);
  }
  drawShare(bar, share);
}

/** @param {HTMLElement} bar @param {number | null} share */
function drawShare(bar, share) {
  bar.hidden = share === null;
  const width = `${Math.round(Math.min(1, Math.max(0, share ?? 0)) * 100)}%`;
  if (bar.style.width !== width) bar.style.width = width;
  const className = (share ?? 0) >= 0.8 ? 'much' : '';
  if (bar.className !== className) bar.className = className;
}
