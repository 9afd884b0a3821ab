import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSourceTree } from '../measure/source-tree.js';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/glossary.md'), 'utf8');
const terms = [...page.matchAll(/^- \*\*([^*]+)\*\*: /gm)].map(([, term = '']) => term.toLowerCase());

/** Names and prose as plain words: `outboundCheck`, `outbound-check` and “outbound check” are the same. */
const wordsOf = (text: string): string =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z]+/g, ' ')
    .toLowerCase();

describe('the glossary', () => {
  it('defines a term once', () => {
    expect(terms.length).toBeGreaterThan(50);
    expect(terms.filter((term, index) => terms.indexOf(term) !== index)).toEqual([]);
  });

  it('has only terms that src uses', () => {
    const words = readSourceTree(root, ['src']).map(({ path, text }) => ` ${wordsOf(`${path} ${text}`)} `);
    const used = (term: string): boolean => words.some((text) => new RegExp(` ${term}s? `).test(text));
    expect(terms.filter((term) => !used(term))).toEqual([]);
  });
});
