import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSourceTree } from '../measure/source-tree.js';

const root = resolve(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docs/glossary.md'), 'utf8');
const [tables = '', plain = ''] = text.split('## Words of programming');

/** The rows of both tables: the term and the places that it names. */
const rows = [...tables.matchAll(/^\| ([^|]+) \| [^|]+ \| ?([^|]*)\|$/gm)]
  .map(([, term = '', where = '']) => ({
    term,
    places: [...where.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  }))
  .filter(({ term }) => term !== 'Term');

/** Plurals and forms in -ing and -ed are the same word: `queries` and `query`, `pacing` and `pace`. */
const stem = (word: string): string =>
  word
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/(ing|ed|es|s)$/, '')
    .replace(/e$/, '');
const words = (phrase: string): string[] => phrase.match(/[A-Za-z]+/g) ?? [];
const known = new Set([...rows.flatMap(({ term }) => words(term)), ...words(plain)].map(stem));
const partsOf = (name: string): string[] => name.match(/[A-Z][a-z]+|[A-Z]+(?![a-z])/g) ?? [name];

describe('the glossary', () => {
  it('has each term once, and only places that exist', () => {
    expect(rows.length).toBeGreaterThan(100);
    const terms = rows.flatMap(({ term }) => term.split(', '));
    expect(terms.filter((term, index) => terms.indexOf(term) !== index)).toEqual([]);
    const places = rows.flatMap((row) => row.places);
    expect(places.filter((path) => !existsSync(join(root, 'src', path)))).toEqual([]);
  });

  it('holds the words of every exported class of the trader, the exchange’s core and the shells', () => {
    const files = readSourceTree(root, ['src/trader', 'src/exchange/core', 'src/shell']);
    const classes = files.flatMap(({ path, exports }) =>
      exports.filter(({ kind }) => kind === 'class').map(({ name }) => ({ path, name })),
    );
    expect(classes.length).toBeGreaterThan(80);
    const strange = classes.flatMap(({ path, name }) =>
      partsOf(name)
        .filter((part) => !known.has(stem(part)))
        .map(
          (part) => `${path}: ${name} needs a line for “${part.toLowerCase()}” in docs/glossary.md, or another name`,
        ),
    );
    expect(strange).toEqual([]);
  });
});
