/** `twinbook strategies new`: a strategy to begin with, that trades as it is written. */

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { assert, TwinbookError } from '../../shared/base/errors.js';
import { packageRoot, shippedStrategies } from '../../shell/config/shipped.js';
import { EXIT, type ExitCode } from '../output/exit.js';
import { addAction, type CliIo, type Session } from '../output/io.js';
import { writeWhole } from '../output/whole-file.js';

export function addStrategyNewCommand(strategies: Command, session: Session): void {
  const command = strategies
    .command('new')
    .description('writes a strategy to begin with: a module, its file, and scenarios that test it')
    .argument('<name>', 'lower case with dashes, such as my-maker', strategyName)
    .option('--dir <folder>', 'where to write', '.');
  addAction<{ dir: string }>(command, session, ({ dir }, [name = '']) => write(name, dir, session.io));
}

function strategyName(text: string): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text))
    throw new InvalidArgumentError('Wanted lower case letters and figures with dashes, such as my-maker.');
  if (shippedStrategies().includes(text)) throw new InvalidArgumentError(`A shipped strategy is named '${text}'.`);
  return text;
}

function write(name: string, dir: string, io: CliIo): ExitCode {
  const folder = resolve(io.cwd, dir);
  const texts: readonly (readonly [file: string, text: string])[] = [
    [`${name}.ts`, moduleText(name)],
    [`${name}.yaml`, fileText(name)],
    [`${name}.scenarios.yaml`, SCENARIOS],
  ];
  for (const [file] of texts) {
    if (!existsSync(join(folder, file))) continue;
    throw new TwinbookError(
      'usage',
      `${join(dir, file)} is there already`,
      'Nothing was written. Choose another name.',
    );
  }
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TwinbookError('file_unreadable', `cannot make ${folder}: ${why}`, 'Name another folder with --dir.');
  }
  for (const [file, text] of texts) writeWhole(join(folder, file), text);
  const [module, file, scenarios] = texts.map(([written]) => join(dir, written));
  io.out(
    `wrote ${module}, ${file} and ${scenarios}\n\n` +
      `    twinbook strategies test ${file} --scenarios ${scenarios}\n` +
      `    twinbook backtest -c ${file} --data ${join(packageRoot, 'data', 'sample')}\n\n` +
      'Then name the YAML file under `strategies:` of a trader’s file.\n',
  );
  return EXIT.ok;
}

/** The shipped example under another name: it is tried with every release. */
function moduleText(name: string): string {
  const example = readFileSync(join(packageRoot, 'examples', 'own-strategy.ts'), 'utf8');
  const head = `/**
 * ${name}: one bid and one ask around others' fair price, moved against what we hold.
 *
 * It imports nothing but \`twinbook/strategy\`, and has no clock, files, network or chance: the same views give the same quotes.
 */
`;
  const text = example.replace(/^\/\*\*[\s\S]*?\*\/\n/, head).replace("name: 'inventory-maker'", `name: '${name}'`);
  assert(text.startsWith(head) && text.includes(`name: '${name}'`), 'the example has a header and a name');
  return text;
}

const fileText = (
  name: string,
): string => `# What ${name}.ts trades, with which parameters. \`twinbook strategies test ${name}.yaml\` tries it.
strategy: ${name}.ts # a path relative to this file
markets:
  select: { state: open, kind: orderbook }
  max: 4
params:
  order_shares: "10"
risk:
  max_position_shares: "100"
`;

/** Without quotes: \`--record\` writes what the strategy says now, and later runs hold it to that. */
const SCENARIOS = `# Books of others and what we hold; \`--record\` writes the quotes that the strategy gives now. Prices in YES.
tick: 0.01
scenarios:
  - name: a book of two sides, nothing held
    bids: [[0.45, 100]]
    asks: [[0.55, 100]]
  - name: the same with 50 YES held
    bids: [[0.45, 100]]
    asks: [[0.55, 100]]
    holds: 50
  - name: no bids
    bids: []
    asks: [[0.55, 100]]
  - name: an old book
    bids: [[0.45, 100]]
    asks: [[0.55, 100]]
    book_age_s: 600
`;
