/** `twinbook record`: records a venue's markets, for backtests. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { TwinbookError } from '../shared/base/errors.js';
import { loadTraderConfig, type TraderConfig } from '../shell/config/load.js';
import { askTrader } from '../shell/control/control-client.js';
import type { Credentials } from '../shell/wallet/credentials.js';
import { integerBetween, numberBetween } from './arguments.js';
import { marketAtVenue } from './market-meant.js';
import { EXIT, type ExitCode } from './output/exit.js';
import { addAction, addConfigOption, type CliIo, type Session } from './output/io.js';
import { keepFilesPrivate } from './private-files.js';
import { openWallet } from './venue-session.js';

const RUNNING_WITHIN_MS = 5_000;

interface RecordFlags {
  readonly config: string;
  readonly out?: string;
  readonly share: number;
  readonly market: readonly string[];
  readonly minutes?: number;
  readonly depth: number;
  readonly own: boolean;
  readonly feeds: boolean;
}

export function addRecordCommand(program: Command, session: Session): void {
  const command = program
    .command('record')
    .description("records a venue's books and trades, and own orders if there are credentials, until it is stopped");
  addConfigOption(command)
    .option('--out <dir>', 'folder of recordings (default: recording.dir of the configuration)')
    .addOption(
      new Option('--share <x>', "part of the venue's request budget to use, 0.05 to 1")
        .default(0.5)
        .argParser(numberBetween(0.05, 1)),
    )
    .addOption(
      new Option(
        '--market <name...>',
        'only these markets, by condition id; of those in the ledger its beginning or words of the title',
      ).default([], 'all that are open'),
    )
    .addOption(new Option('--minutes <n>', 'ends by itself after so long').argParser(integerBetween(1, 1_000_000)))
    .addOption(new Option('--depth <n>', 'levels a side to ask for').default(100).argParser(integerBetween(1, 100)))
    .option('--no-own', 'public data only, even if there are credentials')
    .option('--no-feeds', 'without the feeds of the configuration');
  addAction<RecordFlags>(command, session, (flags) => runRecord(flags, session.io));
}

async function runRecord(flags: RecordFlags, io: CliIo): Promise<ExitCode> {
  keepFilesPrivate();
  const config = loadTraderConfig(flags.config, io);
  const baseUrl = await findVenueAddress(config);
  const credentials = flags.own ? await loadOwnCredentials(config, io) : null;
  const { record } = await import('../shell/recorder/record.js');
  const { profile, name: venue } = config.venue;
  const folder = flags.out === undefined ? config.recording.dir : resolve(io.cwd, flags.out);
  const minutes = flags.minutes ?? null;
  const meant = await Promise.all(flags.market.map((typed) => marketAtVenue(typed, config, io)));
  const marketIds = [...new Set(meant)];
  const { share, depth: bookDepth } = flags;
  const feeds = flags.feeds ? config.feeds : [];
  const options = {
    venue,
    profile,
    baseUrl,
    folder,
    share,
    marketIds,
    minutes,
    bookDepth,
    credentials,
    feeds,
  };
  const { markets } = await record(options, io);
  // Whoever named markets wants to know by the exit code that none of them was there.
  return marketIds.length > 0 && markets === 0 ? EXIT.failed : EXIT.ok;
}

/** An embedded exchange listens only while its trader runs, which tells where. */
async function findVenueAddress({ venue, exchange, control }: TraderConfig): Promise<string> {
  if (exchange === null || !exchange.embedded) return venue.profile.base_url;
  try {
    const call = { socket: control.socket, timeoutMs: RUNNING_WITHIN_MS };
    return (await askTrader({ command: 'status' }, call)).base_url;
  } catch (cause) {
    if (!(cause instanceof TwinbookError) || cause.code !== 'not_running') throw cause;
    const text = 'this configuration embeds a paper exchange, which answers only while its trader runs';
    const hint =
      'Start it with `twinbook start`, or run `twinbook exchange` and record a configuration whose venue.base_url names it.';
    throw new TwinbookError('venue_unreachable', text, hint, { cause });
  }
}

/** Null without a wallet or credentials of it: public data needs neither. */
async function loadOwnCredentials(config: TraderConfig, io: CliIo): Promise<Credentials | null> {
  if (!existsSync(config.wallet.file)) return null;
  const { loadCredentials } = await import('../shell/wallet/credentials.js');
  const { address } = await openWallet(config, io);
  const owner = { baseUrl: config.venue.profile.base_url, wallet: address };
  return loadCredentials(config.wallet.credentials, owner, io.env);
}
