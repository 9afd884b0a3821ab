/** One line of the benchmark table. `spread` is how far the repetitions lay apart, e.g. `±3 %` or `p50 1.2 / p99 4.0`. */
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

/**
 * How much of something is measured: `full`, or of `npm run bench -- --short` the `short` of it, which shows that the benchmark
 * works and nothing else. The processes that a benchmark starts ask the same.
 */
export const sized = <T>(full: T, short: T): T => (process.env['TWINBOOK_BENCH_SHORT'] === '1' ? short : full);

/** Runs `once` (which returns operations per second) `times` times and gives the median with the half range. */
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

/** Of these times, ms, the one that 99 of a hundred lie below, with the median and the longest. */
export function latencies(name: string, times: readonly number[]): BenchRow {
  const sorted = times.toSorted((a, b) => a - b);
  const [p50, max] = [percentile(sorted, 0.5), sorted.at(-1) ?? Number.NaN];
  const spread = `p50 ${p50.toFixed(0)} / max ${max.toFixed(0)} of ${times.length}`;
  return { name, figure: percentile(sorted, 0.99), unit: 'ms p99', spread };
}
