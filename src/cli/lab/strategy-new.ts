/** `twinbook strategies new`: a working strategy to begin with. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { assert, TwinbookError, unreadable } from '../../shared/base/errors.js';
import { makeFolder, SHARED_FOLDER } from '../../shared/base/files.js';
import { packageRoot, shippedStrategies } from '../../shell/config/shipped.js';
import { nowMs } from '../../shell/runtime/clock.js';
import { choice, command, usual } from '../command.js';
import type { CliIo } from '../output/io.js';
import { writeWhole } from '../output/whole-file.js';

const kindOption = choice(
  '--kind <kind>',
  'kind: each market alone, all outcomes of an event together, or each market around the prices of a feed',
  ['market', 'event', 'feed'],
  'market',
);

export const strategyNewCommand = command({
  name: 'new',
  help: 'writes a strategy to begin with: a module, its file, and scenarios that test it',
  args: [['<name>', 'lower case with dashes, such as my-maker', strategyName]],
  options: { kind: kindOption, dir: usual('--dir <folder>', 'where to write', '.', String) },
  run: ({ options: { kind, dir }, args: [name = ''], io }) => write(name, dir, kind, io),
});

function strategyName(text: string): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text))
    throw new InvalidArgumentError('Wanted lower case letters and figures with dashes, such as my-maker.');
  if (shippedStrategies().includes(text)) throw new InvalidArgumentError(`A shipped strategy is named '${text}'.`);
  return text;
}

const TEMPLATES = join(packageRoot, 'examples', 'new');

/** The shipped files of a kind under another name: they are tested with every release. */
function write(name: string, dir: string, kind: Kind, io: CliIo): void {
  const folder = resolve(io.cwd, dir);
  const { tried, declared } = KINDS[kind];
  const endings = ['yaml', 'scenarios.yaml', ...(kind === 'feed' ? ['prices.csv', 'paper.yaml'] : [])];
  const now = new Date(nowMs()).toISOString();
  const fill = (ending: string): string =>
    readFileSync(join(TEMPLATES, `${kind}.${ending}`), 'utf8')
      .replaceAll('NAME', name)
      .replaceAll('NOW', now);
  const texts: readonly (readonly [file: string, text: string])[] = [
    [`${name}.ts`, moduleText(name, KINDS[kind])],
    ...endings.map((ending) => [`${name}.${ending}`, fill(ending)] as const),
  ];
  writeNew(folder, texts, 'Choose another name.');
  const written = texts.map(([each]) => join(dir, each));
  const [, file = '', scenarios] = written;
  io.out(
    `wrote ${written.slice(0, -1).join(', ')} and ${written.at(-1)}\n\n` +
      `    npx twinbook strategies test ${file} --scenarios ${scenarios}\n` +
      `    npx twinbook ${tried(file)}\n\n` +
      `Then name the YAML file under \`strategies:\` of a trader’s file${declared}.\n`,
  );
}

/** Writes all of these files, or none where one of them is there. @param hint for that case */
export function writeNew(
  folder: string,
  texts: readonly (readonly [file: string, text: string])[],
  hint: string,
): void {
  for (const [file] of texts) {
    if (!existsSync(join(folder, file))) continue;
    throw new TwinbookError('usage', `${join(folder, file)} is there already`, `Nothing was written. ${hint}`);
  }
  for (const [file, text] of texts) {
    const path = join(folder, file);
    try {
      makeFolder(dirname(path), SHARED_FOLDER);
    } catch (error) {
      throw unreadable(`cannot make ${dirname(path)}`, error, 'Name another folder.');
    }
    writeWhole(path, text);
  }
}

function moduleText(name: string, { example: file, named, does }: Beginning): string {
  const example = readFileSync(join(packageRoot, 'examples', file), 'utf8');
  const head = `/**
 * ${name}: ${does}
 *
 * It imports nothing but \`twinbook/strategy\`, and has no clock, files, network or chance: the same views give the same quotes.
 */
`;
  const text = example.replace(/^\/\*\*[\s\S]*?\*\/\n/, head).replace(`name: '${named}'`, `name: '${name}'`);
  assert(text.startsWith(head) && text.includes(`name: '${name}'`), 'the example has a header and a name');
  return text;
}

/** Initial files of a new strategy of a kind, besides those in `examples/new`. */
interface Beginning {
  readonly example: string;
  readonly named: string;
  readonly does: string;
  readonly tried: (file: string) => string;
  /** Further needs of a trader's file, as the end of a sentence. */
  readonly declared: string;
}

type Kind = 'market' | 'event' | 'feed';

const KINDS: Readonly<Record<Kind, Beginning>> = {
  market: {
    example: 'own-strategy.ts',
    named: 'inventory-maker',
    does: "one bid and one ask around others' fair price, moved against what we hold.",
    tried: (file) => `backtest -c ${file} --data ${join(packageRoot, 'data', 'sample')}`,
    declared: '',
  },
  event: {
    example: 'own-event-strategy.ts',
    named: 'outcomes-maker',
    does: 'one bid and one ask in every outcome of an event, around prices that add up to one.',
    tried: (file) => `arena -c ${file} --world event`,
    declared: ', and declare the event under its `events:`',
  },
  feed: {
    example: 'own-feed-strategy.ts',
    named: 'feed-maker',
    does: 'one bid and one ask around what a feed says of each market, silent where it says nothing current.',
    tried: (file) => `start -c ${file.replace(/yaml$/, 'paper.yaml')}`,
    declared: ', and its feed under its `feeds:`',
  },
};
