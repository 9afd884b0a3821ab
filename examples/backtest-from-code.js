/**
 * A backtest from code. It plays a strategy file over recordings with three fill models, and returns each result as data.
 *
 *     node examples/backtest-from-code.js
 *
 * An argument names other recordings than the sample. `backtest` has more options, such as `progress`, `latency`, `seed` and
 * fees. The same input gives the same hash on every machine.
 */
import { backtest } from 'twinbook/backtest';
import { summaryTable } from 'twinbook/report';

const results = await backtest({
  config: 'config/strategies/crowd-maker.yaml',
  data: [process.argv[2] ?? 'data/sample'],
  fillModels: ['trade-through', 'risk-averse', 'optimistic'],
});
console.log(summaryTable(results.map(({ analysis }) => analysis)));
for (const { session, traceHash } of results) console.log(`${session.assumptions.fillModel}: ${traceHash}`);

const signs = new Set(results.map(({ analysis }) => Math.sign(analysis.result.resultMicros)));
console.log(signs.size === 1 ? 'the sign does not depend on the fill model' : 'the sign depends on the fill model');
