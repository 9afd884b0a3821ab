/** An order's status, compared with the fields that the other rooms use. */

import { expect, it } from 'vitest';
import { isFinalOrder, ORDER_STANDING, ORDER_STATUSES, RESTING_STATUSES } from '../../../src/shared/protocol/states.js';

it('rests while it can still be matched, and a draft does not', () => {
  expect(RESTING_STATUSES).toEqual(['open', 'partially_filled']);
  expect(ORDER_STATUSES.filter((status) => !isFinalOrder(status))).toEqual([...RESTING_STATUSES, 'waiting_to_sign']);
});

it.each(ORDER_STATUSES)('does not contradict itself: %s', (status) => {
  const { phase, tookEffect, filled, isCanceled } = ORDER_STANDING[status];
  if (phase === 'resting' || filled !== 'nothing' || isCanceled) expect(tookEffect).toBe(true);
  if (phase === 'unsigned') expect(tookEffect).toBe(false);
  if (isCanceled || filled === 'all') expect(phase).toBe('over');
  expect(isCanceled && filled === 'all').toBe(false);
});

it('never took effect where its draft lapsed or its submit failed', () => {
  const withoutEffect = ORDER_STATUSES.filter((status) => !ORDER_STANDING[status].tookEffect);
  expect(withoutEffect).toEqual(['waiting_to_sign', 'expired', 'failed']);
});
