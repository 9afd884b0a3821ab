/**
 * Names of packed days: `date=<UTC day>/part-<shard>-<hour>.parquet` and so on, with many markets in a file. DuckDB, Spark and
 * Athena prune them by the name of the folder and by the statistics of row groups.
 */

import type { Table } from '../store/layout.js';

/** Where a day is put together before it is there whole. */
export const WORKSHOP = '.packing';

/**
 * `hour` is the UTC hour of a recorded file's first event, 0 to 23. A day that is packed again gets more files, whose names end
 * with the number of the packing; those of the first end with none.
 */
export const partName = (shard: number, hour: number, packing: number): string =>
  `part-${pad(shard)}-${pad(hour)}${suffix(packing)}.parquet`;
/** Of polls, own rows and values of feeds: one file a shard, day and packing. */
export const sideName = (table: Exclude<Table, 'events'>, shard: number, packing: number): string =>
  `${table}-${pad(shard)}${suffix(packing)}.parquet`;
export const indexName = (packing: number): string => `index${suffix(packing)}.parquet`;
/** What is learnt late of a market is in a later one. */
export const marketsName = (packing: number): string => `markets-${String(packing).padStart(4, '0')}.parquet`;

/** The packing that a file of a packed day came of, from 1. */
export const packingOf = (name: string): number => Number(/-(\d{4,})\.parquet$/.exec(name)?.[1] ?? 1);

/** Whether a file of a packed day may have this name. */
export const isPackedName = (name: string): boolean =>
  /^(?:(?:index|part-\d{2,}-\d{2}|(?:polls|own|feeds)-\d{2,})(?:-\d{4,})?|markets-\d{4,})\.parquet$/.test(name);

const suffix = (packing: number): string => (packing === 1 ? '' : `-${String(packing).padStart(4, '0')}`);
const pad = (number: number): string => String(number).padStart(2, '0');
