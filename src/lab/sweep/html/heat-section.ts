/** Heat maps: one for each pair of parameters and each figure, one of which is shown at a time, without a script. */

import { count, formatGain } from '../../report/figures.js';
import { html, Markup } from '../../report/html/markup.js';
import { bar, dataTable, section, tone } from '../../report/html/parts.js';
import type { Axis, ConfigurationResult, SweepResult } from '../contract.js';
import { axisName, capitalise, TERMS } from '../describe.js';
import { type Bin, computeCell, type HeatCell, makeBins } from './heat-map.js';

/** Of ten parameters every pair; more would make the page large and nobody the wiser. */
const MOST_PAIRS = 45;

interface Metric {
  readonly name: string;
  readonly figure: (configuration: ConfigurationResult) => number | null;
}

type Pair = readonly [row: number, column: number];

export function heatSection(result: SweepResult): Markup | null {
  const { axes } = result.search;
  const all = listPairs(axes.length);
  const pairs = all.slice(0, MOST_PAIRS);
  if (pairs.length === 0) return null;
  const metrics = listMetrics(result);
  const maps = pairs.map((pair, index) =>
    metrics.map(
      (metric, place) => html`<div class="map pair-${index} metric-${place}">${heatMap(result, pair, metric)}</div>`,
    ),
  );
  const which = result.halving === null ? '' : `, ${lowestName(result)}`;
  const lead = `${capitalise(TERMS[result.subject].result)}${which}, currency${axes.length > 2 ? '; the mean over all values of the other parameters' : ''}. Each cell: the mean, and of how many configurations.`;
  const left =
    all.length > pairs.length
      ? html`<p class="note">${count(all.length - pairs.length)} more pairs are not shown; all results are in sweep.sqlite.</p>`
      : null;
  return section(
    'heat',
    'Pairs of parameters',
    lead,
    html`${choices('pair', pairs.map(namePair(axes)))}${choices(
      'metric',
      metrics.map(({ name }) => name),
    )}${labels('pair', pairs.map(namePair(axes)))}${labels(
      'metric',
      metrics.map(({ name }) => name),
    )}<div class="maps">${maps}</div>${left}`,
  );
}

function listPairs(axes: number): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let row = 0; row < axes; row++) for (let column = row + 1; column < axes; column++) pairs.push([row, column]);
  return pairs;
}

const namePair =
  (axes: readonly Axis[]) =>
  ([row, column]: Pair): string =>
    `${axisName(axes, row)} × ${axisName(axes, column)}`;

/** With halving what all configurations were played on: those that are left over were chosen, and a mean over them flatters. */
const listMetrics = (result: SweepResult): readonly Metric[] =>
  result.halving === null ? allMetrics(result) : [{ name: lowestName(result), figure: lowestOf(result) }];

const lowestName = ({ subject, halving }: SweepResult): string =>
  `lowest of the ${TERMS[subject].models}${halving === null ? '' : ', first rung'}`;

const lowestOf = ({ halving }: SweepResult): Metric['figure'] =>
  halving === null ? ({ worstMicros }) => worstMicros : ({ rungs }) => rungs[0]?.worstMicros ?? null;

const allMetrics = (result: SweepResult): readonly Metric[] => [
  { name: lowestName(result), figure: lowestOf(result) },
  ...result.assumptions.fillModels.map((name, model) => ({
    name,
    figure: ({ models }: ConfigurationResult) => models[model]?.resultMicros ?? null,
  })),
];

const choices = (kind: string, names: readonly string[]): readonly Markup[] =>
  names.map(
    (name, index) =>
      html`<input class="choice" type="radio" name="heat-${kind}" id="heat-${kind}-${index}" aria-label="${name}"${index === 0 ? new Markup(' checked') : null}>`,
  );

const labels = (kind: string, names: readonly string[]): Markup | null =>
  names.length < 2
    ? null
    : html`<div class="tools picks">${names.map((name, index) => html`<label for="heat-${kind}-${index}">${name}</label>`)}</div>`;

/** What shows one map at a time, and which label belongs to it. */
export function heatStyle(result: SweepResult): string {
  const { search } = result;
  const pairs = Math.min(MOST_PAIRS, listPairs(search.axes.length).length);
  const rules = (kind: string, length: number): string =>
    Array.from({ length }, (_, index) => {
      const chosen = `#heat-${kind}-${index}:checked ~`;
      return `${chosen} .maps .map:not(.${kind}-${index}) { display: none } ${chosen} .picks label[for=heat-${kind}-${index}] { background: var(--ink); color: var(--page); border-color: var(--ink) } #heat-${kind}-${index}:focus-visible ~ .picks label[for=heat-${kind}-${index}] { outline: 2px solid var(--bid); outline-offset: 2px }`;
    }).join('\n');
  return `.choice { position: fixed; opacity: 0; pointer-events: none }
.picks label { border: 1px solid var(--line); border-radius: 99px; padding: 2px 12px; cursor: pointer; background: var(--panel) }
.totals { margin-top: 12px }
.heat { width: auto } .heat td, .heat thead th { text-align: center; min-width: 6.5em } .heat th[scope=row] { font-weight: 560; color: var(--soft); text-align: right }
.heat td small { display: block; color: var(--soft); font-size: 11.5px; line-height: 1.2 } .heat .corner { font-weight: 400 }
${rules('pair', pairs)}
${rules('metric', listMetrics(result).length)}`;
}

function heatMap({ search: { axes }, configurations }: SweepResult, [row, column]: Pair, metric: Metric): Markup {
  const bins = (index: number): readonly Bin[] => {
    const axis = axes[index];
    return axis === undefined
      ? []
      : makeBins(
          axis,
          configurations.flatMap(({ values }) => values[index] ?? []),
        );
  };
  const [down, across] = [bins(row), bins(column)];
  const cells = down.map((left) =>
    across.map((top) =>
      computeCell(
        configurations.filter(({ values }) => within(left, values[row]) && within(top, values[column])),
        metric.figure,
      ),
    ),
  );
  const greatest = Math.max(1, ...cells.flat().map(({ mean }) => Math.abs(mean ?? 0)));
  const head = across.map(({ label }) => html`<th scope="col">${label}</th>`);
  const body = down.map(
    ({ label }, index) =>
      html`<tr><th scope="row">${label}</th>${(cells[index] ?? []).map((cell) => heatCell(cell, greatest))}</tr>`,
  );
  const caption = `${metric.name}: ${axisName(axes, row)} down, ${axisName(axes, column)} across`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="heat"><caption>${caption}</caption><thead><tr><th class="corner">${axisName(axes, row)} ↓ ${axisName(axes, column)} →</th>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

const within = (bin: Bin, value: ConfigurationResult['values'][number] | undefined): boolean =>
  value !== undefined && bin.holds(value);

/** The colour is the sign and the size; the sign is printed too. */
function heatCell({ mean, count: number, least, greatest: most }: HeatCell, greatest: number): Markup {
  if (mean === null) return html`<td class="note">–</td>`;
  const strength = Math.round((60 * Math.abs(mean)) / greatest);
  const colour = mean < 0 ? 'var(--bad)' : 'var(--good)';
  const range = number === 1 ? '' : `${formatGain(least)} to ${formatGain(most)}`;
  return html`<td title="${range}" style="background:color-mix(in srgb, ${colour} ${strength}%, transparent)">${formatGain(mean)}<small>of ${count(number)}</small></td>`;
}

/** What each value of one parameter brings on average over everything else. */
export function marginalSection(result: SweepResult): Markup {
  const { axes } = result.search;
  const tables = axes.map(
    (axis, index) => html`<div><h3>${axisName(axes, index)}</h3>${marginal(result, axis, index)}</div>`,
  );
  return section(
    'parameters',
    'One parameter at a time',
    `${capitalise(TERMS[result.subject].result)}, ${lowestName(result)}, currency: the mean over all values of the other parameters.`,
    html`<div class="columns">${tables}</div>`,
  );
}

function marginal(result: SweepResult, axis: Axis, index: number): Markup {
  const { configurations } = result;
  const bins = makeBins(
    axis,
    configurations.flatMap(({ values }) => values[index] ?? []),
  );
  const cells = bins.map((bin) =>
    computeCell(
      configurations.filter(({ values }) => within(bin, values[index])),
      lowestOf(result),
    ),
  );
  const means = cells.map(({ mean }) => mean ?? 0);
  const [low, high] = [Math.min(0, ...means), Math.max(0, ...means)];
  const place = (value: number): number => (high === low ? 0 : (value - low) / (high - low));
  const rows = bins.map(({ label }, at) => {
    const { mean = null, count: number = 0 } = cells[at] ?? {};
    const drawn = mean === null ? null : bar(place(Math.min(0, mean)), place(Math.max(0, mean)), tone(mean));
    return {
      id: label,
      cells: [
        { text: label },
        { text: html`<span class="cell">${drawn}</span>`, class: 'bars' },
        { text: formatGain(mean), class: tone(mean) },
        { text: count(number) },
      ],
    };
  });
  const heads = [{ title: 'Value' }, { title: '', isText: true }, { title: 'Mean' }, { title: 'Of' }];
  return dataTable(heads, rows, { caption: `Mean result by ${axis.name}` });
}
