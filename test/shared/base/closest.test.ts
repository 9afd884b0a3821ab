import { expect, test } from 'vitest';
import { closest } from '../../../src/shared/base/text.js';

test.each([
  ['opened', ['open', 'resolved', 'halted'], 'open'],
  ['resolve', ['open', 'resolved'], 'resolved'],
  ['opne', ['open', 'resolved'], 'open'],
  ['openings-and-more', ['open'], null],
  ['ope', ['opening'], null],
  ['zebra', ['open'], null],
])('%s among %j was meant to be %s', (word, known, meant) => {
  expect(closest(word, known)).toBe(meant);
});
