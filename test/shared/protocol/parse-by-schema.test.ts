/** A value is parsed equally before and after zod has compiled its schema. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseBySchema } from '../../../src/shared/protocol/parse-by-schema.js';

const ROUNDS = 250;

const order = z.strictObject({
  side: z.enum(['buy', 'sell']),
  shares: z.string().regex(/^\d+$/).transform(Number),
  legs: z.array(z.object({ price: z.number().min(0) })).default([]),
});

it.each([
  ['what is right', { side: 'buy', shares: '12', legs: [{ price: 1, more: true }] }],
  ['what leaves out', { side: 'sell', shares: '3' }],
  ['what is wrong', { side: 'bought', shares: 'many', legs: [{ price: -1 }, {}], other: 1 }],
  ['another thing', null],
])('reads %s as zod does, however often', (_, value) => {
  const read = Array.from({ length: ROUNDS }, () => parseBySchema(order, value));
  const [said] = read.map(({ success, data, error }) => JSON.stringify({ success, data, issues: error?.issues }));
  const { success, data, error } = order.safeParse(value);
  expect(said).toBe(JSON.stringify({ success, data, issues: error?.issues }));
  for (const one of read) expect(one).toStrictEqual(read[0]);
});
