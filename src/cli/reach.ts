/** Gives commands access to ledger, running trader and venue. Cancels must work even if the trader does not answer. */

import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type ErrorCode, TwinbookError } from '../shared/base/errors.js';
import type { DataOf, EndpointName } from '../shared/protocol/endpoints.js';
import type { ServiceClient } from '../shell/client/client.js';
import type { ClientAnswer } from '../shell/client/contract.js';
import type { Environment, TraderConfig } from '../shell/config/config.js';
import { askOwner, askTrader, findSilent, type Unreached } from '../shell/control/control-client.js';
import type { ControlData, ControlQuestion } from '../shell/control/control-protocol.js';
import type { Credentials } from '../shell/wallet/key-file.js';
import type { Wallet } from '../shell/wallet/wallet.js';
import type { LedgerReader } from '../trader/ledger/contract.js';
import type { CliIo } from './io.js';

/** Opens the configuration's ledger, reads from it and closes it. Throws `file_unreadable` without a ledger. */
export async function readLedger<T>(
  { ledger: { path } }: Pick<TraderConfig, 'ledger'>,
  read: (ledger: LedgerReader) => T | Promise<T>,
): Promise<T> {
  const { openReadOnly } = await import('../trader/ledger/ledger.js');
  const ledger = openReadOnly(path);
  try {
    return await read(ledger);
  } finally {
    ledger.close();
  }
}

export const AT_LAST_PRICES = 'holdings are valued at the last prices in its ledger.';

/** Counts the orders that may rest: the open ones, and those that were sent with an unknown outcome. */
export function countOrders(ledger: LedgerReader) {
  // A crash during a submit leaves the intent in the state `signed`.
  const unknown = ledger
    .activeIntents()
    .filter(({ kind, state }) => kind === 'place' && (state === 'signed' || state === 'unknown'));
  return { open: ledger.restingOrders().length, unknown: unknown.length };
}

export const marketsNamed = (ledger: LedgerReader): readonly NamedSubject[] =>
  ledger.markets().map(({ conditionId, title }) => ({ id: conditionId, title }));

/** Returns the id of the market named `typed` in the ledger. Throws `usage` if several markets match. */
export const findMarket = (typed: string, ledger: LedgerReader): string | null =>
  findNamed(typed, marketsNamed(ledger), 'markets');

/** Returns the id that `find` finds for the name `typed`; without a match or a readable ledger, the name itself. */
export const nameMeant = (typed: string, config: TraderConfig, find = findMarket): Promise<string> =>
  readLedger(config, (ledger) => find(typed, ledger) ?? typed).catch((error) => {
    if (error instanceof TwinbookError && error.code !== 'usage') return typed;
    throw error;
  });

type NamedSubject = Readonly<{ id: string; title?: string }>;

/**
 * Returns the id of the candidate that matches by exact id, else by the id's beginning (or `beginning…end`) or by title:
 * each typed word begins a title word, in any order and case. Null without a match; throws `usage` for several.
 */
export function findNamed(typed: string, candidates: readonly NamedSubject[], kind: string): string | null {
  if (candidates.some(({ id }) => id === typed)) return typed;
  const [beginning = '', end = ''] = typed.split('…');
  const words = splitWords(typed);
  const found = candidates.filter(({ id, title = '' }) => {
    if (beginning !== '' && id.startsWith(beginning) && id.endsWith(end)) return true;
    const known = splitWords(title);
    return words.length > 0 && words.every((word) => known.some((one) => one.startsWith(word)));
  });
  if (found.length <= 1) return found[0]?.id ?? null;
  const listed = found.slice(0, 10).map(({ id, title }) => (title ? `${id}  ${title}` : id));
  const more = found.length > 10 ? [`… and ${found.length - 10} more`] : [];
  const hint = [...listed, ...more, 'Give more of the name, or other words of the title.'].join('\n  ');
  throw new TwinbookError('usage', `"${typed}" matches ${found.length} ${kind}:`, hint);
}

const splitWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Opens the configured wallet. Throws `file_unreadable`, `key_insecure` or `key_invalid`. */
export async function openWallet(config: TraderConfig, io: CliIo): Promise<Wallet> {
  const { openKeyFile, walletPassphrase } = await import('../shell/wallet/key-file.js');
  const path = config.wallet.file;
  if (!existsSync(path)) {
    const hint = 'Create the file with `twinbook keys create --file`. On the paper profile the first start creates it.';
    throw new TwinbookError('file_unreadable', `there is no wallet file ${path}`, hint);
  }
  return openKeyFile({ path, passphrase: walletPassphrase(io.env) });
}

export const ownerOf = ({ venue }: TraderConfig, wallet: string) => ({ baseUrl: venue.profile.base_url, wallet });

export async function findCredentials(config: TraderConfig, wallet: string, env: Environment) {
  const { loadCredentials } = await import('../shell/wallet/key-file.js');
  return loadCredentials(config.wallet.credentials, ownerOf(config, wallet), env);
}

/** Opens wallet and credentials. Throws the errors of `openWallet`, and `file_unreadable` without credentials. */
export async function openKeys(config: TraderConfig, io: CliIo) {
  const wallet = await openWallet(config, io);
  const credentials = await findCredentials(config, wallet.address, io.env);
  if (credentials !== null) return { wallet, credentials };
  const text = `there are no API credentials for ${wallet.address} at ${config.venue.profile.base_url}`;
  const hint = 'Create credentials with `twinbook keys bootstrap`, with the same -c FILE.';
  throw new TwinbookError('file_unreadable', text, hint);
}

export async function withVenue<T>(
  config: TraderConfig,
  io: CliIo,
  use: (venue: TraderConfig['venue'] & { readonly client: ServiceClient; readonly wallet: Wallet }) => Promise<T>,
): Promise<T> {
  const { wallet, credentials } = await openKeys(config, io);
  return withClient(config, credentials, (client) => use({ ...config.venue, client, wallet }));
}

/** Runs `use` with a venue client; without credentials, the client cannot sign. Always closes client and venue. */
export async function withClient<T>(
  config: TraderConfig,
  credentials: Credentials | null,
  use: (client: ServiceClient, url: string) => Promise<T>,
  controls = false,
): Promise<T> {
  const { url, close } = await openVenue(config, controls);
  try {
    const { ServiceClient } = await import('../shell/client/client.js');
    const { profile } = config.venue;
    const client = new ServiceClient({ profile, baseUrl: url, ...(credentials && { credentials }) });
    return await use(client, url).finally(() => client.close());
  } finally {
    await close();
  }
}

/** Returns the answer's data. Throws `venue_refused` for a refusal, and `venue_unreachable` without a valid answer. */
export function requireAnswer<N extends EndpointName>(answer: ClientAnswer<N>, asked: string): DataOf<N> {
  const { outcome } = answer;
  if (outcome.kind === 'answered') return outcome.data;
  if (outcome.kind === 'refused') {
    const hint = outcome.status === 401 ? 'The credentials may be revoked: run `twinbook keys bootstrap`.' : '';
    throw new TwinbookError('venue_refused', `the venue refused ${asked}: ${outcome.slug}, ${outcome.message}`, hint);
  }
  const hint = 'Check the address in the configuration.';
  throw new TwinbookError('venue_unreachable', `the request for ${asked} failed: ${outcome.reason}`, hint);
}

/** Returns the offset of this machine's clock from the venue's; null when the venue does not report its time. */
export function compareClocks({ clockOffset: offset }: Pick<ServiceClient, 'clockOffset'>) {
  if (offset === null) return null;
  const apartMs = Math.abs(offset.offsetMs);
  const text = `this clock is ${(apartMs / 1000).toFixed(1)} s ${offset.offsetMs >= 0 ? 'behind' : 'ahead of'} the venue's`;
  // The venue's clock has a resolution of one second.
  return { apartMs, agrees: apartMs <= 2_000, text };
}

/** Returns the venue's address; null for an embedded exchange whose trader does not run. */
export async function findAddress(config: TraderConfig): Promise<string | null> {
  if (config.exchange?.embedded !== true) return config.venue.profile.base_url;
  const status = await askOwner({ command: 'status' }, config, { timeoutMs: 5000 }).catch(valueOn(null, 'not_running'));
  return status?.process.baseUrl ?? null;
}

/** Finds the venue. If no trader runs, opens the stored state of an embedded exchange, without simulated traders. */
async function openVenue(config: TraderConfig, controls: boolean) {
  const { exchange } = config;
  const url = await findAddress(config);
  if (url !== null || exchange === null) return { url: url ?? '', close: () => Promise.resolve() };
  if (!existsSync(exchange.dataDir)) {
    const text = `the embedded exchange has never run: there is no ${exchange.dataDir}`;
    throw new TwinbookError('venue_unreachable', text, 'Start the trader once.');
  }
  const { startExchange } = await import('../exchange/exchange.js');
  const { startingFundsMicros: startingFunds, ...kept } = exchange;
  const alone = { port: 0, controls, crowd: false, marketData: [], speed: 1 };
  return startExchange({ ...kept, ...alone, startingFunds, profile: config.venue.profile });
}

/** Time after which a trader without an answer counts as hanging, ms. Normally a trader answers within milliseconds. */
const ANSWERS_WITHIN_MS = 3_000;

/** Tests whether the trader answers, within a few seconds. */
export async function reachTrader(config: TraderConfig): Promise<'answers' | Unreached> {
  const endMs = performance.now() + ANSWERS_WITHIN_MS;
  for (;;) {
    const timeoutMs = Math.max(1, endMs - performance.now());
    // A foreign program at the socket, or a permission error, must not prevent canceling without the trader.
    if (await askOwner({ command: 'ping' }, config, { timeoutMs }).then(() => true, valueOn(false))) return 'answers';
    const silent = await findSilent(config.ledger.path);
    if (silent === 'not running' || performance.now() >= endMs) return silent;
    await pause(100);
  }
}

/** Asks the trader. Throws `not_running` only after a second check, and `timed_out` if the trader does not answer. */
export async function askThere<R extends ControlQuestion>(
  request: R,
  config: TraderConfig,
  call: { readonly timeoutMs: number; readonly untilGone?: boolean },
): Promise<ControlData[R['command']]> {
  const { socket } = config.control;
  try {
    return await askOwner(request, config, call);
  } catch (error) {
    if (!(error instanceof TwinbookError) || error.code !== 'not_running') throw error;
    const reach = await reachTrader(config);
    if (reach === 'not running') throw error;
    if (reach === 'answers') return askTrader(request, { socket, ...call });
    const hint =
      'The trader is starting, is stuck, or has lost its socket. `twinbook kill` and `cancel-all` work nevertheless.';
    throw new TwinbookError('timed_out', silenceText(reach), hint);
  }
}

/** Makes a handler for `catch`: it returns `value` for errors of these codes (no codes: all) and rethrows others. */
export const valueOn =
  <T>(value: T, ...codes: readonly ErrorCode[]) =>
  (error: unknown): T => {
    if (error instanceof TwinbookError && (codes.length === 0 || codes.includes(error.code))) return value;
    throw error;
  };

export const silenceText = (reach: Unreached): string => {
  if (reach === 'not running') return 'No trader is running';
  if (reach.silentPid === null)
    return 'Whether a trader runs is unknown, because its lock file cannot be read or does not name its owner';
  return `The trader (process ${reach.silentPid}) does not answer`;
};
