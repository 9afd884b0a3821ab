/**
 * A backtest from code: a strategy file over recordings under three assumptions about fills, each result as data.
 *
 *     node examples/backtest-from-code.js
 *
 * Other recordings than the sample may be named behind it.
 * `progress`, `latency`, `seed`, fees and more are options of `backtest`; the same input gives the same hash anywhere.
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
