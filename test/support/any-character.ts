/** Characters for properties about texts: `fc.string({ unit: anyCharacter })`. */

import fc from 'fast-check';

/** Halves of pairs, which are not characters, are in the middle of the range of characters. */
const [HALVES_FROM, HALVES] = [0xd800, 0x800];
const LAST = 0x10ffff;

/**
 * Every character of Unicode, all equally likely: the same as fast-check's own unit `binary` draws for a seed. That
 * unit first makes a table of the whole million, which takes longer than most properties.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: LAST - HALVES }).map(
  (place) => String.fromCodePoint(place < HALVES_FROM ? place : place + HALVES),
  (character) => {
    const point = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1;
    if (point < 0 || character !== String.fromCodePoint(point) || isHalf(point)) throw new Error('not one character');
    return point < HALVES_FROM ? point : point - HALVES;
  },
);

const isHalf = (point: number): boolean => point >= HALVES_FROM && point < HALVES_FROM + HALVES;
