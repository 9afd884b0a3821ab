import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chosenModel, type FillModel, fillModel } from '../../../src/exchange/core/matching/fill-model.js';
import { TwinbookError } from '../../../src/shared/base/errors.js';

const model = (ahead: number): FillModel => ({
  name: 'mine',
  fillsAtTouch: true,
  aheadOnJoin: () => ahead,
  aheadAfterChange: () => ahead,
});

describe('a fill model of somebody’s own', () => {
  it('never leaves its place in the queue, whatever it answers, and counts in whole lots', () => {
    const amount = fc.integer({ min: 0, max: 1_000 });
    const anyAnswer = fc.double({ noNaN: true });
    fc.assert(
      fc.property(
        anyAnswer,
        amount,
        amount,
        amount,
        fc.constantFrom(1, 5, 100),
        (answer, ahead, before, after, lot) => {
          const bounded = chosenModel(model(answer));
          const joined = bounded.aheadOnJoin(before * lot);
          expect(joined).toBeGreaterThanOrEqual(0);
          expect(joined).toBeLessThanOrEqual(before * lot);
          const left = bounded.aheadAfterChange(ahead * lot, before * lot, after * lot, 0, lot);
          expect(left).toBeGreaterThanOrEqual(0);
          expect(left).toBeLessThanOrEqual(Math.min(ahead, after) * lot);
          expect(left % lot).toBe(0);
        },
      ),
    );
  });

  it('that answers no number, or has no name, is an error of its author', () => {
    expect(() => chosenModel(model(Number.NaN)).aheadOnJoin(1)).toThrow(TwinbookError);
    expect(() => chosenModel({ ...model(0), name: '' })).toThrow(TwinbookError);
  });

  it('that says what a shipped one says moves orders as that does', () => {
    const shipped = fillModel('power:2');
    const own = chosenModel({ ...shipped, name: 'mine' });
    const amount = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(amount, amount, amount, (ahead, before, after) => {
        expect(own.aheadAfterChange(ahead, before, after, 0, 1)).toBe(
          shipped.aheadAfterChange(ahead, before, after, 0, 1),
        );
      }),
    );
  });
});
