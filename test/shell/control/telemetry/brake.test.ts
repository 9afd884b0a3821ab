import { expect, test } from 'vitest';
import { BRAKE_LEVELS, Brake } from '../../../../src/shell/control/telemetry/publisher.js';

/** Spans of ten seconds, with the time used by telemetry and the delay of beats; the levels after each. */
function levelsAfter(spans: readonly { readonly usedMs: number; readonly lateMs: number }[]): readonly number[] {
  const brake = new Brake(0);
  return spans.map(({ usedMs, lateMs }, i) => {
    for (let beat = 0; beat < 100; beat++) brake.noteBeat(lateMs);
    brake.noteUse(usedMs);
    brake.look((i + 1) * 10_000);
    return brake.level;
  });
}

const CALM = { usedMs: 5, lateMs: 20 };
const COSTLY = { usedMs: 51, lateMs: 0 };
const FELT = { usedMs: 11, lateMs: 6 };
const repeat = <T>(value: T, times: number): readonly T[] => Array.from({ length: times }, () => value);

test('slows down a level for each span that costs more than its share, and sends markets within two seconds', () => {
  expect(levelsAfter(repeat(COSTLY, 5))).toEqual([1, 2, 3, 3, 3]);
  expect(BRAKE_LEVELS.filter(({ periodMs }) => periodMs >= 2_000)).toEqual([]);
});

test('spares a loop that is late while telemetry is felt, and drops no ladder for that', () => {
  expect(levelsAfter(repeat(FELT, 5))).toEqual([1, 2, 2, 2, 2]);
  expect(BRAKE_LEVELS.map(({ hasLadders }) => hasLadders)).toEqual([true, true, true, false]);
});

test('is not to blame for a late loop when it took next to nothing', () => {
  expect(levelsAfter(repeat(CALM, 3))).toEqual([0, 0, 0]);
});

test('gives a level back after three calm spans', () => {
  expect(levelsAfter([COSTLY, COSTLY, ...repeat(CALM, 7)])).toEqual([1, 2, 2, 2, 1, 1, 1, 0, 0]);
});

test('ends no span before its time', () => {
  const brake = new Brake(0);
  brake.noteUse(1_000);
  expect(brake.look(9_999)).toBe(false);
  expect(brake.look(10_000)).toBe(true);
});
