/** Times of a job's expression, over pauses of the loop, changed clocks and clock changes at night. */

import fc from 'fast-check';
import { createTask } from 'node-cron';
import { describe, expect, it } from 'vitest';
import { JobTimes } from '../../../src/shell/runtime/job-times.js';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const utc = (text: string): number => Date.parse(`${text}Z`);
const asUtc = (timeMs: number): number => timeMs;

/** Local time of a zone as if it were UTC, ms. */
function zone(timeZone: string): (timeMs: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (timeMs) => Date.parse(`${format.format(timeMs).replace(' ', 'T')}Z`) + (timeMs % SECOND);
}

interface Watch {
  readonly expression: string;
  readonly from: string;
  readonly to: string;
  readonly toLocal?: (timeMs: number) => number;
  readonly everyMs?: number;
}

/** UTC times of the checks at which a job was due. */
function watch({ expression, from, to, toLocal = asUtc, everyMs = SECOND }: Watch): readonly string[] {
  const times = new JobTimes(expression, utc(from), toLocal);
  const found: string[] = [];
  for (let nowMs = utc(from) + everyMs; nowMs <= utc(to); nowMs += everyMs)
    if (times.findPassed(nowMs) !== null) found.push(new Date(nowMs).toISOString().slice(0, 19));
  return found;
}

describe('the times of a job', () => {
  it('pass once each', () =>
    expect(watch({ expression: '30 */5 * * * *', from: '2026-11-28T10:00:00', to: '2026-11-28T10:11:00' })).toEqual([
      '2026-11-28T10:00:30',
      '2026-11-28T10:05:30',
      '2026-11-28T10:10:30',
    ]));

  it('that passed in a pause count once at the next look, with the age of the newest', () => {
    const times = new JobTimes('0 * * * * *', utc('2026-11-28T10:00:57'), asUtc);
    expect(times.findPassed(utc('2026-11-28T10:03:03'))).toBe(3 * SECOND);
    expect(times.findPassed(utc('2026-11-28T10:03:59'))).toBeNull();
    expect(times.findPassed(utc('2026-11-28T10:04:00'))).toBe(0);
  });

  it('of a month are found after a month', () => {
    const times = new JobTimes('0 0 0 1 * *', utc('2026-11-30T23:59:00'), asUtc);
    expect(times.findPassed(utc('2026-12-30T00:00:00'))).toBe(29 * 24 * HOUR);
  });

  it.each([
    ['Europe/Vienna', '2026-10-24T23:57:50', '2026-10-25T02:03:00'],
    ['Europe/Vienna', '2026-03-29T00:57:50', '2026-03-29T01:03:00'],
    ['America/Santiago', '2026-09-06T03:57:50', '2026-09-06T04:03:00'],
  ])('that name no hour go on over a clock change of %s', (timeZone, from, to) => {
    const found = watch({ expression: '0 * * * * *', from, to, toLocal: zone(timeZone) });
    expect(found).toHaveLength(Math.floor(utc(to) / MINUTE) - Math.floor(utc(from) / MINUTE));
  });

  it.each([
    ['an hour that comes twice', 'Europe/Vienna', '0 30 2 * * *', '2026-10-24T12:00:00', '2026-10-25T00:30:00'],
    ['an hour that is skipped', 'Europe/Vienna', '0 30 2 * * *', '2026-03-28T12:00:00', '2026-03-29T01:00:00'],
    ['a midnight that is skipped', 'America/Santiago', '0 0 0 * * *', '2026-09-05T12:00:00', '2026-09-06T04:00:00'],
  ])('count once in %s', (_, timeZone, expression, from, at) => {
    const to = new Date(utc(from) + 24 * HOUR).toISOString().slice(0, 19);
    expect(watch({ expression, from, to, toLocal: zone(timeZone), everyMs: MINUTE })).toEqual([at]);
  });

  it('are not late because an hour is skipped', () => {
    const times = new JobTimes('0 30 2 * * *', utc('2026-03-29T00:59:59'), zone('Europe/Vienna'));
    expect(times.findPassed(utc('2026-03-29T01:00:00'))).toBe(SECOND);
  });

  it.each([
    ['0 * * * * *', '2026-11-28T10:01:00', '2026-12-05T12:30:30'],
    ['0 0 12 * * *', '2026-11-28T12:00:00', '2026-11-28T12:30:30'],
  ])('of %s go on at %s after a clock that was set back from %s', (expression, next, ahead) => {
    const times = new JobTimes(expression, utc(ahead), asUtc);
    expect([times.findPassed(utc('2026-11-28T10:00:30')), times.findPassed(utc(next) - SECOND)]).toEqual([null, null]);
    expect(times.findPassed(utc(next))).toBe(0);
  });

  it('do not count twice when the clock is set right by half a second', () => {
    const times = new JobTimes('0 0 0 * * *', utc('2026-11-28T23:59:59'), asUtc);
    expect(times.findPassed(utc('2026-11-29T00:00:00') + 100)).toBe(100);
    expect(times.findPassed(utc('2026-11-28T23:59:59') + 600)).toBeNull();
    expect(times.findPassed(utc('2026-11-29T00:00:00') + 200)).toBeNull();
  });

  it('are those that the library names', () => {
    const moments = fc.integer({ min: utc('2026-01-01T00:00:00') / SECOND, max: utc('2028-12-31T00:00:00') / SECOND });
    const kinds = fc.array(fc.constantFrom('*', 'own', 'next', '*/2', '*/7'), { minLength: 6, maxLength: 6 });
    const highest = [59, 59, 23, 28, 12, 6];
    fc.assert(
      fc.property(moments, kinds, (second, picked) => {
        const nowMs = second * SECOND;
        const at = new Date(nowMs);
        const clock = [at.getUTCSeconds(), at.getUTCMinutes(), at.getUTCHours()];
        const own = [...clock, at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCDay()];
        const fields = picked.map((kind, i) => {
          if (kind === 'own') return own[i];
          return kind === 'next' ? Math.min((own[i] ?? 0) + 1, highest[i] ?? 0) : kind;
        });
        const mask = createTask(fields.join(' '), () => undefined, { timezone: 'UTC' });
        expect(new JobTimes(fields.join(' '), nowMs - SECOND, asUtc).findPassed(nowMs)).toBe(mask.match(at) ? 0 : null);
      }),
    );
  });
});
