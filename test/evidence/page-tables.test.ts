import { expect, it } from 'vitest';
import type { SimulationResult } from '../../src/lab/arena/contract.js';
import { arenaTable, edgeOf, sampleTable } from './page-tables.js';

const result = (edge: number, fills: number, failure: string | null = null): SimulationResult => ({
  ...{ seed: 1, edge, uninformedEdge: edge, informedEdge: 0, fills, shares: fills, failure },
  ...{ actions: 0, requests: null, halts: 0, reported: null, wealth: 0, result: 0, drawdown: 0, outcome: null },
});

const MEASURED = { day: '2026-01-02', firstSeed: 5, seeds: 2, crowdSeeds: 1 };

it('shows losses, failures and silence beside gains', () => {
  const worlds = {
    challenge: edgeOf([result(3, 10), result(-1, 20)]),
    news: edgeOf([result(0, 0), result(0, 0)]),
    event: edgeOf([result(0, 0, 'threw'), result(1, 2)]),
  };
  const lines = arenaTable([{ row: 'maker', worlds }], MEASURED).split('\n');
  expect(lines.slice(2)).toEqual([
    '| | challenge | news | event |',
    '|---|---:|---:|---:|',
    '| maker | +1.0 ± 2.0; 1 of 2; 15 | no fill | +0.5 ± 0.5; 0 of 2; 1, 1 failed |',
  ]);
});

it('says so where the sample has no fill', () => {
  const figures = { resultMicros: -2_500_000, fills: 3, takerFills: 1, markout60sMicros: null };
  const row = { strategy: 'maker', model: 'risk-averse', ...figures };
  expect(sampleTable([{ ...row, fills: 0 }], 'constant:150')).toMatch(/it has no fill/);
  expect(sampleTable([row], 'constant:150')).toContain('| maker | `risk-averse` | −2.50 | 3 (1) | – |');
});
