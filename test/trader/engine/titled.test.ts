import { expect, it } from 'vitest';
import type { Markets } from '../../../src/trader/engine/markets.js';
import { showTitle } from '../../../src/trader/engine/notices.js';

/** Only the part in which a title is looked up. */
const marketsWith = (title: string): Markets => ({ get: () => ({ feed: { facts: { title } } }) }) as unknown as Markets;

it.each([
  ['Rain in Berlin on 3 May?', 'Rain in Berlin on 3 May?'],
  ['Will é 日本 win?', 'Will é 日本 win?'],
  ['a"\n22:00 nothing rests', 'a"?22:00 nothing rests'],
  ['\u001b[2J\u001b]52;c;AAAA\u0007', '?[2J?]52;c;AAAA?'],
  ['x\u202egnihton\u2028', 'x?gnihton?'],
])('a title of the exchange is shown without what moves a terminal: %j', (title, shown) => {
  expect(showTitle(marketsWith(title), 'A')).toBe(shown);
});
