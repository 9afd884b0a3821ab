/** Writes one file of many markets, and proves that its rows are those of the files that it was made of. */

import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { TwinbookError } from '../../shared/base/errors.js';
import { fetchRows, toNumber } from '../store/duckdb.js';
import { FORMAT } from '../store/manifest.js';
import { GROUP_ROWS, syncFile } from '../store/parquet-files.js';
import { sha256 } from '../store/sha256.js';
import { COLUMNS, quote } from '../store/tables.js';
import type { PackedFile } from './manifest.js';
import type { PlannedPart } from './plan.js';

export interface WrittenPart {
  readonly file: PackedFile;
  /** The first row of each run, and the row groups that its rows are in, counted from 0. */
  readonly places: readonly { readonly firstRow: number; readonly firstGroup: number; readonly lastGroup: number }[];
  /** It was there from an earlier attempt. */
  readonly isKept: boolean;
}

/**
 * Writes it, unless it is there already and holds these rows. Throws TwinbookError `recording_invalid` where what was
 * written is not what was read, and what the disk or DuckDB says.
 */
export async function writePart(connection: DuckDBConnection, folder: string, part: PlannedPart): Promise<WrittenPart> {
  const path = join(folder, part.name);
  const isKept = await holdsRows(connection, path, part);
  if (!isKept) await write(connection, path, part);
  const rows = part.runs.reduce((sum, { file }) => sum + file.rows, 0);
  const file = { table: part.table, name: part.name, rows, bytes: (await stat(path)).size, sha256: await sha256(path) };
  return { file, places: await findPlaces(connection, path, part), isKept };
}

async function write(connection: DuckDBConnection, path: string, part: PlannedPart): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    await connection.run(
      `COPY (SELECT market, ${columnsOf(part)} FROM ${sourceOf(part)}) TO ${quote(temporary)}
       (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${GROUP_ROWS},
        KV_METADATA {format: ${quote(FORMAT)}, version: '3', "table": ${quote(part.table)}})`,
    );
    if (!(await isSame(connection, temporary, part))) {
      const hint =
        'A file was changed while it was read, or the disk is failing: `twinbook data verify` checks all files.';
      throw new TwinbookError('recording_invalid', `${path} does not hold the rows that it was made of`, hint);
    }
    await syncFile(temporary);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** False for one that is not there, or is damaged, or of other rows. */
async function holdsRows(connection: DuckDBConnection, path: string, part: PlannedPart): Promise<boolean> {
  try {
    await stat(path);
    return await isSame(connection, path, part);
  } catch {
    return false; // it is written anew
  }
}

/** Whether row k of the file is row k of all runs one after the other, for every k. */
async function isSame(connection: DuckDBConnection, path: string, part: PlannedPart): Promise<boolean> {
  const starts = firstRows(part).map((row, at) => `(${quote(part.runs[at]?.path ?? '')}, ${row})`);
  const hashed = `count(*) AS rows, sum(hash(row_number, market, ${columnsOf(part)})) AS sum`;
  const [wanted] = await fetchRows(
    connection,
    `SELECT ${hashed} FROM (SELECT file_row_number + first_row AS row_number, * EXCLUDE (file_row_number)
      FROM ${sourceOf(part, ', file_row_number = true, filename = true')}
      JOIN (VALUES ${starts.join(', ')}) starts(filename, first_row) USING (filename))`,
  );
  const [got] = await fetchRows(
    connection,
    `SELECT ${hashed} FROM (SELECT file_row_number AS row_number, *
      FROM read_parquet(${quote(path)}, hive_partitioning = false, file_row_number = true))`,
  );
  const rows = part.runs.reduce((sum, { file }) => sum + file.rows, 0);
  return toNumber(got?.['rows']) === rows && toNumber(wanted?.['rows']) === rows && got?.['sum'] === wanted?.['sum'];
}

async function findPlaces(
  connection: DuckDBConnection,
  path: string,
  part: PlannedPart,
): Promise<WrittenPart['places']> {
  const groups = await fetchRows(
    connection,
    `SELECT DISTINCT row_group_id AS id, row_group_num_rows AS rows FROM parquet_metadata(${quote(path)}) ORDER BY id`,
  );
  let end = 0;
  const ends = groups.map(({ rows }) => (end += toNumber(rows)));
  const groupOf = (row: number): number =>
    Math.max(
      0,
      ends.findIndex((after) => row < after),
    );
  return firstRows(part).map((firstRow, at) => {
    const rows = part.runs[at]?.file.rows ?? 0;
    return { firstRow, firstGroup: groupOf(firstRow), lastGroup: groupOf(firstRow + Math.max(0, rows - 1)) };
  });
}

function firstRows({ runs }: PlannedPart): number[] {
  let next = 0;
  return runs.map(({ file }) => {
    const first = next;
    next += file.rows;
    return first;
  });
}

const columnsOf = ({ table }: PlannedPart): string =>
  Object.keys(COLUMNS[table])
    .map((name) => `"${name}"`)
    .join(', ');

/** All runs in their order, each row with its market, as the names of the folders say. */
function sourceOf({ runs }: PlannedPart, options = ''): string {
  const files = runs.map(({ path }) => quote(path)).join(', ');
  return `read_parquet([${files}], hive_partitioning = true, hive_types_autocast = false,
    hive_types = {'market': VARCHAR, 'date': DATE}${options})`;
}
