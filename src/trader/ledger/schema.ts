/** The tables. `user_version` is the version of tables and of what rows mean: a program refuses a ledger of another one. */

/** 'TWBK', so that no other program's database is taken for a ledger. */
export const APPLICATION_ID = 0x5457424b;

/** A change of the tables, or of what rows mean, raises it. */
export const LEDGER_VERSION = 8;

/** Micros, milliseconds, seconds and booleans are all INTEGER; STRICT refuses anything that is not one. */
export const SCHEMA = `
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  config_hash TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  stopped_ms INTEGER,
  note TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE intents (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  run_id TEXT NOT NULL REFERENCES runs (id),
  kind TEXT NOT NULL CHECK (kind IN ('place', 'cancel', 'merge', 'split', 'redeem')),
  market TEXT NOT NULL,
  is_yes INTEGER CHECK (is_yes IN (0, 1)),
  side TEXT CHECK (side IN ('buy', 'sell')),
  price INTEGER,
  amount INTEGER,
  redeem_yes INTEGER,
  redeem_no INTEGER,
  order_pubkey TEXT,
  fee_rate INTEGER NOT NULL,
  strategy TEXT NOT NULL,
  reason TEXT NOT NULL,
  state TEXT NOT NULL,
  draft_pubkey TEXT,
  message TEXT,
  expires_at_s INTEGER,
  signature TEXT,
  submit_count INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  last_reason TEXT NOT NULL,
  config_hash TEXT NOT NULL
) STRICT;
CREATE INDEX intents_active ON intents (seq) WHERE state NOT IN ('done', 'refused', 'failed', 'expired');
CREATE INDEX intents_market ON intents (market, seq);

CREATE TABLE orders (
  seq INTEGER PRIMARY KEY,
  pubkey TEXT NOT NULL UNIQUE,
  intent_id TEXT NOT NULL UNIQUE REFERENCES intents (id),
  market TEXT NOT NULL,
  is_yes INTEGER NOT NULL CHECK (is_yes IN (0, 1)),
  side TEXT NOT NULL CHECK (side IN ('buy', 'sell')),
  price INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  filled INTEGER NOT NULL,
  booked INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  closed_ms INTEGER
) STRICT;
CREATE INDEX orders_unsettled ON orders (seq) WHERE closed_ms IS NULL OR filled > booked + failed;
CREATE INDEX orders_market ON orders (market, seq);

CREATE TABLE fills (
  seq INTEGER PRIMARY KEY,
  pubkey TEXT NOT NULL UNIQUE,
  order_pubkey TEXT NOT NULL REFERENCES orders (pubkey),
  market TEXT NOT NULL,
  is_yes INTEGER NOT NULL CHECK (is_yes IN (0, 1)),
  side TEXT NOT NULL CHECK (side IN ('buy', 'sell')),
  price INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  fee INTEGER,
  is_maker INTEGER CHECK (is_maker IN (0, 1)),
  timestamp_s INTEGER NOT NULL,
  seen_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX fills_order ON fills (order_pubkey);
CREATE INDEX fills_market ON fills (market, seq);

CREATE TABLE failed_trades (
  pubkey TEXT PRIMARY KEY,
  order_pubkey TEXT NOT NULL REFERENCES orders (pubkey),
  amount INTEGER NOT NULL,
  seen_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX failed_trades_order ON failed_trades (order_pubkey);

CREATE TABLE conversions (
  seq INTEGER PRIMARY KEY,
  pubkey TEXT NOT NULL UNIQUE,
  intent_id TEXT NOT NULL UNIQUE REFERENCES intents (id),
  kind TEXT NOT NULL CHECK (kind IN ('merge', 'split', 'redeem')),
  market TEXT NOT NULL,
  yes INTEGER NOT NULL,
  no INTEGER NOT NULL,
  cash INTEGER NOT NULL,
  yes_cost INTEGER,
  seen_ms INTEGER NOT NULL
) STRICT;

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

CREATE TABLE markets (
  condition_id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  state TEXT NOT NULL,
  event TEXT,
  yes_label TEXT,
  no_label TEXT,
  maker_fee_rate INTEGER NOT NULL,
  taker_fee_rate INTEGER NOT NULL,
  resolution_s INTEGER,
  seen_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  time_ms INTEGER NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('info', 'loud')),
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  -- The pubkey or intent id that it is about; it is pruned with that order or intent.
  subject TEXT
) STRICT;
-- A page that counts events of one kind looks every second.
CREATE INDEX events_kind ON events (kind);
CREATE INDEX events_subject ON events (subject) WHERE subject IS NOT NULL;

CREATE TABLE oddities (
  kind TEXT NOT NULL,
  pubkey TEXT NOT NULL,
  text TEXT NOT NULL,
  seen_ms INTEGER NOT NULL,
  PRIMARY KEY (kind, pubkey)
) STRICT, WITHOUT ROWID;

-- One row for each version of a strategy's state: a row of another version is kept unread.
CREATE TABLE strategy_states (
  market TEXT NOT NULL,
  strategy TEXT NOT NULL,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  saved_ms INTEGER NOT NULL,
  PRIMARY KEY (market, strategy, version)
) STRICT, WITHOUT ROWID;
`;

/**
 * For a ledger that no start will ever read: the indexes that keep a long history from slowing down a start, or a list of
 * one market, cost more than half of each write.
 */
export const WITHOUT_HISTORY = `
DROP INDEX intents_active;
DROP INDEX intents_market;
DROP INDEX orders_unsettled;
DROP INDEX orders_market;
DROP INDEX fills_market;
DROP INDEX balances_held;
DROP INDEX events_kind;
`;
