/** Known close of a recorded market for its traders. */

import type { RecordedMarket } from './contract.js';

/** Maximum difference between the recorder's clock and the venue's. */
const CLOCKS_APART_MS = 5_000;
/** Its recordings have no close; older imports do not mark that. */
const NAMES_NO_CLOSE = 'polymarket';

/**
 * The close as the venue told it beforehand, Unix ms; null when it told none. A recording's own last event is no such thing:
 * to tell a trader of that would be telling the future. A close before the first event, give or take two clocks, is when the
 * recorder first saw the market. `firstMs` is the first event, Unix ms.
 */
export function toldCloseMs(market: RecordedMarket, firstMs: number): number | null {
  const { closeIsGuessed, closeTimeMs, source } = market;
  const origin = source.kind === 'twinbook' ? source.origin : source.kind;
  if (closeIsGuessed === true || origin === NAMES_NO_CLOSE) return null;
  return closeTimeMs > firstMs + CLOCKS_APART_MS ? closeTimeMs : null;
}
