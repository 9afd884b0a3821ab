/** A fleet's tables, and queries about one wallet. The wallet owner's database session holds an advisory lock. */

import { createHash } from 'node:crypto';
import { must, TwinbookError } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import { type FleetDatabase, unusable } from './database.js';

/** Version of the fleet's tables, incremented with each change. A trader works only with tables of its own version. */
const TABLES_VERSION = 2;

/** Each SQL function first locks the only row of table `about`, so that it sees the writes of all earlier calls. */
const TABLES = `
CREATE SCHEMA twinbook_fleet;
CREATE TABLE twinbook_fleet.about (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version int NOT NULL,
  capital bigint NOT NULL CHECK (capital >= 0)
);
CREATE TABLE twinbook_fleet.wallet (
  wallet text PRIMARY KEY,
  holder text NOT NULL,
  instance text NOT NULL,
  machine text NOT NULL,
  term int NOT NULL,
  renewal int NOT NULL,
  lease_ms int NOT NULL CHECK (lease_ms > 0),
  is_free boolean NOT NULL,
  is_settled boolean NOT NULL,
  backend_pid int NOT NULL,
  taken_at timestamptz NOT NULL,
  renewed_at timestamptz NOT NULL,
  granted bigint NOT NULL DEFAULT 0 CHECK (granted >= 0),
  summary jsonb,
  note text
);
CREATE TABLE twinbook_fleet.claim (
  market text PRIMARY KEY,
  wallet text NOT NULL REFERENCES twinbook_fleet.wallet,
  claimed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE FUNCTION twinbook_fleet.grant_capital(of_wallet text, of_instance text, of_term bigint, wanted bigint)
RETURNS TABLE (answer text, others bigint, capital bigint) LANGUAGE plpgsql AS $$
DECLARE all_capital bigint; of_others bigint;
BEGIN
  SELECT a.capital INTO all_capital FROM twinbook_fleet.about a FOR UPDATE;
  PERFORM 1 FROM twinbook_fleet.wallet w
    WHERE w.wallet = of_wallet AND w.instance = of_instance AND w.term = of_term AND NOT w.is_free FOR UPDATE;
  IF NOT FOUND THEN RETURN QUERY SELECT 'fenced'::text, 0::bigint, all_capital; RETURN; END IF;
  SELECT coalesce(sum(w.granted), 0)::bigint INTO of_others FROM twinbook_fleet.wallet w WHERE w.wallet <> of_wallet;
  IF of_others + wanted > all_capital
    AND wanted > (SELECT w.granted FROM twinbook_fleet.wallet w WHERE w.wallet = of_wallet) THEN
    RETURN QUERY SELECT 'too_much'::text, of_others, all_capital; RETURN;
  END IF;
  UPDATE twinbook_fleet.wallet w SET granted = wanted WHERE w.wallet = of_wallet;
  RETURN QUERY SELECT 'granted'::text, of_others, all_capital;
END $$;
CREATE FUNCTION twinbook_fleet.claim_markets(of_wallet text, of_instance text, of_term bigint, wanted text[])
RETURNS TABLE (market text, wallet text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM twinbook_fleet.about a FOR UPDATE;
  PERFORM 1 FROM twinbook_fleet.wallet w
    WHERE w.wallet = of_wallet AND w.instance = of_instance AND w.term = of_term AND NOT w.is_free FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO twinbook_fleet.claim AS c (market, wallet)
    SELECT m, of_wallet FROM unnest(wanted) m ON CONFLICT DO NOTHING;
  RETURN QUERY SELECT c.market, c.wallet FROM twinbook_fleet.claim c WHERE c.market = ANY (wanted);
END $$;
CREATE FUNCTION twinbook_fleet.set_capital(wanted bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM twinbook_fleet.about a FOR UPDATE;
  IF wanted < (SELECT coalesce(sum(w.granted), 0) FROM twinbook_fleet.wallet w) THEN RETURN false; END IF;
  UPDATE twinbook_fleet.about SET capital = wanted;
  RETURN true;
END $$;
INSERT INTO twinbook_fleet.about (version, capital) VALUES (${TABLES_VERSION}, 0);
`;

/**
 * Prepares a database for a fleet, or changes the capital of a prepared fleet. Returns true if the database was new.
 * Rejects with TwinbookError `fleet_unusable`, or `usage` if the capital is less than the sum of all grants.
 */
export async function initFleet(database: FleetDatabase, capitalMicros: Micros): Promise<boolean> {
  const isNew = (await readVersion(database)) === null;
  // PostgreSQL runs all statements of one query in one transaction.
  if (isNew) await database.query(TABLES);
  await requireTables(database);
  const sql = 'SELECT twinbook_fleet.set_capital($1) AS is_set';
  const [row] = await database.query<{ is_set: boolean }>(sql, [capitalMicros]);
  const granted = 'the fleet has already granted more than this capital to its traders';
  if (row?.is_set !== true) throw new TwinbookError('usage', granted, '`twinbook fleet status` shows the grants.');
  return isNew;
}

/** Checks the tables. Rejects with TwinbookError `fleet_unusable` if they are missing or have another version. */
export async function requireTables(database: FleetDatabase): Promise<void> {
  const version = await readVersion(database);
  if (version === null)
    throw unusable(`${database.place} is not prepared for a fleet`, 'Run `twinbook fleet init --capital N`');
  if (version === TABLES_VERSION) return;
  const what = `${database.place} has tables of version ${version}, but this Twinbook needs version ${TABLES_VERSION}`;
  const isOlder = version > TABLES_VERSION ? '; this Twinbook is older' : '';
  throw unusable(what, `Use one version of Twinbook for the whole fleet${isOlder}`);
}

async function readVersion(database: FleetDatabase): Promise<number | null> {
  const [found] = await database.query("SELECT to_regclass('twinbook_fleet.about') AS about");
  if (found?.['about'] === null) return null;
  const [row] = await database.query('SELECT version FROM twinbook_fleet.about');
  return Number(row?.['version']);
}

interface WalletRow extends OwnerRow, TakenLease {
  readonly wallet: string;
  readonly machine: string;
  readonly markets: readonly string[];
  /** Time since the lease was taken (`takenS`) and last renewed (`renewedS`), s, by the database's clock. */
  readonly takenS: number;
  readonly renewedS: number;
  /** Summary of the trader's state; null before the first renewal. */
  readonly summary: TraderSummary | null;
}

/** Reads the state of the whole fleet for display. Rejects with the errors of `requireTables`. */
export async function readFleet(database: FleetDatabase) {
  await requireTables(database);
  const [about] = await database.query('SELECT capital FROM twinbook_fleet.about');
  const wallets = await database.query<WalletRow>(
    `SELECT ${OWNER}, wallet, machine, summary, ${TAKEN},
      extract(epoch FROM clock_timestamp() - taken_at)::float8 AS "takenS",
      extract(epoch FROM clock_timestamp() - renewed_at)::float8 AS "renewedS",
      ARRAY(SELECT c.market FROM twinbook_fleet.claim c WHERE c.wallet = w.wallet ORDER BY c.market) AS markets
     FROM twinbook_fleet.wallet w ORDER BY holder, wallet`,
  );
  return { capitalMicros: Number(about?.['capital']), wallets };
}

interface OwnerRow {
  readonly holder: string;
  /** Random id of the trader's process, new at each start. */
  readonly instance: string;
  /** Number of the lease's term, increased by 1 with each new owner. */
  readonly term: number;
  /** Number that increases by 1 with each renewal of the lease and each new owner. */
  readonly renewal: number;
  readonly leaseMs: number;
  /** Whether the owner released the wallet, which implies that no order rests. */
  readonly isFree: boolean;
}

/** Term and renewal that `take` must find unchanged in the wallet's row; null if there must be no row. */
type Expected = Pick<OwnerRow, 'term' | 'renewal'> | null;

/** A trader's state at its last renewal, for display. Money is decimal text; `result` is the total profit or loss. */
export interface TraderSummary {
  readonly mode: string;
  readonly reason: string;
  readonly cash: string | null;
  readonly equity: string | null;
  readonly result: string | null;
  readonly openOrders: number;
  readonly fills: number;
  readonly version: string;
}

type OwnerCandidate = Pick<WalletRow, 'wallet' | 'holder' | 'instance' | 'machine' | 'leaseMs'>;

interface TakenLease {
  readonly term: number;
  /** Whether it is proven that no order of the wallet's previous owner can rest. */
  readonly isSettled: boolean;
  /** This wallet's part of the fleet's capital, micros. */
  readonly grantedMicros: number;
}

/** Database queries about one wallet. Every failing call rejects with TwinbookError `fleet_unusable`. */
export class DatabaseDesk {
  readonly #database: FleetDatabase;
  readonly #candidate: OwnerCandidate;
  /** Whether this database session holds the wallet's lock. */
  #isLocked = false;

  constructor(database: FleetDatabase, candidate: OwnerCandidate) {
    this.#database = database;
    this.#candidate = candidate;
  }

  /** Reads the wallet's row, which names its owner; null for an unknown wallet. */
  async look(): Promise<OwnerRow | null> {
    const sql = `SELECT ${OWNER} FROM twinbook_fleet.wallet WHERE wallet = $1`;
    const [row] = await this.#database.query<OwnerRow>(sql, [this.#candidate.wallet]);
    return row ?? null;
  }

  /** Takes the lease; null if the row changed. If the owner is connected, ends its session instead and returns null. */
  async take(expected: Expected): Promise<TakenLease | null> {
    if (!(await this.#lock())) {
      await this.#evict();
      return null;
    }
    const { wallet, holder, instance, machine, leaseMs } = this.#candidate;
    const mine = [wallet, holder, instance, machine, leaseMs];
    const [sql, values] =
      expected === null ? [INSERT_OWNER, mine] : [REPLACE_OWNER, [...mine, expected.term, expected.renewal]];
    const [row] = await this.#database.query<TakenLease>(sql, values);
    if (row === undefined) await this.#unlock();
    return row ?? null;
  }

  /** Renews the lease; a new connection first takes the lock again. `fenced`: the row no longer names this trader. */
  async renew(term: number, summary: TraderSummary | null) {
    const { place } = this.#database;
    const isNewSession = !this.#isLocked;
    const isLocked = await this.#lock();
    if (isLocked) {
      const text = summary === null ? null : JSON.stringify(summary);
      const rows = await this.#ask(isNewSession ? RENEW_ANEW : RENEW, term, text);
      if (rows.length > 0) return { kind: 'renewed' } as const;
    }
    const owner = await this.look();
    const isOurs = owner?.instance === this.#candidate.instance && owner.term === term && !owner.isFree;
    if (!isOurs) return { kind: 'fenced', owner } as const;
    if (isLocked) throw unusable(`${place} serves one connection through several sessions`, NO_POOLER);
    // The database server has not yet noticed that our previous connection is gone.
    await this.#evict();
    throw unusable(`${place} has not yet ended our previous session`, 'Try again');
  }

  /** Records the proof that no order of the previous owner rests. */
  async settle(term: number): Promise<void> {
    await this.#ask(`UPDATE twinbook_fleet.wallet SET is_settled = true WHERE ${IS_OURS}`, term);
  }

  /** Requests capital. The answer contains the other members' grants and the whole fleet's capital, micros. */
  async grant(term: number, micros: number) {
    const [row] = await this.#ask<Granted>(GRANT, term, micros);
    return must(row, 'the answer of grant_capital');
  }

  /** Claims markets for this wallet. Returns all markets of the fleet that are now claimed, with their wallets. */
  async claim(term: number, markets: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (markets.length > 0) await this.#ask('SELECT twinbook_fleet.claim_markets($1, $2, $3, $4)', term, markets);
    const rows = await this.#database.query('SELECT market, wallet FROM twinbook_fleet.claim ORDER BY market');
    return new Map(rows.map(({ market, wallet }) => [String(market), String(wallet)]));
  }

  /** Releases the wallet's claims on these markets; with `others`, all other claims, also of its previous owner. */
  async giveBack(term: number, markets: readonly string[], others = false): Promise<void> {
    const sql = `DELETE FROM twinbook_fleet.claim c USING twinbook_fleet.wallet w
      WHERE c.market ${others ? '<> ALL' : '= ANY'} ($4) AND c.wallet = w.wallet AND w.wallet = $1 AND w.instance = $2 AND w.term = $3`;
    await this.#ask(sql, term, markets);
  }

  /** Releases the lease, the markets and the capital above `keptMicros`. Call this only if no order rests. */
  async release(term: number, keptMicros: number, reason: string): Promise<void> {
    const sql = `WITH freed AS (
        UPDATE twinbook_fleet.wallet
        SET is_free = true, is_settled = true, granted = least(granted, $4::bigint), note = $5 WHERE ${IS_OURS} RETURNING wallet
      )
      DELETE FROM twinbook_fleet.claim c USING freed f WHERE c.wallet = f.wallet`;
    await this.#ask(sql, term, keptMicros, reason);
    await this.#unlock();
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /** Runs a query whose first three parameters are wallet, instance and term. */
  #ask<R extends object>(sql: string, term: number, ...more: readonly unknown[]) {
    return this.#database.query<R>(sql, [this.#candidate.wallet, this.#candidate.instance, term, ...more]);
  }

  async #lock(): Promise<boolean> {
    if (this.#isLocked) return true;
    const key = lockKey(this.#candidate.wallet);
    const [row] = await this.#database.query('SELECT pg_try_advisory_lock($1) AS locked', [key]);
    this.#isLocked = row?.['locked'] === true;
    return this.#isLocked;
  }

  async #unlock(): Promise<void> {
    this.#isLocked = false;
    await this.#database.query('SELECT pg_advisory_unlock($1)', [lockKey(this.#candidate.wallet)]);
  }

  /** Ends the database session that holds the lock, if permitted: the session's trader is frozen or disconnected. */
  async #evict(): Promise<void> {
    const sql = `SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND pid <> pg_backend_pid()
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND ((classid::bigint << 32) | objid::bigint) = $1::bigint`;
    await this.#database.query(sql, [lockKey(this.#candidate.wallet)]).catch(() => []);
  }
}

const NO_POOLER = 'Use a direct connection, because a transaction pooler cannot hold a lock';
const OWNER = 'holder, instance, term, renewal, lease_ms AS "leaseMs", is_free AS "isFree"';
const TAKEN = 'is_settled AS "isSettled", granted::float8 AS "grantedMicros"';
const IS_OURS = 'wallet = $1 AND instance = $2 AND term = $3 AND NOT is_free';

const INSERT_OWNER = `
INSERT INTO twinbook_fleet.wallet
  (wallet, holder, instance, machine, lease_ms, term, renewal, is_free, is_settled, backend_pid, taken_at, renewed_at)
VALUES ($1, $2, $3, $4, $5, 1, 1, false, true, pg_backend_pid(), clock_timestamp(), clock_timestamp())
ON CONFLICT DO NOTHING RETURNING term, ${TAKEN}`;

/** After a crash, `is_settled` is false until the next owner has proven that no order rests. */
const REPLACE_OWNER = `
UPDATE twinbook_fleet.wallet SET holder = $2, instance = $3, machine = $4, lease_ms = $5,
  term = term + 1, renewal = renewal + 1, is_settled = is_free AND is_settled, is_free = false, summary = NULL,
  backend_pid = pg_backend_pid(), taken_at = clock_timestamp(), renewed_at = clock_timestamp()
WHERE wallet = $1 AND term = $6 AND renewal = $7 RETURNING term, ${TAKEN}`;

type Granted = Readonly<{ kind: 'granted' | 'fenced' | 'too_much'; othersMicros: number; capitalMicros: number }>;

const GRANT = `
SELECT answer AS kind, others::float8 AS "othersMicros", capital::float8 AS "capitalMicros"
FROM twinbook_fleet.grant_capital($1, $2, $3, $4)`;

const RENEWED = `UPDATE twinbook_fleet.wallet SET renewal = renewal + 1, renewed_at = clock_timestamp(),
  backend_pid = pg_backend_pid(), summary = coalesce($4::jsonb, summary) WHERE ${IS_OURS}`;
const RENEW = `${RENEWED} AND backend_pid = pg_backend_pid() RETURNING term`;
const RENEW_ANEW = `${RENEWED} RETURNING term`;

/** Returns the lock's number, 63 bits of a hash of the wallet's address, as text: a JavaScript number has only 53. */
const lockKey = (wallet: string): string =>
  String(createHash('sha256').update(`twinbook fleet ${wallet}`).digest().readBigUInt64BE() >> 1n);
