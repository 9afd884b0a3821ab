import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainJson, plainLine, plainText } from '../../../src/shared/base/text-width.js';
import { anyCharacter } from '../../support/any-character.js';

const cases: readonly (readonly [string, string, string])[] = [
  ['a title of words, marks and emoji', 'Café – 50 % “yes” 🎉', 'Café – 50 % “yes” 🎉'],
  ['a screen that is cleared', 'a\u001b[2Jb', 'a?[2Jb'],
  ['a title bar that is set', '\u001b]0;owned\u0007', '?]0;owned?'],
  ['the eight-bit form of the same', '\u009b2J\u009d0;x\u009c', '?2J?0;x?'],
  ['a line that is written over', 'loss\rgain\u0008\u007f', 'loss?gain??'],
  ['a direction that is turned round', 'ab\u202ecd\u2066', 'ab?cd?'],
  ['line separators of Unicode', 'a\u2028b\u2029c\u0085d', 'a?b?c?d'],
  ['half a character', 'a\ud800b', 'a?b'],
];

describe('a text of a stranger', () => {
  it.each(cases)('as a line: %s', (_, given, plain) => {
    expect(plainLine(given)).toBe(plain);
    expect(plainText(given)).toBe(plain);
  });

  it('keeps line breaks and tabs where it has several lines, and only there', () => {
    expect(plainText('a\n\tb')).toBe('a\n\tb');
    expect(plainLine('a\n\tb')).toBe('a??b');
  });
});

describe('JSON', () => {
  it('says the same, and nothing in it moves a cursor', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: anyCharacter })), (texts) => {
        const plain = plainJson(JSON.stringify(texts, null, 2));
        expect(JSON.parse(plain)).toEqual(texts);
        expect(plainText(plain)).toBe(plain);
      }),
    );
    expect(plainJson('"\u009b\u{e0001}"')).toBe('"\\u009b\\udb40\\udc01"');
  });
});
