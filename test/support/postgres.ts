/** The database of a fleet, for the system tier: Debian's PostgreSQL, a separate cluster in a folder, on loopback. */

import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program, type Running } from './processes.js';

const DEBIAN = '/usr/lib/postgresql';

/** The newest installed version; null if none. */
function findPrograms(): string | null {
  const folders = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : [];
  const places = [...folders.sort().reverse(), '/usr/local/bin', '/usr/bin'];
  return places.find((place) => existsSync(join(place, 'initdb')) && existsSync(join(place, 'postgres'))) ?? null;
}

const programs = findPrograms();

/** PostgreSQL refuses to run as root: then it runs as an unprivileged user. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asUser = (words: readonly string[]): readonly [string, readonly string[]] =>
  isRoot
    ? ['setpriv', [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...words]]
    : [words[0] ?? '', words.slice(1)];

/** Certificates are made with it. */
export const HAS_OPENSSL = spawnSync('openssl', ['version']).status === 0;

/** False if it is not installed: then its tests are skipped, with a message. */
export const HAS_POSTGRES = programs !== null && (!isRoot || spawnSync('setpriv', ['--version']).status === 0);

export const PASSWORD = 'correct-horse-battery-staple';

export interface PostgresServer {
  readonly port: number;
  /** For `fleet.database`: the user has all rights, with `PASSWORD`. */
  readonly address: string;
  readonly running: Running;
}

/** Makes a cluster in its own folder, which the caller removes. */
export function makeCluster(): string {
  // The server's user must be able to enter the folder, which a test run's folder does not allow.
  const folder = mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), 'twinbook-postgres-'));
  const file = join(folder, 'password');
  writeFileSync(file, PASSWORD);
  if (isRoot) for (const path of [folder, file]) chownSync(path, NOBODY, NOBODY);
  const words = ['-D', join(folder, 'data'), '-U', 'fleet', '-A', 'scram-sha-256', '--pwfile', file, '--no-sync', '-N'];
  const made = spawnSync(...spawnWords([join(programs ?? '', 'initdb'), ...words, '-E', 'UTF8', '--locale=C']));
  if (made.status !== 0) throw new Error(`initdb: ${made.stdout}${made.stderr}`);
  return folder;
}

const spawnWords = (words: readonly string[]): [string, string[]] => {
  const [command, rest] = asUser(words);
  return [command, [...rest]];
};

/** Makes a self-signed certificate for `localhost`, which the server uses once `ssl` is on. Returns its path. */
export function makeCertificate(folder: string, name = 'server'): string {
  const [key, certificate] = [join(folder, 'data', `${name}.key`), join(folder, 'data', `${name}.crt`)];
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const more = [
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
    '-keyout',
    key,
    '-out',
    certificate,
  ];
  const made = spawnSync('openssl', [...words, ...more], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
  if (isRoot) for (const path of [key, certificate]) chownSync(path, NOBODY, NOBODY);
  return certificate;
}

/** From its next start it is a replica of a missing server, and accepts no writes. */
export const makeReplica = (folder: string): void => writeFileSync(join(folder, 'data', 'standby.signal'), '');

/** Starts the server of a cluster; a signal ends it like any other program. */
export async function startPostgres(folder: string, port: number, settings: string[] = []): Promise<PostgresServer> {
  const usual = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'shared_buffers=1MB',
  ];
  const small = ['max_connections=20', 'autovacuum=off', 'max_wal_senders=0', 'wal_level=minimal'];
  const flags = [...usual, ...small, ...settings].flatMap((setting) => ['-c', setting]);
  const [command, words] = asUser([join(programs ?? '', 'postgres'), '-D', join(folder, 'data'), ...flags]);
  const running = program(command, words);
  await running.waitFor(/ready to accept (read-only )?connections/);
  return { port, address: `postgresql://fleet@127.0.0.1:${port}/postgres`, running };
}
