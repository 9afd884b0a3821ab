import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dominantVector, propagate } from '../../../../src/trader/strategy/maths/tridiagonal.js';

/**
 * Sell depths of Cartea and Jaimungal with inventory limits (Cartea, Jaimungal and Penalva 2015, section 10.2, parameters
 * of figure 10.1): omega = exp(A t) z with A_qq = -phi kappa q^2, lambda / e beside it, z_q = e^(-alpha kappa q^2), and
 * depth 1 / kappa + (ln omega_q - ln omega_(q-1)) / kappa. The same linear equation with other numbers.
 */
function sellDepths(phi: number, timeLeft: number): number[] {
  const [lambda, kappa, alpha] = [1, 100, 1e-4];
  const units = Float64Array.from([-3, -2, -1, 0, 1, 2, 3]);
  const matrix = { diagonal: units.map((q) => -phi * kappa * q * q), beside: lambda / Math.E };
  const start = units.map((q) => Math.exp(-alpha * kappa * q * q));
  const omega = propagate(matrix, start, timeLeft);
  return [6, 5, 4, 3, 2, 1].map((i) => 1 / kappa + Math.log((omega[i] ?? 0) / (omega[i - 1] ?? 0)) / kappa);
}

describe('Cartea and Jaimungal, sell depths for 3, 2, 1, 0, -1, -2 units', () => {
  test.each([
    ['30 before the end', 1e-4, 30, [0.00287332, 0.00654159, 0.00891737, 0.01108263, 0.01345841, 0.01712668]],
    ['1 before the end', 1e-4, 1, [0.00665079, 0.0090821, 0.00977005, 0.01022995, 0.0109179, 0.01334921]],
    ['at the end', 1e-4, 0, [0.0095, 0.0097, 0.0099, 0.0101, 0.0103, 0.0105]],
    ['with ten times the penalty', 1e-3, 30, [-0.00371599, 0.00154644, 0.00709109, 0.01290891, 0.01845356, 0.02371599]],
  ])('%s', (_name, phi, timeLeft, depths) => {
    for (const [i, depth] of sellDepths(phi, timeLeft).entries()) expect(depth).toBeCloseTo(depths[i] ?? 0, 8);
  });
});

const matrices = fc.record({
  diagonal: fc
    .array(fc.integer({ min: -300, max: 300 }), { minLength: 2, maxLength: 8 })
    .map((values) => Float64Array.from(values, (value) => value / 100)),
  beside: fc.integer({ min: 10, max: 200 }).map((value) => value / 100),
});
const ones = (length: number) => new Float64Array(length).fill(1);
function alike(one: Float64Array, two: Float64Array, digits: number): void {
  for (const [i, value] of one.entries()) expect(value / (two[i] ?? 0)).toBeCloseTo(1, digits);
}

test('going on from half of the time is going the whole of it', () => {
  fc.assert(
    fc.property(matrices, fc.integer({ min: 0, max: 400 }), (matrix, hundredths) => {
      const start = ones(matrix.diagonal.length);
      const half = propagate(matrix, start, hundredths / 200);
      alike(propagate(matrix, half, hundredths / 200), propagate(matrix, start, hundredths / 100), 11);
    }),
  );
});

test('everything grows into the dominant vector, which the matrix only stretches', () => {
  fc.assert(
    fc.property(matrices, (matrix) => {
      const vector = dominantVector(matrix);
      const stretched = vector.map(
        (value, i) =>
          ((matrix.diagonal[i] ?? 0) * value + matrix.beside * ((vector[i - 1] ?? 0) + (vector[i + 1] ?? 0))) / value,
      );
      for (const factor of stretched) expect(factor).toBeCloseTo(stretched[0] ?? 0, 8);
    }),
  );
});

test('two components swing nowhere, whatever stands on the diagonal', () => {
  expect([...dominantVector({ diagonal: Float64Array.of(0, 0), beside: 1 })]).toEqual([1, 1]);
  const [one = 0, two = 0] = propagate({ diagonal: Float64Array.of(0, 0), beside: 1 }, Float64Array.of(1, 3), 0.5);
  // exp of the exchange matrix: cosh and sinh.
  const [cosh, sinh] = [Math.cosh(0.5), Math.sinh(0.5)];
  expect(one / two).toBeCloseTo((cosh + 3 * sinh) / (3 * cosh + sinh), 13);
});

test('components far below the largest keep their digits', () => {
  // Nearly diagonal: the second component is beside / (difference of the diagonals) of the first, and so on.
  const vector = dominantVector({ diagonal: Float64Array.of(0, -1, -1, -1, -1), beside: 1e-7 });
  for (const [i, value] of vector.entries()) expect(value / 1e-7 ** i).toBeCloseTo(1, 10);
});
