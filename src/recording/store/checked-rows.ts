/**
 * Checks rows of foreign files: columns of any type and rows with any content. Our own writer checks before it writes,
 * and marks its files, so that only foreign ones are checked before they are played.
 */

import type { DuckDBConnection } from '@duckdb/node-api';
import { TwinbookError } from '../../shared/base/errors.js';
import { fetchRows, fileError, toNumber } from './duckdb.js';
import { ROW } from './event-columns.js';
import { FORMAT } from './manifest.js';
import { parquetSource, quote } from './tables.js';

const PRICED = "kind IN ('level', 'trade', 'snapshot_level')";

/** Conditions of rows, with words for the violations. A comparison with null is not true. */
const mustBe = (tickMicros: number): Readonly<Record<string, string>> => ({
  'a seq that is not above the one before it': 'seq > coalesce(before, 0)',
  'a time_ms that is no number of Unix ms': 'time_ms BETWEEN -8640000000000000 AND 8640000000000000',
  'a kind that is not known': `kind IN (${Object.keys(ROW).map(quote).join(', ')})`,
  'a side other than bid and ask': `NOT (${PRICED}) OR side IN ('bid', 'ask')`,
  'a price_micros off the tick, or not between 0 and 1000000': `NOT (${PRICED}) OR
    (price_micros > 0 AND price_micros < 1000000 AND price_micros % ${tickMicros} = 0)`,
  'an amount_micros that is no whole number of zero or more': `NOT (${PRICED}) OR
    (amount_micros BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER} AND amount_micros = floor(amount_micros))`,
});

/**
 * Throws TwinbookError `recording_invalid` for a foreign file of events with an invalid row.
 * @param tickMicros null while the market is unknown: prices on any tick are allowed
 */
export async function checkRows(connection: DuckDBConnection, path: string, tickMicros: number | null): Promise<void> {
  let faults: readonly string[];
  try {
    if (await isOurs(connection, path)) return;
    faults = await findFaults(connection, path, mustBe(tickMicros ?? 1));
  } catch (error) {
    throw fileError('recording_invalid', `cannot read ${path} as events of a recording`, error);
  }
  if (faults.length === 0) return;
  throw new TwinbookError(
    'recording_invalid',
    `${path} has rows that are no events of its market: ${faults.join(', ')}`,
    'docs/recordings.md says what each column holds',
  );
}

async function isOurs(connection: DuckDBConnection, path: string): Promise<boolean> {
  const rows = await fetchRows(
    connection,
    `SELECT 1 FROM parquet_kv_metadata(${quote(path)}) WHERE decode(key) = 'format' AND decode(value) = ${quote(FORMAT)}`,
  );
  return rows.length > 0;
}

async function findFaults(
  connection: DuckDBConnection,
  path: string,
  checks: Readonly<Record<string, string>>,
): Promise<string[]> {
  const counts = Object.values(checks).map(
    (check, at) => `count(*) FILTER (WHERE ((${check}) IS NOT TRUE)) AS fault_${at}`,
  );
  const [row] = await fetchRows(
    connection,
    `SELECT ${counts.join(', ')} FROM (SELECT seq, time_ms, kind, side, price_micros, amount_micros,
      lag(seq) OVER () AS before FROM ${parquetSource(path)})`,
  );
  return Object.keys(checks).flatMap((words, at) => {
    const count = toNumber(row?.[`fault_${at}`] ?? 0);
    return count === 0 ? [] : `${count} with ${words}`;
  });
}
