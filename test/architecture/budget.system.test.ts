/** Compares the budget of the newest commit with that of the commit before it. */

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { BUDGET_FILE, type Budget, common, exceeding, ROOT, readBudget } from './budget.js';

/** Null without an earlier commit or without history. */
function budgetBefore(): Budget | null {
  try {
    const args = ['show', `HEAD~1:${BUDGET_FILE}`];
    return JSON.parse(execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' })) as Budget;
  } catch {
    return null;
  }
}

const before = budgetBefore();

it.skipIf(before === null)('a commit raises no total of lines or marks', () => {
  expect(exceeding(new Map(common(readBudget())), new Map(common(before as Budget)))).toEqual([]);
});
