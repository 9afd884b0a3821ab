/** Input of every function in this room: numbers in an array or a typed array. */
export type Values = ArrayLike<number>;

/** The value at `index`; RangeError with the index and the value when it is not a finite number. */
export function valueAt(values: Values, index: number): number {
  const value = values[index];
  if (value === undefined || !Number.isFinite(value)) throw notFinite(value, `at index ${index}`);
  return value;
}

/** RangeError when this is not a finite number. */
export function requireFinite(value: number, what: string): void {
  if (!Number.isFinite(value)) throw notFinite(value, `for ${what}`);
}

const notFinite = (value: number | undefined, where: string): RangeError =>
  new RangeError(`a finite number is wanted ${where}, got ${value}`);

/** A figure, or null after overflow or division by zero. */
export const figure = (value: number): number | null => (Number.isFinite(value) ? value : null);
