/** A record as a person reads it in a message: as the exchange sent it, with decimals in place of our Micros. */

import { formatDecimal } from '../../shared/base/decimal.js';
import type { Micros } from '../../shared/base/micros.js';

/** The fields of orders, trades and conversions that are read into Micros. */
const DECIMALS: ReadonlySet<string> = new Set([
  ...['price', 'amount', 'remaining_amount', 'filled_amount', 'funds', 'remaining_funds', 'filled_funds', 'fee'],
  ...['onchain_amount', 'onchain_funds', 'yes_shares', 'no_shares'],
]);

export const rowText = (row: object): string =>
  JSON.stringify(row, (key, value: unknown) =>
    // A number in one of these fields is what our reader made of a decimal.
    DECIMALS.has(key) && typeof value === 'number' ? formatDecimal(value as Micros) : value,
  );
