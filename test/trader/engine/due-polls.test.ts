/** Due polls: the poll of assets starts a round of reading own lists, and no other poll does. */

import { expect, it } from 'vitest';
import type { PlannedRequest } from '../../../src/shared/protocol/seam.js';
import { askDue } from '../../../src/trader/engine/act.js';
import { PollPlan } from '../../../src/trader/scheduler/poll-plan.js';
import { pollFacts, pollSettings } from '../scheduler/world.js';
import { Account } from './exchange-lists.js';

const SECONDS = 120;

it('reads the marks of the venue without beginning a round of reconciliation', () => {
  const account = new Account();
  const { reconciler } = account;
  const poller = new PollPlan(pollSettings({ ownIntervalMs: 60_000 }));
  const asked: PlannedRequest[] = [];
  const state = {
    reconciler,
    requests: {
      poller,
      polling: { readFacts: () => pollFacts({ marksEveryMs: 5000 }) },
      queue: { push: (request: PlannedRequest) => void asked.push(request), setOpenOrders: () => undefined },
    },
    account: { own: { exposure: { workingOrders: 2 } } },
    safety: { modes: { wantsProof: false } },
  };
  for (let s = 0; s < SECONDS; s++) {
    account.nowMs += 1000;
    // Only the used parts of these rooms.
    askDue(state as unknown as Parameters<typeof askDue>[0], false, account.nowMs);
    for (const { owner } of asked) if (owner.kind === 'poll') poller.onReport(owner.target, 'ok', account.nowMs);
  }
  account.close();
  const polls = (kind: string) => asked.filter(({ owner }) => owner.kind === 'poll' && owner.target.kind === kind);
  expect(polls('marks')).toHaveLength(SECONDS / 5);
  expect(polls('assets')).toHaveLength(SECONDS / 60);
  expect(asked.filter(({ owner }) => owner.kind === 'round')).toHaveLength((6 * SECONDS) / 60);
});
