/** The counts of a run, as a table. */

type Count = readonly [row: string, column: string, times: number];

/** The result of a campaign. */
export interface Outcome {
  readonly tally: Tally;
  /** Duration of sending, without setup and checks. */
  readonly attackMs: number;
  /** Faults in words; empty if the attacked program withstood. */
  readonly faults: readonly string[];
  /** In the middle and at the end, for each attacked process. */
  readonly heapBytes: readonly (number | null)[];
}

export class Tally {
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #columns = new Set<string>();
  total = 0;
  slowestMs = 0;
  slowest = '';

  /** Adds the result of another tally's `counts`. */
  addAll(counts: readonly Count[]): void {
    for (const [row, column, times] of counts) this.add(row, column, times);
  }

  add(row: string, column: string, times = 1): void {
    const counts = this.#counts.get(row) ?? new Map<string, number>();
    this.#counts.set(row, counts);
    counts.set(column, (counts.get(column) ?? 0) + times);
    this.#columns.add(column);
    this.total += times;
  }

  time(ms: number, what: string): void {
    if (ms <= this.slowestMs) return;
    this.slowestMs = ms;
    this.slowest = what;
  }

  get counts(): readonly Count[] {
    return [...this.#counts].flatMap(([row, counts]) =>
      [...counts].map(([column, times]): Count => [row, column, times]),
    );
  }

  /** The sum of a column over all rows. */
  countOf(column: string): number {
    return [...this.#counts.values()].reduce((sum, counts) => sum + (counts.get(column) ?? 0), 0);
  }

  /** Rows and columns in alphabetical order, so that two runs can be compared. */
  table(title: string): string {
    const columns = [...this.#columns].sort();
    const rows = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
    const lines = rows.map(([row, counts]) => [row, ...columns.map((column) => String(counts.get(column) ?? ''))]);
    const sums = ['all', ...columns.map((column) => String(this.countOf(column)))];
    const cells = [[title, ...columns], ...lines, sums];
    const widths = cells[0]?.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0))) ?? [];
    const padded = cells.map((line) => line.map((cell, at) => pad(cell, widths[at] ?? 0, at)));
    return padded.map((line) => line.join('  ').trimEnd()).join('\n');
  }
}

const pad = (cell: string, width: number, at: number): string => (at === 0 ? cell.padEnd(width) : cell.padStart(width));
