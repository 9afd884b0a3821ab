/**
 * Series as short texts. Prices move by ticks, seldom, and samples stand at equal steps, so differences in multiples of
 * the common unit, with repeats counted, take about a tenth of the plain numbers. `page/columns.js` reads them back.
 *
 * `5000:84 0*12 1 -1 _*3`: values in units of 5000; from 0 steps of 84, then 12 times 0, then 1, then -1, then three
 * unknown ones. An unknown value does not move the next step's start.
 */
export function columnText(values: readonly (number | null)[]): string {
  const unit =
    values.reduce<number>((common, value) => (value === null ? common : divisor(common, Math.abs(value))), 0) || 1;
  const tokens: string[] = [];
  let [before, token, times] = [0, '', 0];
  const flush = (): void => {
    if (times > 0) tokens.push(times === 1 ? token : `${token}*${times}`);
  };
  for (const value of values) {
    const next = value === null ? '_' : String((value - before) / unit);
    if (value !== null) before = value;
    if (next === token) times += 1;
    else {
      flush();
      [token, times] = [next, 1];
    }
  }
  flush();
  return `${unit}:${tokens.join(' ')}`;
}

/** Greatest common divisor of whole numbers ≥ 0. */
function divisor(a: number, b: number): number {
  let [left, right] = [a, b];
  while (right !== 0) [left, right] = [right, left % right];
  return left;
}
