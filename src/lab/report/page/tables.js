/** Sorts tables when a heading is clicked. Without scripts the tables are not sortable. */

document.documentElement.classList.add('scripted');

/** @param {HTMLTableRowElement} row @param {number} column */
const sortKey = (row, column) => row.cells[column]?.dataset['v'] ?? row.cells[column]?.textContent ?? '';

/** Sorts rows. The sum of the unlisted markets stays the last row, after the rows with unknown values. */
function sortRows(
  /** @type {HTMLTableElement} */ table,
  /** @type {number} */ column,
  /** @type {boolean} */ ascending,
) {
  const body = table.tBodies[0];
  if (body === undefined) return;
  const rows = [...body.rows];
  const isNumber = rows.every((row) => Number.isFinite(Number(sortKey(row, column))));
  const sign = ascending ? 1 : -1;
  rows.sort((a, b) => {
    const [left, right] = [sortKey(a, column), sortKey(b, column)];
    const last =
      Number(a.dataset['id'] === '') - Number(b.dataset['id'] === '') || Number(left === '') - Number(right === '');
    if (last !== 0) return last;
    return sign * (isNumber ? Number(left) - Number(right) : left.localeCompare(right, 'en', { numeric: true }));
  });
  body.append(...rows);
}

for (const table of document.querySelectorAll('table')) {
  if (table.dataset['sorts'] !== 'yes') continue;
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  if ((table.tBodies[0]?.rows.length ?? 0) > 12) table.parentElement?.classList.add('tall');
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      // Columns of figures sort the largest first; columns of names sort alphabetically.
      const first = head.classList.contains('text') ? 'ascending' : 'descending';
      const now = head.getAttribute('aria-sort');
      const next = now === null ? first : now === 'ascending' ? 'descending' : 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', next);
      sortRows(table, column, next === 'ascending');
    });
  });
}
