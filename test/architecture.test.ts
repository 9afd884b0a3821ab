import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * The room table of docs/architecture.md as a test: which folder of `src/` may import which. When the table is wrong,
 * both change in one commit with the reason.
 */
const root = resolve(import.meta.dirname, '..');

const LOWER = ['base', 'protocol', 'market', 'strategy', 'risk', 'ledger', 'executor', 'scheduler'];
const ALL_BUT = (...not: string[]) => Object.keys(ROOMS).filter((room) => !not.includes(room));

const ROOMS: Readonly<Record<string, readonly string[] | (() => readonly string[])>> = {
  base: [],
  protocol: ['base'],
  statistics: ['base'],
  market: ['base', 'protocol'],
  strategy: ['base', 'market'],
  risk: ['base', 'market', 'strategy'],
  ledger: ['base', 'protocol'],
  executor: ['base', 'protocol', 'ledger', 'risk'],
  scheduler: ['base', 'protocol', 'market'],
  engine: LOWER,
  journal: ['base', 'protocol', 'risk', 'executor', 'engine'],
  wallet: ['base', 'protocol'],
  client: ['base', 'protocol', 'wallet'],
  recording: ['base', 'protocol', 'market'],
  // Nothing of the trader: what fails there must not fail here.
  guardian: ['base', 'protocol', 'wallet', 'client'],
  exchange: ['base', 'protocol', 'recording'],
  // One file format for every shell: read and validated before any of them starts.
  config: ['base', 'protocol', 'strategy', 'risk'],
  backtest: () => ALL_BUT('daemon', 'dashboard', 'cli'),
  report: ['base', 'protocol', 'market', 'ledger', 'statistics'],
  daemon: () => ALL_BUT('backtest', 'cli'),
  dashboard: [],
  cli: () => ALL_BUT(),
  strategies: ['strategy', 'market', 'base'],
};

/** Rooms that see no world: no async, clock, timer, randomness or environment. */
const CORE = ['base', 'protocol', ...LOWER, 'engine', 'statistics', 'exchange/core', 'guardian/decide', 'strategies'];
/** Rooms whose business is the world. */
const WORLDLY = [
  'daemon',
  'client',
  'wallet',
  'guardian',
  'exchange/http',
  'exchange/store',
  'exchange/exchange',
  'recording',
  'config',
  'dashboard',
  'cli',
];

interface Source {
  readonly file: string;
  readonly room: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+'([^']+)'|(?:^|\n)\s*import\s+'([^']+)'|\bimport\(\s*'([^']+)'/g;

/** Comments and strings say what they like. */
const code = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/[^\n]*/g, '$1')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''");

function sources(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const file = relative(root, path);
      const text = readFileSync(path, 'utf8');
      const imports = [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
      return { file, room: file.startsWith('strategies') ? 'strategies' : (file.split('/')[1] ?? ''), text, imports };
    });
}

const files = [...sources('src'), ...sources('strategies')];
const within = (file: string, folders: readonly string[]) =>
  folders.some((folder) => file.startsWith(folder === 'strategies' ? 'strategies/' : `src/${folder}`));

const targetOf = (source: Source, specifier: string): string =>
  relative(root, resolve(root, dirname(source.file), specifier)).replace(/\.js$/, '.ts');

describe('the room table', () => {
  it('lists every room that exists', () => {
    const rooms = new Set(files.map((source) => source.room));
    expect([...rooms].filter((room) => !(room in ROOMS))).toEqual([]);
  });

  it('is kept by every import', () => {
    const broken: string[] = [];
    for (const source of files) {
      const rule = ROOMS[source.room] ?? [];
      const allowed = typeof rule === 'function' ? rule() : rule;
      for (const specifier of source.imports.filter((name) => name.startsWith('.'))) {
        const target = targetOf(source, specifier);
        const room = target.startsWith('strategies') ? 'strategies' : (target.split('/')[1] ?? '');
        if (room !== source.room && !allowed.includes(room)) broken.push(`${source.file} imports ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('lets the exchange core import nothing of the exchange around it', () => {
    const broken = files
      .filter((source) => source.file.startsWith('src/exchange/core/'))
      .flatMap((source) => source.imports.filter((name) => name.startsWith('.')).map((name) => targetOf(source, name)))
      .filter((target) => target.startsWith('src/exchange/') && !target.startsWith('src/exchange/core/'));
    expect(broken).toEqual([]);
  });

  it('has no import cycle, type imports included', () => {
    const edges = new Map(
      files.map((source) => [
        source.file,
        source.imports.filter((name) => name.startsWith('.')).map((name) => targetOf(source, name)),
      ]),
    );
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const walk = (file: string, path: readonly string[]): void => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
        return;
      }
      state.set(file, 'open');
      for (const next of edges.get(file) ?? []) walk(next, [...path, file]);
      state.set(file, 'done');
    };
    for (const file of edges.keys()) walk(file, []);
    expect(cycles).toEqual([]);
  });
});

describe('what must never be there', () => {
  const find = (pattern: RegExp, inside: (file: string) => boolean) =>
    files.filter((source) => inside(source.file) && pattern.test(code(source.text))).map((source) => source.file);

  it('async in the synchronous core', () => {
    expect(find(/\basync\b|\bawait\b|new Promise|Promise\./, (file) => within(file, CORE))).toEqual([]);
  });

  it('a clock, timer, random source or environment read outside the shells', () => {
    const world =
      /Date\.now|new Date\(\)|performance\.now|setTimeout|setInterval|setImmediate|Math\.random|randomUUID|randomBytes|process\.env|process\.hrtime/;
    expect(find(world, (file) => !within(file, WORLDLY))).toEqual([]);
  });

  it('a file of more than 400 lines', () => {
    expect(files.filter((source) => source.text.split('\n').length > 401).map((source) => source.file)).toEqual([]);
  });
});
