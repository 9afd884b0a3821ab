/**
 * Plain copies of the files of earlier configurations: `<ledger>.config/<hash>/`, readable by their owner only. The
 * ledger names each copy by the hash of its list; the list names each file by its own. No backup or journal contains
 * them.
 */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, TwinbookError } from '../../../shared/base/errors.js';
import { makeFolder, PRIVATE_FILE, syncFolder } from '../../../shared/base/files.js';
import { configHistory } from '../../../trader/engine/control/commands.js';
import type { Ledger } from '../../../trader/ledger/contract.js';
import { type LoadOptions, readConfig } from '../../config/load.js';
import { configChanges } from '../../config/shown.js';
import type { ReadConfig } from '../../config/types.js';

const MOST_COPIES = 20;
const MOST_BYTES = 16_000_000;
const LIST = 'files.json';
const HASH = /^[0-9a-f]{64}$/;

export interface ConfigCopy {
  /** Absolute path of the trader's file. */
  readonly main: string;
  /** Texts by absolute path. */
  readonly texts: ReadonlyMap<string, string>;
}

interface CopyList {
  readonly main: string;
  /** `file` is the name within the copy's folder. */
  readonly files: readonly { readonly path: string; readonly file: string; readonly hash: string }[];
}

export class ConfigCopies {
  readonly #folder: string;

  constructor(ledgerPath: string) {
    this.#folder = `${ledgerPath}.config`;
  }

  /** Returns the hash that names the copy. Throws `file_unreadable` when it cannot be kept; then nothing has changed. */
  save({ main, texts }: ConfigCopy): string {
    const sorted = [...texts].sort(([one], [other]) => (one < other ? -1 : 1));
    const files = sorted.map(([path, text], index) => ({
      path,
      file: `${String(index + 1).padStart(3, '0')}-${basename(path).slice(-100)}`,
      hash: hashOf(text),
    }));
    const list = JSON.stringify({ main, files } satisfies CopyList, null, 2);
    const hash = hashOf(list);
    const part = join(this.#folder, `part-${process.pid}`);
    try {
      const bytes = sorted.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
      if (bytes > MOST_BYTES) throw new Error(`the files have ${bytes} bytes; at most ${MOST_BYTES} are copied`);
      makeFolder(this.#folder);
      makeFolder(part);
      for (const [index, { file }] of files.entries()) writePrivate(join(part, file), sorted[index]?.[1] ?? '');
      writePrivate(join(part, LIST), list);
      const target = join(this.#folder, hash);
      rmSync(target, { recursive: true, force: true });
      renameSync(part, target);
      syncFolder(this.#folder);
      this.#dropOldest(hash);
    } catch (error) {
      removeQuietly(part);
      const text = `no copy of the configuration can be kept in ${this.#folder}: ${messageOf(error)}`;
      throw new TwinbookError('file_unreadable', text, 'Free space, or correct the permissions of that folder.', {
        cause: error,
      });
    }
    return hash;
  }

  /** Throws `file_unreadable` for a missing copy, and `config_invalid` for a changed one. */
  read(hash: string): ConfigCopy {
    if (!HASH.test(hash)) throw missing('no copy of that configuration was kept');
    const folder = join(this.#folder, hash);
    const list = this.#readFile(join(folder, LIST), hash);
    // Its hash proves that `save` wrote it.
    const { main, files } = JSON.parse(list) as CopyList;
    return { main, texts: new Map(files.map((one) => [one.path, this.#readFile(join(folder, one.file), one.hash)])) };
  }

  #readFile(path: string, hash: string): string {
    let text: string;
    try {
      if (statSync(path).size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`);
      text = readFileSync(path, 'utf8');
    } catch (error) {
      throw missing(`the copy of that configuration cannot be read: ${messageOf(error)}`, error);
    }
    const found = hashOf(text);
    if (found === hash) return text;
    throw new TwinbookError(
      'config_invalid',
      `${path} was changed: its SHA-256 is ${found.slice(0, 12)}, and the ledger names ${hash.slice(0, 12)}`,
      KEPT_FILES,
    );
  }

  /** The newest stay, by time of writing; the one just written always does. */
  #dropOldest(justWritten: string): void {
    const folders = readdirSync(this.#folder).filter((name) => HASH.test(name) && name !== justWritten);
    const dated = folders.map((name) => ({ name, ms: statSync(join(this.#folder, name)).mtimeMs }));
    const old = dated.sort((one, other) => other.ms - one.ms).slice(MOST_COPIES - 1);
    for (const { name } of old) removeQuietly(join(this.#folder, name));
  }
}

const KEPT_FILES = 'Files that you kept yourself are applied by `twinbook config apply`.';

const missing = (text: string, cause?: unknown): TwinbookError =>
  new TwinbookError('file_unreadable', text, KEPT_FILES, { cause });

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const writePrivate = (path: string, text: string): void =>
  writeFileSync(path, text, { mode: PRIVATE_FILE, flush: true });

/** A leftover is removed at the next write. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Not removable here: the relevant error was thrown already, or there is none.
  }
}

/**
 * A sentence per difference; null when no configuration is recorded. Throws like `ConfigCopies.read` and `readConfig`.
 */
export async function changesSinceLast(
  config: ReadConfig,
  ledger: Pick<Ledger, 'note'>,
  { env, cwd }: Pick<LoadOptions, 'env' | 'cwd'>,
): Promise<readonly string[] | null> {
  const last = configHistory(ledger).at(-1);
  if (last === undefined) return null;
  const copy = new ConfigCopies(config.ledger.path).read(last.copy);
  const loaded = new Map(config.strategies.flatMap(({ moduleKey, module }) => (module ? [[moduleKey, module]] : [])));
  const before = await readConfig(copy.main, { env, cwd, loaded, copy: copy.texts });
  return configChanges(before, config).map(({ text }) => text);
}
