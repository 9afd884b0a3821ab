/**
 * Names of packed days: `date=<UTC day>/part-<shard>-<hour>.parquet` and so on, with many markets in a file. DuckDB, Spark and
 * Athena prune them by the name of the folder and by the statistics of row groups.
 */

import type { Table } from '../store/layout.js';

/** Where a day is put together before it is there whole. */
export const WORKSHOP = '.packing';
export const INDEX = 'index.parquet';

/** `hour` is the UTC hour of a recorded file's first event, 0 to 23. */
export const partName = (shard: number, hour: number): string => `part-${pad(shard)}-${pad(hour)}.parquet`;
/** Of polls, own rows and values of feeds: one file a shard and day. */
export const sideName = (table: Exclude<Table, 'events'>, shard: number): string => `${table}-${pad(shard)}.parquet`;
/** Descriptions are learnt late: then another one is written, and the manifest names it. */
export const marketsName = (number: number): string => `markets-${String(number).padStart(4, '0')}.parquet`;

/** Whether a file of a packed day may have this name. */
export const isPackedName = (name: string): boolean =>
  name === INDEX || /^(?:part-\d{2,}-\d{2}|(?:polls|own|feeds)-\d{2,}|markets-\d{4,})\.parquet$/.test(name);

const pad = (number: number): string => String(number).padStart(2, '0');
