/** Whom a step hands what it has received. */

import { expect, it } from 'vitest';
import type { RequestOwner } from '../../../src/shared/protocol/request-owner.js';
import type { PlannedRequest, RequestResult } from '../../../src/shared/protocol/seam.js';
import { type Routed, route } from '../../../src/trader/engine/router.js';

const reportOf = (owner: RequestOwner): RequestResult => {
  const call: PlannedRequest['call'] = { endpoint: 'account.assets', params: {}, query: {}, body: undefined };
  const outcome = { kind: 'unknown', reason: 'it is a test', sent: true } as const;
  return { request: { lane: 'own', call, latestMs: 1, owner }, outcome, nowMs: 1, sentMs: 1, venueTimeMs: null };
};
const routed = (owner: RequestOwner): Partial<Routed> =>
  route({ kind: 'report', report: reportOf(owner), requestId: 7 });

it.each<[RequestOwner, Partial<Routed>]>([
  [
    { kind: 'poll', target: { kind: 'orders' } },
    { kind: 'own', list: 'orders' },
  ],
  [
    { kind: 'poll', target: { kind: 'fills' } },
    { kind: 'own', list: 'fills' },
  ],
  [{ kind: 'poll', target: { kind: 'catalog' } }, { kind: 'catalog' }],
  [
    { kind: 'poll', target: { kind: 'assets' } },
    { kind: 'round', list: 'assets' },
  ],
  [
    { kind: 'round', list: 'sums' },
    { kind: 'round', list: 'sums' },
  ],
  [{ kind: 'intent', step: 'draft', intentId: 'a/b' }, { kind: 'intent' }],
  [
    { kind: 'poll', target: { kind: 'book', marketConditionId: 'a/b' } },
    { kind: 'market', poll: 'book', conditionId: 'a/b', requestId: 7 },
  ],
])('routes what %o owns', (owner, expected) => {
  expect(routed(owner)).toMatchObject({ ...expected, report: reportOf(owner) });
});

it('knows no outcome of a request that no room of the engine owns', () => {
  expect(() => routed({ kind: 'other', name: 'resting' })).toThrow('a request of no room came back: resting');
});

it('hands on what is no outcome as it is', () => {
  const command = { kind: 'command', command: { kind: 'cancel-all' }, nowMs: 5 } as const;
  expect(route(command)).toBe(command);
  expect(route({ kind: 'time' })).toEqual({ kind: 'time' });
});
