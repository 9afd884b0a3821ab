/** Markets that a strategy gets from the venue's list. */

import { expect, it } from 'vitest';
import { isWanted } from '../../../src/trader/engine/market-worth.js';
import type { MarketFilter } from '../../../src/trader/engine/settings.js';

const market = { conditionId: 'M', title: 'Will the Senate pass the bill?', category: 'politics' };

it.each<[string, Partial<MarketFilter>, boolean]>([
  ['everything', {}, true],
  ['its category', { categories: ['sports', 'politics'] }, true],
  ['another category', { categories: ['sports'] }, false],
  ['a word of its title, in any case', { words: ['budget', 'senate'] }, true],
  ['words that it does not have', { words: ['budget'] }, false],
  ['none with a word that it has', { withoutWords: ['BILL'] }, false],
  ['none with words that it does not have', { withoutWords: ['recount'] }, true],
  ['a word that it has but not the market', { words: ['senate'], except: ['M'] }, false],
  ['another market left out', { except: ['N'] }, true],
])('a filter for %s', (_, filter, wanted) => {
  expect(isWanted({ categories: [], ...filter }, market)).toBe(wanted);
});

it('passes over categories that are not known where one is wanted', () => {
  expect(isWanted({ categories: ['politics'] }, { ...market, category: null })).toBe(false);
});
