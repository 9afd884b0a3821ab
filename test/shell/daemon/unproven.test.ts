import { describe, expect, it } from 'vitest';
import { Unproven } from '../../../src/shell/daemon/daemon.js';

describe('a proof that is wanted', () => {
  /** The seconds, out of this number, at which another way is tried. */
  function triedAt(seconds: number, wantsProof: (second: number) => boolean): number[] {
    let nowMs = 5_000;
    const unproven = new Unproven(() => nowMs);
    const tried: number[] = [];
    for (let second = 0; second < seconds; second++, nowMs += 1_000) {
      if (unproven.isOverdue(wantsProof(second))) tried.push(second);
    }
    return tried;
  }

  it('is overdue after ten seconds, then after twice as long each time, a minute at most', () => {
    expect(triedAt(300, () => true)).toEqual([10, 30, 70, 130, 190, 250]);
  });

  it('begins anew with the next one', () => {
    expect(triedAt(60, (second) => second < 15 || second > 20)).toEqual([10, 31, 51]);
  });

  it('is never overdue while none is wanted', () => {
    expect(triedAt(300, () => false)).toEqual([]);
  });
});
