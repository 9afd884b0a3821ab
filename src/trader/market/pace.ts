/** What a trader's requests take and cost, before any of it was measured. */

import type { PaceView } from './view.js';

/** All of a pace that is the trader's and not the market's. */
export type TraderPace = Omit<PaceView, 'lookEveryS'>;

/** Seconds until a quote that was decided stands. */
export const USUAL_REACT_S = 2;

/** Enough looks for everybody, and the usual prices of requests and currency. */
export const USUAL_PACE: TraderPace = Object.freeze({
  reactS: USUAL_REACT_S,
  readPrice: 0,
  requestPrice: 0.001,
  currencyPricePerS: 1e-7,
});
