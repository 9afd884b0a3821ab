/**
 * A fill model of your own beside a shipped one. A recording does not show whose order left a level; a fill model is the
 * assumption about it. This one says: of every decrease without a trade, a tenth stood ahead of us.
 *
 *     node examples/custom-fill-model.js
 *
 * Other recordings than these real ones may be named behind it.
 * Only recorded trades ever fill; a model moves an order in its queue, and is held within the queue's bounds. Often a
 * shipped one with another figure is enough: `power:1` to `power:10`, see docs/backtesting.md.
 */
import { backtest } from 'twinbook/backtest';

/** @type {import('twinbook/backtest').FillModel} */
const tenthAhead = {
  name: 'tenth-ahead',
  fillsAtTouch: true,
  aheadOnJoin: (displayed) => displayed,
  aheadAfterChange(ahead, previous, next, traded) {
    const canceled = Math.max(0, previous - next - traded);
    return Math.min(next, ahead - canceled / 10);
  },
};

const results = await backtest({
  config: 'config/strategies/crowd-maker.yaml',
  data: [process.argv[2] ?? 'data/polymarket'],
  allMarkets: true,
  fillModels: ['risk-averse', tenthAhead, 'power:1'],
});
for (const { session, analysis } of results) {
  const result = (analysis.result.resultMicros / 1_000_000).toFixed(2);
  console.log(`${session.assumptions.fillModel}: ${analysis.trading.fills} fills, result ${result}`);
}
