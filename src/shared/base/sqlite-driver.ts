/**
 * SQLite's binding for this version of Node. better-sqlite3 12 uses internal classes of Node. From Node 24.19, these
 * classes abort the process when a statement is freed. Version 13 uses Node's stable interface and needs Node 22.
 */

import { createRequire } from 'node:module';
import type Sqlite from 'better-sqlite3';
import { TwinbookError } from './errors.js';

/** First major version of Node on which better-sqlite3 13 runs. */
const SINCE_NODE = 22;

/** Returns the package to load for a version of Node, in the format of `process.versions.node`. */
export const driverFor = (nodeVersion: string): 'better-sqlite3' | 'better-sqlite3-13' =>
  Number.parseInt(nodeVersion, 10) < SINCE_NODE ? 'better-sqlite3' : 'better-sqlite3-13';

function loadDriver(): typeof Sqlite {
  const { node } = process.versions;
  const name = driverFor(node);
  try {
    return createRequire(import.meta.url)(name);
  } catch (cause) {
    const hint = 'Run `npm ci` again, without `--omit=optional`.';
    throw new TwinbookError('file_unreadable', `SQLite's binding for Node ${node} (${name}) cannot be loaded`, hint, {
      cause,
    });
  }
}

/** The class `Database` of better-sqlite3, in the version that fits this Node. */
export const SqliteDriver: typeof Sqlite = loadDriver();
