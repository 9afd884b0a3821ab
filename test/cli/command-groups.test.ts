import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { parseSync } from 'oxc-parser';
import { describe, expect, it, test } from 'vitest';
import { COMMAND_GROUPS, groupsFor } from '../../src/cli/cli.js';
import type { CliIo } from '../../src/cli/io.js';
import { findNamed } from '../../src/cli/reach.js';
import { readSourceTree } from '../measure/source-tree.js';
import { walk } from '../measure/walk.js';
import { run } from './run.js';

describe('a group of commands', () => {
  for (const { names, load } of COMMAND_GROUPS) {
    it(`adds ${names.join(', ')} and nothing else`, async () => {
      const program = new Command();
      const add = await load();
      add(program, { io: {} as CliIo, exitCode: 0, run: () => Promise.resolve(0) });
      expect(program.commands.map((command) => command.name()).sort()).toEqual([...names].sort());
    });
  }

  it('is loaded alone for its command', () => {
    for (const group of COMMAND_GROUPS)
      for (const name of group.names) expect(groupsFor([name, '--json'])).toEqual([group]);
  });

  it('is one of all for help, for a name that there is not, and for none', async () => {
    for (const argv of [[], ['--help'], ['help', 'kill'], ['statsu']]) expect(groupsFor(argv)).toBe(COMMAND_GROUPS);
    expect((await run(['statsu'])).err).toContain('status');
  });

  it('is not needed for the version', async () => {
    for (const argv of [['--version'], ['-V']]) {
      expect(groupsFor(argv)).toEqual([]);
      expect((await run(argv)).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    }
  });
});

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
  ])('%s', (_, typed, expected) => expect(findNamed(typed, MARKETS, 'markets')).toBe(expected));

  test('is asked for when it begins the id of one market and a title of another', () =>
    expect(() => findNamed('wil', MARKETS, 'markets')).toThrow('matches 4 markets'));

  test('is asked for when there are several, at most ten by name', () => {
    const many = Array.from({ length: 13 }, (_, n) => ({ id: `m${n}`, title: `Rain ${n}?` }));
    expect(() => findNamed('rain', many, 'markets')).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: '"rain" matches 13 markets:',
        hint: expect.stringMatching(/^m0 {2}Rain 0\?\n(.*\n){9} {2}… and 3 more\n {2}Give more/),
      }),
    );
  });
});

const root = resolve(import.meta.dirname, '../..');
const files = readSourceTree(root, ['src']);

/** One error message for people: its place, its text, and its hint as written in the source; null without a hint. */
interface Refusal {
  readonly place: string;
  readonly words: string;
  readonly hint: string | null;
}

/** Words after the program's name that are not commands. */
const NO_COMMANDS = ['paper', 'key'];

const refusals: readonly Refusal[] = files.flatMap(({ path, text }) => {
  const found: Refusal[] = [];
  if (!text.includes('new TwinbookError(')) return found;
  walk(parseSync(path, text).program, (node) => {
    if (node.type !== 'NewExpression' || node.callee.type !== 'Identifier') return;
    if (node.callee.name !== 'TwinbookError') return;
    const part = (place: number) => {
      const argument = node.arguments[place];
      return argument === undefined ? null : text.slice(argument.start, argument.end).replaceAll(/\s+/g, ' ');
    };
    const line = text.slice(0, node.start).split('\n').length;
    found.push({ place: `${path}:${line}`, words: part(1) ?? '', hint: part(2) });
  });
  return found;
});

describe('a refusal', () => {
  it('says what to do', () => {
    expect(refusals.length).toBeGreaterThan(200);
    const bare = refusals.filter(({ hint }) => hint === null || /^(['"`])\1$/.test(hint) || hint === 'undefined');
    expect(bare.map(({ place, words }) => `${place} ${words}: give a hint that names what helps`)).toEqual([]);
  });

  it('names no command that there is not', () => {
    const names = new Set([...NO_COMMANDS, ...COMMAND_GROUPS.flatMap((group) => group.names)]);
    const named = files.flatMap(({ path }) => {
      const text = readFileSync(join(root, path), 'utf8');
      return [...text.matchAll(/`?\\?`twinbook ([a-z][a-z-]*)/g)].map(([, name = '']) => ({ path, name }));
    });
    expect(named.length).toBeGreaterThan(60);
    const unknown = named.filter(({ name }) => !names.has(name));
    expect(unknown.map(({ path, name }) => `${path}: twinbook ${name}`)).toEqual([]);
  });
});
