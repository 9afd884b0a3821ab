/** The command line's own connection to the venue, for the few commands without a running trader. */

import { existsSync } from 'node:fs';
import { TwinbookError } from '../shared/base/errors.js';
import type { DataOf, EndpointName } from '../shared/protocol/endpoints.js';
import type { ServiceClient } from '../shell/client/client.js';
import type { ClientAnswer } from '../shell/client/contract.js';
import type { TraderConfig } from '../shell/config/config.js';
import { askTrader } from '../shell/control/control-client.js';
import type { Credentials } from '../shell/wallet/key-file.js';
import type { Wallet } from '../shell/wallet/wallet.js';
import { nullOn } from './control/reach.js';
import type { CliIo } from './output/io.js';

interface VenueSession {
  readonly client: ServiceClient;
  readonly wallet: Wallet;
}

/** Opens the configured wallet. Throws `file_unreadable`, `key_insecure` or `key_invalid`. */
export async function openWallet(config: TraderConfig, io: CliIo): Promise<Wallet> {
  const [{ openKeyFile }, { walletPassphrase }] = await Promise.all([
    import('../shell/wallet/key-file.js'),
    import('../shell/wallet/key-file.js'),
  ]);
  const path = config.wallet.file;
  if (!existsSync(path)) {
    const hint = 'Make one with `twinbook keys create --file`, or against the paper profile start the trader once.';
    throw new TwinbookError('file_unreadable', `there is no wallet file ${path}`, hint);
  }
  return openKeyFile({ path, passphrase: walletPassphrase(io.env) });
}

/** Opens wallet and credentials. Throws as `openWallet`, and `file_unreadable` without credentials. */
export async function openKeys(config: TraderConfig, io: CliIo) {
  const wallet = await openWallet(config, io);
  const { loadCredentials } = await import('../shell/wallet/key-file.js');
  const { profile } = config.venue;
  const owner = { baseUrl: profile.base_url, wallet: wallet.address };
  const credentials = loadCredentials(config.wallet.credentials, owner, io.env);
  if (credentials === null) {
    const hint = 'Make them with `twinbook keys bootstrap`, with the same -c FILE.';
    throw new TwinbookError(
      'file_unreadable',
      `there are no API credentials for ${wallet.address} at ${profile.base_url}`,
      hint,
    );
  }
  return { wallet, credentials };
}

export async function withVenue<T>(
  config: TraderConfig,
  io: CliIo,
  use: (session: VenueSession) => Promise<T>,
): Promise<T> {
  const { wallet, credentials } = await openKeys(config, io);
  return withClient(config, { credentials }, (client) => use({ client, wallet }));
}

interface ClientOptions {
  /** Null or absent: unsigned. */
  readonly credentials?: Credentials | null;
  readonly controls?: boolean;
}

/** Runs `use` with a client at the present address of the venue, and always closes both. */
export async function withClient<T>(
  config: TraderConfig,
  { credentials = null, controls = false }: ClientOptions,
  use: (client: ServiceClient, url: string) => Promise<T>,
): Promise<T> {
  const address = await venueAddress(config, controls);
  try {
    const { ServiceClient } = await import('../shell/client/client.js');
    const { profile } = config.venue;
    const client = new ServiceClient({
      profile,
      baseUrl: address.url,
      ...(credentials === null ? {} : { credentials }),
    });
    try {
      return await use(client, address.url);
    } finally {
      await client.close();
    }
  } finally {
    await address.close();
  }
}

/** The answer's data. Throws `venue_refused` or `venue_unreachable` with the name of the call. */
export function requireAnswer<N extends EndpointName>(answer: ClientAnswer<N>, asked: string): DataOf<N> {
  const { outcome } = answer;
  if (outcome.kind === 'answered') return outcome.data;
  if (outcome.kind === 'refused') {
    const hint = outcome.status === 401 ? 'The credentials may be revoked: run `twinbook keys bootstrap`.' : '';
    throw new TwinbookError('venue_refused', `the venue refused ${asked}: ${outcome.slug}, ${outcome.message}`, hint);
  }
  throw new TwinbookError('venue_unreachable', `asking the venue for ${asked}: ${outcome.reason}`, UNREACHABLE_HINT);
}

const UNREACHABLE_HINT = 'Check the address in the configuration.';

const nothingToClose = async (): Promise<void> => undefined;

/**
 * The address to call. An embedded exchange is asked of the running trader; without one its stored state is opened for
 * this command alone, without simulated traders, so that orders can be read and canceled there too.
 * `controls`: whether it then answers the controls under `/paper/`. Throws `venue_unreachable` when it has never run.
 */
async function venueAddress({ venue, exchange, control }: TraderConfig, controls = false) {
  const { profile } = venue;
  if (exchange === null || !exchange.embedded) return { url: profile.base_url, close: nothingToClose };
  const running = await askTrader({ command: 'status' }, { socket: control.socket, timeoutMs: 5000 }).catch(
    nullOn('not_running'),
  );
  if (running !== null) return { url: running.process.baseUrl, close: nothingToClose };
  if (!existsSync(exchange.dataDir)) {
    const text = `the embedded exchange has never run: there is no ${exchange.dataDir}`;
    throw new TwinbookError('venue_unreachable', text, 'Start the trader once.');
  }
  const { startExchange } = await import('../exchange/exchange.js');
  return startExchange({
    port: 0,
    profile,
    dataDir: exchange.dataDir,
    seed: exchange.seed,
    controls,
    crowd: false,
    rateLimits: exchange.rateLimits,
    startingFunds: exchange.startingFundsMicros,
    landingMs: exchange.landingMs,
    draftLifetimeS: exchange.draftLifetimeS,
    marketData: [],
    speed: 1,
  });
}
