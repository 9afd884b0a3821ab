/** Maximum growth of each part of a trader, and the check against it. docs/lab/growth.md has the reasons. */

import type { SoakRow } from './soak.js';

/** Part of a run that is not judged, and its minimum in hours: memory first grows to its usual size. */
const WARM_UP = 1 / 4;
const WARM_UP_HOURS = 12;
/** With fewer rows, or fewer hours after the warm-up, growth cannot be separated from chance. */
const FEWEST_ROWS = 8;
const FEWEST_HOURS = 12;

interface Component {
  readonly name: string;
  readonly bytesOf: (row: SoakRow) => number;
  /** The variable with which it may grow, and by how much; null for a constant figure. */
  readonly per: { readonly countOf: (row: SoakRow) => number; readonly bytes: number } | null;
  /** Bytes a simulated day, whatever else happens; infinite for figures that are only shown. */
  readonly bytesADay: number;
}

const HALF_MB = 500_000;
const MB = 1_000_000;
const component = (
  name: string,
  bytesOf: Component['bytesOf'],
  bytesADay: number,
  per: Component['per'] = null,
): Component => ({ name, bytesOf, bytesADay, per });

const COMPONENTS: readonly Component[] = [
  component("trader's heap", ({ heapBytes }) => heapBytes, MB),
  component('outside its heap', ({ externalBytes }) => externalBytes, MB),
  component('of it buffers', ({ arrayBufferBytes }) => arrayBufferBytes, MB),
  component("trader's process, resident", ({ residentBytes }) => residentBytes, Number.POSITIVE_INFINITY),
  component('ledger', ({ ledgerBytes }) => ledgerBytes, HALF_MB, { countOf: ({ orders }) => orders, bytes: 6000 }),
  component("ledger's WAL", ({ walBytes }) => walBytes, HALF_MB),
  component('journal', ({ journalBytes }) => journalBytes, MB, { countOf: ({ steps }) => steps, bytes: 400 }),
  component('exchange and checks', ({ simulationHeapBytes, heapBytes }) => simulationHeapBytes - heapBytes, MB, {
    countOf: ({ records }) => records,
    bytes: 2500,
  }),
];

/** Growth of a component, in bytes. */
export interface Verdict {
  readonly name: string;
  readonly start: number;
  readonly middle: number;
  readonly end: number;
  /** Growth in a simulated day, after the warm-up. */
  readonly grew: number;
  readonly bound: number;
  readonly isOver: boolean;
}

/** Null for a run that is too short: less than a day, or too few rows. */
export function judge(rows: readonly SoakRow[]): readonly Verdict[] | null {
  const whole = rows.at(-1)?.hours ?? 0;
  const judged = rows.filter(({ hours }) => hours >= Math.max(whole * WARM_UP, WARM_UP_HOURS));
  const [start, middle, end] = [rows[0], rows[Math.floor(rows.length / 2)], rows.at(-1)];
  if (start === undefined || middle === undefined || end === undefined) return null;
  if (judged.length < FEWEST_ROWS || whole - (judged[0]?.hours ?? 0) < FEWEST_HOURS) return null;
  return COMPONENTS.map(({ name, bytesOf, per, bytesADay }) => {
    const grew = growthADay(judged, bytesOf);
    const units = per === null ? 0 : growthADay(judged, per.countOf);
    const bound = bytesADay + (per?.bytes ?? 0) * units;
    const [first, half, last] = [start, middle, end].map(bytesOf) as [number, number, number];
    return { name, start: first, middle: half, end: last, grew, bound, isOver: grew > bound };
  });
}

/** The slope of the least-squares line over all rows, for a day. */
function growthADay(rows: readonly SoakRow[], figureOf: (row: SoakRow) => number): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const days = rows.map(({ hours }) => hours / 24);
  const values = rows.map(figureOf);
  const [day, value] = [mean(days), mean(values)];
  const both = days.reduce((sum, at, index) => sum + (at - day) * ((values[index] ?? 0) - value), 0);
  return both / days.reduce((sum, at) => sum + (at - day) ** 2, 0);
}
