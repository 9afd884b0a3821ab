import fc from 'fast-check';
import { expect, test } from 'vitest';
import { common, mergeSpans, type Span, sumSpans } from '../../../src/lab/session/samples.js';

const spans = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 })));
const covered = (all: readonly Span[]) =>
  Array.from({ length: 41 }, (_, ms) => all.some(([from, to]) => from <= ms && ms < to));

test('merged spans are the same time, in order and apart', () =>
  fc.assert(
    fc.property(spans, (all) => {
      const result = mergeSpans(all);
      expect(covered(result)).toEqual(covered(all));
      expect(sumSpans(result)).toBe(covered(all).filter(Boolean).length);
      for (const [index, [from, to]] of result.entries()) {
        expect(from).toBeLessThan(to);
        expect(from).toBeGreaterThan(result[index - 1]?.[1] ?? -1);
      }
    }),
  ));

test('common time is the time that is in both', () =>
  fc.assert(
    fc.property(spans, spans, (left, right) => {
      const both = covered(common(mergeSpans(left), mergeSpans(right)));
      const [a, b] = [covered(left), covered(right)];
      expect(both).toEqual(a.map((is, ms) => is && b[ms]));
    }),
  ));
