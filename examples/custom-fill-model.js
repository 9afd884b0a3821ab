/**
 * A backtest with your own fill model and two shipped ones. A recording does not show whose order left a level, so a fill
 * model assumes it. This model assumes that a tenth of every decrease without a trade was ahead of the own order.
 *
 *     node examples/custom-fill-model.js
 *
 * An argument names other recordings than these real ones. Only recorded trades fill orders. A model only moves an order
 * within the bounds of its queue. Often a shipped model with another parameter is enough: `power:1` to `power:10`, see
 * docs/backtesting.md.
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
