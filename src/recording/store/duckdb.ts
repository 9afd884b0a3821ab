/** DuckDB as the reader and writer of our files. Loaded when the first file or folder is opened. */

import { createRequire } from 'node:module';
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api';
import { assert, TwinbookError } from '../../shared/base/errors.js';

/** One thread, because the other core belongs to our reader or feeder. Extensions are never fetched. */
const OPTIONS = {
  threads: '1',
  memory_limit: '512MB',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
};

type DuckDb = typeof import('@duckdb/node-api');

const require = createRequire(import.meta.url);

/** Loads DuckDB with this platform's binding. Throws TwinbookError `file_unreadable` without the binding. */
export async function loadDuckDb(): Promise<DuckDb> {
  try {
    // An import would scan all its files for exported names: half of the load time.
    return require('@duckdb/node-api') as DuckDb;
  } catch (cause) {
    // Later lines list the requiring modules.
    const [reason = ''] = (cause as Error).message.split('\n');
    const where = `${process.platform} ${process.arch}`;
    const hint =
      'Recording, backtests and `data` need it, trading does not. Install again with `npm ci`, without leaving out optional packages; docs/install.md lists the platforms that have a binding.';
    throw new TwinbookError('file_unreadable', `DuckDB's binding for ${where} cannot be loaded: ${reason}`, hint, {
      cause,
    });
  }
}

let shared: Promise<DuckDBInstance> | null = null;

/** Opens a connection, which the caller closes. Connections share DuckDB's memory. */
export async function connect(): Promise<DuckDBConnection> {
  shared ??= loadDuckDb().then(({ DuckDBInstance }) => DuckDBInstance.create(':memory:', OPTIONS));
  return (await shared).connect();
}

/** Runs with a connection of a separate DuckDB, which puts rows beyond its memory into the folder, and closes it. */
export async function withScratch<T>(folder: string, run: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const { DuckDBInstance } = await loadDuckDb();
  const instance = await DuckDBInstance.create(':memory:', { ...OPTIONS, temp_directory: folder });
  try {
    return await run(await instance.connect());
  } finally {
    instance.closeSync();
  }
}

export async function withConnection<T>(run: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const connection = await connect();
  try {
    return await run(connection);
  } finally {
    connection.closeSync();
  }
}

export async function fetchRows(connection: DuckDBConnection, sql: string) {
  return (await connection.runAndReadAll(sql)).getRowObjects();
}

/** BIGINT arrives as bigint; everything here fits into a double. */
export const toNumber = (value: unknown): number => Number(value);
export const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value));

/** Runs a query and yields its result in chunks. Throws `recording_invalid` with a message that begins with `what`. */
export async function* streamChunks(connection: DuckDBConnection, sql: string, what: string) {
  try {
    const result = await connection.stream(sql);
    for (let rows = await result.fetchChunk(); rows !== null && rows.rowCount > 0; rows = await result.fetchChunk())
      yield rows;
  } catch (error) {
    throw fileError('recording_invalid', what, error);
  } finally {
    // The next query ends this query after an early stop. Otherwise its files stay open until garbage collection.
    await connection.run('SELECT 1').catch(() => undefined);
  }
}

type Columns = BigInt64Array | Float64Array | Int32Array | Uint8Array;

/** The column's own memory, a copy: values are four times slower. The query must select `type`. */
export function typedColumn<Column extends Columns>(
  chunk: DuckDBDataChunk,
  column: number,
  type: abstract new (...args: never[]) => Column,
): Column {
  // The field is private in the library's types, though every vector of numbers has it.
  const { items } = chunk.getColumnVector(column) as unknown as { readonly items: unknown };
  assert(items instanceof type, `column ${column} is no ${type.name}`);
  return items;
}

/** DuckDB's error about a file as a user error: its first line, without our SQL. */
export function fileError(code: 'recording_invalid' | 'file_unreadable', what: string, error: unknown): TwinbookError {
  if (error instanceof TwinbookError) return error;
  const [reason = ''] = (error as Error).message.split('\n');
  return new TwinbookError(code, `${what}: ${reason}`, '`twinbook data verify` describes each error of a recording.', {
    cause: error,
  });
}
