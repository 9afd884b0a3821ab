/**
 * The size of the project, bounded by `budget.json`: lines, files and exports of each room, all lines of `src` and of
 * the tests, and the marks of unclear prose. `npx tsx test/architecture/budget.ts` writes the current figures.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { commentsIn, marksPer10000, messagesIn, proseIn } from '../measure/prose.js';
import { readSourceTree } from '../measure/source-tree.js';

export const ROOT = resolve(import.meta.dirname, '../..');
export const BUDGET_FILE = 'test/architecture/budget.json';

export interface RoomSize {
  readonly lines: number;
  readonly files: number;
  readonly exports: number;
}

export interface Budget {
  readonly rooms: Readonly<Record<string, RoomSize>>;
  /** Lines of all rooms, and of all tests. */
  readonly totals: { readonly src: number; readonly test: number };
  /** Marks of unclear prose per 10,000 words, rounded up. */
  readonly prose: { readonly comments: number; readonly docs: number; readonly messages: number };
}

interface Source {
  readonly path: string;
  readonly text: string;
}

export const readBudget = (): Budget => JSON.parse(read(BUDGET_FILE)) as Budget;

/** Measures the working tree. */
export function measureBudget(): Budget {
  const sources = sourcesIn('src');
  const comments = [...sources, ...sourcesIn('strategies')].map(({ text }) => commentsIn(text));
  const pages = filesIn('docs').filter((path) => path.endsWith('.md') && !path.startsWith('docs/lab/'));
  const docs = [...pages, 'README.md', 'CHANGELOG.md'].map((path) => proseIn(read(path)));
  return {
    rooms: roomSizes(sources),
    totals: { src: sumLines(sources), test: sumLines(sourcesIn('test')) },
    prose: {
      comments: Math.ceil(marksPer10000(comments)),
      docs: Math.ceil(marksPer10000(docs)),
      messages: Math.ceil(marksPer10000(sources.map(({ path, text }) => messagesIn(path, text)))),
    },
  };
}

/** Figures by name, such as `src/cli lines`. */
export function flat({ rooms, totals, prose }: Budget): ReadonlyMap<string, number> {
  const sizes = Object.entries(rooms).flatMap(([room, size]) =>
    Object.entries(size).map(([name, figure]): [string, number] => [`${room} ${name}`, figure]),
  );
  return new Map([...sizes, ...common({ totals, prose })]);
}

/** The figures that may only decrease. */
export const common = ({ totals, prose }: Pick<Budget, 'totals' | 'prose'>): readonly (readonly [string, number])[] => [
  ...Object.entries(totals).map(([name, figure]) => [`lines of ${name}`, figure] as const),
  ...Object.entries(prose).map(([name, figure]) => [`marks in ${name}`, figure] as const),
];

/** The figures that exceed their bounds. */
export const exceeding = (
  figures: ReadonlyMap<string, number>,
  bounds: ReadonlyMap<string, number>,
): readonly string[] =>
  [...figures]
    .filter(([name, figure]) => figure > (bounds.get(name) ?? 0))
    .map(([name, figure]) => `${name}: ${figure}, at most ${bounds.get(name) ?? 'none'}`);

function roomSizes(sources: readonly Source[]): Record<string, RoomSize> {
  const exported = new Map(readSourceTree(ROOT, ['src']).map(({ path, exports }) => [path, exports.length]));
  const rooms: Record<string, RoomSize> = {};
  for (const { path, text } of sources) {
    const { lines, files, exports } = rooms[roomOf(path)] ?? { lines: 0, files: 0, exports: 0 };
    rooms[roomOf(path)] = {
      lines: lines + countLines(text),
      files: files + 1,
      exports: exports + (exported.get(path) ?? 0),
    };
  }
  return rooms;
}

/** Top folders that are not divided into rooms. */
const WHOLE = ['cli', 'recording'];

function roomOf(path: string): string {
  const [, wing = '', room = '', ...rest] = path.split('/');
  return WHOLE.includes(wing) || rest.length === 0 ? `src/${wing}` : `src/${wing}/${room}`;
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Sorted, because the order of the file system varies. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .sort();

const sourcesIn = (folder: string): readonly Source[] =>
  filesIn(folder)
    .filter((path) => /\.(?:ts|js)$/.test(path))
    .map((path) => ({ path, text: read(path) }));

const countLines = (text: string): number => text.split('\n').length - 1;

const sumLines = (sources: readonly Source[]): number => sources.reduce((sum, { text }) => sum + countLines(text), 0);

if (process.argv[1] === import.meta.filename)
  writeFileSync(join(ROOT, BUDGET_FILE), `${JSON.stringify(measureBudget(), null, 2)}\n`);
