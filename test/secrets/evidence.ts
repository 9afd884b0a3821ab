/** Finds secrets: collects them from the wallet and credentials files of programs, and looks for them in all others. */

import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readKeyText } from '../../src/shell/wallet/key-file.js';
import { derivePublicKey } from '../../src/shell/wallet/wallet.js';
import type { Reading } from './readings.js';
import type { SecretSearch } from './search.js';

export interface Leak {
  readonly file: string;
  /** Whether the reading is the file's bytes or their unpacked content. */
  readonly as: string;
  readonly secret: string;
  readonly form: string;
}

export const leakText = ({ file, as, secret, form }: Leak): string => `${file} (${as}) holds ${secret}, as ${form}`;

/** The venue's own copies of issued secrets, which it needs to check signatures. */
const VENUE_MEMORY = /^exchange\.sqlite/;

/** Maximum size of a file with secrets. */
const LARGEST_HOME_BYTES = 65_536;

const walletFile = z.object({ twinbook_wallet: z.literal(1), secret_key: z.string().optional() });
const credentialsFile = z.object({
  twinbook_credentials: z.literal(1),
  entries: z.array(z.object({ secret: z.string() })),
});

export interface Home {
  readonly file: string;
  readonly keys: readonly Uint8Array[];
  readonly texts: readonly string[];
}

/** Every plain file below a folder. */
export function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** The content of a file that is meant to hold a secret; null for any other file. */
export function homeAt(file: string): Home | null {
  const { size, mode } = lstatSync(file);
  // Other users can read this file, so it must hold no secret. A printed address looks like a key.
  if (size > LARGEST_HOME_BYTES || (mode & 0o077) !== 0) return null;
  const text = readFileSync(file, 'utf8');
  if (!text.startsWith('{')) return keyHome(file, text);
  const json = parsed(text);
  const wallet = walletFile.safeParse(json);
  if (wallet.success)
    return wallet.data.secret_key === undefined ? { file, keys: [], texts: [] } : keyHome(file, wallet.data.secret_key);
  const credentials = credentialsFile.safeParse(json);
  return credentials.success ? { file, keys: [], texts: credentials.data.entries.map(({ secret }) => secret) } : null;
}

function keyHome(file: string, text: string): Home | null {
  try {
    return { file, keys: [readKeyText(text, file)], texts: [] };
  } catch {
    return null; // not a key
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Adds all secrets of the file to the search. */
export function learn(search: SecretSearch, home: Home): void {
  for (const seed of home.keys) {
    search.add('the key of a wallet', seed);
    search.add('the key pair of a wallet', Uint8Array.from([...seed, ...derivePublicKey(seed)]));
  }
  for (const text of home.texts) search.add('an API secret', text);
}

export const isVenueMemory = (file: string): boolean => VENUE_MEMORY.test(file.slice(file.lastIndexOf('/') + 1));

/** The findings of the search in a file's readings. */
export const leaksIn = (file: string, readings: readonly Reading[], search: SecretSearch): Leak[] =>
  readings.flatMap(({ as, bytes }) => search.in(bytes).map(({ secret, form }) => ({ file, as, secret, form })));
