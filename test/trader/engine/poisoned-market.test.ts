/** Invalid data about one market without a schema check, and its effect on the others. */

import { describe, expect, it } from 'vitest';
import type { Outcome, Request } from '../../../src/shared/protocol/seam.js';
import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { defineStrategy, NO_QUOTES } from '../../../src/trader/strategy/strategy.js';
import { withLedger } from '../ledger/books.js';
import { detail, snapshot, trade } from '../market/fixtures.js';
import { limitsOf } from '../risk/states.js';
import { PlayedTrader, settingsOf, strategyOf, traderOf } from './played-trader.js';

const RISK = limitsOf({ maxBookAgeMs: 30_000 });

/** Markets of the called quoters, oldest first. */
const asked: string[] = [];
const watching = defineStrategy({
  name: 'watching',
  summary: 'Wants nothing, and says who asks.',
  params: {},
  create: (_, { conditionId }) => ({
    quote: () => {
      asked.push(conditionId);
      return NO_QUOTES('nothing');
    },
  }),
});

const SETTINGS = settingsOf({ risk: RISK, strategies: [strategyOf(['good', 'bad'], watching, RISK)] });

const answer = (data: unknown): Outcome => ({ kind: 'answered', data: data as never, nextCursor: null });

/** A venue whose trades of the market `bad` are invalid if `isPoisoned`. */
function answerTo({ call }: Request, isPoisoned: boolean): Outcome {
  switch (call.endpoint) {
    case 'markets.detail': {
      const { condition_id } = call.params;
      return answer(detail({ condition_id, title: `Will it, ${condition_id}?` }));
    }
    case 'markets.book':
      return answer(snapshot([[0.48, 30]], [[0.52, 40]]));
    case 'markets.trades': {
      const row = trade(1_700_000_000, 0.5, 1, false);
      return answer([isPoisoned && call.params.condition_id === 'bad' ? { ...row, price: Number.NaN } : row]);
    }
    default:
      return answer([]);
  }
}

class Life extends PlayedTrader {
  readonly loud: string[] = [];
  isPoisoned = true;

  constructor(ledger: Ledger, runId: string) {
    super(traderOf(ledger, { ...SETTINGS, runId }), (request) => answerTo(request, this.isPoisoned));
  }

  override pass(seconds: number): void {
    super.pass(seconds);
    for (const { kind, severity, text } of this.trader.takeNotices())
      if (severity === 'loud') this.loud.push(`${kind}: ${text}`);
  }

  resume(): void {
    this.command({ kind: 'resume', reason: 'it is mended' });
  }
}

describe('a market whose rows cannot be reckoned with', () => {
  testWithLedger('is taken out, loudly and once, while the other is quoted; the same after a start', (ledger) => {
    for (const runId of ['first', 'second']) {
      const life = new Life(ledger, runId);
      life.pass(20);
      asked.length = 0;
      life.pass(20);
      expect(new Set(asked)).toEqual(new Set(['good']));
      expect(life.loud.filter((text) => text.startsWith('market_failed'))).toEqual([
        expect.stringMatching(
          /^market_failed: "Will it, bad\?" is excluded: a trades answer cannot be processed: .*NaN.* until an operator resumes it with a reason$/,
        ),
      ]);
    }
  });

  testWithLedger('comes back when a person resumes with a reason, once its rows are sound', (ledger) => {
    const life = new Life(ledger, 'only');
    life.pass(20);
    life.isPoisoned = false;
    life.pass(20);
    expect(life.trader.refusal({ kind: 'resume', reason: '' })).not.toBeNull();
    life.resume();
    asked.length = 0;
    life.pass(20);
    expect(new Set(asked)).toEqual(new Set(['good', 'bad']));
  });
});
