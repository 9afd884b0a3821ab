/** The tables of `sweep.sqlite`; docs/backtesting.md explains them to those who query them. */

/** In `user_version`; raised when the tables change. */
export const SCHEMA_VERSION = 3;

/** A nibble of the hexadecimal number in `digits`, at this place from 1, where it belongs in 64 bits. */
const nibble = (place: number): string =>
  `((instr('0123456789ABCDEF', substr(digits, ${place}, 1)) - 1) << ${4 * (16 - place)})`;
const NIBBLES = Array.from({ length: 16 }, (_, index) => nibble(index + 1)).join(' | ');

/**
 * A configuration's results by event of a fold are one run of bytes: a row each would be hundreds of millions of rows. The view
 * `event_results` splits them in SQL alone.
 */
export const SCHEMA = `
CREATE TABLE sweeps (
  sweep INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  version TEXT NOT NULL,
  config_hash TEXT NOT NULL,
  data_hash TEXT NOT NULL,
  search TEXT NOT NULL,
  fill_models TEXT NOT NULL,
  latency TEXT NOT NULL,
  seed INTEGER NOT NULL,
  folds INTEGER NOT NULL,
  embargo_ms INTEGER NOT NULL,
  assumptions TEXT NOT NULL,
  finished INTEGER NOT NULL
) STRICT;

CREATE TABLE configurations (
  sweep INTEGER NOT NULL REFERENCES sweeps,
  configuration INTEGER NOT NULL,
  hash TEXT NOT NULL,
  parameters TEXT NOT NULL,
  PRIMARY KEY (sweep, configuration)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  sweep INTEGER NOT NULL REFERENCES sweeps,
  event INTEGER NOT NULL,
  title TEXT NOT NULL,
  fold INTEGER NOT NULL,
  markets INTEGER NOT NULL,
  from_ms REAL NOT NULL,
  to_ms REAL NOT NULL,
  PRIMARY KEY (sweep, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE results (
  sweep INTEGER NOT NULL,
  configuration INTEGER NOT NULL,
  fold INTEGER NOT NULL,
  fill_model TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
  error TEXT NOT NULL,
  result_micros INTEGER,
  max_drawdown_micros INTEGER,
  fills INTEGER,
  turnover_micros INTEGER,
  fees_micros INTEGER,
  two_sided_share REAL,
  requests INTEGER,
  alarms INTEGER,
  played INTEGER,
  sharpe_per_event REAL,
  trace_hash TEXT,
  PRIMARY KEY (sweep, configuration, fold, fill_model),
  FOREIGN KEY (sweep, configuration) REFERENCES configurations
) STRICT, WITHOUT ROWID;

CREATE TABLE standings (
  sweep INTEGER NOT NULL,
  configuration INTEGER NOT NULL,
  fill_model TEXT NOT NULL,
  place INTEGER NOT NULL,
  result_micros INTEGER NOT NULL,
  max_drawdown_micros INTEGER NOT NULL,
  fills INTEGER NOT NULL,
  sign_flips INTEGER NOT NULL,
  sharpe_per_event REAL,
  skewness REAL,
  kurtosis REAL,
  deflated_sharpe REAL,
  tried INTEGER NOT NULL,
  sharpe_variance REAL,
  PRIMARY KEY (sweep, configuration, fill_model)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_result_runs (
  sweep INTEGER NOT NULL,
  configuration INTEGER NOT NULL,
  fold INTEGER NOT NULL,
  fill_model TEXT NOT NULL,
  -- Millionths, 64 bits each, highest byte first, in the order of the fold's events.
  result_micros BLOB NOT NULL,
  PRIMARY KEY (sweep, configuration, fold, fill_model),
  FOREIGN KEY (sweep, configuration) REFERENCES configurations
) STRICT, WITHOUT ROWID;

CREATE VIEW event_results AS
SELECT sweep, configuration, fill_model, event, ${NIBBLES} AS result_micros FROM (
  SELECT run.sweep, configuration, fill_model, event, hex(substr(run.result_micros, 8 * place + 1, 8)) AS digits
  FROM event_result_runs AS run
  JOIN (
    SELECT sweep, fold, event, row_number() OVER (PARTITION BY sweep, fold ORDER BY event) - 1 AS place FROM events
  ) AS placed ON placed.sweep = run.sweep AND placed.fold = run.fold
);

CREATE TABLE repeats (
  sweep INTEGER NOT NULL,
  configuration INTEGER NOT NULL,
  fold INTEGER NOT NULL,
  fill_model TEXT NOT NULL,
  repeat INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  result_micros INTEGER NOT NULL,
  fills INTEGER NOT NULL,
  trace_hash TEXT NOT NULL,
  PRIMARY KEY (sweep, configuration, fold, fill_model, repeat),
  FOREIGN KEY (sweep, configuration) REFERENCES configurations
) STRICT, WITHOUT ROWID;

CREATE TABLE crossings (
  sweep INTEGER NOT NULL,
  configuration INTEGER NOT NULL,
  fold INTEGER NOT NULL,
  fill_model TEXT NOT NULL,
  filled_micros INTEGER NOT NULL,
  unfilled_micros INTEGER NOT NULL,
  unfilled_orders INTEGER NOT NULL,
  crossed_ms INTEGER NOT NULL,
  shares_5s_micros INTEGER NOT NULL,
  gain_5s_micros INTEGER NOT NULL,
  shares_60s_micros INTEGER NOT NULL,
  gain_60s_micros INTEGER NOT NULL,
  PRIMARY KEY (sweep, configuration, fold, fill_model),
  FOREIGN KEY (sweep, configuration) REFERENCES configurations
) STRICT, WITHOUT ROWID;
`;
