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
    expect(files.filter(({ literalSpreads }) => literalSpreads > 0).map(({ path }) => path)).toEqual([]);
  });
});

/** Events with input or connections from another process: an error in their handler ends the process. */
const FROM_OUTSIDE = /\.(?:on|once|addListener)\(\s*'(?:data|line|connection|request|response|end)',\s*/g;
/** The peers of these programs are their own threads, or they hold no orders: an error may end them. */
const WITHOUT_ORDERS = ['src/cli/', 'src/lab/', 'src/recording/', 'strategies/'];

it('handlers of what other processes send are guarded', () => {
  const found = files
    .filter(({ path }) => !WITHOUT_ORDERS.some((wing) => path.startsWith(wing)))
    .flatMap(({ path, text }) =>
      [...text.matchAll(FROM_OUTSIDE)].map(({ 0: begin, index }) => ({
        path,
        handler: text.slice(index + begin.length).split('\n')[0] ?? '',
      })),
    );
  expect(found.length).toBeGreaterThan(5);
  expect(found.filter(({ handler }) => !handler.startsWith('guarded('))).toEqual([]);
});
