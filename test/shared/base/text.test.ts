import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  closest,
  cutText,
  fitTable,
  foldText,
  GAP,
  measureText,
  padText,
  plainJson,
  plainLine,
  plainText,
} from '../../../src/shared/base/text.js';
import { anyCharacter } from '../../support/any-character.js';

describe('the width of a text', () => {
  it.each([
    ['plain', 5],
    ['é', 1],
    ['e\u0301', 1],
    ['日本語', 6],
    ['한국', 4],
    ['Ａ', 2],
    ['🙂', 2],
    ['🇳🇴', 2],
    ['☀️', 2],
    ['☀', 1],
    ['…', 1],
    // The joiner is shown as a question mark.
    ['👩‍👧', 5],
    ['\u001b[2J', 4],
    ['', 0],
  ])('%j takes %i columns', (text, columns) => expect(measureText(text)).toBe(columns));

  it('is never more than what was asked for after a cut, and all of it after padding', () => {
    const text = 'ab日本👩‍👧e\u0301\u202ex';
    for (let columns = 0; columns <= measureText(text) + 1; columns++) {
      const cut = cutText(text, columns);
      expect(measureText(cut)).toBeLessThanOrEqual(columns);
      expect(cut).not.toMatch(/\p{C}/u);
      expect(measureText(padText(cut, columns, 'behind'))).toBe(columns);
    }
    expect(cutText('日本語', 4)).toBe('日…');
    expect(padText('日', 4, 'before')).toBe('  日');
  });
});

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

it('JSON says the same, and nothing in it moves a cursor', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCharacter })), (texts) => {
      const plain = plainJson(JSON.stringify(texts, null, 2));
      expect(JSON.parse(plain)).toEqual(texts);
      expect(plainText(plain)).toBe(plain);
    }),
  );
  expect(plainJson('"\u009b\u{e0001}"')).toBe('"\\u009b\\udb40\\udc01"');
});

type Row = readonly string[];
type Columns = Parameters<typeof fitTable<Row>>[0];
const columns = (...more: readonly Partial<Columns[number]>[]): Columns =>
  more.map((column, place) => ({ name: `n${place}`, cell: (row) => row[place] ?? '', keep: place, ...column }));
const linesOf = (all: Columns, rows: readonly Row[], width: number) =>
  fitTable(all, rows, width).lines.map((cells) => cells.join(GAP).trimEnd());

/** Letters with a width of zero, one and two columns. */
const words = fc
  .array(fc.constantFrom('a', 'Wörter', '東京で雪', 'é', '👩‍👩‍👧', ' ', '.'), { maxLength: 12 })
  .map((all) => all.join(''));

describe('a table that fits', () => {
  test('is never wider than the terminal, whatever stands in it', () => {
    const gives = fc.constantFrom({}, { gives: 'cut' }, { gives: 'fold' }, { gives: 'cut', least: 3 } as const);
    const isText = fc.constantFrom({}, { isText: true } as const);
    const column = fc.tuple(gives, isText).map((both) => Object.assign({}, ...both));
    const drawn = fc.tuple(
      fc.array(column, { minLength: 1, maxLength: 6 }),
      fc.array(fc.array(words), { maxLength: 5 }),
    );
    fc.assert(
      fc.property(drawn, fc.integer({ min: 2, max: 100 }), ([given, rows], width) => {
        for (const line of linesOf(columns(...given), rows, width))
          expect(measureText(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('shrinks texts before a column goes, and lets go of the least important first', () => {
    const all = columns({ keep: 2 }, { keep: 1 }, { isText: true, gives: 'cut', keep: 3 });
    const rows = [['12345', '67890', 'a title that is long']];
    expect(linesOf(all, rows, 40)[1]).toBe('12345  67890  a title that is long');
    expect(linesOf(all, rows, 26)[1]).toBe('12345  67890  a title tha…');
    expect(linesOf(all, rows, 25)[1]).toBe('12345  a title that is l…');
    expect(fitTable(all, rows, 18).columns.map(({ name }) => name)).toEqual(['n2']);
  });

  test('gives a message several lines below itself, with nothing beside the others', () => {
    const all = columns({ isText: true }, { isText: true, gives: 'fold' });
    const message = ['kill', 'somebody pressed it because of the weather'];
    const lines = ['n0    n1', 'kill  somebody pressed it', '      because of the weather', 'x     y'];
    expect(linesOf(all, [message, ['x', 'y']], 28)).toEqual(lines);
  });

  test('loses no letter of a message', () =>
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 30 }), (text, width) => {
        const lines = foldText(text, width);
        expect(lines.join('').replaceAll(' ', '')).toBe(plainLine(text).replaceAll(' ', ''));
        for (const line of lines) expect(measureText(line)).toBeLessThanOrEqual(width);
      }),
    ));
});

test.each([
  ['opened', ['open', 'resolved', 'halted'], 'open'],
  ['resolve', ['open', 'resolved'], 'resolved'],
  ['opne', ['open', 'resolved'], 'open'],
  ['openings-and-more', ['open'], null],
  ['ope', ['opening'], null],
  ['zebra', ['open'], null],
])('%s among %j was meant to be %s', (word, known, meant) => expect(closest(word, known)).toBe(meant));
