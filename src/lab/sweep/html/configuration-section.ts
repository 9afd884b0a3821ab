/** The table of configurations, best first; headings sort it. */

import { count, formatMoney, UNKNOWN } from '../../report/figures.js';
import { html, type Markup, shorten } from '../../report/html/markup.js';
import { type Cell, dataTable, type Head, section, tone } from '../../report/html/parts.js';
import type { ConfigurationResult, ModelResult, SweepResult } from '../contract.js';
import { axisName, deflatedText, remark, resultText, sharpeText, TERMS } from '../describe.js';

/** About 1,000 bytes each. */
const MAX_ROWS = 2_000;

export function configurationSection(result: SweepResult): Markup {
  const { configurations, assumptions, search, counts } = result;
  const terms = TERMS[result.subject];
  const shown = configurations.slice(0, MAX_ROWS);
  const heads: readonly Head[] = [
    { title: '#', explains: `place, by the lowest ${terms.result} of the ${terms.models}` },
    { title: 'Config', explains: 'number in the order of the search' },
    ...search.axes.map((axis, index) => ({ title: axisName(search.axes, index), explains: axis.name })),
    // Before the results, for it says how they are to be read.
    { title: 'Remark', isText: true },
    ...assumptions.fillModels.flatMap((model) => [
      { title: model, explains: `${terms.result} under ${model}; of repeats their mean, ± the deviation between them` },
      { title: 'Sharpe', explains: `per ${terms.event}, not per year` },
      { title: 'Deflated', explains: 'probability that the true ratio beats what luck gives the best of all tried' },
      { title: 'Drawdown', explains: 'the largest within a fold' },
      { title: 'Fills' },
    ]),
  ];
  const rows = shown.map((configuration, place) => ({
    id: String(configuration.number),
    cells: makeCells(configuration, place + 1, assumptions.fillModels.length, counts.events),
  }));
  const left = configurations.length - shown.length;
  const note =
    left > 0
      ? html`<p class="note">The best ${count(shown.length)}; ${count(left)} more are in sweep.sqlite and --json.</p>`
      : null;
  return section(
    'configurations',
    'Configurations',
    `Best first: by the lowest of the ${terms.result}s under the ${terms.models}, summed over all ${terms.event}s. A heading sorts.`,
    html`${dataTable(heads, rows, { caption: 'Configurations', sorts: true })}${note}`,
  );
}

function makeCells(configuration: ConfigurationResult, place: number, models: number, events: number): readonly Cell[] {
  const { number, values, status } = configuration;
  const isDone = status === 'done';
  return [
    { text: isDone ? count(place) : UNKNOWN, value: isDone ? place : null },
    { text: count(number), value: number },
    ...values.map((value) => ({ text: String(value), value: typeof value === 'boolean' ? Number(value) : value })),
    { text: shorten(remark(configuration), 200), value: remark(configuration), class: 'bad' },
    ...Array.from({ length: models }, (_, model) => modelCells(configuration.models[model], events)).flat(),
  ];
}

function modelCells(model: ModelResult | undefined, events: number): readonly Cell[] {
  if (model === undefined) return Array.from({ length: 5 }, () => ({ text: UNKNOWN, value: null }));
  const { resultMicros, sharpe, maxDrawdownMicros, fills } = model;
  return [
    { text: resultText(model), value: resultMicros, class: tone(resultMicros) },
    { text: sharpeText(sharpe, events), value: sharpe?.sharpe ?? null },
    { text: deflatedText(sharpe), value: sharpe?.deflated ?? null },
    { text: formatMoney(maxDrawdownMicros), value: maxDrawdownMicros },
    { text: count(fills), value: fills },
  ];
}
