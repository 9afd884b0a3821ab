/** Figures about the shape of the code, over the files of `src` and `strategies`. */

import { dirname } from 'node:path';
import { findCycles } from './cycles.js';
import type { ExportFact, SourceFile } from './source-tree.js';

export interface Figure {
  readonly name: string;
  readonly value: string;
}

/** The part of the sources that a file belongs to: a folder of `src`, or `strategies`. */
export const wingOf = (path: string): string => (path.startsWith('src/') ? (path.split('/')[1] ?? '') : 'strategies');

/** A folder of a wing: `trader/risk`; the wing itself for files directly in it. */
export const roomOf = (path: string): string =>
  path.startsWith('src/') ? path.split('/').slice(1, -1).slice(0, 2).join('/') : 'strategies';

/** A folder with more files than this needs a reason. */
export const MANY_FILES = 25;

/** Rooms of `src` that other programs import: every function, class, interface and type there has a comment. */
export const PUBLIC_ROOMS = [
  'trader/strategy',
  'shared/protocol',
  'trader/market',
  'shell/client',
  'exchange',
  'trader/ledger',
] as const;

export function measure(files: readonly SourceFile[], tests: readonly SourceFile[]): Figure[] {
  return [
    ...sizes(files),
    ...functionSizes(files),
    ...cleanliness(files),
    ...documentation(files),
    ...names(files),
    ...testSizes(files, tests),
  ];
}

function sizes(files: readonly SourceFile[]): Figure[] {
  const lines = files.map((file) => file.lines);
  const total = sum(lines);
  const wings = [...new Set(files.map(({ path }) => wingOf(path)))].sort();
  const shares = wings.map((wing) => {
    const own = sum(files.filter(({ path }) => wingOf(path) === wing).map((file) => file.lines));
    return `${wing} ${percent(own / total)}`;
  });
  const over = (most: number) => lines.filter((count) => count > most).length;
  return [
    { name: 'files', value: figure(files.length) },
    { name: 'lines (of them code)', value: `${figure(total)} (${figure(sum(files.map((file) => file.codeLines)))})` },
    { name: 'lines by wing', value: shares.join(', ') },
    { name: 'lines of a file: median, p90, most', value: quantiles(lines, [0.5, 0.9, 1]) },
    {
      name: 'files over 400, over 150, under 50 lines',
      value: `${over(400)}, ${over(150)}, ${lines.length - over(49)}`,
    },
    { name: `folders with more than ${MANY_FILES} files`, value: listed(largeFolders(files)) },
  ];
}

/** Folders with more than `MANY_FILES` files directly in them, with their number. */
export function largeFolders(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > MANY_FILES).map(([folder, count]) => `${folder} ${count}`);
}

function functionSizes(files: readonly SourceFile[]): Figure[] {
  const functions = files.flatMap((file) => file.functions);
  const lines = functions.map((one) => one.lines);
  const withParameters = (least: number) => functions.filter((one) => one.parameters >= least).length;
  return [
    { name: 'functions', value: figure(functions.length) },
    { name: 'lines of a function: median, p90, p99, most', value: quantiles(lines, [0.5, 0.9, 0.99, 1]) },
    { name: 'functions with 5 or more, 6 or more parameters', value: `${withParameters(5)}, ${withParameters(6)}` },
  ];
}

function cleanliness(files: readonly SourceFile[]): Figure[] {
  const all = (of: (file: SourceFile) => number) => figure(sum(files.map(of)));
  return [
    {
      name: 'import cycles at run time, with types',
      value: `${findCycles(files, false).length}, ${findCycles(files, true).length}`,
    },
    { name: 'any, non-null assertions', value: `${all((f) => f.anyTypes)}, ${all((f) => f.nonNullAssertions)}` },
    { name: 'casts', value: all((file) => file.casts) },
    { name: 'literals spread into literals', value: all((file) => file.literalSpreads) },
    { name: 'lint rules switched off', value: all(({ text }) => text.split('biome-ignore').length - 1) },
  ];
}

function documentation(files: readonly SourceFile[]): Figure[] {
  const code = sum(files.map((file) => file.codeLines));
  const share = (among: readonly ExportFact[]) =>
    among.length === 0 ? '–' : percent(among.filter((one) => one.documented).length / among.length);
  const exported = files.flatMap((file) => file.exports);
  const kinds = ['class', 'interface', 'type', 'function', 'value'] as const;
  const rooms = PUBLIC_ROOMS.map((room) => {
    const own = files.filter(({ path }) => path.startsWith(`src/${room}/`)).flatMap((file) => file.exports);
    return `${room} ${share(own.filter((one) => one.kind !== 'value'))}`;
  });
  return [
    { name: 'comment lines to code lines', value: (sum(files.map((f) => f.commentLines)) / code).toFixed(2) },
    { name: 'exports with a comment of their own', value: share(exported) },
    {
      name: 'by kind',
      value: kinds.map((kind) => `${kind} ${share(exported.filter((e) => e.kind === kind))}`).join(', '),
    },
    { name: 'by room, without values', value: rooms.join(', ') },
  ];
}

function names(files: readonly SourceFile[]): Figure[] {
  const functions = files.flatMap((file) => file.functions.map((one) => one.name)).filter((name) => name !== '');
  const distinct = (test: RegExp) => new Set(functions.filter((name) => test.test(name))).size;
  const repeated = repeatedTypes(files);
  return [
    {
      name: 'type names exported twice within a wing',
      value: listed(repeated.map(({ name, wing }) => `${wing}: ${name}`)),
    },
    { name: 'functions named `…Of`', value: figure(distinct(/[a-z]Of$/)) },
    {
      name: 'functions named by one participle',
      value: figure(distinct(/^[a-z]+(ed|told|kept|heard|begun|lost|made)$/)),
    },
  ];
}

export interface RepeatedType {
  readonly wing: string;
  readonly name: string;
  readonly files: readonly string[];
}

/** Classes, interfaces and types whose name exists twice within one wing. */
export function repeatedTypes(files: readonly SourceFile[]): RepeatedType[] {
  const places = new Map<string, { readonly wing: string; readonly name: string; readonly files: string[] }>();
  for (const { path, exports } of files) {
    for (const { name, kind } of exports) {
      if (kind === 'function' || kind === 'value') continue;
      const key = `${wingOf(path)} ${name}`;
      const place = places.get(key) ?? { wing: wingOf(path), name, files: [] };
      // A constant or a function may have its type's name in the same file.
      if (!place.files.includes(path)) place.files.push(path);
      places.set(key, place);
    }
  }
  return [...places.values()].filter((place) => place.files.length > 1);
}

function testSizes(files: readonly SourceFile[], tests: readonly SourceFile[]): Figure[] {
  const source = sum(files.map((file) => file.lines));
  const total = sum(tests.map((file) => file.lines));
  const helpers = tests.filter(({ path }) => !/\.(test|bench)\.ts$/.test(path));
  const inHelpers = sum(helpers.map((file) => file.lines));
  return [
    { name: 'test lines to source lines', value: `${(total / source).toFixed(2)} (${figure(total)})` },
    { name: 'test files, helper files', value: `${figure(tests.length - helpers.length)}, ${figure(helpers.length)}` },
    { name: 'share of helpers in the lines of tests', value: percent(inHelpers / total) },
  ];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const figure = (value: number): string => value.toLocaleString('en-US');
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
const listed = (items: readonly string[]): string =>
  items.length === 0 ? '0' : `${items.length}: ${items.slice(0, 12).join(', ')}${items.length > 12 ? ', …' : ''}`;

function quantiles(values: readonly number[], at: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  return at.map((q) => figure(sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)] ?? 0)).join(' / ');
}
