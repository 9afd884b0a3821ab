import { describe, expect, test } from 'vitest';
import { cronMatches, cronProblem } from '../../src/config/cron.js';

/** Local time, because quoting hours are those of the machine. */
const at = (text: string): Date => new Date(text);

describe('a cron expression', () => {
  test.each([
    ['* * 8-22 * * *', '2026-11-21T08:00:00', true],
    ['* * 8-22 * * *', '2026-11-21T22:59:59', true],
    ['* * 8-22 * * *', '2026-11-21T23:00:00', false],
    ['0 */15 * * * *', '2026-11-21T11:45:00', true],
    ['0 */15 * * * *', '2026-11-21T11:45:01', false],
    ['0 0 0 1 jan,JUL *', '2026-07-01T00:00:00', true],
    ['0 0 0 1 jan,JUL *', '2026-08-01T00:00:00', false],
    // 2026-11-21 is a Saturday, 2026-11-22 a Sunday.
    ['* * * * * mon-fri', '2026-11-21T12:00:00', false],
    ['* * * * * 7', '2026-11-22T12:00:00', true],
    ['* * * * * 0', '2026-11-22T12:00:00', true],
    ['30/10 * * * * *', '2026-11-21T12:00:50', true],
    ['30/10 * * * * *', '2026-11-21T12:00:20', false],
    // Either day field is enough when both are restricted: cron's old rule.
    ['* * * 1 * sat', '2026-11-21T12:00:00', true],
    ['* * * 1 * sun', '2026-11-21T12:00:00', false],
  ])('%s at %s: %s', (expression, moment, expected) => {
    expect(cronMatches(expression, at(moment))).toBe(expected);
  });

  test.each([
    ['', 'wants six cron fields (second minute hour day month weekday), got 0'],
    ['* * * *', 'wants six cron fields (second minute hour day month weekday), got 4'],
    ['60 * * * * *', 'cron field second: wants values from 0 to 59, got "60"'],
    ['* 5-3 * * * *', 'cron field minute: wants values from 0 to 59, got "5-3"'],
    ['* */0 * * * *', 'cron field minute: wants values from 0 to 59, got "*/0"'],
    ['* * * 0 * *', 'cron field day: wants values from 1 to 31, got "0"'],
    ['* * * * foo *', 'cron field month: wants values from 1 to 12, got "foo"'],
    ['* * 8..22 * * *', 'cron field hour: cannot read "8..22"'],
    ['* * 1, * * *', 'cron field hour: cannot read ""'],
  ])('%j is refused', (expression, problem) => {
    expect(cronProblem(expression)).toBe(problem);
    expect(cronMatches(expression, at('2026-11-21T12:00:00'))).toBe(false);
  });
});
