import { describe, expect, it } from 'vitest';
import { AssertionFailed } from '../../../src/shared/base/errors.js';
import { isFinalOrder, ORDER_STATUSES } from '../../../src/shared/protocol/states.js';
import {
  INTENT_EVENTS,
  LIFECYCLE,
  nextState,
  RECORD_STATES,
  STANDINGS,
} from '../../../src/trader/executor/lifecycle.js';
import { isFinalIntent } from '../../../src/trader/ledger/contract.js';
import { INTENT_STATES } from '../../../src/trader/ledger/tables.js';

describe('the table of state changes', () => {
  it('has a line for every state and leads only to states that exist', () => {
    expect(Object.keys(LIFECYCLE).sort()).toEqual([...INTENT_STATES].sort());
    for (const moves of Object.values(LIFECYCLE))
      for (const next of Object.values(moves)) expect(INTENT_STATES).toContain(next);
  });

  it('asserts for every pair that is not in it', () => {
    for (const state of INTENT_STATES) {
      for (const event of INTENT_EVENTS) {
        const next = LIFECYCLE[state][event];
        if (next === undefined) expect(() => nextState(state, event), `${state} ${event}`).toThrow(AssertionFailed);
        else expect(nextState(state, event)).toBe(next);
      }
    }
  });

  it('reaches every state from intended, and an end from every state', () => {
    const reach = (from: string): Set<string> => {
      const seen = new Set([from]);
      for (const state of seen) {
        for (const next of Object.values(LIFECYCLE[INTENT_STATES.find((name) => name === state) ?? 'refused']))
          seen.add(next);
      }
      return seen;
    };
    expect([...reach('intended')].sort()).toEqual([...INTENT_STATES].sort());
    for (const state of INTENT_STATES)
      expect([...reach(state)].some((end) => end === 'done' || end === 'refused')).toBe(true);
  });

  it('leaves an end only when the exchange shows that it was none', () => {
    for (const state of INTENT_STATES.filter(isFinalIntent)) {
      for (const [event, next] of Object.entries(LIFECYCLE[state]))
        if (!isFinalIntent(next)) expect([event, next]).toEqual(['accepted', 'live']);
    }
  });

  it('never calls a submitted intent over without a record of the exchange', () => {
    const records = ['settled', 'recordFailed', 'recordExpired'];
    for (const state of ['signed', 'unknown', 'live'] as const) {
      for (const [event, next] of Object.entries(LIFECYCLE[state]))
        if (isFinalIntent(next)) expect(records).toContain(event);
    }
  });

  it('reserves something in every state but the final ones', () => {
    for (const state of INTENT_STATES)
      expect([state, STANDINGS[state].reserves === null]).toEqual([state, isFinalIntent(state)]);
  });

  it('takes no record for over that is not, and a redeem that is only created for unsigned, as the client does', () => {
    const over = ['settled', 'recordFailed', 'recordExpired'];
    for (const status of ORDER_STATUSES)
      expect([status, over.includes(RECORD_STATES[status])]).toEqual([status, isFinalOrder(status)]);
    expect([RECORD_STATES.created, RECORD_STATES.in_process]).toEqual(['unsigned', 'accepted']);
  });
});
