/** Reads, compares, applies and rolls back the configuration while the trader runs. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { makeFolder, PRIVATE_FILE, syncFolder } from '../../shared/base/files.js';
import type { ConfigureCommand } from '../../shared/protocol/seam.js';
import { configHistory } from '../../trader/engine/control/commands.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import type { Strategy } from '../../trader/strategy/contract.js';
import type { Config, Environment, ReadConfig, TraderConfig } from '../config/config.js';
import { type LoadOptions, loadConfig, readConfig } from '../config/load.js';
import { configChanges } from '../config/shown.js';
import type { ConfigData } from '../control/control-protocol.js';
import { checkLoad } from './ask-process.js';

type ConfigChanges = ReturnType<typeof configChanges>;

interface LiveConfigOptions {
  readonly config: Config;
  readonly env: Environment;
  readonly session: {
    readonly ledger: Pick<Ledger, 'note'>;
    /** Loaded strategies by module key; the core takes the code of strategies from this map. */
    readonly modules: Map<string, Strategy>;
  };
  readonly command: (command: ConfigureCommand) => string | null;
  readonly onChange: (config: Config) => void;
}

interface ConfigRequest {
  readonly reason: string;
  readonly dryRun: boolean;
}

export class LiveConfig {
  readonly #options: LiveConfigOptions;
  config: Config;
  #isBusy = false;

  constructor(options: LiveConfigOptions) {
    this.#options = options;
    this.config = options.config;
  }

  /** Compares the files with the configuration in force, without running new code. Throws errors of `readConfig`. */
  async diff(): Promise<ConfigData> {
    return compared(configChanges(this.config, await this.#readFiles(this.config.file)));
  }

  /** Applies the configuration's files. Throws TwinbookError for an error in the files or in the request. */
  apply({ reason, dryRun }: ConfigRequest): Promise<ConfigData> {
    return this.#alone(async () => {
      const read = await this.#readFiles(this.config.file);
      const changes = configChanges(this.config, read);
      refuseUnlessFree(changes, reason, dryRun);
      if (changes.length === 0 || dryRun) return compared(changes);
      const loaded = await this.#loadChecked(read);
      return this.#take(loaded, { by: 'operator', reason }, loaded);
    });
  }

  /** Applies the newest stored configuration whose hash begins with `hash`. If empty: the previous one. */
  rollback({ hash, reason, dryRun }: ConfigRequest & { readonly hash: string }): Promise<ConfigData> {
    return this.#alone(async () => {
      const { main, texts: copy } = readCopy(this.config.ledger.path, this.#findEntry(hash).copy);
      const wanted = await this.#readFiles(main, { copy });
      const read = await this.#readFiles(main, { copy, fixed: withoutLive(this.config, wanted) });
      const changes = configChanges(this.config, read);
      const left = formatLines(configChanges(read, wanted)).map((line) => `not restored: ${line}`);
      if (changes.length === 0 || dryRun) {
        const answer = compared(changes, ALL_RESTORED);
        return { ...answer, lines: [...answer.lines, ...left] };
      }
      const loaded = await this.#loadChecked(read, { copy: read.texts });
      const taken = this.#take({ ...loaded, file: this.config.file }, { by: 'rollback', reason }, loaded);
      return { ...taken, lines: [...taken.lines, ...left, FILES_STAY] };
    });
  }

  #readFiles(main: string, options: Pick<LoadOptions, 'copy' | 'fixed'> = {}): Promise<ReadConfig> {
    const { env, session } = this.#options;
    return readConfig(main, { env, cwd: process.cwd(), loaded: session.modules, ...options });
  }

  /** Loads the configuration with its code. A separate process first tests new code. Throws `strategy_invalid`. */
  async #loadChecked({ file, strategies }: ReadConfig, options: Pick<LoadOptions, 'copy'> = {}): Promise<Config> {
    const { env, session } = this.#options;
    const place = { env, cwd: process.cwd(), ...options };
    const isNew = strategies.some(({ module }) => module === null);
    const checked = isNew ? await checkLoad(file, place) : new Set<string>();
    const other = (key: string) => (checked.has(key) ? null : 'its code has changed since the check; apply again');
    return loadConfig(file, { ...place, code: { loaded: session.modules, other } });
  }

  #take(
    next: Config,
    { by, reason }: Pick<ConfigureCommand, 'by' | 'reason'>,
    { file: main, texts }: Pick<Config, 'file' | 'texts'>,
  ): ConfigData {
    const { session, command, onChange } = this.#options;
    const { modules } = session;
    const before = this.config;
    // The configurations are compared again, because the files may have changed since the first comparison.
    const changes = configChanges(before, next);
    refuseUnlessFree(changes, reason);
    // The new configuration's copy is stored before it takes effect, because a later rollback needs the copy.
    const copy = saveCopy(before.ledger.path, { main, texts });
    for (const { moduleKey, module } of [...before.strategies, ...next.strategies]) modules.set(moduleKey, module);
    this.config = next;
    const { configHash: hash } = next;
    const sentences = changes.map(({ text }) => text);
    const refusal = command({ kind: 'configure', hash, config: liveText(next), copy, changes: sentences, by, reason });
    if (refusal !== null) {
      this.config = before;
      throw new TwinbookError('usage', refusal, '`twinbook config diff` marks changes that need a restart.');
    }
    const used = new Set([...before.strategies, ...next.strategies].map(({ moduleKey }) => moduleKey));
    for (const key of modules.keys()) if (!used.has(key)) modules.delete(key);
    onChange(next);
    const lines = [...formatLines(changes), `configuration ${hash.slice(0, 12)} is in force now`];
    return { lines, applied: true, hash };
  }

  #findEntry(hash: string): ReturnType<typeof configHistory>[number] {
    const history = configHistory(this.#options.session.ledger);
    const found = history.findLast((entry) =>
      hash === '' ? entry.hash !== this.config.configHash : entry.hash.startsWith(hash),
    );
    if (found !== undefined) return found;
    const what = hash === '' ? 'no configuration was in force before' : `no configuration ${hash} was ever in force`;
    throw new TwinbookError('usage', what, '`twinbook config diff --history` lists all earlier configurations.');
  }

  async #alone(work: () => Promise<ConfigData>): Promise<ConfigData> {
    if (this.#isBusy) {
      const hint = 'Try again after the other change: `twinbook config diff --history` then lists it.';
      throw new TwinbookError('usage', 'another change of the configuration is under way', hint);
    }
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }
}

const FILES_AGREE = 'the files agree with the configuration in force';
const ALL_RESTORED = 'nothing was applied: all settings that a rollback can restore are in force';
const FILES_STAY =
  'correct the configuration files and the TWINBOOK__ variables: the rollback did not change them, and the next start uses them';

const compared = (changes: ConfigChanges, agreement = FILES_AGREE): ConfigData => ({
  lines: changes.length === 0 ? [agreement] : formatLines(changes),
  applied: false,
  hash: null,
});

/** Returns the settings that a rollback leaves unchanged, because a running trader cannot change them. */
function withoutLive(config: Config, wanted: ReadConfig): Partial<TraderConfig> {
  const { capitalMicros, risk, merge, economics, strategies, configHash, texts, file, ...rest } = config;
  // In a fleet, more capital needs a restart.
  return rest.fleet !== null && wanted.capitalMicros > capitalMicros ? { ...rest, capitalMicros } : rest;
}

/** Returns the settings that a running trader can change, as JSON for the core. */
function liveText({ capitalMicros, risk, merge, economics, strategies }: Config): string {
  const named = strategies.map(({ module, writtenParams, ...strategy }) => strategy);
  return JSON.stringify({ settings: { capitalMicros, risk, merge, economics, strategies: named } });
}

const formatLines = (changes: ConfigChanges): readonly string[] =>
  changes.map(({ text, wants }) => (wants === 'nothing' ? text : `${text} [wants a ${wants}]`));

function refuseUnlessFree(changes: ConfigChanges, reason: string, dryRun = false): void {
  const list = (wanted: ConfigChanges[number]['wants']) =>
    changes
      .filter(({ wants }) => wants === wanted)
      .map(({ text }) => text)
      .join('; ');
  const [restart, looser] = [list('restart'), list('reason')];
  if (restart !== '') {
    const what = `nothing was applied, because these changes need a restart: ${restart}`;
    throw new TwinbookError('usage', what, 'Undo the changes in the files, or restart the trader.');
  }
  if (looser === '' || reason !== '' || dryRun) return;
  const what = `nothing was applied, because these changes need a reason: ${looser}`;
  throw new TwinbookError('usage', what, 'Give a reason with --reason TEXT.');
}

const MOST_COPIES = 20;
const MOST_BYTES = 16_000_000;
const LIST = 'files.json';
const HASH = /^[0-9a-f]{64}$/;

interface ConfigCopy {
  /** Absolute path of the trader's main configuration file. */
  readonly main: string;
  readonly texts: ReadonlyMap<string, string>;
}

interface CopyList {
  readonly main: string;
  /** Files of a stored configuration. `path` is the original path, `file` the name within the copy's folder. */
  readonly files: readonly { readonly path: string; readonly file: string; readonly hash: string }[];
}

/** Folder of private copies. Each copy's name is the hash of its file list, so that a changed copy is detected. */
const locateCopies = (ledgerPath: string): string => `${ledgerPath}.config`;

/** Stores a copy and returns the hash that names it. Throws `file_unreadable` if the copy cannot be stored. */
export function saveCopy(ledgerPath: string, { main, texts }: ConfigCopy): string {
  const folder = locateCopies(ledgerPath);
  const sorted = [...texts].sort(([one], [other]) => (one < other ? -1 : 1));
  const files = sorted.map(([path, text], index) => ({
    path,
    file: `${String(index + 1).padStart(3, '0')}-${basename(path).slice(-100)}`,
    hash: hashOf(text),
  }));
  const list = JSON.stringify({ main, files } satisfies CopyList, null, 2);
  const hash = hashOf(list);
  const part = join(folder, `part-${process.pid}`);
  try {
    const bytes = sorted.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
    if (bytes > MOST_BYTES) throw new Error(`the files have ${bytes} bytes; at most ${MOST_BYTES} are copied`);
    makeFolder(folder);
    makeFolder(part);
    for (const [index, { file }] of files.entries()) writePrivate(join(part, file), sorted[index]?.[1] ?? '');
    writePrivate(join(part, LIST), list);
    const target = join(folder, hash);
    rmSync(target, { recursive: true, force: true });
    renameSync(part, target);
    syncFolder(folder);
    dropOldest(folder, hash);
  } catch (cause) {
    removeQuietly(part);
    const text = `no copy of the configuration can be stored in ${folder}: ${messageOf(cause)}`;
    const hint = 'Free space, or correct the permissions of that folder.';
    throw new TwinbookError('file_unreadable', text, hint, { cause });
  }
  return hash;
}

/** Reads a copy. Throws `file_unreadable` for a missing copy, and `config_invalid` for an altered copy. */
export function readCopy(ledgerPath: string, hash: string): ConfigCopy {
  if (!HASH.test(hash)) throw missing('no copy of that configuration is stored');
  const folder = join(locateCopies(ledgerPath), hash);
  const list = readCopied(join(folder, LIST), hash);
  // The cast is safe: the list's hash proves that `saveCopy` wrote the list.
  const { main, files } = JSON.parse(list) as CopyList;
  return { main, texts: new Map(files.map((one) => [one.path, readCopied(join(folder, one.file), one.hash)])) };
}

function readCopied(path: string, hash: string): string {
  let text: string;
  try {
    if (statSync(path).size > MOST_BYTES) throw new Error(`the file has more than ${MOST_BYTES} bytes`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw missing(`the copy of that configuration cannot be read: ${messageOf(error)}`, error);
  }
  const found = hashOf(text);
  if (found === hash) return text;
  const what = `${path} was changed: its SHA-256 is ${found.slice(0, 12)}, but the ledger recorded ${hash.slice(0, 12)}`;
  throw new TwinbookError('config_invalid', what, KEPT_FILES);
}

function dropOldest(folder: string, justWritten: string): void {
  const names = readdirSync(folder).filter((name) => HASH.test(name) && name !== justWritten);
  const dated = names.map((name) => ({ name, ms: statSync(join(folder, name)).mtimeMs }));
  const old = dated.sort((one, other) => other.ms - one.ms).slice(MOST_COPIES - 1);
  for (const { name } of old) removeQuietly(join(folder, name));
}

const KEPT_FILES = 'If you still have that configuration’s files, put them in place and run `twinbook config apply`.';

const missing = (text: string, cause?: unknown): TwinbookError =>
  new TwinbookError('file_unreadable', text, KEPT_FILES, { cause });

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const writePrivate = (path: string, text: string): void =>
  writeFileSync(path, text, { mode: PRIVATE_FILE, flush: true });

/** Removes a folder if possible. The next `saveCopy` tries again to remove an old copy. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // A failed removal is ignored, because it damages no stored copy.
  }
}

/** Lists changes since the last configuration in the ledger; null if it has no configuration. Throws as `readCopy`. */
export async function changesSinceLast(
  config: ReadConfig,
  ledger: Pick<Ledger, 'note'>,
  { env, cwd }: Pick<LoadOptions, 'env' | 'cwd'>,
): Promise<readonly string[] | null> {
  const last = configHistory(ledger).at(-1);
  if (last === undefined) return null;
  const copy = readCopy(config.ledger.path, last.copy);
  const loaded = new Map(config.strategies.flatMap(({ moduleKey, module }) => (module ? [[moduleKey, module]] : [])));
  const before = await readConfig(copy.main, { env, cwd, loaded, copy: copy.texts });
  return configChanges(before, config).map(({ text }) => text);
}
