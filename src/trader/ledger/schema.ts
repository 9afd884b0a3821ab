/**
 * The tables, as the list of steps that made them: `user_version` counts how many were applied. A step that was
 * released is never edited; a change is a new step, also one of what rows mean: an older program then refuses the file.
 */

/** 'TWBK', so that no other program's database is taken for a ledger. */
export const APPLICATION_ID = 0x5457424b;

/** Micros, milliseconds, seconds and booleans are all INTEGER; STRICT refuses anything that is not one. */
const FIRST = `
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
  kind TEXT NOT NULL CHECK (kind IN ('place', 'cancel', 'merge', 'redeem')),
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

CREATE TABLE conversions (
  seq INTEGER PRIMARY KEY,
  pubkey TEXT NOT NULL UNIQUE,
  intent_id TEXT NOT NULL UNIQUE REFERENCES intents (id),
  kind TEXT NOT NULL CHECK (kind IN ('merge', 'redeem')),
  market TEXT NOT NULL,
  yes INTEGER NOT NULL,
  no INTEGER NOT NULL,
  cash INTEGER NOT NULL,
  seen_ms INTEGER NOT NULL
) STRICT;

-- A transaction's postings sum to zero per asset; the code checks it before it writes.
CREATE TABLE transactions (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('capital', 'fill', 'merge', 'redeem')),
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
  text TEXT NOT NULL
) STRICT;

CREATE TABLE oddities (
  kind TEXT NOT NULL,
  pubkey TEXT NOT NULL,
  text TEXT NOT NULL,
  seen_ms INTEGER NOT NULL,
  PRIMARY KEY (kind, pubkey)
) STRICT, WITHOUT ROWID;
`;

/** A page that counts events of one kind looks every second. */
const EVENTS_BY_KIND = 'CREATE INDEX events_kind ON events (kind);';

/** The statement of a table and its indexes as the first step has them. */
function findStatements(table: string): string {
  const isOfTable = new RegExp(`CREATE (TABLE|INDEX \\w+ ON) ${table} \\(`);
  // A sentence may stand before a statement.
  const found = FIRST.split(';').flatMap((text) => (isOfTable.test(text) ? [text.slice(text.indexOf('CREATE'))] : []));
  return `${found.join(';\n')};`;
}

/** SQLite changes no CHECK of a table that is there: the rows go aside, and into the same table that knows splits. */
function madeAnew(table: string, change: (sql: string) => string, columns: string): string {
  return `
CREATE TEMP TABLE aside AS SELECT * FROM main.${table};
DROP TABLE main.${table};
${change(findStatements(table))}
INSERT INTO main.${table} SELECT ${columns} FROM aside;
DROP TABLE aside;
`;
}

const knowsSplits = (sql: string): string => sql.replace("'merge', 'redeem'", "'merge', 'split', 'redeem'");

/** Foreign keys are held against each other when all is written. */
const SPLITS = `
PRAGMA defer_foreign_keys = ON;
${madeAnew('intents', knowsSplits, '*')}
${madeAnew('transactions', knowsSplits, '*')}
${madeAnew(
  'conversions',
  (sql) => knowsSplits(sql).replace('  cash INTEGER NOT NULL,', '  cash INTEGER NOT NULL,\n  yes_cost INTEGER,'),
  'seq, pubkey, intent_id, kind, market, yes, no, cash, NULL, seen_ms',
)}
`;

/** One row for each form that a strategy's state ever had: what another version of the module saved is left as it is. */
const STRATEGY_STATES = `
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
 * A fee that is named later is a transaction by itself. No table changes, but a program that does not know of it would count the fill as
 * booked twice, and undo one fee too few. What rows mean belongs to the version as well: a change of that is a step, if an empty one.
 */
const FEES_BY_THEMSELVES = '';

/** Holdings of the exchange that an operator booked. */
const ADOPTIONS = `
PRAGMA defer_foreign_keys = ON;
${madeAnew('transactions', (sql) => sql.replace("'fill', 'merge', 'redeem'", "'fill', 'merge', 'split', 'redeem', 'adopt'"), '*')}
`;

export const MIGRATIONS: readonly string[] = [
  FIRST,
  EVENTS_BY_KIND,
  SPLITS,
  STRATEGY_STATES,
  // Without tables of archives, which an earlier step of this number made.
  '',
  FEES_BY_THEMSELVES,
  ADOPTIONS,
];

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
