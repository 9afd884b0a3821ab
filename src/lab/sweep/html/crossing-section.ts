/** Crossings of the configuration that leads: what the rule of each fill model filled, and what it left. */

import type { Markup } from '../../report/html/markup.js';
import { dataTable, section } from '../../report/html/parts.js';
import type { SweepResult } from '../contract.js';
import { CROSSING_COLUMNS } from '../results/crossings.js';

export function crossingSection({ configurations: [best] }: SweepResult): Markup | null {
  if (best === undefined || best.models.length === 0) return null;
  const heads = [{ title: 'Fill model', isText: true }, ...CROSSING_COLUMNS.map(([title]) => ({ title }))];
  const rows = best.models.map(({ fillModel, crossing }) => ({
    id: fillModel,
    cells: [{ text: fillModel }, ...CROSSING_COLUMNS.map(([, text]) => ({ text: text(crossing) }))],
  }));
  return section(
    'crossings',
    'Crossings',
    `Of configuration ${best.number}, the best: shares that were filled when the recorded other side came to the price of an order, and of orders that stood crossed and were not filled, for how long, and what a share of those would have gained. Those of the others are in sweep.sqlite and --json.`,
    dataTable(heads, rows, { caption: 'The best configuration, by fill model' }),
  );
}
