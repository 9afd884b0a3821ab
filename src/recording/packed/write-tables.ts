/** Writes the two tables that say what is in a packed day. */

import { writeFileSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { fetchRows, toNumber } from '../store/duckdb.js';
import { FORMAT, formatVersion } from '../store/manifest.js';
import { syncFile } from '../store/parquet-files.js';
import { sha256 } from '../store/sha256.js';
import { parquetSource, quote } from '../store/tables.js';
import type { IndexRow, MarketRow } from './index-table.js';
import type { PackedFile } from './manifest.js';
import type { PlannedPart, SourceDay } from './plan.js';
import type { WrittenPart } from './write-part.js';

/** Rows of the index for a file of many markets. */
export function describeRuns({ runs, table, name }: PlannedPart, { file, places }: WrittenPart): IndexRow[] {
  return runs.map(({ day, file: source }, at) => {
    const { firstRow = 0, firstGroup = 0, lastGroup = 0 } = places[at] ?? {};
    const events = source.table === 'events' ? source : null;
    return {
      market: day.market,
      table,
      file: name,
      first_row_group: firstGroup,
      last_row_group: lastGroup,
      first_row: firstRow,
      rows: source.rows,
      first_ms: events?.first_ms ?? null,
      last_ms: events?.last_ms ?? null,
      first_seq: events?.first_seq ?? null,
      last_seq: events?.last_seq ?? null,
      levels: events?.kinds.level ?? null,
      trades: events?.kinds.trade ?? null,
      clears: events?.kinds.clear ?? null,
      ends: events?.kinds.end ?? null,
      gaps: events === null ? null : JSON.stringify(events.gaps),
      sha256: file.sha256,
      source_name: source.name,
      source_bytes: source.bytes,
      source_sha256: source.sha256,
    };
  });
}

/** Its row of the table of markets. */
export const describeDay = ({ market, manifest, description, ticker, title }: SourceDay): MarketRow => ({
  market,
  ticker,
  title,
  origin: manifest.origin,
  version: formatVersion(manifest.files),
  refused: manifest.refused,
  stepped_back: manifest.stepped_back,
  broken_lines: manifest.broken_lines,
  description,
});

/** JSON lines beside, which go at once. Throws what the disk or DuckDB says. */
export async function writeLines(
  connection: DuckDBConnection,
  folder: string,
  name: string,
  columns: Readonly<Record<string, string>>,
  rows: readonly object[],
): Promise<Pick<PackedFile, 'rows' | 'bytes' | 'sha256'>> {
  const lines = join(folder, `.${name}.lines.tmp`);
  try {
    writeFileSync(lines, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return await writeTable(connection, lines, join(folder, name), columns);
  } finally {
    await rm(lines, { force: true });
  }
}

/** Rows as a file: what JSON lines hold, with the types of these columns. */
async function writeTable(
  connection: DuckDBConnection,
  lines: string,
  path: string,
  columns: Readonly<Record<string, string>>,
): Promise<Pick<PackedFile, 'rows' | 'bytes' | 'sha256'>> {
  const types = Object.entries(columns).map(([name, type]) => `${quote(name)}: ${quote(type)}`);
  const temporary = `${path}.tmp`;
  try {
    await connection.run(
      `COPY (SELECT * FROM read_json(${quote(lines)}, format = 'newline_delimited', maximum_object_size = ${MAX_LINE},
        columns = {${types.join(', ')}})) TO ${quote(temporary)}
       (FORMAT parquet, COMPRESSION zstd, KV_METADATA {format: ${quote(FORMAT)}, version: '3'})`,
    );
    const [counted] = await fetchRows(connection, `SELECT count(*) AS rows FROM ${parquetSource(temporary)}`);
    await syncFile(temporary);
    await rename(temporary, path);
    return { rows: toNumber(counted?.['rows']), bytes: (await stat(path)).size, sha256: await sha256(path) };
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A market with ten thousand gaps of an hour takes a megabyte. */
const MAX_LINE = 16_777_216;
