/** Columns of our files in written order, and their conversion to the stream's numbers. */

import { EVENT } from '../contract.js';
import type { Table } from './layout.js';
import { ROW } from './segment.js';

/** Kinds of rows that are events of the stream; the others describe it: `snapshot`, `snapshot_level` and `gap`. */
export const STREAM_KINDS = ['level', 'trade', 'clear', 'end'] as const satisfies readonly (keyof typeof EVENT)[];

export const COLUMNS: Readonly<Record<Table, Readonly<Record<string, string>>>> = {
  events: {
    seq: 'BIGINT',
    time_ms: 'BIGINT',
    seen_ms: 'BIGINT',
    kind: 'VARCHAR',
    side: 'VARCHAR',
    price_micros: 'INTEGER',
    amount_micros: 'BIGINT',
    reason: 'VARCHAR',
  },
  polls: {
    endpoint: 'VARCHAR',
    sent_ms: 'BIGINT',
    seen_ms: 'BIGINT',
    venue_ms: 'BIGINT',
    outcome: 'VARCHAR',
  },
  own: {
    record: 'VARCHAR',
    seen_ms: 'BIGINT',
    pubkey: 'VARCHAR',
    order_pubkey: 'VARCHAR',
    status: 'VARCHAR',
    side: 'VARCHAR',
    is_yes: 'BOOLEAN',
    price_micros: 'INTEGER',
    amount_micros: 'BIGINT',
    filled_amount_micros: 'BIGINT',
    remaining_amount_micros: 'BIGINT',
    fee_micros: 'BIGINT',
    is_maker: 'BOOLEAN',
    timestamp: 'BIGINT',
  },
  feeds: {
    feed: 'VARCHAR',
    time_ms: 'BIGINT',
    seen_ms: 'BIGINT',
    at_ms: 'BIGINT',
    valid_until_ms: 'BIGINT',
    p: 'DOUBLE',
    bid: 'DOUBLE',
    ask: 'DOUBLE',
    sd: 'DOUBLE',
  },
};

export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const parquetSource = (path: string): string => `read_parquet(${quote(path)}, hive_partitioning = false)`;

/** Rows of one table in an open segment. Cut or broken lines are skipped. */
export function segmentSource(path: string, table: Table): string {
  const types = { table: 'VARCHAR', ...COLUMNS[table] };
  const columns = Object.entries(types).map(([name, type]) => `${quote(name)}: ${quote(type)}`);
  const rows = `read_json(${quote(path)}, format = 'newline_delimited', ignore_errors = true, columns = {${columns.join(', ')}})`;
  return `(SELECT ${Object.keys(COLUMNS[table]).map(quoteName).join(', ')} FROM ${rows} WHERE "table" = ${quote(table)})`;
}

const quoteName = (column: string): string => `"${column}"`;

/**
 * Rows as the columns of a chunk: time_ms (double), kind (byte; `MARKER` for a row that is no event), side (byte),
 * price_micros (int), amount_micros (double). Doubles hold all of them exactly and, unlike BIGINT, come out as a typed
 * array of numbers. Nulls become arbitrary numbers: a query for zeros, or for events alone, would be a third slower.
 */
export const chunkSelect = (source: string): string => `SELECT ${CHUNK_COLUMNS} FROM ${source}`;

export const MARKER = 255;

/** The book at a file's beginning as events: its snapshot, or an empty book without one. */
export const bookSelect = (source: string, firstSeq: number): string => `
  WITH head AS (SELECT * FROM ${source} WHERE seq < coalesce(
    (SELECT min(seq) FROM ${source} WHERE kind NOT IN ('snapshot', 'snapshot_level')), ${Number.MAX_SAFE_INTEGER}))
  SELECT ${CHUNK_COLUMNS} FROM (
    SELECT seq, time_ms, 'clear' AS kind, NULL AS side, NULL AS price_micros, NULL AS amount_micros
      FROM ${source} WHERE seq = ${firstSeq}
    UNION ALL
    SELECT seq, time_ms, 'level', side, price_micros, amount_micros FROM head WHERE kind = 'snapshot_level'
  ) ORDER BY seq`;

const CHUNK_COLUMNS = `time_ms::DOUBLE,
  (CASE kind WHEN 'level' THEN ${EVENT.level} WHEN 'trade' THEN ${EVENT.trade}
    WHEN 'clear' THEN ${EVENT.clear} WHEN 'end' THEN ${EVENT.end} ELSE ${MARKER} END)::UTINYINT,
  (CASE side WHEN 'ask' THEN 1 ELSE 0 END)::UTINYINT,
  price_micros::INTEGER,
  amount_micros::DOUBLE`;

/**
 * Every row as numbers: seq, time_ms, kind (`ROW`; 255 for an unknown one), side (255 for none), price_micros,
 * amount_micros.
 */
export const rowSelect = (source: string): string => `
  SELECT coalesce(seq, -1)::DOUBLE, coalesce(time_ms, 0)::DOUBLE,
    (CASE kind ${Object.entries(ROW)
      .map(([name, code]) => `WHEN ${quote(name)} THEN ${code}`)
      .join(' ')} ELSE 255 END)::UTINYINT,
    (CASE side WHEN 'bid' THEN 0 WHEN 'ask' THEN 1 ELSE 255 END)::UTINYINT,
    coalesce(price_micros, 0)::INTEGER, coalesce(amount_micros, -1)::DOUBLE
  FROM ${source}`;
