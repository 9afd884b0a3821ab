/** Distribution of received outcomes by a step. */

import { expect, it } from 'vitest';
import { observeReport } from '../../../src/trader/engine/observe.js';
import { openMemoryLedger } from '../../../src/trader/ledger/ledger.js';
import { settingsOf, stateOf } from './played-trader.js';

it('knows no outcome of a request that no room of the engine owns', () => {
  const call = { endpoint: 'account.assets', params: {}, query: {}, body: undefined } as const;
  const request = { lane: 'own', call, latestMs: 1, owner: { kind: 'other', name: 'resting' } } as const;
  const outcome = { kind: 'unknown', reason: 'it is a test', sent: true } as const;
  const report = { request, outcome, nowMs: 1, sentMs: 1, venueTimeMs: null };
  const state = stateOf(openMemoryLedger(), settingsOf());
  expect(() => observeReport(state, report, 7)).toThrow('a report of a request without an owner: resting');
});
