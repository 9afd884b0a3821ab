import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  add,
  complement,
  formatDecimal,
  type Micros,
  micros,
  mul,
  mulDiv,
  ONE,
  parseDecimal,
  stepOfPrecision,
  sub,
  toMultiple,
} from '../../../src/shared/base/micros.js';

const anyMicros = fc.maxSafeInteger().map((n) => micros(n));
const rounding = fc.constantFrom('floor' as const, 'ceil' as const);
const nearTheEdges = fc.oneof(anyMicros, fc.integer({ min: -10, max: 10 }).map(micros), fc.integer().map(micros));

/** The obvious model: floor or ceiling of an exact fraction. */
function exact(numerator: bigint, denominator: bigint, rounding: 'floor' | 'ceil'): bigint {
  const n = denominator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const floor = n >= 0n || n % d === 0n ? n / d : n / d - 1n;
  return rounding === 'floor' || n % d === 0n ? floor : floor + 1n;
}

const fits = (n: bigint) => n <= BigInt(Number.MAX_SAFE_INTEGER) && n >= -BigInt(Number.MAX_SAFE_INTEGER);

describe('micros', () => {
  it('multiplies exactly for every representable input, or refuses what does not fit', () =>
    fc.assert(
      fc.property(nearTheEdges, nearTheEdges, rounding, (a, b, r) => {
        const wanted = exact(BigInt(a) * BigInt(b), 1_000_000n, r);
        if (fits(wanted)) expect(BigInt(mul(a, b, r))).toBe(wanted);
        else expect(() => mul(a, b, r)).toThrow(RangeError);
      }),
      { numRuns: 20_000 },
    ));

  it('multiplies and divides exactly for every representable input', () =>
    fc.assert(
      fc.property(nearTheEdges, nearTheEdges, nearTheEdges, rounding, (a, b, c, r) => {
        const wanted = c === 0 ? null : exact(BigInt(a) * BigInt(b), BigInt(c), r);
        if (wanted !== null && fits(wanted)) expect(BigInt(mulDiv(a, b, c, r))).toBe(wanted);
        else expect(() => mulDiv(a, b, c, r)).toThrow(RangeError);
      }),
      { numRuns: 10_000 },
    ));

  it('refuses sums, differences and values that a double cannot hold', () => {
    expect(() => add(micros(Number.MAX_SAFE_INTEGER), micros(1))).toThrow(RangeError);
    expect(() => sub(micros(-Number.MAX_SAFE_INTEGER), micros(1))).toThrow(RangeError);
    for (const bad of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
      expect(() => micros(bad)).toThrow(RangeError);
  });

  it('never yields minus zero, which would print and compare as another value', () => {
    expect([Object.is(micros(-0), 0), Object.is(mul(micros(-5), micros(0), 'ceil'), 0)]).toEqual([true, true]);
    expect(Object.is(mul(micros(-1), micros(1), 'ceil'), 0)).toBe(true);
  });

  it('rounds to steps in the named direction, below zero too', () => {
    const cases: [number, number, 'floor' | 'ceil', number][] = [
      [425_000, 10_000, 'floor', 420_000],
      [425_000, 10_000, 'ceil', 430_000],
      [420_000, 10_000, 'ceil', 420_000],
      [-425_000, 10_000, 'floor', -430_000],
      [-425_000, 10_000, 'ceil', -420_000],
    ];
    for (const [value, step, rounding, wanted] of cases)
      expect(toMultiple(micros(value), micros(step), rounding)).toBe(wanted);
    expect(stepOfPrecision(2)).toBe(10_000);
    expect(complement(micros(420_000))).toBe(580_000);
    expect(() => stepOfPrecision(7)).toThrow(RangeError);
  });
});

describe('decimal strings', () => {
  it('come back as they went in', () =>
    fc.assert(
      fc.property(anyMicros, (value: Micros) => {
        expect(parseDecimal(formatDecimal(value))).toBe(value);
      }),
    ));

  it('are read as by their pattern, whatever they hold', () => {
    const text = fc.array(fc.constantFrom(...'0001234567899-..e '), { maxLength: 30 }).map((parts) => parts.join(''));
    const number = fc.tuple(fc.constantFrom('', '-'), fc.bigInt(0n, 10n ** 17n), fc.bigInt(0n, 10n ** 8n), fc.nat(30));
    const plain = number.map(([sign, whole, places, zeros]) => `${sign}${whole}.${places}${'0'.repeat(zeros)}`);
    fc.assert(
      fc.property(fc.oneof(text, plain), (each) => {
        expect(parseDecimal(each)).toBe(readByPattern(each));
      }),
    );
  });

  it('are read only when they are plain and exact', () => {
    const cases: [string, number | null][] = [
      ['0.42', 420_000],
      ['10', 10 * ONE],
      ['0.4200000000', 420_000],
      ['-0.000001', -1],
      ['-0', 0],
      ['9007199254.740991', Number.MAX_SAFE_INTEGER],
      ['9007199254.740992', null],
      ['0.0000001', null],
      [`0.${'0'.repeat(24)}`, 0],
      [`0.${'0'.repeat(25)}`, null],
      ['1e3', null],
      ['+1', null],
      [' 1', null],
      ['1.', null],
      ['.5', null],
      ['', null],
      ['NaN', null],
      ['0x10', null],
      ['１', null],
      ['99999999999999999999', null],
    ];
    for (const [text, wanted] of cases) expect(parseDecimal(text), text).toBe(wanted);
  });
});

/** The plain model: a pattern, and integers of any size. */
function readByPattern(text: string): number | null {
  const match = /^(-?)(\d{1,16})(?:\.(\d{1,24}))?$/.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = ''] = match;
  if (/[1-9]/.test(fraction.slice(6))) return null;
  const size = BigInt(whole) * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return sign === '-' && size > 0n ? -Number(size) : Number(size);
}
