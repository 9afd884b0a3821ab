import { describe, expect, test } from 'vitest';
import { traderSchema } from '../../../src/shell/config/schema.js';

const problemOf = (expression: string) =>
  traderSchema.shape.schedule.safeParse({ reconcile: expression }).error?.issues[0]?.message ?? null;

describe('a cron expression', () => {
  test.each([
    '* * 8-22 * * *',
    '0 */15 * * * *',
    '0 0 0 1 jan,JUL *',
    '* * * * * mon-fri',
    '* * * * * 7',
    '30-50/10 * * * * *',
    '* * 22-4 * * *',
    '  0 0 0  1 1 0 ',
  ])('%s is one', (expression) => expect(problemOf(expression)).toBeNull());

  const fields = 'wants six cron fields (second minute hour day month weekday), got';
  test.each([
    ['', `${fields} 0`],
    ['* * * *', `${fields} 4`],
    ['* 8-22 * * *', `${fields} 5; for a five-field expression write "0 * 8-22 * * *"`],
    ['60 * * * * *', 'is not a cron expression: 60 is a invalid expression for second'],
    ['* */0 * * * *', 'is not a cron expression: */0 is a invalid expression for minute'],
    ['0 0 0 31 4,6 *', 'is not a cron expression: 31 4,6 is an impossible day of month for the given month'],
    ['* * * * foo *', 'is not a cron expression: foo is a invalid expression for month'],
    ['0 0 0 L * *', 'wants days as numbers or names, not L'],
    ['0 0 0 * * 1#2', 'wants days as numbers or names, not 1#2'],
  ])('%j is refused', (expression, problem) => expect(problemOf(expression)).toBe(problem));
});
