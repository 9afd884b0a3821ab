import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCycles } from '../measure/cycles.js';
import { largeFolders, roomOf, wingOf } from '../measure/figures.js';
import { readSourceTree, type SourceFile } from '../measure/source-tree.js';
import { CORE, LARGE_FOLDERS, MODULES, REASONS, ROOMS, SECLUDED, WINGS, WORLDLY } from './walls.js';

const files = readSourceTree(resolve(import.meta.dirname, '../..'), ['src', 'strategies']);

/** The longest entry of the table that contains the file; a room that is not listed belongs to its wing. */
const listedRoom = (path: string): string => {
  const room = roomOf(path);
  return room in ROOMS ? room : wingOf(path);
};
const isWithin = (room: string, allowed: readonly string[]) =>
  allowed.some((one) => room === one || room.startsWith(`${one}/`));
const reason = (room: string) => REASONS[room] ?? REASONS[room.split('/')[0] ?? ''] ?? '';

const eachImport = (check: (source: SourceFile, target: string) => string | null): string[] =>
  files.flatMap((source) => source.imports.flatMap(({ file }) => (file === null ? [] : (check(source, file) ?? []))));

/** The package of a module such as `@scope/name/some/file.js`. */
const packageOf = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

describe('the walls', () => {
  it('name every wing and every room', () => {
    expect(files.map(({ path }) => wingOf(path)).filter((wing) => !(wing in WINGS))).toEqual([]);
    expect(files.map(({ path }) => listedRoom(path)).filter((room) => !(room in ROOMS))).toEqual([]);
  });

  it('let a wing import only what lies below it', () => {
    const broken = eachImport(({ path }, target) => {
      const from = wingOf(path);
      const to = wingOf(target);
      if (from === to || WINGS[from]?.includes(to)) return null;
      return `${path} imports ${target}: ${from} may import ${WINGS[from]?.join(', ') || 'no other wing'}. ${reason(from)}`;
    });
    expect(broken).toEqual([]);
  });

  it('let a room import only what its line of the table names', () => {
    const broken = eachImport(({ path }, target) => {
      const from = listedRoom(path);
      const to = roomOf(target);
      const allowed = ROOMS[from] ?? [];
      if (listedRoom(target) === from || isWithin(to, allowed)) return null;
      return `${path} imports ${target}: ${from} may import ${allowed.join(', ') || 'nothing'}. ${reason(from)}`;
    });
    expect(broken).toEqual([]);
  });

  it('let only the gate of the trader ask risk for a judgement', () => {
    const asks = ({ imports }: SourceFile) =>
      imports.some(({ file, names }) => file === 'src/trader/risk/risk.ts' && names.includes('judge'));
    const inTrader = files.filter(({ path }) => wingOf(path) === 'trader').filter(asks);
    expect(inTrader.map(({ path }) => path)).toEqual(['src/trader/engine/gate.ts']);
  });

  it('let a module from outside be loaded only by the rooms that are there for it', () => {
    const broken = files.flatMap(({ path, imports }) =>
      imports.flatMap(({ specifier, file }) => {
        const wall = file === null ? MODULES[packageOf(specifier)] : undefined;
        if (wall === undefined || isWithin(roomOf(path), wall.rooms)) return [];
        return `${path} loads ${specifier}, which belongs to ${wall.rooms.join(', ')}; instead: ${wall.instead}`;
      }),
    );
    expect(broken).toEqual([]);
  });

  it('know every module of npm that is loaded', () => {
    const foreign = files.flatMap(({ imports }) =>
      imports
        .filter(({ file, specifier }) => file === null && !specifier.startsWith('node:'))
        .map((i) => packageOf(i.specifier)),
    );
    expect([...new Set(foreign)].filter((name) => !(name in MODULES))).toEqual([]);
  });

  it('allow no import cycle, type imports included', () =>
    expect(findCycles(files, true).map((cycle) => cycle.join(' -> '))).toEqual([]));
});

/** Removes comments and strings: the rules apply to code only. */
const code = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/[^\n]*/g, '$1')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''");

describe('what must never be there', () => {
  const begins = (path: string, folders: readonly string[]) => folders.some((folder) => path.startsWith(folder));
  const find = (pattern: RegExp, inside: (path: string) => boolean) =>
    files.filter(({ path, text }) => inside(path) && pattern.test(code(text))).map(({ path }) => path);

  it('async in the synchronous core', () =>
    expect(find(/\basync\b|\bawait\b|new Promise|Promise\./, (path) => begins(path, CORE))).toEqual([]));

  it('a clock, timer, random source or environment read outside the shells', () => {
    const world =
      /Date\.now|new Date\(\)|performance\.now|setTimeout|setInterval|setImmediate|Math\.random|randomUUID|randomBytes|process\.env|process\.hrtime/;
    const isWorldly = (path: string) => begins(path, WORLDLY) && !begins(path, SECLUDED);
    expect(find(world, (path) => !isWorldly(path))).toEqual([]);
  });

  it('a file of more than 600 lines', () =>
    expect(files.filter(({ lines }) => lines > 600).map(({ path }) => path)).toEqual([]));

  it('a function of more than 70 lines', () => {
    const long = files.flatMap(({ path, functions }) =>
      functions.filter(({ lines }) => lines > 70).map(({ name, line }) => `${path}:${line} ${name}`),
    );
    expect(long).toEqual([]);
  });

  it('a folder of so many files that nobody sees its shape, without a reason', () => {
    expect(largeFolders(files).filter((entry) => !((entry.split(' ')[0] ?? '') in LARGE_FOLDERS))).toEqual([]);
  });
});
