/** How many configurations went on from each rung of successive halving, and by how many events that was decided. */

import { html, type Markup } from '../../report/html/markup.js';
import { dataTable, section } from '../../report/html/parts.js';
import type { SweepResult } from '../contract.js';
import { HALVING_LEAD, RUNG_HEADS, rungRows } from '../describe.js';

export function halvingSection({ halving }: SweepResult): Markup | null {
  if (halving === null) return null;
  const rows = rungRows(halving).map((cells) => ({ id: cells[0] ?? '', cells: cells.map((text) => ({ text })) }));
  const table = dataTable(
    RUNG_HEADS.map((title) => ({ title })),
    rows,
    { caption: 'Rungs' },
  );
  const note = html`<p class="note">Configurations that were dropped have no place: what they had done is in sweep.sqlite, and they count as tried.</p>`;
  return section('halving', 'Successive halving', `${HALVING_LEAD}.`, html`${table}${note}`);
}
