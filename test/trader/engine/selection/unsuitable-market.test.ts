import { describe, expect, it } from 'vitest';
import { openMemoryLedger } from '../../../../src/trader/ledger/ledger.js';
import { detail, snapshot } from '../../market/fixtures.js';
import { NOTHING, PlayedTrader, settingsOf, strategyOf, strategyWith, traderOf, wish } from '../played-trader.js';

/** The result after 300 s of a trader that lists one market; the first `answers` details show `wrong`. */
function lookAfter(answers: number, wrong: object) {
  let wrongAnswers = 0;
  const strategy = strategyOf(
    ['mkt'],
    strategyWith(() => wish(0.5, null)),
  );
  const played = new PlayedTrader(
    traderOf(openMemoryLedger(), settingsOf({ runId: 'r', strategies: [strategy] })),
    ({ call }) => {
      if (call.endpoint === 'markets.book') {
        const book = { ...snapshot([[0.4, 100]], [[0.6, 100]]), market: 'mkt' };
        return { kind: 'answered', data: book, nextCursor: null };
      }
      if (call.endpoint !== 'markets.detail') return NOTHING;
      const shown = wrongAnswers-- > 0 ? wrong : {};
      return { kind: 'answered', data: detail({ condition_id: 'mkt', ...shown }), nextCursor: null };
    },
  );
  played.pass(20);
  wrongAnswers = answers;
  played.pass(300);
  const alerts = played.trader.takeNotices().filter(({ severity }) => severity === 'loud');
  return { tracked: [...played.trader.watchMarkets(played.nowMs)].length, alerts: alerts.map(({ kind }) => kind) };
}

describe.each([[{ state: 'resolved' }], [{ margin_enabled: true }]])('a listed market whose detail is %o', (wrong) => {
  it('stays tracked after one such answer', () => expect(lookAfter(1, wrong)).toEqual({ tracked: 1, alerts: [] }));

  it('is dropped after several such answers, and an alert says that it cannot be quoted', () => {
    const alerts = 'state' in wrong ? [] : ['market_unsuitable'];
    expect(lookAfter(Number.POSITIVE_INFINITY, wrong)).toEqual({ tracked: 0, alerts });
  });
});
