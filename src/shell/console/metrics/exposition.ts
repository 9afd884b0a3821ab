/** Prometheus' text format, version 0.0.4, of declared samples. */

import type { HistogramFigures } from '../../control/telemetry/request-timings.js';
import { METRICS, type MetricName } from './declarations.js';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Maximum series per trader; further ones are left out and counted. */
export const MOST_SERIES = 5_000;
/** For all traders of one console. */
const MOST_SERIES_OF_ALL = 20_000;

/** Series per trader, so that none displaces another. */
export const limitSeries = (traders: number): number =>
  Math.min(MOST_SERIES, Math.floor(MOST_SERIES_OF_ALL / Math.max(1, traders)));

export type Labels = Readonly<Record<string, string>>;

/** Samples of one trader. */
export class MetricSet {
  readonly #trader: string;
  readonly #most: number;
  readonly #lines = new Map<MetricName, string[]>();
  #series = 0;
  #dropped = 0;

  constructor(trader: string, most = MOST_SERIES) {
    this.#trader = trader;
    this.#most = most;
  }

  /** A null is no sample: an unknown value is absent, never 0. */
  add(name: MetricName, value: number | null, labels: Labels = {}): void {
    if (value !== null && Number.isFinite(value)) this.#write(name, name, value, labels);
  }

  addHistogram(
    name: MetricName,
    { counts, sum }: HistogramFigures,
    bounds: readonly number[],
    labels: Labels = {},
  ): void {
    let total = 0;
    for (const [i, count] of counts.entries()) {
      total += count;
      this.#write(name, `${name}_bucket`, total, { ...labels, le: i < bounds.length ? String(bounds[i]) : '+Inf' });
    }
    this.#write(name, `${name}_sum`, sum, labels);
    this.#write(name, `${name}_count`, total, labels);
  }

  /** All added samples, and the number of left-out series. */
  close(): ReadonlyMap<MetricName, readonly string[]> {
    this.#series = 0;
    this.add('twinbook_metrics_series_dropped', this.#dropped);
    return this.#lines;
  }

  #write(name: MetricName, series: string, value: number, labels: Labels): void {
    if (this.#series >= this.#most) {
      this.#dropped++;
      return;
    }
    this.#series++;
    const all = Object.entries({ trader: this.#trader, ...labels });
    const text = `${series}{${all.map(([label, of]) => `${label}="${escapeLabel(of)}"`).join(',')}} ${value}`;
    const lines = this.#lines.get(name);
    if (lines === undefined) this.#lines.set(name, [text]);
    else lines.push(text);
  }
}

/** Every metric appears once, under its heading, with the samples of all traders. */
export function writeExposition(sets: readonly MetricSet[]): string {
  const all = new Map<MetricName, string[]>();
  for (const set of sets) for (const [name, lines] of set.close()) all.set(name, [...(all.get(name) ?? []), ...lines]);
  const blocks = Array.from(all, ([name, lines]) => {
    const { help, kind } = METRICS[name];
    return `# HELP ${name} ${help.replaceAll('\\', '\\\\')}\n# TYPE ${name} ${kind}\n${lines.join('\n')}\n`;
  });
  return blocks.join('');
}

/** Titles come from the exchange and must not end their line. */
const escapeLabel = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"');
