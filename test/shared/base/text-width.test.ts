import { describe, expect, it } from 'vitest';
import { cutText, measureText, padText } from '../../../src/shared/base/text-width.js';

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
