/**
 * Statistics of results: figures of a row of profits, fills or forecasts, and their reliability. Pure functions
 * on arrays of numbers, each with its source; imports base only, knows no market, no trader and no file. Import the
 * file that you need.
 *
 * One rule for all of it: where a figure is not defined (no sample, one sample, no variance), the answer is `null`,
 * never NaN, Infinity or a zero that looks like a result. A value that is not a finite number is a fault of the caller
 * and throws RangeError.
 */
export {};
