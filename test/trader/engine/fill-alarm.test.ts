/** What a fill that was never signed does to what is under way, each time that one comes. */

import { describe, expect, it } from 'vitest';
import type { DataOf } from '../../../src/shared/protocol/endpoints.js';
import type { Outcome, Request } from '../../../src/shared/protocol/seam.js';
import type { TraderSettings } from '../../../src/trader/engine/settings.js';
import { Trader } from '../../../src/trader/engine/trader.js';
import type { Reaction } from '../../../src/trader/executor/contract.js';
import { Executor } from '../../../src/trader/executor/executor.js';
import { USUAL_ECONOMICS } from '../../../src/trader/strategy/economics.js';
import { BENCH_PROFILE } from '../../bench/bench-trader.js';
import { withLedger } from '../ledger/books.js';
import { limitsOf, m, ONE } from '../risk/states.js';

const SETTINGS: TraderSettings = {
  runId: 'alarmed',
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

/** Says of the next look at fills what it is told to, and counts how often everything under way is taken back. */
class TroubledExecutor extends Executor {
  trouble: string | null = null;
  withdrawals = 0;

  override onOwnTrades(rows: DataOf<'trades.list'>, nowMs: number): Reaction {
    const { trouble: text } = this;
    this.trouble = null;
    if (text === null) return super.onOwnTrades(rows, nowMs);
    return { requests: [], events: [{ kind: 'trouble', trouble: 'fill_differs', market: 'a', text, subject: null }] };
  }

  override withdraw(marketConditionId: string | null, nowMs: number): void {
    this.withdrawals += 1;
    super.withdraw(marketConditionId, nowMs);
  }
}

const NOTHING: Outcome = { kind: 'answered', data: [] as never, nextCursor: null };

describe('a fill that was never signed', () => {
  it('takes back what is under way, and so does the next one', () =>
    withLedger((ledger) => {
      let nowMs = 1_700_000_000_000;
      const signer = { sign: () => ({ ok: false, reason: 'nothing is signed here' }) as const };
      const run = { runId: 'alarmed', configHash: 'hash', ownPollMs: 1000 };
      const executor = new TroubledExecutor(ledger, signer, BENCH_PROFILE, run);
      const trader = new Trader(SETTINGS, ledger, executor, nowMs);
      const answer = (requests: readonly Request[]): void => {
        const when = { nowMs, sentMs: nowMs, venueTimeMs: nowMs, budget: null };
        for (const { id } of requests)
          answer(trader.handle({ kind: 'outcome', requestId: id, outcome: NOTHING, ...when }));
      };
      const pass = (): number => {
        const before = executor.withdrawals;
        for (let i = 0; i < 100; i++, nowMs += 100) answer(trader.handle({ kind: 'time', nowMs }));
        return executor.withdrawals - before;
      };
      expect([pass(), trader.snapshot(nowMs).mode]).toEqual([0, 'quoting']);
      for (const text of ['the first', 'the second']) {
        executor.trouble = text;
        expect([pass(), trader.snapshot(nowMs).mode]).toEqual([1, 'reducing']);
        expect(pass()).toBe(0);
      }
    }));
});
