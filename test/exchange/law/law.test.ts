/**
 * The paper exchange, used by a program written from the documents alone. Each answer is compared with a table
 * transcribed from them by hand (`endpoints.ts`, `records.ts`, `errors.ts`); none of our client code is used. One file,
 * so that its last test can check that the whole table was covered.
 */

import { describe, expect, it } from 'vitest';
import { anyCall } from './any-call.js';
import { answered, refused } from './check.js';
import { conversions } from './conversions.js';
import { credentials } from './credentials.js';
import { callOf, ENDPOINTS } from './endpoints.js';
import { ERRORS } from './errors.js';
import { margin } from './margin.js';
import { orders } from './orders.js';
import { openVenue } from './stranger.js';

const venue = await openVenue();
describe('calls', () => anyCall(venue));
describe('keys', () => credentials(venue));
describe('orders', () => orders(venue));
describe('conversions', () => conversions(venue));
describe('margin', () => margin(venue));

describe('the whole law', () => {
  it('was seen: every call was answered with success', () =>
    expect(ENDPOINTS.map(callOf).filter((call) => !answered.has(call))).toEqual([]));

  it('was seen: every error came, but for two without a cause in the documents, and the limits of ../http', () => {
    const unseen = Object.keys(ERRORS).filter((slug) => !refused.has(slug));
    expect(unseen).toEqual(['permission_denied', 'throttled', 'internal_error']);
  });
});
