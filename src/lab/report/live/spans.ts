/** Spans of time: when orders stood, when the trader ran. */

/** From, inclusive, to, exclusive; Unix ms. */
export type Span = readonly [fromMs: number, toMs: number];

/** The same time, in order, without overlaps and without empty spans. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const result: [number, number][] = [];
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    if (to <= from) continue;
    const last = result.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** The time that is in both; each of them merged. */
export function common(left: readonly Span[], right: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (let [i, j] = [0, 0]; ; ) {
    const [a, b] = [left[i], right[j]];
    if (a === undefined || b === undefined) return result;
    const [from, to] = [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
    if (from < to) result.push([from, to]);
    if (a[1] < b[1]) i += 1;
    else j += 1;
  }
}

export const sumSpans = (spans: readonly Span[]): number => spans.reduce((total, [from, to]) => total + to - from, 0);
