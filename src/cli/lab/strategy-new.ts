/** `twinbook strategies new`: a strategy to begin with, that trades as it is written. */

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { assert, TwinbookError } from '../../shared/base/errors.js';
import { makeFolder, SHARED_FOLDER } from '../../shared/base/folder.js';
import { packageRoot, shippedStrategies } from '../../shell/config/shipped.js';
import { nowMs } from '../../shell/runtime/clock.js';
import { EXIT, type ExitCode } from '../output/exit.js';
import { addAction, type CliIo, type Session } from '../output/io.js';
import { writeWhole } from '../output/whole-file.js';

export function addStrategyNewCommand(strategies: Command, session: Session): void {
  const command = strategies
    .command('new')
    .description('writes a strategy to begin with: a module, its file, and scenarios that test it')
    .argument('<name>', 'lower case with dashes, such as my-maker', strategyName)
    .addOption(
      new Option(
        '--kind <kind>',
        'what it quotes: each market alone, all outcomes of an event together, or each market around the prices of a feed',
      )
        .choices(['market', 'event', 'feed'])
        .default('market'),
    )
    .option('--dir <folder>', 'where to write', '.');
  addAction<{ dir: string; kind: Kind }>(command, session, ({ dir, kind }, [name = '']) =>
    write(name, dir, KINDS[kind], session.io),
  );
}

function strategyName(text: string): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text))
    throw new InvalidArgumentError('Wanted lower case letters and figures with dashes, such as my-maker.');
  if (shippedStrategies().includes(text)) throw new InvalidArgumentError(`A shipped strategy is named '${text}'.`);
  return text;
}

function write(name: string, dir: string, kind: Beginning, io: CliIo): ExitCode {
  const folder = resolve(io.cwd, dir);
  const texts: readonly (readonly [file: string, text: string])[] = [
    [`${name}.ts`, moduleText(name, kind)],
    [`${name}.yaml`, fileText(name, kind)],
    [`${name}.scenarios.yaml`, kind.scenarios],
    ...kind.more(name).map(([ending, text]) => [`${name}.${ending}`, text] as const),
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
    makeFolder(folder, SHARED_FOLDER);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TwinbookError('file_unreadable', `cannot make ${folder}: ${why}`, 'Name another folder with --dir.');
  }
  for (const [file, text] of texts) writeWhole(join(folder, file), text);
  const written = texts.map(([each]) => join(dir, each));
  const [, file = '', scenarios] = written;
  io.out(
    `wrote ${written.slice(0, -1).join(', ')} and ${written.at(-1)}\n\n` +
      `    twinbook strategies test ${file} --scenarios ${scenarios}\n` +
      `${kind.tried(file)}\n` +
      `Then name the YAML file under \`strategies:\` of a trader’s file${kind.declared}.\n`,
  );
  return EXIT.ok;
}

/** The shipped example under another name: it is tried with every release. */
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

const fileText = (
  name: string,
  { max, params }: Beginning,
): string => `# What ${name}.ts trades, with which parameters. \`twinbook strategies test ${name}.yaml\` tries it.
strategy: ${name}.ts # a path relative to this file
markets:
  select: { state: open, kind: orderbook }
  max: ${max}
params:
${params}  order_shares: "10"
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

const EVENT_SCENARIOS = `# Books of others and what we hold; \`--record\` writes the quotes that the strategy gives now. Prices in YES.
tick: 0.01
outcomes: exhaustive
scenarios:
  - name: three outcomes that add up to one
    bids: [[0.45, 100]]
    asks: [[0.55, 100]]
    others:
      - bids: [[0.25, 100]]
        asks: [[0.35, 100]]
      - bids: [[0.15, 100]]
        asks: [[0.25, 100]]
  - name: the first of them has moved, the others not yet
    bids: [[0.51, 100]]
    asks: [[0.61, 100]]
    others:
      - bids: [[0.25, 100]]
        asks: [[0.35, 100]]
      - bids: [[0.15, 100]]
        asks: [[0.25, 100]]
  - name: one of them has no bids
    bids: [[0.45, 100]]
    asks: [[0.55, 100]]
    others:
      - bids: []
        asks: [[0.55, 100]]
`;

const FEED_SCENARIOS = `# Books of others, what we hold and what the feed says; \`--record\` writes the quotes that the strategy gives now. Prices in YES.
tick: 0.01
scenarios:
  - name: the feed agrees with the book
    bids: [[0.45, 100]]
    asks: [[0.55, 100]]
    feed: { p: 0.50 }
  - name: it says more than others ask
    bids: [[0.45, 100]]
    asks: [[0.55, 100]]
    feed: { p: 0.62, sd: 0.1, age_s: 2 }
  - name: a bid and an ask, with 50 YES held
    bids: [[0.45, 100]]
    asks: [[0.55, 100]]
    holds: 50
    feed: { bid: 0.48, ask: 0.50 }
  - name: it says nothing
    bids: [[0.45, 100]]
    asks: [[0.55, 100]]
`;

/** The markets of the paper exchange with its first seed. */
const PAPER_MARKETS = [
  '46ajyTCBenzEqoPe6JwvAEbJBmdzXSaReyandkGNVPey',
  'Ajn7tbGeGVhkASu482UXn9CL6FQSkzFuGh1mXvSNCoi9',
  'BwZvZR1SXTcT9vRycLBXB7xEyZ7z9PWe6JbVfDUZ2hGH',
  'GG1zRVPQrsNzonvmJP7rb8q6ww5S8E7Bx1iMer29CHgh',
] as const;

/** Values to begin with: one a market, held to be right as of now. */
function feedText(atMs: number): string {
  const at = new Date(atMs).toISOString();
  return `market,p,sd,at\n${PAPER_MARKETS.map((market, i) => `${market},0.5${i},0.3,${at}\n`).join('')}`;
}

const paperText = (
  name: string,
): string => `# A trader that runs ${name} on a paper exchange of its own: twinbook start -c ${name}.paper.yaml
# Its prices are those of ${name}.prices.csv: write others, with the time at which they held, and rename the new file over the old one.
venue: { profile: paper }
exchange: { embedded: true, seed: 1, data_dir: ${name}.data/exchange } # the file names the markets of this seed
wallet: { file: ${name}.data/wallet.json }
ledger: { path: ${name}.data/twinbook.sqlite }
log: { file: ${name}.data/twinbook.log }
capital: "1000"
risk: { max_loss_day: "50", max_drawdown: "100" }
feeds:
  model: { kind: file, path: ${name}.prices.csv, max_age_s: 3600 } # an hour, to try it; as long as your prices hold, to trade
strategies: [${name}.yaml]
`;

/** What a new strategy of a kind begins with. */
interface Beginning {
  readonly example: string;
  /** The name of the example's strategy. */
  readonly named: string;
  readonly does: string;
  readonly max: number;
  readonly scenarios: string;
  /** Lines of `params` before those that all have. */
  readonly params: string;
  /** Further files: what their names have behind the strategy's, and what they hold. */
  readonly more: (name: string) => readonly (readonly [ending: string, text: string])[];
  /** What else it may be tried with, a line of the shell. */
  readonly tried: (file: string) => string;
  /** What else a trader's file needs, as the end of a sentence. */
  readonly declared: string;
}

type Kind = 'market' | 'event' | 'feed';

const KINDS: Readonly<Record<Kind, Beginning>> = {
  market: {
    example: 'own-strategy.ts',
    named: 'inventory-maker',
    does: "one bid and one ask around others' fair price, moved against what we hold.",
    max: 4,
    scenarios: SCENARIOS,
    params: '',
    more: () => [],
    tried: (file) => `    twinbook backtest -c ${file} --data ${join(packageRoot, 'data', 'sample')}\n`,
    declared: '',
  },
  event: {
    example: 'own-event-strategy.ts',
    named: 'outcomes-maker',
    does: 'one bid and one ask in every outcome of an event, around prices that add up to one.',
    max: 10,
    scenarios: EVENT_SCENARIOS,
    params: '',
    more: () => [],
    tried: (file) => `    twinbook arena -c ${file} --world event\n`,
    declared: ', and declare the event under its `events:`',
  },
  feed: {
    example: 'own-feed-strategy.ts',
    named: 'feed-maker',
    does: 'one bid and one ask around what a feed says of each market, silent where it says nothing current.',
    max: 4,
    scenarios: FEED_SCENARIOS,
    params: '  feed: model\n',
    more: (name) => [
      ['prices.csv', feedText(nowMs())],
      ['paper.yaml', paperText(name)],
    ],
    tried: (file) => `    twinbook start -c ${file.replace(/yaml$/, 'paper.yaml')}\n`,
    declared: ', and its feed under its `feeds:`',
  },
};
