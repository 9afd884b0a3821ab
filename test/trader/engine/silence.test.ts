import { expect, it } from 'vitest';
import { Silence } from '../../../src/trader/engine/notices.js';

it('begins with the third outcome in a row of which nothing is known, is told once after a second, and over after three answers', () => {
  const silence = new Silence();
  expect([0, 100, 200].map((ms) => [silence.onUnknown(ms), silence.isSuspected, silence.isOn])).toEqual([
    [false, true, false],
    [false, true, false],
    [false, true, true],
  ]);
  expect([999, 1_000, 1_100].map((ms) => silence.onUnknown(ms))).toEqual([false, true, false]);
  expect([silence.onAnswer(), silence.isSuspected]).toEqual([{ wasOn: true, isBack: false }, false]);
  expect([1, 2, 3].map(() => silence.onAnswer())).toEqual([
    { wasOn: false, isBack: false },
    { wasOn: false, isBack: true },
    { wasOn: false, isBack: false },
  ]);
});

it('is nothing to tell of an exchange that answers one call and not another', () => {
  const silence = new Silence();
  for (let ms = 0; ms < 60_000; ms += 400) {
    expect([ms, ms + 100, ms + 200].map((at) => silence.onUnknown(at))).toEqual([false, false, false]);
    expect(silence.onAnswer()).toEqual({ wasOn: true, isBack: false });
  }
});

it('is told once of an exchange that answers one look in thirty', () => {
  const silence = new Silence();
  let told = 0;
  for (let second = 0; second < 3_600; second++) {
    if (second % 30 !== 0) told += Number(silence.onUnknown(second * 1_000));
    else expect(silence.onAnswer().isBack).toBe(false);
  }
  expect(told).toBe(1);
});

it('is told also when our clock is set back meanwhile', () => {
  const silence = new Silence();
  const told = [90_000, 90_100, 1_000, 1_500, 2_000].map((ms) => silence.onUnknown(ms));
  expect(told).toEqual([false, false, false, false, true]);
});
