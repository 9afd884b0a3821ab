/** Tables of a fleet's database, in a separate schema: created once by `twinbook fleet init`. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import { type FleetDatabase, type Row, unusable } from './database.js';
import type { OwnerRow } from './lease.js';
import { type TraderSummary, toOwner } from './owner-desk.js';

/** Incremented with each change of the tables; a trader works only with its own version. */
const TABLES_VERSION = 1;

/**
 * Counts are made in a function: the lock in one statement, the count in the next, which sees the rows that
 * others wrote before the lock. A client that stops in the middle holds no lock: it is one statement.
 */
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
  term bigint NOT NULL,
  renewal bigint NOT NULL,
  lease_ms int NOT NULL CHECK (lease_ms > 0),
  is_free boolean NOT NULL,
  is_settled boolean NOT NULL,
  backend_pid int NOT NULL,
  taken_at timestamptz NOT NULL,
  renewed_at timestamptz NOT NULL,
  granted bigint NOT NULL DEFAULT 0 CHECK (granted >= 0),
  summary jsonb
);
CREATE TABLE twinbook_fleet.claim (
  market text PRIMARY KEY,
  wallet text NOT NULL REFERENCES twinbook_fleet.wallet,
  claimed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE twinbook_fleet.event (
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  wallet text NOT NULL,
  term bigint NOT NULL,
  holder text NOT NULL,
  what text NOT NULL
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
 * Prepares a database, or changes the capital of a prepared one. Returns whether it was created now. Rejects with
 * TwinbookError `fleet_unusable`, and `usage` for less capital than is granted.
 */
export async function initFleet(database: FleetDatabase, capitalMicros: Micros): Promise<boolean> {
  const isNew = (await readVersion(database)) === null;
  // One query is one transaction.
  if (isNew) await database.query(TABLES);
  await requireTables(database);
  const [row] = await database.query('SELECT twinbook_fleet.set_capital($1) AS is_set', [capitalMicros]);
  if (row?.['is_set'] !== true) {
    throw new TwinbookError(
      'usage',
      'the fleet has granted more capital than that',
      '`twinbook fleet status` says to whom.',
    );
  }
  return isNew;
}

/** Rejects with TwinbookError `fleet_unusable` for an unprepared database, or another version of Twinbook. */
export async function requireTables(database: FleetDatabase): Promise<void> {
  const version = await readVersion(database);
  if (version === null) {
    throw unusable(`${database.place} is not prepared for a fleet`, '`twinbook fleet init --capital N`');
  }
  if (version !== TABLES_VERSION) {
    const what = `${database.place} has tables of version ${version}, and this Twinbook works with ${TABLES_VERSION}`;
    throw unusable(
      what,
      `one version of Twinbook for the whole fleet${version > TABLES_VERSION ? '; this one is older' : ''}`,
    );
  }
}

async function readVersion(database: FleetDatabase): Promise<number | null> {
  const [found] = await database.query("SELECT to_regclass('twinbook_fleet.about') IS NOT NULL AS is_there");
  if (found?.['is_there'] !== true) return null;
  const [row] = await database.query('SELECT version FROM twinbook_fleet.about');
  return Number(row?.['version']);
}

export interface WalletRow extends OwnerRow {
  readonly wallet: string;
  readonly machine: string;
  /** False: the previous owner's resting orders are not proven gone. */
  readonly isSettled: boolean;
  /** Part of the fleet's capital, micros. */
  readonly grantedMicros: number;
  readonly markets: readonly string[];
  /** By the database's clock, seconds ago. */
  readonly takenS: number;
  readonly renewedS: number;
  /** Null before its first renewal. */
  readonly summary: TraderSummary | null;
}

export interface FleetState {
  readonly capitalMicros: number;
  readonly wallets: readonly WalletRow[];
}

/** The whole fleet, for display. Rejects as `requireTables` does. */
export async function readFleet(database: FleetDatabase): Promise<FleetState> {
  await requireTables(database);
  const [about] = await database.query('SELECT capital FROM twinbook_fleet.about');
  const rows = await database.query(
    `SELECT w.*, extract(epoch FROM clock_timestamp() - w.taken_at) AS taken_s,
      extract(epoch FROM clock_timestamp() - w.renewed_at) AS renewed_s,
      ARRAY(SELECT c.market FROM twinbook_fleet.claim c WHERE c.wallet = w.wallet ORDER BY c.market) AS markets
     FROM twinbook_fleet.wallet w ORDER BY w.holder, w.wallet`,
  );
  return { capitalMicros: Number(about?.['capital']), wallets: rows.map(toWallet) };
}

const toWallet = (row: Row): WalletRow => ({
  ...toOwner(row),
  wallet: String(row['wallet']),
  machine: String(row['machine']),
  isSettled: row['is_settled'] === true,
  grantedMicros: Number(row['granted']),
  // Columns of an array and of jsonb; `renew` of this version wrote the latter.
  markets: row['markets'] as readonly string[],
  summary: row['summary'] as TraderSummary | null,
  takenS: Number(row['taken_s']),
  renewedS: Number(row['renewed_s']),
});
