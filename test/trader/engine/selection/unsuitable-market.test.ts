import { describe, expect, it } from 'vitest';
import { openMemoryLedger } from '../../../../src/trader/ledger/ledger.js';
import { detail, snapshot } from '../../market/fixtures.js';
import { NOTHING, PlayedTrader, settingsOf, strategyOf, strategyWith, traderOf, wish } from '../played-trader.js';

/** A trader whose strategy lists one market. The first `wrong.answers` details after a change show `wrong.shown`. */
function listedMarket() {
  const wrong = { shown: {}, answers: 0 };
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
      const shown = wrong.answers-- > 0 ? wrong.shown : {};
      return { kind: 'answered', data: detail({ condition_id: 'mkt', ...shown }), nextCursor: null };
    },
  );
  played.pass(20);
  const look = (seconds: number) => {
    played.pass(seconds);
    const alerts = played.trader.takeNotices().filter(({ severity }) => severity === 'loud');
    return { tracked: [...played.trader.watchMarkets(played.nowMs)].length, alerts: alerts.map(({ kind }) => kind) };
  };
  return { wrong, look };
}

describe.each([[{ state: 'resolved' }], [{ margin_enabled: true }]])('a listed market whose detail is %o', (shown) => {
  it('stays tracked after one such answer', () => {
    const { wrong, look } = listedMarket();
    Object.assign(wrong, { shown, answers: 1 });
    expect(look(300)).toEqual({ tracked: 1, alerts: [] });
  });

  it('is dropped after several such answers, and an alert says that it cannot be quoted', () => {
    const { wrong, look } = listedMarket();
    Object.assign(wrong, { shown, answers: Number.POSITIVE_INFINITY });
    expect(look(300)).toEqual({ tracked: 0, alerts: 'state' in shown ? [] : ['market_unsuitable'] });
  });
});
