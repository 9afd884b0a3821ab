/**
 * The paper exchange, lived on by somebody who has only the documents. Each answer is held against a table that was
 * transcribed from them by hand (`endpoints.ts`, `records.ts`, `errors.ts`); nothing of our own client is used.
 * One file, so that its last test can tell whether the whole table was seen.
 */

import { describe, expect, it } from 'vitest';
import { anyCall } from './any-call.js';
import { answered, refused } from './check.js';
import { conversions } from './conversions.js';
import { credentials } from './credentials.js';
import { crowd } from './crowd.js';
import { details } from './details.js';
import { discovery } from './discovery.js';
import { callOf, ENDPOINTS } from './endpoints.js';
import { ERRORS } from './errors.js';
import { margin } from './margin.js';
import { orders } from './orders.js';
import { rateLimits } from './rate-limits.js';

anyCall();
credentials();
orders();
conversions();
margin();
discovery();
details();
crowd();
rateLimits();

describe('the whole law', () => {
  it('was seen: every call was answered with success', () => {
    expect(ENDPOINTS.map(callOf).filter((call) => !answered.has(call))).toEqual([]);
  });

  it('was seen: every error came, but for the two that the documents give no cause for', () => {
    const unseen = Object.keys(ERRORS).filter((slug) => !refused.has(slug));
    expect(unseen).toEqual(['permission_denied', 'internal_error']);
  });
});
