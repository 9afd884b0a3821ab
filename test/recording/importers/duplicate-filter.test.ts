import { describe, expect, it } from 'vitest';
import { DuplicateFilter } from '../../../src/recording/importers/duplicate-filter.js';
import { TextRing } from '../../../src/recording/importers/text-ring.js';

/** A filter, and how it is asked of each line of one piece, in order; lines are `sid seq rest`. */
function newFilter() {
  const ring = new TextRing();
  const filter = new DuplicateFilter(ring);
  return (lines: readonly string[]): boolean[] => {
    const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    let from = ring.makeRoom();
    text.copy(ring.bytes, from);
    expect(ring.take(text.length)?.from).toBe(from);
    return lines.map((line) => {
      const [sid, seq] = line.split(' ').map(Number);
      const end = from + line.length;
      const known = filter.knows(from, end, sid ?? 0, seq ?? 0);
      from = end + 1;
      return known;
    });
  };
}

describe('lines told twice', () => {
  it('are known by number and content, also in a later piece and among many', () => {
    const askPiece = newFilter();
    const many = Array.from({ length: 500 }, (_, seq) => `1 ${seq} a`);
    expect(askPiece(many)).not.toContain(true);
    expect(askPiece(['1 499 a', '1 0 a', '1 250 b', '2 250 a', '1 250 b', '1 500 a'])).toEqual([
      true,
      true,
      false, // another content
      false, // another subscription
      true, // and that is what was told last of this number
      false,
    ]);
  });

  it('are all different where every message has the same number', () => {
    expect(newFilter()(['1 7 a', '1 7 a', '1 7 a'])).toEqual([false, false, false]);
  });

  it('are known wherever in some megabytes they lie, whole or half a turn later', () => {
    const askPiece = newFilter();
    const line = (seq: number, last: string) => `1 ${seq} ${'a'.repeat(997)}${last}`;
    for (let thousand = 1; thousand <= 10; thousand++) {
      const lines = Array.from({ length: 1000 }, (_, at) => line(1000 * thousand + at, 'a'));
      expect(askPiece(lines)).not.toContain(true);
      expect(askPiece(lines)).not.toContain(false);
      expect(askPiece([line(1000 * thousand, 'b'), line(1000 * thousand, 'b')])).toEqual([false, true]);
    }
    // Of more than what is remembered its end.
    for (let thousand = 20; thousand < 27; thousand++) {
      askPiece(Array.from({ length: 1000 }, (_, at) => line(1000 * thousand + at, 'a')));
    }
    expect(askPiece([line(20_000, 'a'), line(26_999, 'a')])).toEqual([false, true]);
  });

  it('are forgotten after some megabytes', () => {
    const askPiece = newFilter();
    askPiece(['1 1 a', '1 2 a']);
    for (let megabyte = 0; megabyte < 7; megabyte++)
      askPiece(Array.from({ length: 1000 }, () => `2 3 ${'b'.repeat(995)}`));
    expect(askPiece(['1 2 a', '1 2 a'])).toEqual([false, true]);
  });
});
