/** Means and spreads over repeats: what stands above the figures of the one that is shown. */

import { repeatedModels } from '../analysis/bracket.js';
import { formatGain, formatQuantity } from '../figures.js';
import { REPEAT_LINES } from '../repeat-lines.js';
import { html, type Markup } from './markup.js';
import { dataTable, type Shown, section } from './parts.js';

/** Null for a backtest that ran once. */
export function repeatSection(sessions: readonly Shown[]): Markup | null {
  const models = repeatedModels(sessions.map(({ analysis }) => analysis));
  const [first] = models;
  if (first === undefined) return null;
  const heads = [{ title: 'Fill model', isText: true }, ...sessions.map(({ name }) => ({ title: name }))];
  const rows = REPEAT_LINES.map(([name, figure]) => ({
    cells: [{ text: name.trim() }, ...models.map(({ repeats }) => ({ text: figure(repeats) }))],
  }));
  const each = first.repeats.runs.map(({ seed }, index) => ({
    cells: [
      { text: String(seed) },
      ...models.map(({ repeats }) => ({ text: formatGain(repeats.runs[index]?.resultMicros ?? null) })),
    ],
  }));
  const lead = `${formatQuantity(first.repeats.count, 'run')} of each model, which differ in when polls fall and how long calls take; ± is the deviation between them. Every figure below this section is of the run with the middle result.`;
  const seeds = [{ title: 'Seed', isText: true }, ...heads.slice(1)];
  return section('repeats', 'Repeats', lead, [
    dataTable(heads, rows, { caption: 'Means and spreads over repeats' }),
    html`<details><summary>Each run</summary>${dataTable(seeds, each, { caption: 'Results of each run' })}</details>`,
  ]);
}
