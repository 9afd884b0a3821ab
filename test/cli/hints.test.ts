import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { COMMAND_GROUPS } from '../../src/cli/cli.js';
import { readSourceTree } from '../measure/source-tree.js';
import { walk } from '../measure/walk.js';

const root = resolve(import.meta.dirname, '../..');
const files = readSourceTree(root, ['src']);

/** One error message for people: its place, its text, and its hint as written in the source; null without a hint. */
interface Refusal {
  readonly place: string;
  readonly words: string;
  readonly hint: string | null;
}

/** Constructors of errors for people, and the index of their hint argument. */
const HINT_AT: Readonly<Record<string, number>> = { TwinbookError: 2 };

/** Errors that need no hint, by a part of their text, and the reason. */
const NEEDS_NONE: Readonly<Record<string, string>> = {};

/** Words after the program's name that are not commands. */
const NO_COMMANDS = ['paper', 'key'];

const refusals: readonly Refusal[] = files.flatMap(({ path, text }) => {
  const found: Refusal[] = [];
  if (!/new \w*Error\(/.test(text)) return found;
  walk(parseSync(path, text).program, (node) => {
    if (node.type !== 'NewExpression' || node.callee.type !== 'Identifier') return;
    const at = HINT_AT[node.callee.name];
    if (at === undefined) return;
    const part = (place: number) => {
      const argument = node.arguments[place];
      return argument === undefined ? null : text.slice(argument.start, argument.end).replaceAll(/\s+/g, ' ');
    };
    const line = text.slice(0, node.start).split('\n').length;
    found.push({ place: `${path}:${line}`, words: part(1) ?? '', hint: part(at) });
  });
  return found;
});

describe('a refusal', () => {
  it('says what to do, or stands in the list of those that need not, with why', () => {
    expect(refusals.length).toBeGreaterThan(200);
    const bare = refusals.filter(({ hint }) => hint === null || /^(['"`])\1$/.test(hint) || hint === 'undefined');
    const known = Object.keys(NEEDS_NONE);
    expect(
      bare
        .filter(({ words }) => !known.some((part) => words.includes(part)))
        .map(({ place, words }) => `${place} ${words}: give a hint that names what helps`),
    ).toEqual([]);
    expect(known.filter((part) => !bare.some(({ words }) => words.includes(part)))).toEqual([]);
  });

  it('names no command that there is not', () => {
    const names = new Set([...NO_COMMANDS, ...COMMAND_GROUPS.flatMap((group) => group.names)]);
    const named = files.flatMap(({ path }) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/`?\\?`twinbook ([a-z][a-z-]*)/g)].map(([, name = '']) => ({
        path,
        name,
      })),
    );
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter(({ name }) => !names.has(name)).map(({ path, name }) => `${path}: twinbook ${name}`)).toEqual(
      [],
    );
  });
});
