import { describe, expect, it } from 'vitest';
import { DuplicateFilter } from '../../../src/recording/importers/duplicate-filter.js';

/** Asks of each line of one piece, in order; lines are `sid seq rest`. */
function askPiece(filter: DuplicateFilter, lines: readonly string[]): boolean[] {
  filter.begin(Buffer.from(lines.join('\n')));
  let from = 0;
  return lines.map((line) => {
    const [sid, seq] = line.split(' ').map(Number);
    const end = from + line.length;
    const known = filter.knows(from, end, sid ?? 0, seq ?? 0);
    from = end + 1;
    return known;
  });
}

describe('lines told twice', () => {
  it('are known by number and content, also in a later piece and among many', () => {
    const filter = new DuplicateFilter();
    const many = Array.from({ length: 500 }, (_, seq) => `1 ${seq} a`);
    expect(askPiece(filter, many)).not.toContain(true);
    expect(askPiece(filter, ['1 499 a', '1 0 a', '1 250 b', '2 250 a', '1 250 b', '1 500 a'])).toEqual([
      true,
      true,
      false, // another content
      false, // another subscription
      true, // and that is what was told last of this number
      false,
    ]);
  });

  it('are all different where every message has the same number', () => {
    expect(askPiece(new DuplicateFilter(), ['1 7 a', '1 7 a', '1 7 a'])).toEqual([false, false, false]);
  });

  it('are known wherever in some megabytes they lie, whole or half a turn later', () => {
    const filter = new DuplicateFilter();
    const line = (seq: number, last: string) => `1 ${seq} ${'a'.repeat(997)}${last}`;
    for (let thousand = 1; thousand <= 10; thousand++) {
      const lines = Array.from({ length: 1000 }, (_, at) => line(1000 * thousand + at, 'a'));
      expect(askPiece(filter, lines)).not.toContain(true);
      expect(askPiece(filter, lines)).not.toContain(false);
      expect(askPiece(filter, [line(1000 * thousand, 'b'), line(1000 * thousand, 'b')])).toEqual([false, true]);
    }
    // Longer than what is remembered: of it its end.
    const long = Array.from({ length: 6000 }, (_, at) => line(20_000 + at, 'a'));
    askPiece(filter, long);
    expect(askPiece(filter, [line(20_000, 'a'), line(25_999, 'a')])).toEqual([false, true]);
  });

  it('are forgotten after some megabytes', () => {
    const filter = new DuplicateFilter();
    askPiece(filter, ['1 1 a', '1 2 a']);
    for (let megabyte = 0; megabyte < 5; megabyte++) filter.begin(Buffer.alloc(1_000_000));
    expect(askPiece(filter, ['1 2 a', '1 2 a'])).toEqual([false, true]);
  });
});
