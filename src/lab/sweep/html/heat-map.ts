/** Results over two parameters: what every other parameter does is averaged over. Values that are many are put into bins. */

import type { Axis, ConfigurationResult, RawValue } from '../contract.js';

/** More columns than this cannot be read. */
const MOST_BINS = 12;

export interface Bin {
  readonly label: string;
  readonly holds: (value: RawValue) => boolean;
}

/** Of the configurations that are in it. */
export interface HeatCell {
  readonly count: number;
  /** Null without any. */
  readonly mean: number | null;
  readonly least: number;
  readonly greatest: number;
}

/** One bin for each value, in the order of the axis, or ranges of about equal width where there are too many. */
export function makeBins(axis: Axis, values: readonly RawValue[]): readonly Bin[] {
  const listed = axis.choice.kind === 'values' ? axis.choice.values : [...new Set(values)].sort(byNumber);
  const numbers = listed.map(Number);
  if (listed.length <= MOST_BINS || !numbers.every(Number.isFinite)) return listed.map(single);
  const isLog = axis.choice.kind === 'between' && axis.choice.isLog;
  return ranges(Math.min(...numbers), Math.max(...numbers), isLog);
}

const byNumber = (a: RawValue, b: RawValue): number => Number(a) - Number(b);

const single = (value: RawValue): Bin => ({ label: String(value), holds: (other) => other === value });

function ranges(low: number, high: number, isLog: boolean): readonly Bin[] {
  const at = (share: number): number => (isLog ? low * (high / low) ** share : low + (high - low) * share);
  const short = (value: number): string => String(Number(value.toPrecision(3)));
  return Array.from({ length: MOST_BINS }, (_, index) => {
    const [from, to] = [at(index / MOST_BINS), at((index + 1) / MOST_BINS)];
    const isLast = index === MOST_BINS - 1;
    return {
      label: `${short(from)}–${short(to)}`,
      // The ends themselves belong to the outermost bins, whatever rounding made of them.
      holds: (value) => (index === 0 || Number(value) >= from) && (isLast || Number(value) < to),
    };
  });
}

/** Mean, lowest and highest of what `figure` says of these configurations. */
export function computeCell(
  configurations: readonly ConfigurationResult[],
  figure: (configuration: ConfigurationResult) => number | null,
): HeatCell {
  const figures = configurations.flatMap((configuration) => figure(configuration) ?? []);
  const count = figures.length;
  if (count === 0) return { count, mean: null, least: 0, greatest: 0 };
  const mean = figures.reduce((sum, value) => sum + value, 0) / count;
  return { count, mean, least: Math.min(...figures), greatest: Math.max(...figures) };
}
