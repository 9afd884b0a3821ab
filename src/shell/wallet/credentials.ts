/** API credentials: one file for all venues and wallets, or two environment variables. */

import { z } from 'zod';
import { TwinbookError } from '../../shared/base/errors.js';
import { readPrivateFile, writePrivateFile } from './private-file.js';
import { secrets } from './secrets.js';

/** What a signed call needs. The secret is the HMAC key and belongs in no log, error or page. */
export interface Credentials {
  readonly apiKey: string;
  readonly secret: string;
}

/** Whose credentials: the same wallet has others at another venue. */
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
 * The credentials of `TWINBOOK_API_KEY` and `TWINBOOK_API_SECRET`, else the first that the file holds for this venue and
 * wallet, else null. Throws TwinbookError config_invalid (one variable without the other), key_insecure,
 * file_unreadable (but a missing file is simply null) or key_invalid.
 */
export const loadCredentials = (
  path: string,
  owner: CredentialsOwner,
  environment: Environment = process.env,
): Credentials | null => loadAllCredentials(path, owner, environment)[0] ?? null;

/** The same, with every key of the wallet: the one of the environment, else all of the file, in their order. */
export function loadAllCredentials(
  path: string,
  owner: CredentialsOwner,
  environment: Environment = process.env,
): readonly Credentials[] {
  const found = findCredentials(path, owner, environment);
  for (const { secret } of found) secrets.hide(secret);
  return found;
}

function findCredentials(path: string, owner: CredentialsOwner, environment: Environment): readonly Credentials[] {
  const { TWINBOOK_API_KEY: apiKey = '', TWINBOOK_API_SECRET: secret = '' } = environment;
  if (apiKey !== '' && secret !== '') return [{ apiKey, secret }];
  if (apiKey !== '' || secret !== '') {
    const [set, unset] =
      apiKey !== '' ? ['TWINBOOK_API_KEY', 'TWINBOOK_API_SECRET'] : ['TWINBOOK_API_SECRET', 'TWINBOOK_API_KEY'];
    throw new TwinbookError('config_invalid', `${set} is set but ${unset} is not`, 'Set both, or neither.');
  }
  return readFile(path)
    .entries.filter((candidate) => belongsTo(candidate, owner))
    .map((entry) => ({ apiKey: entry.api_key, secret: entry.secret }));
}

/**
 * Stores an owner's credentials, in place of those before them and beside those of other owners, atomically and with mode 0600.
 * Throws as `loadCredentials`.
 */
export function saveCredentials(
  path: string,
  owner: CredentialsOwner,
  credentials: Credentials | readonly Credentials[],
): void {
  const kept = [credentials].flat();
  for (const { secret } of kept) secrets.hide(secret);
  const of = { base_url: normalUrl(owner.baseUrl), wallet: owner.wallet };
  writeEntries(
    path,
    owner,
    kept.map(({ apiKey, secret }) => ({ ...of, api_key: apiKey, secret })),
  );
}

/** Stores one more before those of its owner that the file holds: no key of the environment gets there. Throws as `loadCredentials`. */
export function addCredentials(path: string, owner: CredentialsOwner, made: Credentials): void {
  saveCredentials(path, owner, [made, ...loadAllCredentials(path, owner, {})]);
}

/** Removes one of an owner's keys, for instance after it was revoked; the others stay as they are. */
export function forgetCredentials(path: string, owner: CredentialsOwner, apiKey: string): void {
  const kept = loadAllCredentials(path, owner, {}).filter((each) => each.apiKey !== apiKey);
  saveCredentials(path, owner, kept);
}

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
  let json: unknown = null;
  try {
    json = JSON.parse(text);
  } catch {
    // The schema below refuses null; the parser's own message would quote the file.
  }
  const parsed = fileSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new TwinbookError(
    'key_invalid',
    `${WHAT} ${path} is not one`,
    'Move it away: `twinbook keys bootstrap` makes the trader another one, the guardian makes its own by itself.',
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
