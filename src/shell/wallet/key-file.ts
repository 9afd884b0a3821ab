/** Reads and writes the wallet's secret files: the key (plain, or encrypted with a passphrase) and API credentials. */

import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { base58, base64 } from '@scure/base';
import { z } from 'zod';
import { systemCode, TwinbookError } from '../../shared/base/errors.js';
import { parseJson } from '../../shared/base/text.js';
import { readPrivateFile, secrets, writePrivateFile } from './secrets.js';
import { derivePublicKey, Wallet } from './wallet.js';

const WHAT = 'the wallet file';

const bytes = (min: number, max: number) =>
  z
    .string()
    .regex(/^[A-Za-z0-9+/]*={0,2}$/)
    .transform((text) => new Uint8Array(Buffer.from(text, 'base64')))
    .refine((value) => value.length >= min && value.length <= max);

/** Schema of an encrypted key. The bounds reject scrypt parameters that are too weak or too expensive. */
const sealedKeySchema = z.strictObject({
  kdf: z.literal('scrypt'),
  n: z
    .number()
    .int()
    .min(2 ** 10)
    .max(2 ** 20)
    .refine((n) => Number.isInteger(Math.log2(n))),
  r: z.number().int().min(1).max(16),
  p: z.number().int().min(1).max(4),
  salt: bytes(16, 64),
  cipher: z.literal('aes-256-gcm'),
  iv: bytes(12, 12),
  tag: bytes(16, 16),
  data: bytes(32, 32),
});

const keyFileSchema = z.union([
  z.strictObject({ twinbook_wallet: z.literal(1), address: z.string(), secret_key: z.string() }),
  z.strictObject({ twinbook_wallet: z.literal(1), address: z.string(), sealed: sealedKeySchema }),
]);

interface KeyFileOptions {
  readonly path: string;
  /** Passphrase that encrypts a new key file or decrypts an existing one; null writes the key unencrypted. */
  readonly passphrase: string | null;
  /** Cost parameters for encrypting a new key file; with the default, each decryption takes about a second. */
  readonly scrypt?: ScryptCost;
}

/** Creates a new random key and its key file. Throws TwinbookError file_unreadable if the file exists. */
export function createKeyFile(options: KeyFileOptions): Wallet {
  return storeKey(randomBytes(32), options);
}

/** Copies a key into a new key file. The same passphrase decrypts the old file and encrypts the new one. */
export function importKeyFile(from: string, options: KeyFileOptions): Wallet {
  return storeKey(readSeed(readPrivateFile(from, 'the key file'), from, options.passphrase), options);
}

function storeKey(seed: Uint8Array, { path, passphrase, scrypt }: KeyFileOptions): Wallet {
  if (passphrase === '') throw keyInvalid('the passphrase is empty', SET_PASSPHRASE);
  const address = base58.encode(derivePublicKey(seed));
  const content =
    passphrase === null
      ? { twinbook_wallet: 1, address, secret_key: base58.encode(Uint8Array.from([...seed, ...derivePublicKey(seed)])) }
      : { twinbook_wallet: 1, address, sealed: sealKey(seed, address, passphrase, scrypt ?? DEFAULT_SCRYPT) };
  writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`, WHAT, {
    replace: false,
    // Tests that the new key file can be opened, so that no unusable copy of the key is stored.
    verify: (text) => void makeWallet(text, path, passphrase),
  });
  return hiddenWallet(seed);
}

/** Returns whether a key file needs a passphrase. Throws the same errors as `openKeyFile` for an unreadable file. */
export function isSealedKeyFile(path: string): boolean {
  const text = readPrivateFile(path, WHAT);
  return text.trimStart().startsWith('{') && 'sealed' in parseKeyFile(text, path);
}

/** Opens a key file of this or another tool. Throws TwinbookError file_unreadable, key_insecure or key_invalid. */
export function openKeyFile({ path, passphrase }: KeyFileOptions): Wallet {
  return makeWallet(readPrivateFile(path, WHAT), path, passphrase);
}

const makeWallet = (text: string, path: string, passphrase: string | null): Wallet =>
  hiddenWallet(readSeed(text, path, passphrase));

/** Makes a wallet. All later logs hide the seed, alone and followed by the public key as in key files. */
function hiddenWallet(seed: Uint8Array): Wallet {
  secrets.hide(seed);
  secrets.hide(Uint8Array.from([...seed, ...derivePublicKey(seed)]));
  return new Wallet(seed);
}

function readSeed(text: string, path: string, passphrase: string | null): Uint8Array {
  if (!text.trimStart().startsWith('{')) return readKeyText(text, path);
  const content = parseKeyFile(text, path);
  const seed =
    'sealed' in content
      ? openSealed(content.sealed, content.address, path, passphrase)
      : readKeyText(content.secret_key, path);
  const address = base58.encode(derivePublicKey(seed));
  if (address === content.address) return seed;
  throw keyInvalid(`the key in ${path} belongs to ${address}, but the file states another address`, TAKE_COPY);
}

const keyInvalid = (message: string, hint: string): TwinbookError => new TwinbookError('key_invalid', message, hint);

const SET_PASSPHRASE =
  'Set TWINBOOK_WALLET_PASSPHRASE, or TWINBOOK_WALLET_PASSPHRASE_FILE to a file with mode 0600; `twinbook keys show` tests the passphrase.';
const TAKE_COPY = 'The wallet file was changed: use your copy of the file, or `twinbook keys import` the key again.';

function openSealed(
  sealed: z.output<typeof sealedKeySchema>,
  address: string,
  path: string,
  passphrase: string | null,
): Uint8Array {
  if (passphrase === null)
    throw keyInvalid(`the wallet file ${path} is encrypted, but no passphrase was given`, SET_PASSPHRASE);
  const seed = unsealKey(sealed, address, passphrase);
  if (seed === null) throw keyInvalid(`the passphrase for ${path} is wrong, or the file was changed`, SET_PASSPHRASE);
  return seed;
}

function parseKeyFile(text: string, path: string): z.output<typeof keyFileSchema> {
  const json = parseJson(text);
  // The error of the JSON parser is omitted, because it quotes the secret text.
  if (json === undefined) throw keyInvalid(`the wallet file ${path} is not JSON, or is incomplete`, TAKE_COPY);
  const parsed = keyFileSchema.safeParse(json);
  // Repeated JSON keys are refused, because a person may read a value that the parser ignores.
  if (parsed.success && text.replace(/\s/g, '') === JSON.stringify(json)) return parsed.data;
  throw keyInvalid(`the wallet file ${path} is not a Twinbook wallet`, '`twinbook keys import` makes a wallet.');
}

/** Reads the seed from a JSON array, base58 or hex of 32 bytes, or 64 with the public key. Errors omit the text. */
export function readKeyText(text: string, where: string): Uint8Array {
  const trimmed = text.trim();
  const bytes = trimmed.startsWith('[') ? fromJsonArray(trimmed) : (fromHex(trimmed) ?? fromBase58(trimmed));
  if (bytes === null) throw invalid(where, 'is neither a Solana id.json, nor base58, nor hex');
  if (bytes.length !== 32 && bytes.length !== 64) throw invalid(where, `has ${bytes.length} bytes, not 32 or 64`);
  const seed = bytes.slice(0, 32);
  if (bytes.length === 64 && Buffer.compare(bytes.subarray(32), derivePublicKey(seed)) !== 0)
    throw invalid(where, 'has a public half that does not belong to its secret half');
  return seed;
}

const invalid = (where: string, what: string) =>
  keyInvalid(`the key in ${where} ${what}`, 'A key is 32 or 64 bytes, as base58, hexadecimal or a JSON list.');

function fromJsonArray(text: string): Uint8Array | null {
  const parsed = parseJson(text);
  if (!Array.isArray(parsed) || parsed.length > 64) return null;
  const isByte = (value: unknown) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
  return parsed.every(isByte) ? Uint8Array.from(parsed) : null;
}

function fromHex(text: string): Uint8Array | null {
  const digits = text.startsWith('0x') ? text.slice(2) : text;
  return /^(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{128})$/.test(digits) ? new Uint8Array(Buffer.from(digits, 'hex')) : null;
}

const fromBase58 = (text: string): Uint8Array | null =>
  /^[1-9A-HJ-NP-Za-km-z]{32,90}$/.test(text) ? base58.decode(text) : null;

type ScryptCost = Pick<SealedKey, 'n' | 'r' | 'p'>;

/** Each decryption takes about a second and 256 MiB on a small machine: acceptable once, costly for an attacker. */
const DEFAULT_SCRYPT: ScryptCost = { n: 2 ** 18, r: 8, p: 1 };

/** Maximum memory that decrypting a key file may use, bytes. */
const LARGEST_SCRYPT_BYTES = 2 ** 30;

type SealedKey = z.input<typeof sealedKeySchema>;

function sealKey(seed: Uint8Array, address: string, passphrase: string, cost: ScryptCost): SealedKey {
  const salt = randomBytes(32);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', stretch(passphrase, salt, cost), iv);
  cipher.setAAD(context(address, cost));
  const data = Buffer.concat([cipher.update(seed), cipher.final()]);
  return {
    kdf: 'scrypt',
    ...cost,
    salt: base64.encode(salt),
    cipher: 'aes-256-gcm',
    iv: base64.encode(iv),
    tag: base64.encode(cipher.getAuthTag()),
    data: base64.encode(data),
  };
}

/** Returns the seed; null if the passphrase is wrong or the file was changed, which cannot be distinguished. */
function unsealKey(sealed: z.output<typeof sealedKeySchema>, address: string, passphrase: string): Uint8Array | null {
  if (128 * sealed.n * sealed.r > LARGEST_SCRYPT_BYTES)
    throw keyInvalid(`the key file needs more than 1 GiB of memory (n ${sealed.n}, r ${sealed.r})`, TAKE_COPY);
  const decipher = createDecipheriv('aes-256-gcm', stretch(passphrase, sealed.salt, sealed), sealed.iv);
  decipher.setAAD(context(address, sealed));
  decipher.setAuthTag(sealed.tag);
  try {
    return new Uint8Array(Buffer.concat([decipher.update(sealed.data), decipher.final()]));
  } catch {
    return null; // The authentication tag did not match.
  }
}

const context = (address: string, { n, r, p }: ScryptCost): Buffer =>
  Buffer.from(`twinbook key v1 ${address} ${n} ${r} ${p}`, 'utf8');

function stretch(passphrase: string, salt: Uint8Array, { n, r, p }: ScryptCost): Buffer {
  // Node's default `maxmem` is too small for our N. scrypt needs 128 * N * r bytes, and a little more for p.
  const maxmem = 128 * n * r + 128 * r * p + 2 ** 20;
  return scryptSync(passphrase.normalize('NFKC'), salt, 32, { N: n, r, p, maxmem });
}

type KeyEnvironment = Readonly<Record<string, string | undefined>>;

/** Returns the passphrase from an environment variable, or the file that a second variable names; null if unset. */
export function walletPassphrase(environment: KeyEnvironment = process.env): string | null {
  const { TWINBOOK_WALLET_PASSPHRASE: direct = '', TWINBOOK_WALLET_PASSPHRASE_FILE: path = '' } = environment;
  if (direct === '' && path === '') return null;
  const passphrase = direct === '' ? readPrivateFile(path, 'the passphrase file').replace(/\r?\n$/, '') : direct;
  secrets.hide(passphrase);
  return passphrase;
}

/** API credentials for signed calls. The secret is the HMAC key, which must not appear in a log, error or page. */
export interface Credentials {
  readonly apiKey: string;
  readonly secret: string;
}

/** Venue and wallet of API credentials; a wallet has different credentials at each venue. */
interface CredentialsOwner {
  readonly baseUrl: string;
  readonly wallet: string;
}

const CREDENTIALS_FILE = 'the credentials file';

const credentialsSchema = z.strictObject({
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
type CredentialsFile = z.output<typeof credentialsSchema>;

/** Returns API credentials from environment, else file, else null. Throws config_invalid if only one part is set. */
export function loadCredentials(
  path: string,
  owner: CredentialsOwner,
  environment: KeyEnvironment = process.env,
): Credentials | null {
  const { TWINBOOK_API_KEY: apiKey = '', TWINBOOK_API_SECRET: secret = '' } = environment;
  if ((apiKey === '') !== (secret === '')) {
    const [set, unset] =
      apiKey !== '' ? ['TWINBOOK_API_KEY', 'TWINBOOK_API_SECRET'] : ['TWINBOOK_API_SECRET', 'TWINBOOK_API_KEY'];
    throw new TwinbookError('config_invalid', `${set} is set but ${unset} is not`, 'Set both, or neither.');
  }
  const stored = apiKey === '' ? readCredentialsFile(path).entries.find((entry) => belongsTo(entry, owner)) : null;
  if (stored === undefined) return null;
  const found = stored === null ? { apiKey, secret } : { apiKey: stored.api_key, secret: stored.secret };
  secrets.hide(found.secret);
  return found;
}

/** Stores one owner's credentials in the file, and keeps those of other owners. Throws like `loadCredentials`. */
export function saveCredentials(path: string, owner: CredentialsOwner, { apiKey, secret }: Credentials): void {
  secrets.hide(secret);
  writeEntries(path, owner, [{ base_url: normalUrl(owner.baseUrl), wallet: owner.wallet, api_key: apiKey, secret }]);
}

export const forgetCredentials = (path: string, owner: CredentialsOwner): void => writeEntries(path, owner, []);

/** Writes the file with its present entries, which proves that the file can be written. */
export const rewriteCredentials = (path: string): void => writeAll(path, readCredentialsFile(path).entries);

function writeEntries(path: string, owner: CredentialsOwner, entries: CredentialsFile['entries']): void {
  const others = readCredentialsFile(path).entries.filter((entry) => !belongsTo(entry, owner));
  writeAll(path, [...others, ...entries]);
}

function writeAll(path: string, entries: CredentialsFile['entries']): void {
  const content: CredentialsFile = { twinbook_credentials: 1, entries };
  writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`, CREDENTIALS_FILE, {
    replace: true,
    verify: (text) => void parseCredentials(text, path),
  });
}

function readCredentialsFile(path: string): CredentialsFile {
  let text: string;
  try {
    text = readPrivateFile(path, CREDENTIALS_FILE);
  } catch (error) {
    if (error instanceof TwinbookError && systemCode(error.cause) === 'ENOENT')
      return { twinbook_credentials: 1, entries: [] };
    throw error;
  }
  return parseCredentials(text, path);
}

function parseCredentials(text: string, path: string): CredentialsFile {
  // The JSON parser's error is not shown, because it would quote the secret.
  const parsed = credentialsSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const hint = 'Move the file away: `twinbook keys bootstrap` makes new credentials, and the guardian makes its own.';
  throw keyInvalid(`${CREDENTIALS_FILE} ${path} does not contain credentials`, hint);
}

const belongsTo = (entry: CredentialsFile['entries'][number], owner: CredentialsOwner): boolean =>
  normalUrl(entry.base_url) === normalUrl(owner.baseUrl) && entry.wallet === owner.wallet;

const normalUrl = (url: string): string => url.replace(/\/+$/, '');
