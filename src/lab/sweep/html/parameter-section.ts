/** Mean result by value of each parameter. Long lists of values are grouped into ranges. */

import { count, formatGain } from '../../report/figures.js';
import { html, type Markup } from '../../report/html/markup.js';
import { bar, dataTable, section, tone } from '../../report/html/parts.js';
import type { Axis, RawValue, SweepResult } from '../contract.js';
import { axisName, capitalise, TERMS } from '../describe.js';

const MOST_BINS = 12;

interface Bin {
  readonly label: string;
  readonly holds: (value: RawValue | undefined) => boolean;
}

export function parameterSection(result: SweepResult): Markup {
  const { axes } = result.search;
  const tables = axes.map(
    (axis, index) => html`<div><h3>${axisName(axes, index)}</h3>${parameterTable(result, axis, index)}</div>`,
  );
  const { result: figure, models } = TERMS[result.subject];
  return section(
    'parameters',
    'One parameter at a time',
    `${capitalise(figure)}, lowest of the ${models}, currency: the mean over all values of the other parameters.`,
    html`<div class="columns">${tables}</div>`,
  );
}

function parameterTable({ configurations }: SweepResult, axis: Axis, index: number): Markup {
  const bins = makeBins(
    axis,
    configurations.flatMap(({ values }) => values[index] ?? []),
  );
  const cells = bins.map(({ label, holds }) => {
    const worst = configurations.flatMap(({ values, worstMicros }) =>
      holds(values[index]) ? (worstMicros ?? []) : [],
    );
    const mean = worst.length === 0 ? null : worst.reduce((sum, value) => sum + value, 0) / worst.length;
    return { label, mean, count: worst.length };
  });
  const means = cells.map(({ mean }) => mean ?? 0);
  const [low, high] = [Math.min(0, ...means), Math.max(0, ...means)];
  const place = (value: number): number => (high === low ? 0 : (value - low) / (high - low));
  const rows = cells.map(({ label, mean, count: number }) => {
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

/** One bin per value in the axis's order; ranges of about equal width with more than `MOST_BINS`. */
function makeBins(axis: Axis, values: readonly RawValue[]): readonly Bin[] {
  const { choice } = axis;
  const listed = choice.kind === 'values' ? choice.values : [...new Set(values)].sort((a, b) => Number(a) - Number(b));
  const numbers = listed.map(Number);
  if (listed.length <= MOST_BINS || !numbers.every(Number.isFinite))
    return listed.map((value) => ({ label: String(value), holds: (other) => other === value }));
  return ranges(Math.min(...numbers), Math.max(...numbers), choice.kind === 'between' && choice.isLog);
}

function ranges(low: number, high: number, isLog: boolean): readonly Bin[] {
  const at = (share: number): number => (isLog ? low * (high / low) ** share : low + (high - low) * share);
  const short = (value: number): string => String(Number(value.toPrecision(3)));
  return Array.from({ length: MOST_BINS }, (_, index) => {
    const [from, to] = [at(index / MOST_BINS), at((index + 1) / MOST_BINS)];
    const isLast = index === MOST_BINS - 1;
    return {
      label: `${short(from)}–${short(to)}`,
      // Rounding must not exclude the ends from the outermost bins.
      holds: (value) => (index === 0 || Number(value) >= from) && (isLast || Number(value) < to),
    };
  });
}
