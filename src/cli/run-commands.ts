/** Commands `twinbook start`, `twinbook exchange` and `twinbook record`, which run until they are stopped. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { assert, TwinbookError } from '../shared/base/errors.js';
import { keepCollectionsBrief } from '../shared/base/processes.js';
import type { VenueProfile } from '../shared/protocol/profile.js';
import { profilePath, readProfile } from '../shell/config/config.js';
import { loadConfig } from '../shell/config/load.js';
import { venueNames } from '../shell/config/shipped.js';
import { all, command, resolveData } from './command.js';
import { type CliIo, EXIT, keepFilesPrivate } from './io.js';
import * as option from './options.js';
import { findAddress, findCredentials, nameMeant, openWallet } from './reach.js';

const verbose = option.flag('-v, --verbose', 'print every note on the quality of recorded market data');

const startCommand = command({
  name: 'start',
  help: 'runs the trader until it is stopped; SIGINT, SIGTERM and `twinbook stop` first cancel all orders',
  config: 'file',
  options: { verbose },
  run: async ({ options, file, io }) => {
    keepFilesPrivate();
    keepCollectionsBrief();
    const config = await loadConfig(file, io);
    const { runTrader } = await import('../shell/daemon/daemon.js');
    return runTrader(config, io, options.verbose === true);
  },
});

const exchangeCommand = command({
  name: 'exchange',
  help: 'runs the paper exchange alone, on the loopback address, until it is stopped',
  options: {
    port: option.integer('--port <n>', 'port to listen on; 0 picks a free port', [0, 65_535], 8787),
    dataDir: option.text('--data-dir <dir>', "folder of the exchange's state (default: the state is lost at the end)"),
    seed: option.integer('--seed <n>', 'seed of the simulated crowd', [0, Number.MAX_SAFE_INTEGER], 1),
    profile: option.usual('--profile <name>', `venue profile: ${venueNames().join(', ')}, or a path`, 'paper', String),
    controls: option.flag('--controls', 'serve the controls of the exchange under /paper/'),
    demoAccount: option.flag('--demo-account', 'create an account with paper money and print its keys and secret'),
    crowd: option.unless('--no-crowd', 'run no simulated traders'),
    crowdMarkets: option.integer('--crowd-markets <n>', 'number of markets of the simulated crowd', [1, 1000], 4),
    rateLimits: option.unless('--no-rate-limits', 'do not limit the rate of requests'),
    startingFunds: option.usual(
      '--starting-funds <n>',
      'amount of currency in a new account',
      option.positiveAmount('10000'),
      option.positiveAmount,
      '10000',
    ),
    landingMs: option.integer('--landing-ms <n>', 'time until a merge or a split takes effect, ms', [0, 600_000], 400),
    draftLifetimeS: option.integer('--draft-lifetime-s <n>', "draft lifetime, s (default: the profile's)", [5, 3600]),
    marketData: option.list('--market-data <path...>', 'recordings to replay as markets (default: none)'),
    speed: option.number('--speed <x>', 'speed of replayed recordings; 1 is real time', [0.01, 10_000], 1),
    verbose,
  },
  run: async ({ options, io }) => {
    const at = (_: readonly PropertyKey[], said: string) => ({ where: '--profile', field: '', text: said });
    const profile = readProfile(profilePath(options.profile, io.cwd, at), io.cwd);
    const { startExchange } = await import('../exchange/exchange.js');
    if (options.dataDir !== undefined) keepFilesPrivate();
    const asked = io.stopAsked();
    const exchange = await startExchange({
      ...options,
      profile,
      dataDir: options.dataDir === undefined ? null : resolve(io.cwd, options.dataDir),
      controls: options.controls === true,
      draftLifetimeS: options.draftLifetimeS ?? profile.draft_lifetime_s,
      marketData: resolveData(options.marketData ?? [], io),
      // Log lines go to standard error, because scripts read address and account from standard output.
      logger: {
        info: (_: object, message: string) => options.verbose === true && io.err(`${message}\n`),
        warn: (_: object, message: string) => io.err(`warning: ${message}\n`),
        error: (_: object, message: string) => io.err(`error: ${message}\n`),
      },
    });
    for (const line of exchange.replays) io.err(`${line}\n`);
    try {
      io.out(`listening on ${exchange.url}\n`);
      io.out(`documentation: ${exchange.url}/docs/ (OpenAPI: ${exchange.url}/openapi.json)\n`);
      if (options.demoAccount === true) await printDemoAccount(exchange.url, profile, io);
      else io.out('API key: --demo-account prints one; programs POST /auth/keys/challenge/, then /auth/keys/create/\n');
      if (!exchange.storeFailed.aborted) await Promise.race([asked, once(exchange.storeFailed, 'abort')]);
      return exchange.storeFailed.aborted ? EXIT.failed : EXIT.ok;
    } finally {
      await exchange.close();
    }
  },
});

async function printDemoAccount(baseUrl: string, profile: VenueProfile, io: CliIo): Promise<void> {
  const { ServiceClient } = await import('../shell/client/client.js');
  const { Wallet } = await import('../shell/wallet/wallet.js');
  const seed = randomBytes(32);
  const wallet = new Wallet(seed);
  const client = new ServiceClient({ profile, baseUrl });
  try {
    const { message, nonce } = await client.keys.challenge(wallet.address);
    const signed = wallet.signChallenge(message, { serviceName: profile.service_name, nonce });
    assert(signed.ok, 'the exchange must send a valid challenge');
    // The function `bootstrap` is not used, because it would hide the secret that must be printed here.
    const proof = { wallet_address: wallet.address, message, nonce, signature: signed.signature };
    const { api_key: apiKey, secret } = await client.keys.create(proof);
    const rows = [
      ['wallet', wallet.address],
      ['wallet key', `${seed.toString('hex')} (ed25519 seed, hex; signs drafts)`],
      ['API key', apiKey],
      ['secret', `${secret} (key of HMAC-SHA256)`],
    ];
    io.out(`demo account\n${rows.map(([name = '', value]) => `  ${name.padEnd(12)}${value}\n`).join('')}`);
    io.out('  Enter API key and secret under Authorize on the documentation page to try signed calls.\n');
  } finally {
    await client.close();
  }
}

const recordCommand = command({
  name: 'record',
  help: "records a venue's books and trades, and own orders if there are credentials, until it is stopped",
  config: 'trader',
  options: {
    out: option.text('--out <dir>', 'folder of recordings (default: recording.dir of the configuration)'),
    share: option.number('--share <x>', "fraction of the venue's request budget to use", [0.05, 1], 0.5),
    market: option.list(
      '--market <name...>',
      'record only these markets: condition ids; for markets in the ledger also beginnings of ids, or words of titles (default: all open markets)',
    ),
    minutes: option.integer('--minutes <n>', 'duration of the recording, minutes (default: endless)', [1, 1_000_000]),
    depth: option.integer('--depth <n>', 'number of price levels to request per side of a book', [1, 100], 100),
    own: option.unless('--no-own', 'record only public data, even if there are credentials'),
  },
  run: async ({ options, config, io }) => {
    keepFilesPrivate();
    const baseUrl = await findAddress(config);
    if (baseUrl === null) {
      const text = 'this configuration embeds a paper exchange, which answers only while its trader runs';
      const hint =
        'Start the trader with `twinbook start`, or run `twinbook exchange` and set its address as venue.base_url.';
      throw new TwinbookError('venue_unreachable', text, hint);
    }
    // Public data needs neither wallet nor credentials.
    const hasOwn = options.own && existsSync(config.wallet.file);
    const credentials = hasOwn ? await findCredentials(config, (await openWallet(config, io)).address, io.env) : null;
    const { record } = await import('../shell/recorder/record.js');
    const marketIds = [...new Set(await Promise.all((options.market ?? []).map((typed) => nameMeant(typed, config))))];
    const { name: venue, profile } = config.venue;
    const { out = config.recording.dir, share, minutes = null, depth: bookDepth } = options;
    const folder = resolve(io.cwd, out);
    const asked = { venue, profile, baseUrl, folder, share, marketIds, minutes, bookDepth, credentials };
    const { markets } = await record(asked, io);
    return marketIds.length > 0 && markets === 0 ? EXIT.failed : EXIT.ok;
  },
});

export const addRunCommands = all(startCommand, exchangeCommand, recordCommand);
