/** Commands `twinbook init`, `strategies new` and `strategies test`, which write initial files and test a strategy. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { checkStrategy } from '../lab/strategy-checks/checks.js';
import { assert, TwinbookError, unreadable } from '../shared/base/errors.js';
import { makeFolder, SHARED_FOLDER } from '../shared/base/files.js';
import { loadConfig } from '../shell/config/load.js';
import { packageRoot, shippedStrategies } from '../shell/config/shipped.js';
import { command } from './command.js';
import { EXIT, OWN_CONFIG, writeWhole } from './io.js';
import * as option from './options.js';
import { type TableColumn, table } from './table.js';

/** Files that `twinbook init` writes, each with the shipped file that is its source. */
const FILES = [
  [OWN_CONFIG, 'config/paper.yaml'],
  ['strategies/belief-maker.yaml', 'config/strategies/belief-maker.yaml'],
  ['.gitignore', 'examples/new/folder.gitignore'],
  ['README.md', 'examples/new/folder.md'],
] as const;

export const addInitCommand = command({
  name: 'init',
  help: 'writes initial files to a folder: a trader’s file, a strategy file, .gitignore and README.md; asks no question',
  args: [['[dir]', 'folder to write to (default: the working folder)']],
  options: { yes: option.flag('--yes', 'without effect, because there is no question; accepted for scripts') },
  run: ({ args: [dir = '.'], io }) => {
    const folder = resolve(io.cwd, dir);
    const textOf = (file: string): string =>
      readFileSync(join(packageRoot, file), 'utf8')
        .replaceAll('`npm start`', '`npx twinbook start`')
        .replaceAll('../data/', 'data/')
        .replaceAll('PACKAGE', relative(folder, packageRoot));
    const missing = FILES.filter(([file]) => file === OWN_CONFIG || !existsSync(join(folder, file)));
    const texts = missing.map(([file, from]) => [file, textOf(from)] as const);
    writeNew(folder, texts, 'Name another folder: `twinbook init DIR`.');
    const commands = textOf('examples/new/folder.md').match(/^ {4}.*\n/gm) ?? [];
    io.out(`wrote ${missing.map(([file]) => file).join(', ')}; next, in ${folder}:\n\n${commands.join('')}`);
  },
});

export const strategyNewCommand = command({
  name: 'new',
  help: 'writes the initial files of a new strategy: a module and a strategy file',
  args: [['<name>', 'name of the strategy in lower case with dashes, such as my-maker', strategyName]],
  options: { dir: option.usual('--dir <folder>', 'folder to write to', '.', String) },
  run: ({ options: { dir }, args: [name = ''], io }) => {
    // The files that `new` copies are tested with every release.
    const settings = readFileSync(join(packageRoot, 'examples/new/market.yaml'), 'utf8').replaceAll('NAME', name);
    const texts = [
      [`${name}.ts`, moduleText(name)],
      [`${name}.yaml`, settings],
    ] as const;
    writeNew(resolve(io.cwd, dir), texts, 'Choose another name.');
    const file = join(dir, `${name}.yaml`);
    io.out(
      `wrote ${join(dir, `${name}.ts`)} and ${file}\n\n` +
        `    npx twinbook strategies test ${file}\n` +
        `    npx twinbook backtest -c ${file} --data ${join(packageRoot, 'data', 'sample')}\n\n` +
        'Then add the YAML file to the list `strategies:` of a trader’s file.\n',
    );
  },
});

function strategyName(text: string): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text))
    throw new InvalidArgumentError('Wanted lower-case letters and digits with dashes, such as my-maker.');
  if (shippedStrategies().includes(text)) throw new InvalidArgumentError(`A shipped strategy has the name '${text}'.`);
  return text;
}

/** Writes all given files, or throws and writes none if one exists. @param hint printed if one of them exists */
function writeNew(folder: string, texts: readonly (readonly [file: string, text: string])[], hint: string) {
  for (const [file] of texts) {
    if (!existsSync(join(folder, file))) continue;
    throw new TwinbookError('usage', `${join(folder, file)} already exists`, `Nothing was written. ${hint}`);
  }
  for (const [file, text] of texts) {
    const path = join(folder, file);
    try {
      makeFolder(dirname(path), SHARED_FOLDER);
    } catch (error) {
      throw unreadable(`cannot create the folder ${dirname(path)}`, error, 'Name another folder.');
    }
    writeWhole(path, text);
  }
}

function moduleText(name: string): string {
  const example = readFileSync(join(packageRoot, 'examples', 'own-strategy.ts'), 'utf8');
  const head = `/**
 * ${name}: one bid and one ask around others' fair price, moved against our position.
 *
 * The module imports only \`twinbook/strategy\` and uses no clock, files, network or randomness, so equal views give equal quotes.
 */
`;
  const text = example.replace(/^\/\*\*[\s\S]*?\*\/\n/, head).replace("name: 'inventory-maker'", `name: '${name}'`);
  assert(text.startsWith(head) && text.includes(`name: '${name}'`), 'the example must have a header and a name');
  return text;
}

export const strategyTestCommand = command({
  name: 'test',
  help: 'tests a strategy on generated markets',
  args: [['<strategy>', 'a strategy file (.yaml)']],
  options: { seed: option.integer('--seed <n>', 'seed of the generated markets', [0, 2 ** 31], 1) },
  answer: async ({ options, args: [name = ''], io }) => {
    const { checkStrategy } = await import('../lab/strategy-checks/checks.js');
    const { askedBy, showEvents, showMarkets } = await import('../lab/strategy-checks/shown-markets.js');
    const { seed } = options;
    const { strategies } = await loadConfig(name, { ...io, strategyFileToo: true, feeds: 'any' });
    const trials = strategies.map(({ module: strategy, params }) => {
      const ofEvents = strategy.scope === 'event';
      const tried = { strategy, params };
      // Arguments: seed, number of events or markets, number of views of each. An event has two to five markets.
      const generated = ofEvents ? showEvents(seed, 10, 60) : showMarkets(seed, 20, 100, askedBy(tried));
      const on = `${generated.markets.length} generated ${ofEvents ? 'events' : 'markets'}, seed ${seed}`;
      return { strategy: strategy.name, on, checks: checkStrategy(tried, generated, () => performance.now()) };
    });
    const hasFailed = trials.some(({ checks }) => checks.some(({ verdict }) => verdict === 'failed'));
    const text = (width: number | undefined) => {
      const texts = trials.map(({ strategy, on, checks }) => {
        const failed = checks.filter(({ verdict }) => verdict === 'failed').length;
        const summary = failed === 0 ? 'no check failed' : `${failed} of ${checks.length} checks failed`;
        return `${strategy} on ${on}\n\n${table(checks, COLUMNS, width)}\n${summary}\n`;
      });
      return texts.join('\n');
    };
    return { data: trials, text, code: hasFailed ? EXIT.failed : EXIT.ok };
  },
});

const COLUMNS: readonly TableColumn<ReturnType<typeof checkStrategy>[number]>[] = [
  { title: 'VERDICT', cell: ({ verdict }) => verdict },
  { title: 'CHECK', cell: ({ name }) => name, gives: 'fold' },
  { title: 'SEEN', cell: ({ text }) => text, gives: 'fold' },
];
