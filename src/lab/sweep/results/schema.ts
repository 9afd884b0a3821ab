/** The tables of `sweep.sqlite`; docs/backtesting.md documents them for queries. */

import type { CrossingSums, TaskFigures, TaskRun } from '../contract.js';

/** In `user_version`; incremented when the tables change. */
export const SCHEMA_VERSION = 3;

/** Figures by program name, as columns with types. */
type Columns<Figure extends string> = Readonly<Record<Figure, string>>;

export const RESULT_FIELDS: Columns<keyof StoredFigures | 'sharpe'> = {
  resultMicros: 'result_micros INTEGER',
  maxDrawdownMicros: 'max_drawdown_micros INTEGER',
  fills: 'fills INTEGER',
  turnoverMicros: 'turnover_micros INTEGER',
  feesMicros: 'fees_micros INTEGER',
  twoSidedShare: 'two_sided_share REAL',
  requests: 'requests INTEGER',
  alarms: 'alarms INTEGER',
  played: 'played INTEGER',
  sharpe: 'sharpe_per_event REAL',
  traceHash: 'trace_hash TEXT',
};

/** Figures stored as columns of `results`; others have their own tables. */
export type StoredFigures = Omit<TaskFigures, 'crossing' | 'eventResults' | 'runs'>;

export const CROSSING_FIELDS: Columns<keyof CrossingSums> = {
  filledMicros: 'filled_micros INTEGER NOT NULL',
  unfilledMicros: 'unfilled_micros INTEGER NOT NULL',
  unfilledOrders: 'unfilled_orders INTEGER NOT NULL',
  crossedMs: 'crossed_ms INTEGER NOT NULL',
  shares5sMicros: 'shares_5s_micros INTEGER NOT NULL',
  gain5sMicros: 'gain_5s_micros INTEGER NOT NULL',
  shares60sMicros: 'shares_60s_micros INTEGER NOT NULL',
  gain60sMicros: 'gain_60s_micros INTEGER NOT NULL',
};

export const RUN_FIELDS: Columns<keyof TaskRun> = {
  seed: 'seed INTEGER NOT NULL',
  resultMicros: 'result_micros INTEGER NOT NULL',
  fills: 'fills INTEGER NOT NULL',
  traceHash: 'trace_hash TEXT NOT NULL',
};

/** For a SELECT: each column under its program name. */
export const selectList = (columns: Columns<string>): string =>
  Object.entries(columns)
    .map(([name, column]) => `${column.split(' ')[0]} AS ${name}`)
    .join(', ');

/** For an INSERT: each figure by its name. */
export const valueList = (columns: Columns<string>): string =>
  Object.keys(columns)
    .map((name) => `@${name}`)
    .join(', ');

const declare = (columns: Columns<string>): string => Object.values(columns).join(',\n  ');

/** Of one backtest. */
const KEY = `sweep INTEGER NOT NULL,
  configuration INTEGER NOT NULL,
  fold INTEGER NOT NULL,
  fill_model TEXT NOT NULL`;
const ONE_FOR_A_BACKTEST = `PRIMARY KEY (sweep, configuration, fold, fill_model),
  FOREIGN KEY (sweep, configuration) REFERENCES configurations
) STRICT, WITHOUT ROWID;`;

/** A nibble of the hexadecimal number in `digits`, at this place from 1, shifted to its place in 64 bits. */
const nibble = (place: number): string =>
  `((instr('0123456789ABCDEF', substr(digits, ${place}, 1)) - 1) << ${4 * (16 - place)})`;
const NIBBLES = Array.from({ length: 16 }, (_, index) => nibble(index + 1)).join(' | ');

/**
 * A configuration's results by event of a fold are one blob: a row each would be hundreds of millions of rows. The view
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
  ${KEY},
  status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
  error TEXT NOT NULL,
  ${declare(RESULT_FIELDS)},
  ${ONE_FOR_A_BACKTEST}

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
  ${KEY},
  -- Millionths, 64 bits each, highest byte first, in the order of the fold's events.
  result_micros BLOB NOT NULL,
  ${ONE_FOR_A_BACKTEST}

CREATE VIEW event_results AS
SELECT sweep, configuration, fill_model, event, ${NIBBLES} AS result_micros FROM (
  SELECT run.sweep, configuration, fill_model, event, hex(substr(run.result_micros, 8 * place + 1, 8)) AS digits
  FROM event_result_runs AS run
  JOIN (
    SELECT sweep, fold, event, row_number() OVER (PARTITION BY sweep, fold ORDER BY event) - 1 AS place FROM events
  ) AS placed ON placed.sweep = run.sweep AND placed.fold = run.fold
);

CREATE TABLE repeats (
  ${KEY},
  repeat INTEGER NOT NULL,
  ${declare(RUN_FIELDS)},
  PRIMARY KEY (sweep, configuration, fold, fill_model, repeat),
  FOREIGN KEY (sweep, configuration) REFERENCES configurations
) STRICT, WITHOUT ROWID;

CREATE TABLE crossings (
  ${KEY},
  ${declare(CROSSING_FIELDS)},
  ${ONE_FOR_A_BACKTEST}
`;
