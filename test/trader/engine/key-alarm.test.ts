/** Reaction of a trader whose keys the exchange rejects. */

import { expect, it } from 'vitest';
import type { Outcome } from '../../../src/shared/protocol/seam.js';
import { readNextStart } from '../../../src/trader/engine/control/safety.js';
import { withLedger } from '../ledger/books.js';
import { limitsOf } from '../risk/states.js';
import { NOTHING, PlayedTrader, START_MS, settingsOf, traderOf } from './played-trader.js';

const refused = (status: number, slug: string, message: string): Outcome => ({
  kind: 'refused',
  status,
  slug,
  message,
  details: [],
});
const REVOKED = refused(401, 'authentication_failed', 'Invalid API key');
const WHY = 'the exchange rejects the API key (authentication_failed: Invalid API key)';

testWithLedger('halts, over a restart and until a person resumes it while the key is taken', (ledger) => {
  let outcome: Outcome = NOTHING;
  const begin = (runId: string, nowMs: number) =>
    new PlayedTrader(traderOf(ledger, settingsOf({ runId }), nowMs), () => outcome, nowMs);
  let played = begin('first', START_MS);
  const modeAfter = (seconds: number): string => {
    played.pass(seconds);
    return played.mode;
  };
  const resumed = (reason: string) => played.command({ kind: 'resume', reason });
  expect(modeAfter(5)).toBe('quoting');
  // Another request corrects a clock; own records are unseen meanwhile.
  outcome = refused(401, 'authentication_failed', 'Timestamp out of range');
  expect([modeAfter(25), modeAfter(20)]).toEqual(['quoting', 'paused']);
  expect(played.trader.snapshot(played.nowMs).reason).toMatch(
    /^own (orders|trades) cannot be read: .*Timestamp out of range$/,
  );
  outcome = NOTHING;
  expect(modeAfter(60)).toBe('quoting');
  outcome = REVOKED;
  // It waits for a venue whose sign-in fails for some seconds.
  expect(modeAfter(18)).toBe('quoting');
  outcome = NOTHING;
  expect(modeAfter(30)).toBe('quoting');
  outcome = REVOKED;
  expect(modeAfter(18)).toBe('quoting');
  expect([modeAfter(15), played.trader.wantsProof]).toEqual(['halted', true]);
  expect(played.trader.refusal({ kind: 'resume', reason: '' })).toContain(WHY);
  expect(readNextStart(ledger, limitsOf(), null)).toMatchObject({ mode: 'halted', reason: WHY });
  played = begin('second', played.nowMs);
  expect(modeAfter(1)).toBe('halted');
  resumed('too early');
  expect(modeAfter(45)).toBe('halted');
  outcome = NOTHING;
  expect([modeAfter(10), played.trader.wantsProof]).toEqual(['halted', false]);
  resumed('a new key');
  expect(modeAfter(10)).toBe('quoting');
});
