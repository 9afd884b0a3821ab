import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type FittedColumn,
  fitTable,
  foldText,
  GAP,
  measureText,
  plainLine,
} from '../../../src/shared/base/text-width.js';

type Row = readonly string[];
const columns = (...more: readonly Partial<FittedColumn<Row>>[]): readonly FittedColumn<Row>[] =>
  more.map((column, place) => ({ name: `n${place}`, cell: (row) => row[place] ?? '', keep: place, ...column }));
const linesOf = (all: readonly FittedColumn<Row>[], rows: readonly Row[], width: number) =>
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
    expect(
      linesOf(
        all,
        [
          ['kill', 'somebody pressed it because of the weather'],
          ['x', 'y'],
        ],
        28,
      ),
    ).toEqual(['n0    n1', 'kill  somebody pressed it', '      because of the weather', 'x     y']);
  });

  test('loses no letter of a message', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 30 }), (text, width) => {
        const lines = foldText(text, width);
        expect(lines.join('').replaceAll(' ', '')).toBe(plainLine(text).replaceAll(' ', ''));
        for (const line of lines) expect(measureText(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});
