import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readRow } from '../../../src/shell/feeds/inbox.js';

const NOW_MS = 1_770_000_000_000;
const ROW = { market: 'M', p: 0.6, at: NOW_MS };
const VALUE = { conditionId: 'M', p: 0.6, bid: null, ask: null, sd: null, atMs: NOW_MS, validUntilMs: null };

describe('a row of a feed', () => {
  it('is a price, or a bid and an ask, with its time', () => {
    expect(readRow(ROW, NOW_MS)).toEqual(VALUE);
    const quoted = { bid: 0.4, ask: 0.5, sd: 0 };
    const atMs = Date.UTC(2025, 11, 31, 23);
    const read = readRow({ market: 'M', ...quoted, at: '2026-01-01T00:00:00+01:00' }, NOW_MS);
    expect(read).toEqual({ ...VALUE, p: null, ...quoted, atMs });
    const validUntilMs = NOW_MS + 5;
    expect(readRow({ ...ROW, sd: null, valid_until: validUntilMs }, NOW_MS)).toEqual({ ...VALUE, validUntilMs });
  });

  it('that is a moment ahead of our clock holds now', () =>
    expect(readRow({ ...ROW, at: NOW_MS + 900 }, NOW_MS)).toEqual(VALUE));

  test.each<readonly [raw: unknown, text: string]>([
    [{ ...ROW, p: 1.2 }, 'p: wants a number below 1, got 1.2'],
    [{ ...ROW, p: 0 }, 'p: wants a number above 0, got 0'],
    [{ ...ROW, p: Number.NaN }, 'p: wants a number, got NaN'],
    [{ ...ROW, p: '0.6' }, 'p: wants a number, got "0.6"'],
    [{ ...ROW, sd: -0.1 }, 'sd: wants 0 or more, got -0.1'],
    [{ market: 'M', p: 0.6 }, 'at: missing'],
    [{ p: 0.6, at: NOW_MS }, 'market: missing'],
    [{ ...ROW, at: 1_770_000 }, 'at: wants Unix time in ms, or a text such as 2026-03-01T12:00:00Z, got 1770000'],
    [{ ...ROW, at: NOW_MS + 60_000 }, "at: time is 60 s ahead of this machine's clock"],
    [{ ...ROW, prob: 1 }, 'unknown key "prob"; known are market, p, bid, ask, sd, at, valid_until'],
    [{ market: 'M', bid: 0.5, at: NOW_MS }, 'wants either p, or bid and ask'],
    [{ market: 'M', bid: 0.5, ask: 0.5, at: NOW_MS }, 'the bid is not below the ask'],
    [{ ...ROW, bid: 0.5, ask: 0.6 }, 'wants either p, or bid and ask'],
    [{ ...ROW, market: '\u001b[2J'.repeat(50) }, 'market: is too long'],
  ])('%j is left out with the reason', (raw, text) => {
    const read = readRow(raw, NOW_MS);
    expect('kind' in read ? read.text : read).toContain(text);
  });

  it('is read or refused in words, whatever it is', () =>
    fc.assert(
      fc.property(fc.anything(), (raw) => {
        const read = readRow(raw, NOW_MS);
        expect('kind' in read ? read.text : '').not.toMatch(/[\p{C}]/u);
      }),
    ));
});
