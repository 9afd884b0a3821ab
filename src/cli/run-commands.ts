/** `twinbook start` and `twinbook exchange`: the two programs. */

import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { keepCollectionsBrief } from '../shared/base/brief-collections.js';
import { assert } from '../shared/base/errors.js';
import type { VenueProfile } from '../shared/protocol/profile.js';
import { loadConfig } from '../shell/config/load.js';
import { profilePath, readProfile } from '../shell/config/sections/venue.js';
import { venueNames } from '../shell/config/shipped.js';
import { integerBetween, numberBetween, positiveAmount } from './arguments.js';
import { resolveData } from './data/paths.js';
import { EXIT, type ExitCode } from './output/exit.js';
import { addAction, addConfigOption, type CliIo, type Session } from './output/io.js';
import { keepFilesPrivate } from './private-files.js';

export function addRunCommands(program: Command, session: Session): void {
  const start = program
    .command('start')
    .description('runs the trader until it is stopped: SIGINT, SIGTERM or `twinbook stop` cancel everything first');
  addConfigOption(start).option('-v, --verbose', 'print every note on recorded market data');
  addAction<{ config: string; verbose?: true }>(start, session, async (options) => {
    keepFilesPrivate();
    keepCollectionsBrief();
    const config = await loadConfig(options.config, session.io);
    const { runTrader } = await import('../shell/daemon/daemon.js');
    return runTrader(config, { ...session.io, verbose: options.verbose === true });
  });
  addExchangeCommand(program, session);
}

interface ExchangeFlags {
  readonly port: number;
  readonly dataDir?: string;
  readonly seed: number;
  readonly profile: string;
  readonly controls?: true;
  readonly demoAccount?: true;
  readonly crowd: boolean;
  readonly crowdMarkets: number;
  readonly rateLimits: boolean;
  readonly startingFunds: ReturnType<typeof positiveAmount>;
  readonly landingMs: number;
  readonly draftLifetimeS?: number;
  readonly marketData: readonly string[];
  readonly speed: number;
  readonly verbose?: true;
}

function addExchangeCommand(program: Command, session: Session): void {
  const command = program
    .command('exchange')
    .description('runs the paper exchange alone, on the loopback address, until it is stopped')
    .addOption(new Option('--port <n>', 'port; 0 picks a free one').default(8787).argParser(integerBetween(0, 65_535)))
    .option('--data-dir <dir>', 'folder of its state; without one everything is forgotten at the end')
    .addOption(
      new Option('--seed <n>', 'seed of the simulated crowd')
        .default(1)
        .argParser(integerBetween(0, Number.MAX_SAFE_INTEGER)),
    )
    .option('--profile <name>', `venue profile (${venueNames().join(', ')}) or the path of one`, 'paper')
    .option('--controls', 'answer the /paper/ controls')
    .option('--demo-account', 'create an account with paper money and print its API key, secret and wallet key')
    .option('--no-crowd', 'no simulated traders')
    .addOption(
      new Option('--crowd-markets <n>', 'markets of the simulated crowd').default(4).argParser(integerBetween(1, 1000)),
    )
    .option('--no-rate-limits', 'do not limit requests')
    .addOption(
      new Option('--starting-funds <n>', 'currency of a new account')
        .default(positiveAmount('10000'), '10000')
        .argParser(positiveAmount),
    )
    .addOption(
      new Option('--landing-ms <n>', 'how long merges and splits stay in process, ms')
        .default(400)
        .argParser(integerBetween(0, 600_000)),
    )
    .addOption(
      new Option('--draft-lifetime-s <n>', "how long a draft can be signed, s (default: the profile's)").argParser(
        integerBetween(5, 3600),
      ),
    )
    .addOption(new Option('--market-data <path...>', 'recordings that drive markets').default([], 'none'))
    .addOption(
      new Option('--speed <x>', 'time scale of recordings; 1 is real time')
        .default(1)
        .argParser(numberBetween(0.01, 10_000)),
    )
    .option('-v, --verbose', 'print every note on recorded market data');
  addAction<ExchangeFlags>(command, session, (flags) => runExchange(flags, session.io));
}

async function runExchange(flags: ExchangeFlags, io: CliIo): Promise<ExitCode> {
  const at = (_: readonly PropertyKey[], text: string) => ({ where: '--profile', field: '', text });
  const profile = readProfile(profilePath(flags.profile, io.cwd, at), io.cwd);
  const { startExchange } = await import('../exchange/exchange.js');
  if (flags.dataDir !== undefined) keepFilesPrivate();
  const asked = io.stopAsked();
  const exchange = await startExchange({
    profile,
    port: flags.port,
    dataDir: flags.dataDir === undefined ? null : resolve(io.cwd, flags.dataDir),
    seed: flags.seed,
    controls: flags.controls === true,
    crowd: flags.crowd,
    crowdMarkets: flags.crowdMarkets,
    rateLimits: flags.rateLimits,
    startingFunds: flags.startingFunds,
    landingMs: flags.landingMs,
    draftLifetimeS: flags.draftLifetimeS ?? profile.draft_lifetime_s,
    marketData: resolveData(flags.marketData, io),
    speed: flags.speed,
    logger: messagesTo(io, flags.verbose === true),
  });
  for (const line of exchange.replays) io.err(`${line}\n`);
  try {
    io.out(`listening on ${exchange.url}\n`);
    io.out(`documentation: ${exchange.url}/docs/ (OpenAPI: ${exchange.url}/openapi.json)\n`);
    if (flags.demoAccount === true) await printDemoAccount(exchange.url, profile, io);
    else
      io.out(
        'API key: --demo-account prints one; a program calls POST /auth/keys/challenge/, then /auth/keys/create/\n',
      );
    await asked;
  } finally {
    await exchange.close();
  }
  return EXIT.ok;
}

/** Opens an account with paper money under a new wallet and prints everything that a client needs to trade with it. */
async function printDemoAccount(baseUrl: string, profile: VenueProfile, io: CliIo): Promise<void> {
  const [{ ServiceClient }, { Wallet }] = await Promise.all([
    import('../shell/client/client.js'),
    import('../shell/wallet/wallet.js'),
  ]);
  const seed = randomBytes(32);
  const wallet = new Wallet(seed);
  const client = new ServiceClient({ profile, baseUrl });
  try {
    const { message, nonce } = await client.keys.challenge(wallet.address);
    const signed = wallet.signChallenge(message, { serviceName: profile.service_name, nonce });
    assert(signed.ok, 'the exchange sent its own challenge');
    // Not `bootstrap`: it would have the secret censored, which is printed here on purpose.
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

/** Standard output is for the address and the account, which scripts read; warnings and errors go to standard error. */
const messagesTo = (io: CliIo, verbose: boolean) => ({
  info: (_: object, message: string) => verbose && io.err(`${message}\n`),
  warn: (_: object, message: string) => io.err(`warning: ${message}\n`),
  error: (_: object, message: string) => io.err(`error: ${message}\n`),
});
