/**
 * The paper exchange as a running service: a core with a real clock and an HTTP server on a loopback address. A
 * simulated crowd trades in its own markets, or recorded markets are replayed. A data folder can store the state.
 *
 *     const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, controls: true });
 *     await fetch(`${exchange.url}/markets/`);
 *     await exchange.close();
 */

import type { FastifyInstance } from 'fastify';
import { openRecordings } from '../recording/recording.js';
import { messageOf, systemCode, TwinbookError } from '../shared/base/errors.js';
import type { Micros } from '../shared/base/micros.js';
import type { VenueProfile } from '../shared/protocol/profile.js';
import type { CoreSettings } from './core/contract.js';
import { Crowd } from './crowd/crowd.js';
import { attachReplay, type Replay } from './crowd/replay.js';
import { buildServer } from './http/server.js';
import { ExchangeClock, makeReplayNotices, Ticker } from './http/ticker.js';
import { PersistentCore } from './store/persistent-core.js';

/** Options of a paper exchange. */
export interface ExchangeOptions {
  /** Port of the server; 0 picks a free port. */
  readonly port: number;
  readonly profile: VenueProfile;
  /** Folder for the exchange's state, created if missing. If null or absent, no state is stored. */
  readonly dataDir?: string | null;
  /** Seed of the crowd and of the exchange's pubkeys. */
  readonly seed: number;
  /** True if the control calls under `/paper/` are served. */
  readonly controls: boolean;
  /** True if simulated traders trade in their own markets. This setting is ignored if `marketData` has recordings. */
  readonly crowd: boolean;
  /** Number of the crowd's markets, 1 to 1000; default 4. */
  readonly crowdMarkets?: number;
  /** True if the profile's request limits apply. */
  readonly rateLimits: boolean;
  /** Currency that an account receives when its wallet creates its first key. */
  readonly startingFunds: Micros;
  /** Time that merges and splits stay `in_process`, and that each margin step takes, ms. */
  readonly landingMs: number;
  /** Time to sign and submit a draft, seconds. */
  readonly draftLifetimeS: number;
  /** Paths of recordings to replay, files or folders. */
  readonly marketData: readonly string[];
  /** Speed of the replay: recorded ms per ms of the exchange's clock; 1 is real time. */
  readonly speed: number;
  readonly logger?: ExchangeLogger;
}

/** Receives log messages for the operator, for example a pino logger. Log messages contain no secrets. */
export interface ExchangeLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** A running paper exchange. */
export interface RunningExchange {
  /** URL of the exchange, such as `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Description of the replay: one line for each replayed recording. */
  readonly replays: readonly string[];
  /** Aborted with the error of a failed write to the data folder. The exchange then answers calls with status 500. */
  readonly storeFailed: AbortSignal;
  /** Stops the server after its running requests, writes a last snapshot and releases the data folder, only once. */
  close(): Promise<void>;
}

/** Defaults of `twinbook exchange`. */
export const PAPER_DEFAULTS = {
  port: 8787,
  dataDir: null,
  seed: 1,
  controls: false,
  crowd: true,
  rateLimits: true,
  startingFunds: 10_000_000_000 as Micros,
  landingMs: 400,
  draftLifetimeS: 60,
  marketData: [],
  speed: 1,
} as const satisfies Partial<ExchangeOptions>;

/**
 * Starts an exchange. Throws TwinbookError `port_busy` if the address is in use, `file_unreadable` if the data folder
 * cannot be written, `ledger_locked` if another process uses the folder, and `recording_invalid` or `file_unreadable`
 * for unreadable market data.
 */
export async function startExchange(options: ExchangeOptions): Promise<RunningExchange> {
  const logger = options.logger ?? SILENT;
  const recordings = options.marketData.length === 0 ? [] : await openRecordings(options.marketData);
  const persistentCore = PersistentCore.open(options.dataDir ?? null, coreSettings(options), logger);
  let replay: Replay | null = null;
  try {
    const clock = new ExchangeClock(persistentCore.core.nowMs);
    const { core } = persistentCore;
    const { speed, seed, crowdMarkets: markets } = options;
    if (recordings.length > 0) replay = await attachReplay(core, recordings, speed, clock.nowMs());
    // Only a crowd makes internal orders. No run tracks the orders that a crash left in the books.
    for (const handle of core.pool.internalHandles()) core.at(clock.nowMs()).internal.cancel(handle);
    // The crowd does not trade during a replay.
    const crowd = options.crowd && replay === null ? new Crowd(core, { seed, markets }, clock.nowMs()) : null;
    const notices = replay && makeReplayNotices(replay, logger);
    const drivers = [replay, crowd, notices].filter((driver) => driver !== null);
    const storeFailed = new AbortController();
    const onError = (error: unknown, where: string) => {
      if (storeFailed.signal.aborted) return;
      const isKnown = error instanceof TwinbookError;
      const text = isKnown ? `${error.message}. ${error.hint}` : `the exchange has a bug: ${messageOf(error)}`;
      logger.error({ err: error, where }, text);
      if (systemCode(error) === 'ledger_broken') storeFailed.abort(error);
    };
    const ticker = new Ticker(persistentCore, clock, drivers, onError);
    // A restart clears delays that a control call set; simulated faults also end at a restart.
    if (Object.keys(core.delays).length > 0) core.at(clock.nowMs()).setDelays({});
    // Due work is done before the first request, so that the markets of the crowd or replay exist.
    ticker.run();
    const server = buildServer({
      ...options,
      core,
      clock,
      onError,
      settle: () => ticker.settle(),
      advanceClock: (ms) => {
        clock.advance(ms);
        // The core's time is advanced even without due work, because the journal must contain the new time.
        core.advance(clock.nowMs());
        return ticker.run();
      },
    });
    const url = await listen(server, options.port);
    ticker.start();
    storeFailed.signal.onabort = () => ticker.stop();
    const port = Number(url.split(':').at(-1));
    logger.info({ url, markets: core.catalog.markets.length }, 'the paper exchange listens');
    const close = async () => {
      ticker.stop();
      // Without this limit, a stalled connection would delay the exchange's close.
      const timeout = setTimeout(() => server.server.closeAllConnections(), CLOSING_GRACE_MS);
      try {
        await server.close();
        if (!storeFailed.signal.aborted) crowd?.withdraw(clock.nowMs());
        await replay?.close();
      } finally {
        clearTimeout(timeout);
        persistentCore.close();
      }
    };
    let closing: Promise<void> | null = null;
    const shown = { url, port, replays: replay?.plan ?? [], storeFailed: storeFailed.signal };
    return { ...shown, close: () => (closing ??= close()) };
  } catch (error) {
    await replay?.close();
    persistentCore.close();
    throw error;
  }
}

/** Time limit for running requests when the exchange closes, ms. Usually requests need microseconds. */
const CLOSING_GRACE_MS = 500;

function coreSettings(options: ExchangeOptions): CoreSettings {
  const { profile, landingMs, startingFunds, seed } = options;
  return {
    serviceName: profile.service_name,
    draftMessage: profile.draft_message,
    ...(profile.draft_cosigners === undefined ? {} : { draftCosigners: profile.draft_cosigners }),
    draftLifetimeMs: options.draftLifetimeS * 1000,
    landingMs,
    startingFunds,
    liquidationLossPercent: profile.liquidation_loss_percent ?? 100,
    challengeLifetimeMs: 600_000,
    seed,
  };
}

/** Any client that reaches the exchange can trade, so the server listens on the loopback address only. */
const HOST = '127.0.0.1';

/** Returns the URL of the server. */
async function listen(server: FastifyInstance, port: number): Promise<string> {
  try {
    return await server.listen({ host: HOST, port });
  } catch (error) {
    if (systemCode(error) !== 'EADDRINUSE') throw error;
    const hint = 'Stop that program, or choose another port; port 0 picks a free port.';
    throw new TwinbookError('port_busy', `${HOST}:${port} is in use by another program`, hint, { cause: error });
  }
}

const ignore = () => undefined;
const SILENT: ExchangeLogger = { info: ignore, warn: ignore, error: ignore };
