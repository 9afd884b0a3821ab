import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repeatedTypes } from '../measure/figures.js';
import { readSourceTree } from '../measure/source-tree.js';

const files = readSourceTree(resolve(import.meta.dirname, '../..'), ['src', 'strategies']);

describe('names', () => {
  it('of exported classes, interfaces and types mean one thing within a wing', () => {
    const repeated = repeatedTypes(files).map(({ wing, name, files }) => `${wing}: ${name} in ${files.join(' and ')}`);
    expect(repeated).toEqual([]);
  });

  it('are spread from no literal into another only to please the formatter', () => {
    const spread = files.filter(({ literalSpreads }) => literalSpreads > 0).map(({ path }) => path);
    expect(spread).toEqual([]);
  });
});
