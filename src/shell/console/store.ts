/**
 * The console's own SQLite file beside the ledger, with alerts and chart data. No order or fill depends on
 * it. A damaged file is replaced, and a failed write is ignored. The console works without the file.
 */

import { existsSync, renameSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { messageOf } from '../../shared/base/errors.js';
import { makePrivateFile } from '../../shared/base/files.js';
import { SqliteDriver } from '../../shared/base/sqlite-driver.js';
import type { Acknowledgement, AlertMemory, AlertState } from '../alerts/alert-center.js';
import { nowMs } from '../runtime/clock.js';
import type { ShownState } from './trader-state.js';

/** Time after which stored acknowledgements are deleted, ms; the console has read them within 1 s. */
const KEPT_MS = 86_400_000;

/** Stored alert state, which the next console restores: open alerts, acknowledgements, channels' pending messages. */
export class AlertStore implements AlertMemory {
  readonly #file: StoreFile;

  constructor(file: StoreFile) {
    this.#file = file;
  }

  load(): AlertState | null {
    return this.#file.read<AlertState>('alerts');
  }

  save(state: AlertState): void {
    this.#file.write('alerts', state);
  }

  acknowledgements(): readonly Acknowledgement[] {
    const sql = 'SELECT kind, since_ms AS sinceMs, time_ms AS timeMs FROM acknowledgements';
    return this.#file.attempt((sqlite) => sqlite.prepare<[], Acknowledgement>(sql).all(), []);
  }

  /** Stores an acknowledgement. Returns false if the store cannot be written. */
  acknowledge({ kind, sinceMs, timeMs }: Acknowledgement): boolean {
    return this.#file.attempt((sqlite) => {
      sqlite.prepare('DELETE FROM acknowledgements WHERE time_ms < ?').run(timeMs - KEPT_MS);
      sqlite.prepare('INSERT OR IGNORE INTO acknowledgements VALUES (?, ?, ?)').run(kind, sinceMs, timeMs);
      return true;
    }, false);
  }
}

/** Version of the tables, increased with each change. A file of another version is renamed and replaced. */
const VERSION = 4;
const TABLES = `
CREATE TABLE series (id INTEGER PRIMARY KEY, market TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE market_points (
  series INTEGER NOT NULL REFERENCES series (id), scale INTEGER NOT NULL, time_s INTEGER NOT NULL,
  bestBidMicros INTEGER, bestAskMicros INTEGER, fairMicros INTEGER, bidMicros INTEGER, askMicros INTEGER,
  netMicros INTEGER NOT NULL,
  PRIMARY KEY (series, scale, time_s)
) STRICT, WITHOUT ROWID;
CREATE TABLE account_points (
  scale INTEGER NOT NULL, time_s INTEGER NOT NULL,
  equityMicros INTEGER, resultMicros INTEGER, lossDayMicros INTEGER NOT NULL,
  PRIMARY KEY (scale, time_s)
) STRICT, WITHOUT ROWID;
CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE acknowledgements (
  kind TEXT NOT NULL, since_ms INTEGER NOT NULL, time_ms INTEGER NOT NULL,
  PRIMARY KEY (kind, since_ms)
) STRICT, WITHOUT ROWID;
PRAGMA user_version = ${VERSION};
`;

const APPLICATION_ID = 0x54574243;
const BUSY_MS = 200;
const AGAIN_MS = 60_000;
export const locateStore = (ledgerPath: string): string => `${ledgerPath}.console`;

interface StoreFileOptions {
  readonly path: string;
  readonly note: (text: string) => void;
  /** Present time, Unix ms; used in the new name of a damaged or outdated file. */
  readonly nowMs: () => number;
  /** Monotonic clock, ms. */
  readonly steadyMs: () => number;
}

/** The console's SQLite file, opened at its first use. The methods do not throw if the file or the disk fails. */
export class StoreFile {
  readonly #options: StoreFileOptions;
  #sqlite: Sqlite.Database | null = null;
  #failedMs: number | null = null;

  constructor(options: StoreFileOptions) {
    this.#options = options;
  }

  /** Runs `work` in one transaction and returns its result; returns `otherwise` if the file cannot be used now. */
  attempt<T>(work: (sqlite: Sqlite.Database) => T, otherwise: T): T {
    const { steadyMs, note, path } = this.#options;
    if (this.#failedMs !== null && steadyMs() - this.#failedMs < AGAIN_MS) return otherwise;
    try {
      const sqlite = this.#open();
      const result = sqlite.transaction(() => work(sqlite)).immediate();
      if (this.#failedMs !== null) note(`${path} can be used again`);
      this.#failedMs = null;
      return result;
    } catch (error) {
      const isOfDisk = error instanceof Error && 'syscall' in error;
      if (!(error instanceof SqliteDriver.SqliteError || isOfDisk)) throw error;
      this.#fail(error);
      return otherwise;
    }
  }

  /** Reads a stored value, which a console of the same version wrote; null if the value is missing or damaged. */
  read<T>(name: string): T | null {
    return this.attempt((sqlite) => {
      const sql = 'SELECT value FROM kept WHERE name = ? AND json_valid(value)';
      const text = sqlite.prepare<[string], string>(sql).pluck().get(name);
      return text === undefined ? null : (JSON.parse(text) as T);
    }, null);
  }

  write(name: string, value: object): void {
    const text = JSON.stringify(value);
    this.attempt((sqlite) => sqlite.prepare('INSERT OR REPLACE INTO kept VALUES (?, ?)').run(name, text), undefined);
  }

  close(): void {
    this.#sqlite?.close();
    this.#sqlite = null;
  }

  #open(): Sqlite.Database {
    if (this.#sqlite !== null) return this.#sqlite;
    const { path } = this.#options;
    makePrivateFile(path);
    const sqlite = new SqliteDriver(path, { timeout: BUSY_MS });
    this.#sqlite = sqlite;
    sqlite.pragma('journal_mode = WAL');
    // Writes are not synced one by one, so a power loss may delete the newest seconds of a chart.
    sqlite.pragma('synchronous = NORMAL');
    sqlite.pragma('journal_size_limit = 4000000');
    const version = Number(sqlite.pragma('user_version', { simple: true }));
    const application = Number(sqlite.pragma('application_id', { simple: true }));
    if (version > 0 && (version !== VERSION || application !== APPLICATION_ID)) {
      this.#putAside('was written by another version');
      return this.#open();
    }
    if (version === 0) sqlite.exec(`BEGIN IMMEDIATE;${TABLES}PRAGMA application_id = ${APPLICATION_ID};COMMIT`);
    return sqlite;
  }

  #fail(error: unknown): void {
    const { note, path, steadyMs } = this.#options;
    const code = error instanceof SqliteDriver.SqliteError ? error.code : '';
    // `SQLITE_BUSY` is ignored: another console holds the file's lock for a moment.
    if (code.startsWith('SQLITE_BUSY')) return;
    const why = messageOf(error);
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return this.#putAside(`is damaged (${why})`);
    if (this.#failedMs === null) note(`warning: ${path} cannot be used: ${why}; charts and alerts continue without it`);
    this.#failedMs = steadyMs();
    this.close();
  }

  #putAside(why: string): void {
    const { path, note, nowMs, steadyMs } = this.#options;
    this.close();
    const aside = `${path}.aside-${nowMs()}`;
    try {
      for (const ending of ['', '-wal', '-shm'])
        if (existsSync(`${path}${ending}`)) renameSync(`${path}${ending}`, `${aside}${ending}`);
      note(`warning: ${path} ${why}; the file is kept as ${aside}, and a new file is created`);
    } catch (error) {
      note(`warning: ${path} ${why}, and cannot be renamed: ${String(error)}`);
      this.#failedMs = steadyMs();
    }
  }
}

const COARSEST = { seconds: 3600, keptS: 90 * 86_400 };
/** Scales of the charts' history. Each point covers `seconds`, and expires after `keptS` seconds. */
const SCALES = [
  { seconds: 5, keptS: 6 * 3600 },
  { seconds: 60, keptS: 48 * 3600 },
  { seconds: 600, keptS: 14 * 86_400 },
  COARSEST,
] as const;

export const FINEST_S = SCALES[0].seconds;

export const MOST_POINTS = 2_200;
const MOST_BYTES = 256_000_000;
const PRUNE_MS = 60_000;
/** Minimum fraction of `keptS` to which lifetimes are shortened while the file is too large. */
const LEAST_PART = 0.02;
/** Factor by which each size check shortens the points' lifetimes while the file is too large. */
const LESS = 0.8;

/** YES prices: the lowest best bid and highest best ask of a time span. All other figures are the span's newest. */
export interface MarketPoint {
  readonly timeMs: number;
  readonly bestBidMicros: number | null;
  readonly bestAskMicros: number | null;
  readonly fairMicros: number | null;
  readonly bidMicros: number | null;
  readonly askMicros: number | null;
  /** Shares of YES minus shares of NO. */
  readonly netMicros: number;
}

interface AccountPoint {
  readonly timeMs: number;
  /** Equity of the account; null while a holding had no mark. */
  readonly equityMicros: number | null;
  readonly resultMicros: number | null;
  readonly lossDayMicros: number;
}
interface StatusSample {
  readonly account: AccountPoint;
  readonly markets: readonly (Omit<MarketPoint, 'timeMs'> & { readonly id: string })[];
}

type StoredSpan = Readonly<{ fromMs: number; toMs: number }>;

/**
 * Stores figures of the account and of each market over time, in four scales; finer scales expire earlier. While no
 * telemetry arrives, no points are stored, and the chart shows a gap.
 */
export class History {
  readonly #file: StoreFile;
  readonly #mostBytes: number;
  #prunedMs = Number.NEGATIVE_INFINITY;
  #part = 1;

  constructor(file: StoreFile, mostBytes = MOST_BYTES) {
    this.#file = file;
    this.#mostBytes = mostBytes;
  }

  /** Stores a sample. Call this every five seconds while the trader sends its state. */
  add({ account, markets }: StatusSample): void {
    this.#file.attempt((sqlite) => {
      const putAccount = sqlite.prepare(PUT_ACCOUNT);
      const putMarket = sqlite.prepare(PUT_MARKET);
      const series = new Map(markets.map(({ id }) => [id, findSeries(sqlite, id)]));
      for (const { seconds: scale } of SCALES) {
        const time = pointS(account.timeMs, scale);
        putAccount.run({ ...account, scale, time });
        for (const one of markets) putMarket.run({ ...one, series: series.get(one.id), scale, time });
      }
      this.#prune(sqlite, account.timeMs);
    }, undefined);
  }

  /** Returns the points of a market, oldest first: at most `MOST_POINTS`, in the finest stored scale that fits. */
  market(id: string, span: StoredSpan): readonly MarketPoint[] {
    return this.#read<MarketPoint>(MARKET_POINTS, span, [id]);
  }

  /** Returns the points of the finest scale within a span; empty if these points have expired. */
  closeUp(id: string, { fromMs, toMs }: StoredSpan): readonly MarketPoint[] {
    const bounds = [id, FINEST_S, pointS(fromMs, FINEST_S), pointS(toMs, FINEST_S)];
    // The cast is safe: the statement names the columns, and the tables are STRICT.
    return this.#file.attempt((sqlite) => sqlite.prepare(MARKET_POINTS).all(bounds) as MarketPoint[], []);
  }

  account(span: StoredSpan): readonly AccountPoint[] {
    const sql = `SELECT time_s * 1000 AS timeMs, equityMicros, resultMicros, lossDayMicros
      FROM account_points WHERE scale = ? AND time_s BETWEEN ? AND ? ORDER BY time_s LIMIT ${MOST_POINTS}`;
    return this.#read<AccountPoint>(sql, span, []);
  }

  newestMs(): number | null {
    return this.#file.attempt(readNewestMs, null);
  }

  #read<Point>(sql: string, { fromMs, toMs }: StoredSpan, key: readonly string[]): readonly Point[] {
    const fromS = Math.floor(fromMs / 1000);
    const toS = Math.floor(toMs / 1000);
    return this.#file.attempt((sqlite) => {
      const newestS = (readNewestMs(sqlite) ?? toMs) / 1000;
      const { seconds: scale } =
        SCALES.find((one) => (toS - fromS) / one.seconds < MOST_POINTS && newestS - fromS <= one.keptS * this.#part) ??
        COARSEST;
      // The cast is safe: the statement names the columns, and the tables are STRICT.
      return sqlite.prepare(sql).all(...key, scale, fromS, toS) as Point[];
    }, []);
  }

  #prune(sqlite: Sqlite.Database, timeMs: number): void {
    if (Math.abs(timeMs - this.#prunedMs) < PRUNE_MS) return;
    this.#prunedMs = timeMs;
    const figure = (name: string) => Number(sqlite.pragma(name, { simple: true }));
    const bytes = (figure('page_count') - figure('freelist_count')) * figure('page_size');
    if (bytes > this.#mostBytes) this.#part = Math.max(this.#part * LESS, LEAST_PART);
    else if (bytes < this.#mostBytes / 2) this.#part = Math.min(this.#part / LESS, 1);
    const series = sqlite.prepare<[], number>('SELECT id FROM series').pluck().all();
    const first = sqlite.prepare<[number], number>('SELECT min(time_s) FROM account_points WHERE scale = ?').pluck();
    for (const { seconds, keptS } of SCALES) {
      // Each call deletes at most a tenth of a scale, so that a clock that is briefly ahead causes little loss.
      const oldest = Math.floor(Math.min((first.get(seconds) ?? 0) + keptS / 10, timeMs / 1000 - keptS * this.#part));
      sqlite.prepare('DELETE FROM account_points WHERE scale = ? AND time_s < ?').run(seconds, oldest);
      const old = sqlite.prepare('DELETE FROM market_points WHERE series = ? AND scale = ? AND time_s < ?');
      for (const id of series) old.run(id, seconds, oldest);
    }
    sqlite.exec('DELETE FROM series WHERE NOT EXISTS (SELECT 1 FROM market_points WHERE series = series.id)');
  }
}

/** Returns the newest point's time, ms; ignores points of the future, stored while the clock was ahead. */
function readNewestMs(sqlite: Sqlite.Database): number | null {
  const sql = 'SELECT max(time_s) * 1000 FROM account_points WHERE scale = ? AND time_s <= ?';
  const newest = sqlite.prepare<[number, number], number | null>(sql).pluck();
  return newest.get(FINEST_S, nowMs() / 1000) ?? null;
}

const pointS = (timeMs: number, seconds: number): number => Math.floor(timeMs / 1000 / seconds) * seconds;

function findSeries(sqlite: Sqlite.Database, market: string): number {
  const known = sqlite.prepare<[string], number>('SELECT id FROM series WHERE market = ?').pluck().get(market);
  return known ?? Number(sqlite.prepare('INSERT INTO series (market) VALUES (?)').run(market).lastInsertRowid);
}

const MARKET_POINTS = `SELECT time_s * 1000 AS timeMs, bestBidMicros, bestAskMicros, fairMicros, bidMicros, askMicros, netMicros
  FROM market_points JOIN series ON series.id = series
  WHERE market = ? AND scale = ? AND time_s BETWEEN ? AND ? ORDER BY time_s LIMIT ${MOST_POINTS}`;

const PUT_ACCOUNT =
  'INSERT OR REPLACE INTO account_points VALUES (@scale, @time, @equityMicros, @resultMicros, @lossDayMicros)';

const PUT_MARKET = `INSERT INTO market_points VALUES
  (@series, @scale, @time, @bestBidMicros, @bestAskMicros, @fairMicros, @bidMicros, @askMicros, @netMicros)
  ON CONFLICT DO UPDATE SET
  bestBidMicros = coalesce(min(bestBidMicros, excluded.bestBidMicros), bestBidMicros, excluded.bestBidMicros),
  bestAskMicros = coalesce(max(bestAskMicros, excluded.bestAskMicros), bestAskMicros, excluded.bestAskMicros),
  fairMicros = excluded.fairMicros, bidMicros = excluded.bidMicros, askMicros = excluded.askMicros,
  netMicros = excluded.netMicros`;

/** Makes a history sample; null while the trader sends nothing. Omits markets without own orders and holdings. */
export function takeSample({ account, markets, isCurrent }: ShownState, timeMs: number): StatusSample | null {
  if (!isCurrent || account === null) return null;
  const { equityMicros, resultMicros, losses } = account;
  const own = [...markets.values()].filter((one) => one.orders.length > 0 || one.yesMicros !== 0 || one.noMicros !== 0);
  return {
    account: { timeMs, equityMicros, resultMicros, lossDayMicros: losses.dayLossMicros },
    markets: own.map((one) => ({ ...one, id: one.conditionId, netMicros: one.yesMicros - one.noMicros })),
  };
}
