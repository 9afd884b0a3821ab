/** `twinbook record`: records a venue's markets, for backtests. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { TwinbookError } from '../shared/base/errors.js';
import type { TraderConfig } from '../shell/config/config.js';
import { askTrader } from '../shell/control/control-client.js';
import type { Credentials } from '../shell/wallet/key-file.js';
import { command, integerBetween, numberBetween, read, several, text, unless, usual } from './command.js';
import { marketAtVenue } from './market-meant.js';
import { type CliIo, EXIT, keepFilesPrivate } from './output/io.js';
import { openWallet } from './venue-session.js';

const RUNNING_WITHIN_MS = 5_000;

export const addRecordCommand = command({
  name: 'record',
  help: "records a venue's books and trades, and own orders if there are credentials, until it is stopped",
  config: 'trader',
  options: {
    out: text('--out <dir>', 'folder of recordings (default: recording.dir of the configuration)'),
    share: usual('--share <x>', "part of the venue's request budget to use, 0.05 to 1", 0.5, numberBetween(0.05, 1)),
    market: several(
      '--market <name...>',
      'only these markets, by condition id; of those in the ledger its beginning or words of the title',
      'all that are open',
    ),
    minutes: read('--minutes <n>', 'ends after this time', integerBetween(1, 1_000_000)),
    depth: usual('--depth <n>', 'levels a side to ask for', 100, integerBetween(1, 100)),
    own: unless('--no-own', 'public data only, even if there are credentials'),
    feeds: unless('--no-feeds', 'without the feeds of the configuration'),
  },
  run: async ({ options, config, io }) => {
    keepFilesPrivate();
    const baseUrl = await findVenueAddress(config);
    const credentials = options.own ? await loadOwnCredentials(config, io) : null;
    const { record } = await import('../shell/recorder/record.js');
    const meant = await Promise.all(options.market.map((typed) => marketAtVenue(typed, config)));
    const marketIds = [...new Set(meant)];
    const asked = {
      venue: config.venue.name,
      profile: config.venue.profile,
      baseUrl,
      folder: options.out === undefined ? config.recording.dir : resolve(io.cwd, options.out),
      share: options.share,
      marketIds,
      minutes: options.minutes ?? null,
      bookDepth: options.depth,
      credentials,
      feeds: options.feeds ? config.feeds : [],
    };
    const { markets } = await record(asked, io);
    // For named markets the exit code tells when none of them was found.
    return marketIds.length > 0 && markets === 0 ? EXIT.failed : EXIT.ok;
  },
});

/** An embedded exchange listens only while its trader runs, which reports the address. */
async function findVenueAddress({ venue, exchange, control }: TraderConfig): Promise<string> {
  if (exchange === null || !exchange.embedded) return venue.profile.base_url;
  try {
    const call = { socket: control.socket, timeoutMs: RUNNING_WITHIN_MS };
    return (await askTrader({ command: 'status' }, call)).process.baseUrl;
  } catch (cause) {
    if (!(cause instanceof TwinbookError) || cause.code !== 'not_running') throw cause;
    const text = 'this configuration embeds a paper exchange, which answers only while its trader runs';
    const hint =
      'Start it with `twinbook start`, or run `twinbook exchange` and record a configuration whose venue.base_url names it.';
    throw new TwinbookError('venue_unreachable', text, hint, { cause });
  }
}

/** Null without a wallet or its credentials: public data needs neither. */
async function loadOwnCredentials(config: TraderConfig, io: CliIo): Promise<Credentials | null> {
  if (!existsSync(config.wallet.file)) return null;
  const { loadCredentials } = await import('../shell/wallet/key-file.js');
  const { address } = await openWallet(config, io);
  const owner = { baseUrl: config.venue.profile.base_url, wallet: address };
  return loadCredentials(config.wallet.credentials, owner, io.env);
}
