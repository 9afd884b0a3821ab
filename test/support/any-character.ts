/** Characters for properties about texts: `fc.string({ unit: anyCharacter })`. */

import fc from 'fast-check';

/** Halves of pairs, which are no characters by themselves, stand here among the numbers of characters. */
const [HALVES_FROM, HALVES] = [0xd800, 0x800];
const LAST = 0x10ffff;

/**
 * Every character of Unicode, each as likely as any other: those that fast-check's own unit `binary` draws, and for the same seed the
 * same. That one first makes a table of the whole million, which takes a process longer than most properties.
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
