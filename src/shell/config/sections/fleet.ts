/** The `fleet` of a trader's file: the address of its database in parts, and its forbidden parts. */

import { resolve } from 'node:path';
import type { At } from '../explain-issues.js';
import type { Problem } from '../problems.js';
import type { TraderFile } from '../schema.js';

type FleetFile = NonNullable<TraderFile['fleet']>;

const WANTED =
  'wants postgresql://USER@HOST:PORT/DATABASE, or postgresql:///DATABASE?host=FOLDER&user=USER for a socket';
const USUAL_PORT = 5432;
const TLS = { disable: 'off', require: 'unverified', 'verify-full': 'verified' } as const;
const PARAMETERS = ['host', 'user', 'sslmode', 'sslrootcert'];
/** Addresses of this machine only. */
const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/** Never repeats the address: it may contain a password. */
export function fleetProblems({ fleet, exchange }: Pick<TraderFile, 'fleet' | 'exchange'>, at: At): readonly Problem[] {
  if (fleet === undefined) return [];
  const wrong = objection(fleet.database);
  return [
    ...(wrong === null ? [] : [at(['fleet', 'database'], wrong)]),
    ...(exchange?.embedded === true
      ? [at(['fleet'], 'is of no use with an embedded exchange, which ends with its trader; run `twinbook exchange`')]
      : []),
  ];
}

function objection(address: string): string | null {
  // A name with a broken escape would be unreadable later too.
  if (!URL.canParse(address) || /%(?![0-9a-f]{2})/i.test(address)) return WANTED;
  const url = new URL(address);
  const parameters = [...url.searchParams.keys()];
  if (url.password !== '' || parameters.includes('password'))
    return 'holds a password; remove it: it comes from TWINBOOK_FLEET_PASSWORD or the file that TWINBOOK_FLEET_PASSWORD_FILE names';
  if (!/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length < 2) return WANTED;
  const strange = parameters.find((name) => !PARAMETERS.includes(name));
  if (strange !== undefined) return `has the parameter ${strange}; wants none but ${PARAMETERS.join(', ')}`;
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !Object.hasOwn(TLS, mode)) return `has another sslmode than ${Object.keys(TLS).join(', ')}`;
  const { host, user } = readParts(url);
  return host === '' || user === '' ? WANTED : null;
}

/** Settings of a fleet without a problem. */
export const makeFleet = (file: FleetFile | undefined, folder: string) =>
  file === undefined || objection(file.database) !== null
    ? null
    : {
        database: makeDatabase(new URL(file.database), folder),
        name: file.name,
        leaseMs: 1000 * file.lease_s,
        standby: file.standby,
      };

function makeDatabase(url: URL, folder: string) {
  const { host, user } = readParts(url);
  const isHere = host.startsWith('/') || LOOPBACK.includes(host);
  const mode = url.searchParams.get('sslmode') as keyof typeof TLS | null;
  const rootCert = url.searchParams.get('sslrootcert');
  return {
    host,
    port: url.port === '' ? USUAL_PORT : Number(url.port),
    database: decodeURIComponent(url.pathname.slice(1)),
    user,
    tls: mode === null ? (isHere ? 'off' : 'verified') : TLS[mode],
    rootCert: rootCert === null ? null : resolve(folder, rootCert),
  };
}

const readParts = (url: URL) => ({
  host: url.searchParams.get('host') ?? url.hostname.replace(/^\[|\]$/g, ''),
  user: url.searchParams.get('user') ?? decodeURIComponent(url.username),
});
