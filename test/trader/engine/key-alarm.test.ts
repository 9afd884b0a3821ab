/** What a trader does whose keys the exchange takes no more. */

import { expect, it } from 'vitest';
import type { Outcome, Request } from '../../../src/shared/protocol/seam.js';
import { readNextStart } from '../../../src/trader/engine/control/way-back.js';
import type { TraderSettings } from '../../../src/trader/engine/settings.js';
import { Trader } from '../../../src/trader/engine/trader.js';
import { Executor } from '../../../src/trader/executor/executor.js';
import { USUAL_ECONOMICS } from '../../../src/trader/strategy/economics.js';
import { BENCH_PROFILE } from '../../bench/bench-trader.js';
import { withLedger } from '../ledger/books.js';
import { limitsOf, m, ONE } from '../risk/states.js';

const SETTINGS: TraderSettings = {
  runId: 'refused',
  configHash: 'hash',
  version: '0',
  profile: BENCH_PROFILE,
  capitalMicros: m(ONE),
  risk: limitsOf({}),
  polling: {
    ownIntervalMs: 1000,
    hotIntervalMs: 500,
    quietIntervalMs: 1000,
    catalogIntervalMs: 60_000,
    assetsIntervalMs: 60_000,
  },
  merge: { enabled: false, minSharesMicros: m(1) },
  economics: USUAL_ECONOMICS,
  events: [],
  strategies: [],
  boundedCall: (call) => call(),
};

const NOTHING: Outcome = { kind: 'answered', data: [] as never, nextCursor: null };
const refused = (status: number, slug: string, message: string): Outcome => ({
  kind: 'refused',
  status,
  slug,
  message,
  details: [],
});
const REVOKED = refused(401, 'authentication_failed', 'Invalid API key');
const WHY = 'the exchange refuses our API key (authentication_failed: Invalid API key)';

it('halts, over a restart and until a person resumes it while the key is taken', () =>
  withLedger((ledger) => {
    let nowMs = 1_700_000_000_000;
    let outcome: Outcome = NOTHING;
    const signer = { sign: () => ({ ok: false, reason: 'nothing is signed here' }) as const };
    const begin = (runId: string) => {
      const run = { runId, configHash: 'hash', ownPollMs: 1000 };
      return new Trader({ ...SETTINGS, runId }, ledger, new Executor(ledger, signer, BENCH_PROFILE, run), nowMs);
    };
    let trader = begin('first');
    const answer = (requests: readonly Request[]): void => {
      const when = { nowMs, sentMs: nowMs, venueTimeMs: nowMs, budget: null };
      for (const { id } of requests) answer(trader.handle({ kind: 'outcome', requestId: id, outcome, ...when }));
    };
    const modeAfter = (seconds: number): string => {
      for (let i = 0; i < 10 * seconds; i++, nowMs += 100) answer(trader.handle({ kind: 'time', nowMs }));
      return trader.snapshot(nowMs).mode;
    };
    const resumed = (reason: string) =>
      answer(trader.handle({ kind: 'command', command: { kind: 'resume', reason }, nowMs }));
    expect(modeAfter(5)).toBe('quoting');
    // A clock is mended by asking again; what is ours is not seen meanwhile.
    outcome = refused(401, 'authentication_failed', 'Timestamp out of range');
    expect([modeAfter(25), modeAfter(20)]).toEqual(['quoting', 'paused']);
    expect(trader.snapshot(nowMs).reason).toMatch(/^own (orders|trades) cannot be read: .*Timestamp out of range$/);
    outcome = NOTHING;
    expect(modeAfter(60)).toBe('quoting');
    outcome = REVOKED;
    // A venue whose sign-in fails for some seconds is waited for.
    expect(modeAfter(18)).toBe('quoting');
    outcome = NOTHING;
    expect(modeAfter(30)).toBe('quoting');
    outcome = REVOKED;
    expect(modeAfter(18)).toBe('quoting');
    expect([modeAfter(15), trader.wantsProof]).toEqual(['halted', true]);
    expect(trader.refusal({ kind: 'resume', reason: '' })).toContain(WHY);
    expect(readNextStart(ledger, SETTINGS.risk, null)).toMatchObject({ mode: 'halted', reason: WHY });
    trader = begin('second');
    expect(modeAfter(1)).toBe('halted');
    resumed('too early');
    expect(modeAfter(45)).toBe('halted');
    outcome = NOTHING;
    expect([modeAfter(10), trader.wantsProof]).toEqual(['halted', false]);
    resumed('a new key');
    expect(modeAfter(10)).toBe('quoting');
  }));
