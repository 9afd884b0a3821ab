/** `twinbook strategies play`: a page of sliders that shows what a strategy quotes. */

import { type Command, Option } from 'commander';
import { TwinbookError } from '../../shared/base/errors.js';
import { integerBetween } from '../arguments.js';
import { EXIT, type ExitCode } from '../output/exit.js';
import { addAction, type CliIo, type Session } from '../output/io.js';
import { recordedTrials, triedStrategies } from './strategy-test.js';

interface PlayFlags {
  readonly data?: readonly string[];
  readonly name?: string;
  readonly port: number;
}

export function addStrategyPlayCommand(strategies: Command, session: Session): void {
  const command = strategies
    .command('play')
    .description('a page on this machine: sliders for a market, and what the strategy quotes there')
    .argument('<strategy>', 'a strategy file (.yaml), a module (.ts, .js), or the name of a shipped one')
    .option('--data <path...>', 'recordings whose looks can be stepped through; wants a strategy file')
    .option('--name <strategy>', 'of a file with several: which one')
    .addOption(new Option('--port <n>', 'its port').default(0, 'a free one').argParser(integerBetween(0, 65_535)));
  addAction<PlayFlags>(command, session, (options, [name = '']) => play(name, options, session.io));
}

async function play(file: string, { data, name, port }: PlayFlags, io: CliIo): Promise<ExitCode> {
  const asked = io.stopAsked();
  const all = data === undefined ? await triedStrategies(file, io) : await recordedTrials(file, data, io);
  const trials = all.map((trial) => ('tried' in trial ? trial : { tried: trial, shown: { markets: [] } }));
  const chosen = trials.find(({ tried }) => name === undefined || tried.strategy.name === name);
  if (chosen === undefined)
    throw new TwinbookError(
      'usage',
      `there is no strategy ${name ?? ''} in ${file}`,
      '`twinbook strategies` lists those that are shipped; a file of your own exports its strategies by name.',
    );
  const { openPlay } = await import('../../lab/play/play-server.js');
  const server = await openPlay({ tried: chosen.tried, recorded: chosen.shown.markets, port });
  io.out(`${chosen.tried.strategy.name}: ${server.url} (Ctrl-C ends it)\n`);
  await asked;
  await server.close();
  return EXIT.ok;
}
