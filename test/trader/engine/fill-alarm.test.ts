/** Effect of a fill that was never signed on pending requests, each time that one arrives. */

import { describe, expect, it } from 'vitest';
import type { DataOf } from '../../../src/shared/protocol/endpoints.js';
import type { Reaction } from '../../../src/trader/executor/contract.js';
import { Executor } from '../../../src/trader/executor/executor.js';
import { withLedger } from '../ledger/books.js';
import { NOTHING, PlayedTrader, START_MS, settingsOf, traderOf, unsigning } from './played-trader.js';

/** Returns the given results of the next reads of fills, and counts how often all pending requests are withdrawn. */
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

describe('a fill that was never signed', () => {
  testWithLedger('takes back what is under way, and so does the next one', (ledger) => {
    const settings = settingsOf({ runId: 'alarmed' });
    const executor = new TroubledExecutor(...unsigning(ledger, settings));
    const played = new PlayedTrader(traderOf(ledger, settings, START_MS, executor), () => NOTHING);
    const pass = (): number => {
      const before = executor.withdrawals;
      played.pass(10);
      return executor.withdrawals - before;
    };
    expect([pass(), played.mode]).toEqual([0, 'quoting']);
    for (const text of ['the first', 'the second']) {
      executor.trouble = text;
      expect([pass(), played.mode]).toEqual([1, 'reducing']);
      expect(pass()).toBe(0);
    }
  });
});
