/** Errors between a trader and the database of its fleet, with the next step. */

import { TwinbookError } from '../../shared/base/errors.js';
import { secrets } from '../wallet/secrets.js';

export const unusable = (what: string, wanted: string): TwinbookError =>
  new TwinbookError('fleet_unusable', `the fleet's database ${what}`, `Wanted: ${wanted}.`);

/** Classes of PostgreSQL's five-character codes: the server refused one statement, and the connection still works. */
export const isServerAnswer = (error: unknown): boolean => {
  const code = readCode(error);
  return /^[0-9A-Z]{5}$/.test(code) && !ENDS_SESSION.test(code);
};

/** Shutting down, terminated, idle for too long. */
const ENDS_SESSION = /^(57P0[1-5]|08...|25P03)$/;

const readCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

type Explained = readonly [what: string, wanted: string];

const BY_CODE: Readonly<Record<string, Explained>> = {
  '28P01': ['refuses this user or password', 'the password of fleet.database in TWINBOOK_FLEET_PASSWORD or its _FILE'],
  '28000': ['refuses this user', 'a line for user, database and address in its pg_hba.conf'],
  '3D000': ['does not exist on that server', 'a database that was made with `createdb`'],
  '3F000': ['is not prepared for a fleet', '`twinbook fleet init --capital N`'],
  '42P01': ['is not prepared for a fleet', '`twinbook fleet init --capital N`'],
  '42501': ['does not let this user do that', 'the user who ran `twinbook fleet init`, or the same rights'],
  '53300': ['takes no more connections', 'a higher max_connections: a trader needs one'],
  '25006': ['is read-only', 'the primary server'],
  '57P03': ['is starting or stopping', 'a server that is ready'],
  '55P03': ['is busy with another of the fleet for too long', 'another try'],
  '57014': ['took too long', 'another try'],
  ENOTFOUND: ['has an unknown host', 'the host of fleet.database'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['has a TLS certificate of another name', 'sslmode=verify-full with the name in it'],
};

const UNTRUSTED = /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF|UNABLE_TO_(VERIFY|GET_ISSUER)|CERT_)/;

/** Own errors pass unchanged. */
export function explainFailure(place: string, error: unknown): TwinbookError {
  if (error instanceof TwinbookError) return error;
  const code = readCode(error);
  const text = secrets.clean(error instanceof Error ? error.message || code : String(error));
  const [what, wanted] = BY_CODE[code] ?? explainText(code, text);
  return unusable(`${place} ${what}`, wanted);
}

function explainText(code: string, text: string): Explained {
  if (UNTRUSTED.test(code)) {
    return [`has a TLS certificate that is not trusted: ${text}`, 'sslrootcert=FILE with the root of that certificate'];
  }
  if (/does not support SSL/i.test(text)) {
    return ['speaks no TLS', 'TLS on that server; sslmode=disable only on a private connection'];
  }
  if (/wants a password|password must be a string/i.test(text)) {
    return ['wants a password, and none was given', 'TWINBOOK_FLEET_PASSWORD or TWINBOOK_FLEET_PASSWORD_FILE'];
  }
  if (isServerCode(code)) return [`answered: ${text} (${code})`, 'a database as `twinbook fleet init` leaves it'];
  return [`does not answer: ${text}`, 'a PostgreSQL server that runs there: `pg_isready` asks it'];
}

const isServerCode = (code: string): boolean => /^[0-9][0-9A-Z]{4}$/.test(code);
