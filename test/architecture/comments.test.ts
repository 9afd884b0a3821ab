import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PUBLIC_ROOMS } from '../measure/figures.js';
import { readSourceTree } from '../measure/source-tree.js';

const root = resolve(import.meta.dirname, '../..');

describe('rooms that others program against', () => {
  it.each(PUBLIC_ROOMS)('src/%s says of every exported function, class, interface and type what it is', (room) => {
    const files = readSourceTree(root, [`src/${room}`]);
    const silent = files.flatMap(({ path, exports }) =>
      exports
        .filter(({ kind, documented }) => kind !== 'value' && !documented)
        .map(({ kind, name, line }) => `${path}:${line} ${kind} ${name}`),
    );
    expect(files.flatMap(({ exports }) => exports).length).toBeGreaterThan(10);
    expect(silent).toEqual([]);
  });

  it('repeat no name in place of a sentence', () => {
    const files = readSourceTree(
      root,
      PUBLIC_ROOMS.map((room) => `src/${room}`),
    );
    const repeated = files.flatMap(({ path, text }) =>
      [...text.matchAll(ONE_LINE_COMMENT)]
        .filter(([, sentence = '', name = '']) => sameWords(sentence, name))
        .map(([, sentence, name]) => `${path} ${name}: ${sentence}`),
    );
    expect(repeated).toEqual([]);
  });
});

/** A comment of one line directly above an exported declaration: its sentence and the declared name. */
const ONE_LINE_COMMENT = /^\/\*\* (.+) \*\/\nexport (?:class|interface|type|function|const) (\w+)/gm;

/** Whether every important word of the sentence is also in the name. */
function sameWords(sentence: string, name: string): boolean {
  const own = new Set(name.split(/(?=[A-Z])/).map((word) => word.toLowerCase()));
  const words = sentence.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.every((word) => own.has(word) || FILLERS.has(word));
}

const FILLERS = new Set(['a', 'an', 'the', 'of', 'for', 'is', 'to', 'what', 'whether', 'this', 'that', 'it', 'in']);
