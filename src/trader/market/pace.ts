/** Default cost and speed of a trader's requests, before any measurement. */

import type { PaceView } from './view.js';

/** The trader's part of a pace, without the market's. */
export type TraderPace = Omit<PaceView, 'lookEveryS'>;

/** Seconds until a decided quote rests. */
export const USUAL_REACT_S = 2;

/** Enough reads for all, and the usual prices of requests and currency. */
export const USUAL_PACE: TraderPace = Object.freeze({
  reactS: USUAL_REACT_S,
  readPrice: 0,
  requestPrice: 0.001,
  currencyPricePerS: 1e-7,
});
