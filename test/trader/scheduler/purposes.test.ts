/** Purposes of requests: named by call and owner, counted by the minute and in total. */

import { expect, it } from 'vitest';
import { micros, ONE } from '../../../src/shared/base/micros.js';
import type { RequestOwner } from '../../../src/shared/protocol/request-owner.js';
import { classifyPurpose, PurposeCounts, worthOfRequests } from '../../../src/trader/scheduler/request-queue.js';

const intent: RequestOwner = { kind: 'intent', step: 'draft', intentId: 'i' };
const look: RequestOwner = { kind: 'poll', target: { kind: 'book', marketConditionId: 'M' } };
const orders: RequestOwner = { kind: 'poll', target: { kind: 'orders' } };
const round: RequestOwner = { kind: 'round', list: 'merges' };

it.each([
  ['markets.book', look, 'looks'],
  ['markets.list', { kind: 'poll', target: { kind: 'catalog' } }, 'looks'],
  ['orders.list', orders, 'own'],
  ['merges.list', round, 'own'],
  ['orders.create', intent, 'moves'],
  ['orders.submit', intent, 'moves'],
  ['orders.detail', intent, 'moves'],
  ['orders.cancel', intent, 'cancels'],
  ['orders.cancelSubmit', intent, 'cancels'],
  ['merges.create', intent, 'conversions'],
  ['splits.submit', intent, 'conversions'],
  ['redeems.detail', intent, 'conversions'],
] as const)('%s is for what its owner wants it', (endpoint, owner, purpose) => {
  expect(classifyPurpose({ endpoint }, owner)).toBe(purpose);
});

it('counts the last minute and the run', () => {
  const counts = new PurposeCounts();
  for (let second = 0; second < 90; second++) counts.note('looks', second * 1000);
  counts.note('cancels', 90_000);
  const use = new Map(counts.at(90_000).map(({ purpose, lastMinute, total }) => [purpose, [lastMinute, total]]));
  expect(use.get('looks')).toEqual([59, 90]);
  expect(use.get('cancels')).toEqual([1, 1]);
  expect(use.get('moves')).toEqual([0, 0]);
});

it('says what a fill took and a request brought, once there is something to divide by', () => {
  const spent = [{ total: 150 }, { total: 50 }];
  const { requestsPerFill, valuePerRequest } = worthOfRequests(spent, 8, micros(-3 * ONE));
  expect([requestsPerFill, valuePerRequest]).toEqual([25, -0.015]);
  expect(worthOfRequests(spent, 0, null)).toEqual({ requestsPerFill: null, valuePerRequest: null });
  expect(worthOfRequests([], 1, micros(1)).valuePerRequest).toBeNull();
});
