/**
 * The paper exchange as a running service: the pure core (matching, accounts, conversions), driven by a real clock,
 * spoken to over HTTP exactly as the interface says, filled by a simulated crowd and by recorded markets, and kept in a
 * data folder when one is given. It binds to loopback only: whoever can reach it can trade on it.
 *
 *     const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, controls: true });
 *     await fetch(`${exchange.url}/markets/`);
 *     await exchange.close();
 */

import type { Micros } from '../base/micros.js';
import type { VenueProfile } from '../protocol/profile.js';

export interface ExchangeOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** A loopback address; default `127.0.0.1`. */
  readonly host?: string;
  readonly profile: VenueProfile;
  /** Where the exchange keeps its state; created when missing. Null or absent: everything is forgotten at the end. */
  readonly dataDir?: string | null;
  /** Seed of the crowd and of the pubkeys that the exchange gives out. */
  readonly seed: number;
  /** Whether the calls under `/paper/` are served. */
  readonly controls: boolean;
  /** Whether simulated traders trade; they bring four markets of their own when there are none. */
  readonly crowd: boolean;
  readonly rateLimits: boolean;
  /** What a wallet's account holds when it creates its first key. */
  readonly startingFunds: Micros;
  /** How long merges and splits stay `in_process`, ms. */
  readonly landingMs: number;
  /** How long a draft may be signed and submitted, seconds. */
  readonly draftLifetimeS: number;
  /** Recordings to replay: paths of files or folders. */
  readonly marketData: readonly string[];
  /** Recorded milliseconds per millisecond of the exchange's clock. */
  readonly speed: number;
  readonly logger?: ExchangeLogger;
}

/** What the exchange says to its operator; a pino logger is one. Never holds a secret. */
export interface ExchangeLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface RunningExchange {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Stops listening, finishes the calls that are running, writes a last snapshot and lets go of the data folder. */
  close(): Promise<void>;
}

/** The exchange as `twinbook exchange` starts it without options. */
export const PAPER_DEFAULTS = {
  port: 8787,
  dataDir: null,
  seed: 1,
  controls: false,
  crowd: true,
  rateLimits: true,
  // 10,000 units of currency, as micros.
  startingFunds: 10_000_000_000 as Micros,
  landingMs: 400,
  draftLifetimeS: 60,
  marketData: [],
  speed: 1,
} as const satisfies Partial<ExchangeOptions>;

/**
 * Starts an exchange. Throws TwinbookError `port_busy` when the address is in use, `file_unreadable` when the data
 * folder cannot be written or another process uses it, `recording_invalid` for market data that cannot be read, and
 * `usage` for an address that is not loopback.
 */
export function startExchange(options: ExchangeOptions): Promise<RunningExchange> {
  return Promise.reject(new Error(`not yet: ${options.port}`));
}
