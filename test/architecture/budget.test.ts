import { describe, expect, it } from 'vitest';
import { marksPer10000 } from '../measure/prose.js';
import { exceeding, flat, measureBudget, readBudget } from './budget.js';

const budget = readBudget();
const measured = measureBudget();

describe('the budget of the code', () => {
  it('bounds each room, the whole and the marks of unclear prose', () => {
    expect(measured.totals.src).toBeGreaterThan(10_000);
    expect(exceeding(flat(measured), flat(budget))).toEqual([]);
  });

  it('counts marks by words', () => {
    expect(marksPer10000(['What is sent is not told.', 'A plain sentence of seven short words.'])).toBeCloseTo(
      (2 / 13) * 1e4,
    );
  });
});
