import { expect, test } from 'vitest';
import { computeStanding } from '../../../src/lab/arena/arena.js';
import { simulate } from '../../../src/lab/arena/simulation.js';
import { Starter } from './starter.js';

test('over 200 seeds the beginner’s maker loses what it lost in the original', () => {
  const results = Array.from({ length: 200 }, (_, seed) => ({
    ...simulate(seed, new Starter()),
    world: 'challenge',
    strategy: 'starter',
  }));
  const { edge, uninformedEdge, informedEdge, belowZero } = computeStanding(results);
  expect(edge.mean).toBeCloseTo(-6.4827, 4);
  expect(edge.standardError).toBeCloseTo(0.6, 2);
  expect(uninformedEdge.mean).toBeCloseTo(0.6126, 4);
  expect(informedEdge.mean).toBeCloseTo(-7.0953, 4);
  expect(belowZero).toBe(176);
});
