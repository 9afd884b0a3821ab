/**
 * SQLite's binding for this version of Node. better-sqlite3 12 uses Node's own classes. From Node 24.19 on, these
 * classes abort the process when a statement is collected. Version 13 uses Node's stable interface, from Node 22 on.
 */

import { createRequire } from 'node:module';
import type Sqlite from 'better-sqlite3';
import { TwinbookError } from './errors.js';

/** The first major version of Node that better-sqlite3 13 runs on. */
const SINCE_NODE = 22;

/** The package to load. `nodeVersion` as in `process.versions.node`. */
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

/** The class `Database` of better-sqlite3, in the version that fits. */
export const SqliteDriver: typeof Sqlite = loadDriver();
