/** The ledger's SQL schema. `user_version` covers tables and the meaning of rows; a program rejects other versions. */

import { CONVERSIONS, FILLS, INTENTS, MARKETS, ORDERS, RUNS, STRATEGY_STATES } from './tables.js';

/** SQLite application id, 'TWBK' in ASCII; it marks a file as a ledger. */
export const APPLICATION_ID = 0x5457424b;

/** Ledger version; incremented at any change of the tables or of the meaning of rows. */
export const LEDGER_VERSION = 9;

/** Micros, milliseconds, seconds and booleans are stored as INTEGER; STRICT tables reject other types. */
export const SCHEMA = `
${RUNS.ddl}

${INTENTS.ddl}
CREATE INDEX intents_active ON intents (seq) WHERE state NOT IN ('done', 'refused', 'failed', 'expired');
CREATE INDEX intents_market ON intents (market, seq);

${ORDERS.ddl}
CREATE INDEX orders_unsettled ON orders (seq) WHERE closed_ms IS NULL OR filled > booked + failed;
CREATE INDEX orders_market ON orders (market, seq);

${FILLS.ddl}
CREATE INDEX fills_order ON fills (order_pubkey);
CREATE INDEX fills_market ON fills (market, seq);

CREATE TABLE failed_trades (
  pubkey TEXT PRIMARY KEY,
  order_pubkey TEXT NOT NULL REFERENCES orders (pubkey),
  amount INTEGER NOT NULL,
  seen_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX failed_trades_order ON failed_trades (order_pubkey);

${CONVERSIONS.ddl}

-- A transaction's postings sum to zero per asset; the code checks it before it writes.
CREATE TABLE transactions (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('capital', 'fill', 'merge', 'split', 'redeem', 'adopt')),
  ref TEXT NOT NULL,
  time_ms INTEGER NOT NULL,
  UNIQUE (kind, ref)
) STRICT;
CREATE TABLE postings (
  transaction_id INTEGER NOT NULL REFERENCES transactions (id),
  account TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (transaction_id, account, asset)
) STRICT, WITHOUT ROWID;
-- The running sums of postings, so that a start does not read all history.
CREATE TABLE balances (
  account TEXT PRIMARY KEY,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX balances_held ON balances (account, asset, amount) WHERE amount <> 0;

${MARKETS.ddl}

CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  time_ms INTEGER NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('info', 'loud')),
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  -- Related pubkey or intent id; the event is pruned with that order or intent.
  subject TEXT
) STRICT;
-- The dashboard counts events of one kind every second.
CREATE INDEX events_kind ON events (kind);
CREATE INDEX events_subject ON events (subject) WHERE subject IS NOT NULL;

CREATE TABLE oddities (
  kind TEXT NOT NULL,
  pubkey TEXT NOT NULL,
  text TEXT NOT NULL,
  seen_ms INTEGER NOT NULL,
  PRIMARY KEY (kind, pubkey)
) STRICT, WITHOUT ROWID;

${STRATEGY_STATES.ddl}
`;

/** Drops indexes that only long histories need, for virtual time: they cost more than half of each write. */
export const WITHOUT_HISTORY = `
DROP INDEX intents_active;
DROP INDEX intents_market;
DROP INDEX orders_unsettled;
DROP INDEX orders_market;
DROP INDEX fills_market;
DROP INDEX balances_held;
DROP INDEX events_kind;
`;
