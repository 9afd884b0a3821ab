/** How often own trades are read while orders rest: what a look costs against what late knowledge of a fill does. Pure. */

/** Longest time between two looks, ms, unless it is configured. */
export const USUAL_LONGEST_MS = 15_000;

/**
 * Milliseconds between two looks at own trades that lose least. A look every T seconds costs `requestPrice` / T a second, and
 * fills known T / 2 late on average `lateFillCost` T / 2; the least of the sum is at the root of 2 requestPrice / lateFillCost.
 * 0 where looks cost nothing, Infinity where lateness does not.
 *
 * @param requestPrice of a signed request, currency
 * @param lateFillCost fills a second times what a second of not knowing one loses, currency per square second
 */
export const bestOwnPaceMs = (requestPrice: number, lateFillCost: number): number =>
  requestPrice === 0 ? 0 : 1000 * Math.sqrt((2 * requestPrice) / lateFillCost);
