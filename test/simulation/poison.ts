/** Impossible rows of public data, as a broken or dishonest venue may send them. */

import type { Random } from '../../src/shared/base/random.js';
import type { AnyCall } from '../../src/shared/protocol/seam.js';

const HUGE = '9007199254.740991';
/** Number of rows of one price, each with a valid amount, whose sum exceeds any double. */
const TWINS = 12;
const LARGE = '1000000000';

type Row = Record<string, unknown>;
type Damage = (text: string) => string;

/** A random way to poison the answer to this call; null for a call without public data of one market. */
export function poison(call: AnyCall, random: Random): Damage | null {
  switch (call.endpoint) {
    case 'markets.book':
      return changed(BOOKS[random.below(BOOKS.length)]);
    case 'markets.trades':
      return changed(TRADES[random.below(TRADES.length)]);
    case 'markets.detail':
      return changed(DETAILS[random.below(DETAILS.length)]);
    default:
      return null;
  }
}

const level = (price: string, total_amount: string): Row => ({ price, total_amount });
const bids = (rows: readonly Row[]) => (data: Row) => ({ ...data, bid: rows });

const BOOKS = [
  bids([level('0.4', HUGE), level('0.4', HUGE)]),
  bids(Array.from({ length: TWINS }, () => level('0.4', LARGE))),
  bids([level('-0.4', '10')]),
  bids([level('7', '10')]),
  bids([level('0.4', `-${HUGE}`)]),
];

const trade = (change: Row) => (data: Row) => [
  { timestamp: 1_795_000_000, state: 'done', is_yes: true, price: '0.5', amount: '10', ...change },
  ...(Array.isArray(data) ? data : []),
];

const TRADES = [
  trade({ amount: `-${HUGE}` }),
  trade({ price: HUGE }),
  trade({ price: `-${HUGE}`, is_yes: false }),
  trade({ timestamp: Number.MAX_SAFE_INTEGER }),
];

const config = (change: Row) => (data: Row) => ({ ...data, config: { ...(data.config as Row), ...change } });

const DETAILS = [
  config({ min_price: `-${HUGE}` }),
  config({ max_price: HUGE }),
  config({ taker_fee_rate: HUGE }),
  config({ maker_fee_rate: `-${HUGE}` }),
];

/** An answer's body with other data; an error or an HTML page is unchanged. */
function changed(change: ((data: Row) => unknown) | undefined): Damage {
  return (text) => {
    if (change === undefined || !text.startsWith('{')) return text;
    // An envelope of the exchange, or its error, which has no data.
    const body = JSON.parse(text) as { data?: Row };
    return body.data === undefined || body.data === null ? text : JSON.stringify({ ...body, data: change(body.data) });
  };
}
