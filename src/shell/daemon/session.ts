/** Opens the parts that a trader needs, such as ledger, wallet and client, and closes them in reverse order. */

import { createHash, randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RunningExchange } from '../../exchange/exchange.js';
import { messageOf, TwinbookError, unreadable } from '../../shared/base/errors.js';
import { makeFolder, openToOthers } from '../../shared/base/files.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { TraderSettings } from '../../trader/engine/settings.js';
import { Trader } from '../../trader/engine/trader.js';
import { Executor } from '../../trader/executor/executor.js';
import type { Ledger, LedgerReader } from '../../trader/ledger/contract.js';
import { openLedger } from '../../trader/ledger/ledger.js';
import { FEE_ROWS, feeContradiction } from '../../trader/market/fee-fit.js';
import { MAX_IN_FLIGHT_WITH_CANCELS } from '../../trader/scheduler/request-queue.js';
import { ApiKey } from '../client/accepted-credentials.js';
import { ServiceClient } from '../client/client.js';
import type { ClientNotice } from '../client/contract.js';
import { type Config, type Environment, PAPER, type TraderConfig } from '../config/config.js';
import { VERSION } from '../config/shipped.js';
import { type FleetMember, stoppedUnproven } from '../fleet/member.js';
import { type describeRun, openJournal } from '../journal/journal-writer.js';
import type { Recorder } from '../recorder/recorder.js';
import { nowMs } from '../runtime/clock.js';
import { KEPT_FREE_BYTES } from '../runtime/disk.js';
import { boundedCall } from '../runtime/loop.js';
import { signingRules } from '../wallet/draft-signer.js';
import { createKeyFile, isSealedKeyFile, openKeyFile, walletPassphrase } from '../wallet/key-file.js';
import type { Wallet } from '../wallet/wallet.js';
import { isTakenOver, joinFleet, leasedSigner, objectionOf, settleWallet } from './fleet-session.js';
import { changesSinceLast, saveCopy } from './live-config.js';
import { ConsoleSupervisor, GuardianSupervisor } from './supervisors.js';

/** Maximum time of one call of a strategy's code, ms. The calls for all markets must fit into one poll interval. */
const STRATEGY_LIMIT_MS = 250;

/** The client must send all simultaneous requests of the core without a wait; otherwise cancels would take longer. */
const concurrency = MAX_IN_FLIGHT_WITH_CANCELS;

/** Pause between attempts to reach an exchange that does not answer at the start, ms. */
const REACH_AGAIN_MS = 3_000;

export type TraderSession = NonNullable<Awaited<ReturnType<typeof openSession>>>;

interface SessionOptions {
  readonly config: Config;
  readonly env: Environment;
  readonly log: Logger;
  readonly say: (text: string) => void;
  readonly verbose: boolean;
  readonly isStopping: () => boolean;
}

/** Opens a session; null after an early stop if no order of a fleet's earlier run may rest. On error, closes all. */
export async function openSession(options: SessionOptions) {
  const closers: ((isOrderly: boolean) => unknown)[] = [];
  const close = async (isOrderly = true) => {
    for (const closer of closers.reverse()) await closer(isOrderly);
  };
  let guardian: GuardianSupervisor | null = null;
  const stopped = (isSettled: boolean) => (isSettled ? close().then(() => null) : Promise.reject(stoppedUnproven()));
  try {
    // The ledger opens first, because its lock keeps a second trader from changing anything.
    dataFolder(options);
    const ledger: Ledger = openLedger(options.config.ledger.path, { pid: process.pid, startedMs: nowMs() });
    closers.push(() => ledger.close());
    // The console starts directly after the ledger is locked, because this process is still small: forking a larger
    // process takes longer. `page` is null without a console.
    const { config, env, say, log } = options;
    const page = ConsoleSupervisor.start({ config, env, say, note: (text) => log.warn(text) });
    closers.push((isOrderly) => page?.close(isOrderly));
    const wallet = openOwnWallet(options, ledger);
    // The trader joins the fleet before it signs, and before its guardian sees orders that may be another trader's.
    const joined = await joinFleet(options, wallet);
    if (joined === null) return await stopped(true);
    const { member } = joined;
    closers.push(() => member?.close());
    guardian = openGuardian(options, ledger, joined);
    closers.push(() => guardian?.close());
    if (config.exchange?.embedded === true) checkSamePast(config.exchange.dataDir, ledger);
    const exchange = await embeddedExchange(options);
    if (exchange !== null) closers.push(() => exchange.close());
    const profile = exchange === null ? config.venue.profile : { ...config.venue.profile, base_url: exchange.url };
    const access = await connect(options, wallet, profile, member);
    if (access === null) return await stopped(joined.isSettled);
    const client = access.client();
    closers.push(() => access.client().close());
    // For an embedded exchange, the fees were already compared when the configuration was loaded.
    if (exchange === null) await refuseWrongFees(client, config);
    const venue = { client, wallet, profile, allowBlindSigning: config.venue.allowBlindSigning };
    if (!(await settleWallet(joined, venue, options))) return await stopped(false);
    if (!joined.isSettled) guardian?.heart.settle();
    await guardian?.start();
    const startedMs = nowMs();
    // A run's id begins with the time, so that ids sort by start; the random part distinguishes simultaneous starts.
    const runId = `${startedMs.toString(36)}${randomBytes(3).toString('hex')}`;
    const run = { config, runId, version: VERSION, startedMs, profile, strategyLimitMs: STRATEGY_LIMIT_MS };
    const journal = await openJournal({ ...run, ledger, loud: (text) => warn(options, text) });
    closers.push(() => journal.close());
    const recorder = await openRecorder(config, (text) => warn(options, text));
    closers.push(() => recorder?.close().catch((error: unknown) => warn(options, describeEnd(error))));
    // Loaded strategies by module key; a change of the configuration adds more.
    const modules = new Map(config.strategies.map(({ moduleKey, module }) => [moduleKey, module]));
    const changes = await changesSinceLast(config, ledger, { env, cwd: process.cwd() }).catch((error: unknown) => [
      `the configuration in force cannot be compared with the previous one: ${messageOf(error)}`,
    ]);
    const copy = copyFiles(options);
    for (const text of changes ?? []) say(`the configuration differs from the last one in force: ${text}`);
    const startedWith = { copy, changes: changes ?? [] };
    const trader = newTrader(run, { ledger, wallet, journal, modules, startedWith, member });
    const parts = { trader, config, modules, ledger, page, wallet, profile, journal, recorder, guardian, member };
    return { ...parts, ...access, storeFailed: exchange?.storeFailed, env, log, close };
  } catch (error) {
    // The wallet's new owner owns the resting orders, so the guardian must not cancel these orders.
    if (isTakenOver(error)) guardian?.heart.end();
    await close();
    throw error;
  }
}

/** Makes the data folder if it is missing, and warns if other users can enter the folder. */
function dataFolder(options: SessionOptions): void {
  const { ledger, exchange } = options.config;
  const folder = dirname(ledger.path);
  try {
    const open = openToOthers(folder);
    // The files are private even if others can enter the folder. With an embedded exchange, file names are harmless.
    if (open !== null && exchange?.embedded !== true) warn(options, `${open.text}. ${open.hint}`);
    makeFolder(folder);
  } catch (error) {
    const hint = 'Choose a folder that you can write, or change ledger.path.';
    throw unreadable(`the data folder ${folder} cannot be made`, error, hint);
  }
}

/** Throws if the embedded exchange is new but the ledger is not: the exchange would not know the ledger's orders. */
function checkSamePast(dataDir: string, ledger: Ledger): void {
  const state = join(dataDir, 'exchange.sqlite');
  const isThere = existsSync(state) && statSync(state).size > 0;
  if (isThere || ledger.intents({ limit: 1 }).length + ledger.orders({ limit: 1 }).length === 0) return;
  throw new TwinbookError(
    'file_unreadable',
    `the embedded exchange's state in ${dataDir} is gone, but the ledger ${ledger.path} has orders and shares from it`,
    'Restore that folder. To start with an empty exchange, move the ledger away (all files whose names begin with its name).',
  );
}

async function embeddedExchange({ config, log, say, verbose }: SessionOptions): Promise<RunningExchange | null> {
  // Warnings, such as problems of market data, are shown to the operator, not only logged.
  const loud = {
    info: (facts: object, text: string) => {
      log.info(facts, text);
      if (verbose) say(text);
    },
    warn: (facts: object, text: string) => {
      log.warn(facts, text);
      say(`warning: ${text}`);
    },
    error: (facts: object, text: string) => log.error(facts, text),
  };
  const settings = config.exchange;
  if (settings === null || !settings.embedded) return null;
  // The embedded exchange is imported only if needed: it loads slowly, and a trader without it must restart fast.
  const { startExchange } = await import('../../exchange/exchange.js');
  const { embedded: _, startingFundsMicros: startingFunds, ...others } = settings;
  const exchange = await startExchange({ ...others, startingFunds, profile: config.venue.profile, logger: loud });
  for (const line of exchange.replays) say(line);
  return exchange;
}

/** Connects; null if stopped. A fleet member replaces a refused API key only at its start on the paper profile. */
async function connect(options: SessionOptions, wallet: Wallet, profile: VenueProfile, member: FleetMember | null) {
  const { config, env } = options;
  // An embedded exchange has a new port at every start; credentials are stored under the profile's base URL.
  const key = new ApiKey(config.wallet.credentials, config.venue.profile.base_url, wallet, env);
  const onNotice = (notice: ClientNotice) => tell(notice, options);
  const common = { profile, concurrency, onNotice, objection: objectionOf(member) };
  const open = () => new ServiceClient({ ...common, ...key.option });
  const reach = async (): Promise<ServiceClient | null> => {
    for (let told = false; !options.isStopping(); await sleep(REACH_AGAIN_MS)) {
      const client = open();
      try {
        await key.accept(client, config.venue.name === PAPER);
        return client;
      } catch (error) {
        await client.close();
        if (!(error instanceof TwinbookError) || error.code !== 'venue_unreachable') throw error;
        if (!told) options.say(`waiting for the exchange at ${profile.base_url}: ${error.message}`);
        told = true;
      }
    }
    return null;
  };
  const first = await reach();
  if (first === null) return null;
  let current = first;
  /** Replaces the client if canceling has failed. The new client has no throttling pauses and no waiting requests. */
  const freshClient = async () => {
    const before = current;
    // The new client is set before the old client is closed, so that the core's next requests use it.
    const fresh = open();
    current = fresh;
    await before.close();
    if (member === null) await key.replaceRefused(fresh, (text) => warn(options, text));
    return fresh;
  };
  return { client: () => current, freshClient };
}

type TraderParts = Pick<TraderSession, 'ledger' | 'wallet' | 'journal' | 'modules'> &
  Required<Pick<TraderSettings, 'startedWith'>> & { readonly member: FleetMember | null };

function newTrader(run: Parameters<typeof describeRun>[0], parts: TraderParts): Trader {
  const { ledger, wallet, journal, modules, startedWith, member } = parts;
  const { config, profile, runId } = run;
  const loadDraft = (intentId: string) => ledger.storedDraft(intentId);
  const rules = signingRules(profile, config.venue.allowBlindSigning);
  const always = wallet.draftSigner({ ...rules, loadDraft });
  const signer = member === null ? always : leasedSigner(always, member, loadDraft);
  const told = { runId, configHash: config.configHash, ownPollMs: config.polling.ownIntervalMs };
  const executor = new Executor(ledger, journal.signer(signer), profile, told);
  const settings = {
    ...config,
    runId,
    version: VERSION,
    profile,
    startedWith,
    boundedCall: journal.boundedCall(boundedCall(run.strategyLimitMs)),
    findModule: (key: string) => modules.get(key) ?? null,
  };
  return new Trader(settings, ledger, executor, run.startedMs);
}

/** Saves a copy of the configuration for `config rollback`. If that fails, the start continues with a warning. */
function copyFiles(options: SessionOptions): string {
  const { file, texts, ledger } = options.config;
  try {
    return saveCopy(ledger.path, { main: file, texts });
  } catch (error) {
    warn(options, messageOf(error));
    return '';
  }
}

type Joined = NonNullable<Awaited<ReturnType<typeof joinFleet>>>;

/** Makes the guardian's supervisor; null if disabled, or for an embedded exchange, which ends with this process. */
function openGuardian(options: SessionOptions, ledger: Ledger, joined: Joined): GuardianSupervisor | null {
  const { config, env } = options;
  if (!config.guardian.enabled || config.exchange?.embedded === true) return null;
  const quiet = (text: string) => options.log.info(text);
  const lease = { oursForMs: () => joined.member?.oursForMs ?? null, takesOver: !joined.isSettled };
  return new GuardianSupervisor({ config, env, ledger, ...lease, loud: (text) => warn(options, text), quiet });
}

function warn({ log, say }: SessionOptions, text: string): void {
  log.warn(text);
  say(`warning: ${text}`);
}

function tell(notice: ClientNotice, { log, say }: SessionOptions): void {
  if (notice.kind === 'throttled') return log.warn(notice, 'throttled');
  const seconds = (notice.offsetMs / 1000).toFixed(1);
  log.warn(notice, 'clock offset');
  say(`this machine's clock differs from the exchange's by ${seconds} s; requests are signed with the exchange's time`);
}

/** Maximum number of markets whose fees are checked; each check needs one public request. */
const MOST_MARKETS = 3;

/** Throws `config_invalid` if the fees of trades contradict `fee_schedule`. Ignores failed reads of trades. */
export async function refuseWrongFees(client: ServiceClient, config: Config): Promise<void> {
  const declared = config.venue.profile.fee_schedule ?? 'notional';
  for (const condition_id of await chooseMarkets(client, config)) {
    const query = { limit: FEE_ROWS };
    const { outcome } = await client.call('markets.trades', { params: { condition_id }, query });
    const found = outcome.kind === 'answered' ? feeContradiction(outcome.data, declared) : null;
    if (found === null) continue;
    throw new TwinbookError(
      'config_invalid',
      `market ${condition_id}: ${found}`,
      'Set venue.fee_schedule to the schedule of these fees. Orders of an earlier run may still rest: `twinbook cancel-all` cancels them.',
    );
  }
}

async function chooseMarkets(client: ServiceClient, { strategies }: Config): Promise<readonly string[]> {
  const named = [...new Set(strategies.flatMap(({ markets }) => markets.ids))];
  if (named.length > 0) return named.slice(0, MOST_MARKETS);
  const { outcome } = await client.call('markets.list', { query: { state: 'open', limit: 100 } });
  if (outcome.kind !== 'answered') return [];
  const usable = outcome.data.filter(({ margin_enabled }) => margin_enabled !== true);
  return usable.slice(0, MOST_MARKETS).map(({ condition_id }) => condition_id);
}

const WALLET_NOTE = 'wallet';
const SHOWN_LENGTH = 6;

/** Returns the start and the hash of a wallet's address. The ledger omits the address, because users share ledgers. */
const markOf = (address: string): string =>
  `${address.slice(0, SHOWN_LENGTH)} ${createHash('sha256').update(address).digest('hex')}`;

/** Opens the wallet. Throws TwinbookError, before any request or signature, if the ledger belongs to another wallet. */
export function openOwnWallet(
  { config, env, say }: Pick<SessionOptions, 'config' | 'env' | 'say'>,
  ledger: Ledger,
): Wallet {
  if (!existsSync(config.wallet.file)) checkOwner(config, ledger, null);
  const wallet = openWallet({ config, env, say });
  checkOwner(config, ledger, wallet.address);
  if (ledger.note(WALLET_NOTE) === null) ledger.transaction(() => ledger.setNote(WALLET_NOTE, markOf(wallet.address)));
  return wallet;
}

/** Throws `key_invalid` if the ledger belongs to another wallet. `address`: the wallet's; null without wallet file. */
export function checkOwner(config: TraderConfig, ledger: LedgerReader, address: string | null): void {
  const { file } = config.wallet;
  const own = ledger.note(WALLET_NOTE);
  if (own === null || (address !== null && own === markOf(address))) return;
  const name = `${own.slice(0, SHOWN_LENGTH)}…`;
  const what = address === null ? `there is no wallet file ${file}` : `${file} has the key of ${address}`;
  const hint = `Put the wallet file of ${name} back (wallet.file; \`twinbook keys show\` prints a file's address), or give this wallet its own ledger (ledger.path).`;
  throw new TwinbookError(
    'key_invalid',
    `the ledger ${config.ledger.path} belongs to wallet ${name}, but ${what}`,
    hint,
  );
}

function openWallet({ config, env, say }: Pick<SessionOptions, 'config' | 'env' | 'say'>): Wallet {
  const path = config.wallet.file;
  const passphrase = walletPassphrase(env);
  const isPaper = config.venue.name === PAPER;
  if (existsSync(path)) {
    if (!isPaper && !isSealedKeyFile(path))
      say(`warning: the key in ${path} is not encrypted: anyone who can read the file has the key`);
    return openKeyFile({ path, passphrase });
  }
  if (!isPaper) {
    const hint = 'Make a wallet with `twinbook keys create`, or import one with `twinbook keys import`.';
    throw new TwinbookError('file_unreadable', `there is no wallet file ${path}`, hint);
  }
  const wallet = createKeyFile({ path, passphrase });
  say(`made a new paper wallet ${wallet.address} in ${path}`);
  return wallet;
}

/** Opens the recording of the trader's reads; null if recording is off. Warns and returns null if opening fails. */
async function openRecorder(
  { recording, venue, polling }: Config,
  warn: (text: string) => void,
): Promise<Recorder | null> {
  if (!recording.enabled) return null;
  try {
    // The recorder is loaded on demand: its store loads slowly, and most traders do not record.
    const { Recorder: recorder } = await import('../recorder/recorder.js');
    return await recorder.open({
      folder: recording.dir,
      venue: venue.name,
      only: null,
      bookIntervalMs: polling.quietIntervalMs,
      publicPerMinute: venue.profile.rate_limits.public_per_minute,
      onFailure: (error) => warn(describeEnd(error)),
      onLeftOut: warn,
      keptFreeBytes: KEPT_FREE_BYTES,
    });
  } catch (error) {
    warn(`no recording is made: ${messageOf(error)}`);
    return null;
  }
}

const describeEnd = (error: unknown): string => `the recording ends here, but trading continues: ${messageOf(error)}`;
