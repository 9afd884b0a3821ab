/** One line of the benchmark table. `spread` is the range of the repetitions, e.g. `±3 %` or `p50 1.2 / p99 4.0`. */
export interface BenchRow {
  readonly name: string;
  readonly figure: number;
  readonly unit: string;
  readonly spread: string;
}

/** A benchmark file exports `bench`; it measures, never asserts. */
export interface Bench {
  readonly title: string;
  run(): Promise<readonly BenchRow[]>;
}

/** The size of a measurement, also in processes that it starts: `full`, or `short`, which only checks that it works. */
export const sized = <T>(full: T, short: T): T => (process.env['TWINBOOK_BENCH_SHORT'] === '1' ? short : full);

/** Runs `once`, which returns operations per second, `times` times. Returns the median with half the range. */
export function rate(name: string, unit: string, times: number, once: () => number): BenchRow {
  const figures = Array.from({ length: sized(times, 1) }, once).sort((a, b) => a - b);
  const median = figures[Math.floor(figures.length / 2)] ?? 0;
  const half = ((figures.at(-1) ?? 0) - (figures[0] ?? 0)) / 2;
  return { name, figure: median, unit, spread: median === 0 ? '-' : `±${((100 * half) / median).toFixed(1)} %` };
}

/** The value below which this share of the sorted figures lies. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The 99th percentile of these times, ms, with the median and the maximum. */
export function latencies<K extends string>(name: string, times: readonly Record<K, number>[], of: K): BenchRow {
  const sorted = times.map((each) => each[of]).sort((a, b) => a - b);
  const [p50, max] = [percentile(sorted, 0.5), sorted.at(-1) ?? Number.NaN];
  const spread = `p50 ${p50.toFixed(0)} / max ${max.toFixed(0)} of ${times.length}`;
  return { name, figure: percentile(sorted, 0.99), unit: 'ms p99', spread };
}
