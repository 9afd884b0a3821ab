/** What configurations are chosen by: the lowest of their results under the fill models. */

/**
 * Of some events alone.
 *
 * @param rows results by event, one row for each fill model
 * @param places of the events
 */
export const lowestAt = (rows: readonly Float64Array[], places: readonly number[]): number =>
  Math.min(...rows.map((row) => sumAt(row, places)));

export const sumAt = (row: Float64Array, places: readonly number[]): number =>
  places.reduce((sum, place) => sum + (row[place] ?? 0), 0);
