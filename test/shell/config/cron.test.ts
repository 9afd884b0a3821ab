import fc from 'fast-check';
import { validate } from 'node-cron';
import { describe, expect, test } from 'vitest';
import { cronProblem } from '../../../src/shell/config/schema.js';

describe('a cron expression', () => {
  test.each([
    '* * 8-22 * * *',
    '0 */15 * * * *',
    '0 0 0 1 jan,JUL *',
    '* * * * * mon-fri',
    '* * * * * 7',
    '30-50/10 * * * * *',
    '  0 0 0  1 1 0 ',
  ])('%s is one', (expression) => {
    expect(cronProblem(expression)).toBeNull();
  });

  test.each([
    ['', 'wants six cron fields (second minute hour day month weekday), got 0'],
    ['* * * *', 'wants six cron fields (second minute hour day month weekday), got 4'],
    [
      '* 8-25 * * *',
      'wants six cron fields (second minute hour day month weekday), got 5; a five-field expression lacks the second, and here is also wrong in cron field hour: wants values from 0 to 23, got "8-25"',
    ],
    [
      '* 8-22 * * *',
      'wants six cron fields (second minute hour day month weekday), got 5; for a five-field expression write "* * 8-22 * * *"',
    ],
    ['60 * * * * *', 'cron field second: wants values from 0 to 59, got "60"'],
    ['* 5-3 * * * *', 'cron field minute: wants values from 0 to 59, got "5-3"'],
    ['* */0 * * * *', 'cron field minute: wants values from 0 to 59, got "*/0"'],
    ['* 5/10 * * * *', 'cron field minute: a step needs a range or *, got "5/10"; write "5-59/10"'],
    ['* * * 0 * *', 'cron field day: wants values from 1 to 31, got "0"'],
    ['0 0 0 31 4,6 *', 'cron field day: no month that it names has this day'],
    ['* * * * foo *', 'cron field month: wants values from 1 to 12, got "foo"'],
    ['* * 8..22 * * *', 'cron field hour: cannot read "8..22"'],
    ['* * 1, * * *', 'cron field hour: cannot read ""'],
  ])('%j is refused', (expression, problem) => {
    expect(cronProblem(expression)).toBe(problem);
  });

  test('that passes is one that the scheduler runs', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '*',
        '*/2',
        'mon',
        'JAN-mar',
        'sun',
        '7',
        '6-7',
        '01',
        '1-5/2',
        '3/2',
        'L',
        '?',
        '#',
        '*,1',
        '-1',
      ),
      fc.nat(70).map(String),
      fc.tuple(fc.nat(70), fc.nat(70)).map(([a, b]) => `${a}-${b}`),
      fc.tuple(fc.nat(60), fc.nat(60)).map(([a, b]) => `${a},${b}`),
    );
    const field = fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, { weight: 1, arbitrary: part });
    fc.assert(
      fc.property(fc.array(field, { minLength: 6, maxLength: 6 }), (fields) => {
        const expression = fields.join(' ');
        if (cronProblem(expression) === null) expect([expression, validate(expression)]).toEqual([expression, true]);
      }),
      { numRuns: 2000 },
    );
  });
});
