import { describe, expect, test } from 'vitest';
import { findNamed } from '../../src/cli/market-meant.js';

const MARKETS = [
  { id: '46ajyTCBenzEq', title: 'Will Bitcoin close higher on 24 November?' },
  { id: '46bXmVqW', title: 'Will the budget bill pass by 24 November?' },
  { id: 'will', title: 'A market with an odd name' },
  { id: 'willow', title: 'Trees' },
];

describe('the name that is meant', () => {
  test.each([
    ['its own', '46bXmVqW', '46bXmVqW'],
    ['the only one that begins so', '46a', '46ajyTCBenzEq'],
    ['as a table prints it', '46ajyTCB…nzEq', '46ajyTCBenzEq'],
    ['a word of a title', 'budget', '46bXmVqW'],
    ['words in any order, cut short', '24 bitc', '46ajyTCBenzEq'],
    ['the exact one, though another begins so', 'will', 'will'],
    ['another end', '46ajyTCB…nzEQ', null],
    ['the middle of a name', 'ajyTCB', null],
    ['the middle of a word', 'itcoin', null],
    ['nothing', '', null],
    ['no letters', '?', null],
    ['an ellipsis alone', '…', null],
  ])('%s', (_, typed, expected) => {
    expect(findNamed(typed, MARKETS, 'markets')).toBe(expected);
  });

  test('is looked for in names before titles', () => {
    expect(() => findNamed('wil', MARKETS, 'markets')).toThrow('may be any of 2 markets');
  });

  test('is asked for when there are several, at most ten by name', () => {
    const many = Array.from({ length: 13 }, (_, n) => ({ id: `m${n}`, title: `Rain ${n}?` }));
    expect(() => findNamed('rain', many, 'markets')).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: '"rain" may be any of 13 markets:',
        hint: expect.stringMatching(/^m0 {2}Rain 0\?\n(.*\n){9} {2}… and 3 more\n {2}Write more/),
      }),
    );
  });
});
