/** API credentials: one file for all venues and wallets, or two environment variables. */

import { z } from 'zod';
import { TwinbookError } from '../../shared/base/errors.js';
import { parseJson } from '../../shared/base/text.js';
import { readPrivateFile, writePrivateFile } from './private-file.js';
import { secrets } from './secrets.js';

/** Credentials of a signed call. The secret is the HMAC key; it must not appear in a log, error or page. */
export interface Credentials {
  readonly apiKey: string;
  readonly secret: string;
}

/** Owner of credentials: the same wallet has others at another venue. */
export interface CredentialsOwner {
  readonly baseUrl: string;
  readonly wallet: string;
}

const WHAT = 'the credentials file';

const fileSchema = z.strictObject({
  twinbook_credentials: z.literal(1),
  entries: z.array(
    z.strictObject({
      base_url: z.string(),
      wallet: z.string(),
      api_key: z.string().min(1),
      secret: z.string().min(1),
    }),
  ),
});
type CredentialsFile = z.output<typeof fileSchema>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The credentials of `TWINBOOK_API_KEY` and `TWINBOOK_API_SECRET`, else those that the file holds for this venue and
 * wallet, else null. Throws TwinbookError config_invalid (one variable without the other), key_insecure,
 * file_unreadable (but a missing file is simply null) or key_invalid.
 */
export function loadCredentials(
  path: string,
  owner: CredentialsOwner,
  environment: Environment = process.env,
): Credentials | null {
  const found = findCredentials(path, owner, environment);
  if (found !== null) secrets.hide(found.secret);
  return found;
}

function findCredentials(path: string, owner: CredentialsOwner, environment: Environment): Credentials | null {
  const { TWINBOOK_API_KEY: apiKey = '', TWINBOOK_API_SECRET: secret = '' } = environment;
  if (apiKey !== '' && secret !== '') return { apiKey, secret };
  if (apiKey !== '' || secret !== '') {
    const [set, unset] =
      apiKey !== '' ? ['TWINBOOK_API_KEY', 'TWINBOOK_API_SECRET'] : ['TWINBOOK_API_SECRET', 'TWINBOOK_API_KEY'];
    throw new TwinbookError('config_invalid', `${set} is set but ${unset} is not`, 'Set both, or neither.');
  }
  const entry = readFile(path).entries.find((candidate) => belongsTo(candidate, owner));
  return entry === undefined ? null : { apiKey: entry.api_key, secret: entry.secret };
}

/**
 * Stores an owner's credentials, replacing earlier ones and keeping those of others, atomically and with mode 0600.
 * Throws as `loadCredentials`.
 */
export function saveCredentials(path: string, owner: CredentialsOwner, { apiKey, secret }: Credentials): void {
  secrets.hide(secret);
  const of = { base_url: normalUrl(owner.baseUrl), wallet: owner.wallet };
  writeEntries(path, owner, [{ ...of, api_key: apiKey, secret }]);
}

/** Removes an owner's credentials, for example after the key was revoked. */
export const forgetCredentials = (path: string, owner: CredentialsOwner): void => writeEntries(path, owner, []);

function writeEntries(path: string, owner: CredentialsOwner, entries: CredentialsFile['entries']): void {
  const others = readFile(path).entries.filter((entry) => !belongsTo(entry, owner));
  const content: CredentialsFile = { twinbook_credentials: 1, entries: [...others, ...entries] };
  writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`, WHAT, {
    replace: true,
    verify: (text) => void parse(text, path),
  });
}

function readFile(path: string): CredentialsFile {
  let text: string;
  try {
    text = readPrivateFile(path, WHAT);
  } catch (error) {
    if (isMissing(error)) return { twinbook_credentials: 1, entries: [] };
    throw error;
  }
  return parse(text, path);
}

function parse(text: string, path: string): CredentialsFile {
  // The parser's own message would quote the file.
  const parsed = fileSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new TwinbookError(
    'key_invalid',
    `${WHAT} ${path} is not one`,
    'Move it away: `twinbook keys bootstrap` makes the trader another one, the guardian makes its own.',
  );
}

const belongsTo = (entry: CredentialsFile['entries'][number], owner: CredentialsOwner): boolean =>
  normalUrl(entry.base_url) === normalUrl(owner.baseUrl) && entry.wallet === owner.wallet;

const normalUrl = (url: string): string => url.replace(/\/+$/, '');

const isMissing = (error: unknown): boolean =>
  error instanceof TwinbookError &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === 'ENOENT';
