/** Access to DuckDB, which reads and writes recordings. DuckDB is loaded when the first file is opened. */

import { createRequire } from 'node:module';
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api';
import { assert, messageOf, TwinbookError } from '../../shared/base/errors.js';

/** Options of DuckDB. DuckDB gets one thread; the other cores are for Twinbook. Extensions are never downloaded. */
const OPTIONS = {
  threads: '1',
  memory_limit: '512MB',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
};

type DuckDb = typeof import('@duckdb/node-api');

const require = createRequire(import.meta.url);

/** Loads DuckDB. Throws TwinbookError `file_unreadable` if DuckDB's native module for this platform is missing. */
export async function loadDuckDb(): Promise<DuckDb> {
  try {
    // An `import` would search all files of the package for exported names, which takes half of the load time.
    return require('@duckdb/node-api') as DuckDb;
  } catch (cause) {
    const where = `${process.platform} ${process.arch}`;
    const hint =
      'Recording, backtests and `twinbook data` need DuckDB; trading does not. Install again with `npm ci`, including optional packages; docs/install.md lists the platforms that have a binding.';
    throw fileError('file_unreadable', `DuckDB's binding for ${where} cannot be loaded`, cause, hint);
  }
}

let shared: Promise<DuckDBInstance> | null = null;

/** Opens a connection, which the caller must close. All connections share one memory limit. */
export async function connect(): Promise<DuckDBConnection> {
  shared ??= loadDuckDb().then(({ DuckDBInstance }) => DuckDBInstance.create(':memory:', OPTIONS));
  return (await shared).connect();
}

/** Calls `run` with a connection to a DuckDB that moves rows to files in `folder` at its memory limit. */
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

export const fetchRows = async (connection: DuckDBConnection, sql: string) =>
  (await connection.runAndReadAll(sql)).getRowObjects();

/** Converts a number from DuckDB, which returns a BIGINT as a bigint. All stored values fit exactly into a double. */
export const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value));

/** Yields a query's result in chunks. Throws TwinbookError `recording_invalid`; its message begins with `what`. */
export async function* streamChunks(connection: DuckDBConnection, sql: string, what: string) {
  try {
    const result = await connection.stream(sql);
    for (let rows = await result.fetchChunk(); rows !== null && rows.rowCount > 0; rows = await result.fetchChunk())
      yield rows;
  } catch (error) {
    throw fileError('recording_invalid', what, error);
  } finally {
    // The new query closes the files of an unfinished query at once, not only at garbage collection.
    await connection.run('SELECT 1').catch(() => undefined);
  }
}

type Columns = BigInt64Array | Float64Array | Int32Array | Uint8Array;

/** Reads a column as a typed array, four times faster than value by value. The column must have the array's type. */
export function typedColumn<Column extends Columns>(
  chunk: DuckDBDataChunk,
  column: number,
  type: abstract new (...args: never[]) => Column,
): Column {
  // `items` is private in the library's types, but every vector of numbers has it.
  const { items } = chunk.getColumnVector(column) as unknown as { readonly items: unknown };
  assert(items instanceof type, `column ${column} is no ${type.name}`);
  return items;
}

/** Converts an error to a TwinbookError with the error's first line; later lines contain SQL or module names. */
export function fileError(
  code: 'recording_invalid' | 'file_unreadable',
  what: string,
  cause: unknown,
  hint = '`twinbook data verify` describes each error of a recording.',
): TwinbookError {
  if (cause instanceof TwinbookError) return cause;
  const [reason = ''] = messageOf(cause).split('\n');
  return new TwinbookError(code, `${what}: ${reason}`, hint, { cause });
}
