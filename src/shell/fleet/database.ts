/** A connection to a fleet's database. A failed connection is not reused, because its last query may be unfinished. */

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type { Client, ClientConfig } from 'pg';
import { systemCode, TwinbookError, unreadable } from '../../shared/base/errors.js';
import type { Environment, FleetConfig } from '../config/config.js';
import { readPrivateFile, secrets } from '../wallet/secrets.js';

/** Oldest version of PostgreSQL that we have tested; it has every feature that we use. */
const OLDEST_VERSION = 130_000;
/** First version of PostgreSQL that ends idle sessions automatically. */
const ENDS_IDLE_SESSIONS = 140_000;

interface DatabaseOptions {
  /** Address of a PostgreSQL server, without the password. */
  readonly server: FleetConfig['database'];
  readonly password: string | null;
  /** Maximum time for connecting and for each query, ms. */
  readonly answerMs: number;
  /** Time until the server ends an idle session, ms; 0 for never. */
  readonly idleMs: number;
  readonly name: string;
}

type FleetRow = Readonly<Record<string, unknown>>;

export class FleetDatabase {
  readonly place: string;
  readonly #client: Client;
  readonly #answerMs: number;
  #isBroken = false;

  private constructor(client: Client, { server, answerMs }: DatabaseOptions) {
    this.#client = client;
    this.#answerMs = answerMs;
    this.place = formatPlace(server);
    // If the connection breaks between two queries, the next query rejects.
    client.on('error', () => {
      this.#isBroken = true;
    });
  }

  /** Connects to the database. Rejects with TwinbookError `fleet_unusable`, which does not contain the password. */
  static async open(options: DatabaseOptions): Promise<FleetDatabase> {
    // The PostgreSQL library is loaded here, so that only a trader in a fleet loads it.
    const { default: pg } = await import('pg');
    const database = new FleetDatabase(new pg.Client(clientConfig(options)), options);
    try {
      await database.#within(() => database.#client.connect());
      await database.#prepare(options);
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Runs an SQL statement on the fleet's database. Rejects with TwinbookError `fleet_unusable`. */
  async query<R extends object = FleetRow>(text: string, values: readonly unknown[] = []): Promise<readonly R[]> {
    const { rows } = await this.#within(() => this.#client.query<R>(text, [...values]));
    return rows;
  }

  async close(): Promise<void> {
    this.#isBroken = true;
    // A server that does not answer is disconnected after at most 1 s.
    const ended = this.#client.end().catch(() => undefined);
    const timer = setTimeout(() => destroySocket(this.#client), Math.min(1_000, this.#answerMs));
    await ended;
    clearTimeout(timer);
  }

  async #prepare(options: DatabaseOptions): Promise<void> {
    const [about] = await this.query(
      `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS named,
        pg_is_in_recovery() AS is_replica, current_setting('transaction_read_only') AS read_only,
        current_setting('fsync') AS fsync`,
    );
    requireFit(this.place, about);
    await this.query(limitSession(options, about));
  }

  /** Runs the database call `act` within the time limit. After a time-out, the database connection is not reused. */
  async #within<T>(act: () => Promise<T>): Promise<T> {
    if (this.#isBroken) throw unusable(`${this.place} has closed the connection`, 'Start the server at this address');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer for ${this.#answerMs / 1000} s`)), this.#answerMs);
    });
    try {
      return await Promise.race([act(), late]);
    } catch (error) {
      if (!isServerAnswer(error)) {
        this.#isBroken = true;
        destroySocket(this.#client);
      }
      throw explainFailure(this.place, error);
    } finally {
      clearTimeout(timer);
    }
  }
}

const formatPlace = ({ host, port, database }: FleetConfig['database']): string =>
  host.startsWith('/') ? `${host}, database ${database}` : `${host}:${port}, database ${database}`;

function clientConfig({ server, password, answerMs, name }: DatabaseOptions): ClientConfig {
  const { host, port, database, user } = server;
  // All later logs and messages hide the database password.
  if (password !== null) secrets.hide(password);
  return {
    host,
    port,
    database,
    user,
    // If `password` were undefined, the PostgreSQL library would read a password from the environment or `~/.pgpass`.
    password: password ?? (() => Promise.reject(unusable(`${formatPlace(server)} ${NO_PASSWORD}`, SET_PASSWORD))),
    ssl: tlsOptions(server),
    application_name: name,
    connectionTimeoutMillis: answerMs,
    keepAlive: true,
  };
}

const NO_PASSWORD = 'requires a password, but none was given';
const SET_PASSWORD = 'Set TWINBOOK_FLEET_PASSWORD or TWINBOOK_FLEET_PASSWORD_FILE for fleet.database';

function tlsOptions({ tls, rootCert, host }: FleetConfig['database']): ConnectionOptions | false {
  if (tls === 'off') return false;
  if (tls === 'unverified') return { rejectUnauthorized: false };
  return {
    rejectUnauthorized: true,
    // Host that the server's certificate must name. Without `host`, Node would accept a certificate for `localhost`.
    host,
    ...(isAddress(host) ? {} : { servername: host }),
    ...(rootCert === null ? {} : { ca: readRoot(rootCert) }),
  };
}

/** Returns whether a host is an IP address. Host names contain a letter and no colon. */
const isAddress = (host: string): boolean => host.includes(':') || /^[\d.]+$/.test(host);

function readRoot(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(`the certificate ${path} of fleet.database cannot be read`, error, 'Check path and permissions.');
  }
}

export function limitSession({ answerMs, idleMs }: Pick<DatabaseOptions, 'answerMs' | 'idleMs'>, about?: FleetRow) {
  const withinMs = Math.ceil(answerMs);
  const limits = [
    `SET statement_timeout = ${withinMs}`,
    `SET lock_timeout = ${withinMs}`,
    `SET idle_in_transaction_session_timeout = ${withinMs}`,
    'SET synchronous_commit = on',
    ...(Number(about?.['version']) >= ENDS_IDLE_SESSIONS ? [`SET idle_session_timeout = ${Math.ceil(idleMs)}`] : []),
  ];
  return limits.join('; ');
}

/** Throws `fleet_unusable` for a database server that could assign one wallet to two traders. */
export function requireFit(place: string, about: FleetRow | undefined): void {
  if (!(Number(about?.['version']) >= OLDEST_VERSION))
    throw unusable(`${place} is PostgreSQL ${String(about?.['named'])}`, 'Use PostgreSQL 13 or newer');
  if (about?.['is_replica'] === true)
    throw unusable(`${place} is a replica, which accepts no writes`, 'Use the primary server');
  if (about?.['read_only'] === 'on')
    throw unusable(`${place} is read-only for this user`, 'Set default_transaction_read_only = off for this user');
  if (about?.['fsync'] !== 'on')
    throw unusable(`${place} runs with fsync = off`, 'Set fsync = on: a power cut may give one wallet to two traders');
}

/** Closes the library's internal socket, which is the only way to disconnect a server that does not answer. */
const destroySocket = (client: Client): void =>
  (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream.destroy();

const PASSWORD = 'TWINBOOK_FLEET_PASSWORD';

/** Returns the database password from the environment or a private file; null if unset. Throws as `readPrivateFile`. */
export function fleetPassword(env: Environment): string | null {
  const direct = env[PASSWORD] ?? '';
  if (direct !== '') return direct;
  const path = env[`${PASSWORD}_FILE`] ?? '';
  return path === '' ? null : readPrivateFile(path, "the file of the fleet's password").replace(/\r?\n$/, '');
}

export const unusable = (what: string, wanted: string): TwinbookError =>
  new TwinbookError('fleet_unusable', `the fleet's database ${what}`, `${wanted}.`);

/** Returns whether PostgreSQL rejected only a statement, with a five-character code: the connection still works. */
const isServerAnswer = (error: unknown): boolean => {
  const code = systemCode(error);
  return /^[0-9A-Z]{5}$/.test(code) && !ENDS_SESSION.test(code);
};

/** Matches PostgreSQL's codes of an ended session: shutdown, termination, lost connection, idle for too long. */
const ENDS_SESSION = /^(57P0[1-5]|08...|25P03)$/;

type Explained = readonly [what: string, wanted: string];

const BY_CODE: Readonly<Record<string, Explained>> = {
  '28P01': ['rejects this user or password', SET_PASSWORD],
  '28000': ['refuses this user', 'Add a line for user, database and address to its pg_hba.conf'],
  '3D000': ['does not exist on that server', 'Create the database with `createdb`'],
  '3F000': ['is not prepared for a fleet', 'Run `twinbook fleet init --capital N`'],
  '42P01': ['is not prepared for a fleet', 'Run `twinbook fleet init --capital N`'],
  '42501': ['denies this user a permission', 'Use the user who ran `twinbook fleet init`, or grant equal permissions'],
  '53300': ['accepts no more connections', 'Raise max_connections: each trader needs one connection'],
  '57P03': ['is starting or stopping', 'Try again when the server is ready'],
  '55P03': ['was locked by another trader of the fleet for too long', 'Try again'],
  '57014': ['took too long', 'Try again'],
  '25006': ['is read-only', 'Use the primary server'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['has a TLS certificate for another host', 'Use the host that the certificate names'],
};

const UNTRUSTED = /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF|UNABLE_TO_(VERIFY|GET_ISSUER)|CERT_)/;

/** Converts a database error into a TwinbookError; returns a TwinbookError unchanged. */
function explainFailure(place: string, error: unknown): TwinbookError {
  if (error instanceof TwinbookError) return error;
  const code = systemCode(error);
  const text = secrets.clean(error instanceof Error ? error.message || code : String(error));
  const [what, wanted] = BY_CODE[code] ?? explainText(code, text);
  return unusable(`${place} ${what}`, wanted);
}

function explainText(code: string, text: string): Explained {
  if (UNTRUSTED.test(code))
    return [`has a TLS certificate that is not trusted: ${text}`, 'Set sslrootcert=FILE to its root certificate'];
  if (/does not support SSL/i.test(text))
    return ['does not support TLS', 'Enable TLS on the server; set sslmode=disable only for a private connection'];
  if (/^[0-9][0-9A-Z]{4}$/.test(code))
    return [`answered: ${text} (${code})`, 'Restore the tables as `twinbook fleet init` created them'];
  return [`does not answer: ${text}`, 'Start a PostgreSQL server at this address; `pg_isready` tests it'];
}
