/** The two tables that say what is in a packed day: `index.parquet` and `markets-NNNN.parquet`. */

import { z } from 'zod';

/**
 * A row for each file that a market's rows came of, the markets in order of their ids, its files as its manifest listed them. Rows
 * of one market stand together in a file.
 */
export const INDEX_COLUMNS = {
  market: 'VARCHAR',
  table: 'VARCHAR',
  file: 'VARCHAR',
  first_row_group: 'INTEGER',
  last_row_group: 'INTEGER',
  first_row: 'BIGINT',
  rows: 'BIGINT',
  first_ms: 'BIGINT',
  last_ms: 'BIGINT',
  first_seq: 'BIGINT',
  last_seq: 'BIGINT',
  levels: 'BIGINT',
  trades: 'BIGINT',
  clears: 'BIGINT',
  ends: 'BIGINT',
  gaps: 'VARCHAR',
  sha256: 'VARCHAR',
  source_name: 'VARCHAR',
  source_bytes: 'BIGINT',
  source_sha256: 'VARCHAR',
} as const;

/** A row for each market of the day: what its manifest said beside its files, and its `market.json`. */
export const MARKET_COLUMNS = {
  market: 'VARCHAR',
  ticker: 'VARCHAR',
  title: 'VARCHAR',
  origin: 'VARCHAR',
  version: 'INTEGER',
  refused: 'BIGINT',
  stepped_back: 'BIGINT',
  broken_lines: 'BIGINT',
  description: 'VARCHAR',
} as const;

// BIGINT comes as bigint; everything here fits into a double.
const number = z.union([z.number(), z.bigint()]).transform(Number);
const text = z.string();

export const indexRow = z.object({
  market: text,
  table: z.enum(['events', 'polls', 'own', 'feeds']),
  file: text,
  first_row_group: number,
  last_row_group: number,
  first_row: number,
  rows: number,
  first_ms: number.nullable(),
  last_ms: number.nullable(),
  first_seq: number.nullable(),
  last_seq: number.nullable(),
  levels: number.nullable(),
  trades: number.nullable(),
  clears: number.nullable(),
  ends: number.nullable(),
  /** JSON, as in a manifest; null for other tables than events. */
  gaps: text.nullable(),
  /** Of `file`. */
  sha256: text,
  /** The file that the rows came of. */
  source_name: text,
  source_bytes: number,
  source_sha256: text,
});
export type IndexRow = z.output<typeof indexRow>;

export const marketRow = z.object({
  market: text,
  ticker: text.nullable(),
  title: text.nullable(),
  origin: text,
  version: number,
  refused: number,
  stepped_back: number,
  broken_lines: number,
  /** The text of `market.json`; null for requests that belong to no market. */
  description: text.nullable(),
});
export type MarketRow = z.output<typeof marketRow>;
