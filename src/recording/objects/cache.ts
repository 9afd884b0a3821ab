/**
 * Copies of objects on this machine, by the SHA-256 of what they hold. A file stands under its name only after its checksum
 * held. Whoever reads one holds a second name of it (a hard link in a folder of its own), so that another process may throw
 * the first one away at any moment: the oldest go when the cache would grow beyond its size, those that are held never.
 */

import { randomUUID } from 'node:crypto';
import {
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir, hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder } from '../../shared/base/folder.js';
import { isGone, readMark } from '../../shared/base/process-mark.js';
import { writeJson } from '../store/json-file.js';
import { sha256 as computeSha256 } from '../store/sha256.js';
import type { Environment } from './place.js';

export interface CachedFile {
  /** What the manifest says. */
  readonly sha256: string;
  readonly bytes: number;
  /** What it is, for errors. */
  readonly name: string;
}

/** Writes it to this path and says what was written. Throws TwinbookError, or what the disk says. */
export type FetchTo = (path: string) => Promise<{ readonly bytes: number; readonly sha256: string }>;

/** A file that stays where it is until it is released. */
export interface HeldFile {
  readonly path: string;
  release(): void;
}

export interface CacheFigures {
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
  readonly heldFiles: number;
  readonly maxBytes: number;
}

const USUAL_MAX_BYTES = 20_000_000_000;
const LEAST_MAX_BYTES = 1_000_000;
/** What names of parts of files end with. */
export const PART = '.part';
/** Others may add to the folder too: so often it is counted anew. */
const COUNT_EVERY = 64;
/** Of a process on another machine or in another container nobody knows whether it lives. */
const FOREIGN_HOLD_MS = 7 * 86_400_000;

/** Where copies lie: `TWINBOOK_CACHE_DIR`, else below the user's folder of caches. */
export function cacheFolder(env: Environment): string {
  const given = env['TWINBOOK_CACHE_DIR'];
  if (given !== undefined && given !== '') return join(given, 'recordings');
  return join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'twinbook', 'recordings');
}

const opened = new Map<string, ObjectCache>();

/** The cache in this folder, one for the whole thread. Throws TwinbookError `objects_unreadable`. */
export function openCache(folder: string): ObjectCache {
  const known = opened.get(folder);
  if (known !== undefined) return known;
  const cache = new ObjectCache(folder);
  opened.set(folder, cache);
  return cache;
}

export class ObjectCache {
  readonly folder: string;
  /** What this thread holds: a folder of its own. */
  readonly #held: string;
  readonly #holds = new Map<string, { readers: number; readonly ready: Promise<string> }>();
  readonly #ownFolders = new Set<string>();
  /** As counted last, and what was added since; null before. */
  #bytes: number | null = null;
  #added = 0;

  constructor(folder: string) {
    this.folder = folder;
    this.#held = join(
      folder,
      'held',
      `${hostname()}~${process.pid}~${readMark(process.pid).born ?? ''}~${randomUUID()}`,
    );
    this.onDisk(() => {
      makeFolder(join(folder, 'files'));
      this.#sweepHolds();
    });
  }

  /** A folder for links to what is held, and for copies of parts. */
  makeOwnFolder(): HeldFile {
    const path = join(this.#held, `of-${randomUUID()}`);
    this.onDisk(() => makeFolder(path));
    this.#ownFolders.add(path);
    const release = (): void => {
      rmSync(path, { recursive: true, force: true });
      this.#ownFolders.delete(path);
      this.#removeEmpty();
    };
    return { path, release };
  }

  /** Whether a copy is here, without a look into it. */
  has({ sha256, bytes }: CachedFile): boolean {
    return statOrNull(this.#pathOf(sha256))?.size === bytes;
  }

  /**
   * A copy of the file, fetched where there is none. Throws TwinbookError `recording_invalid` for content that is not as it
   * must be, `objects_unreadable` when the disk or the size of the cache does not take it; then nothing is left behind.
   */
  async hold(
    file: CachedFile,
    fetchTo: FetchTo,
    wrongContent: (got: string, wanted: string) => TwinbookError,
  ): Promise<HeldFile & { readonly isNew: boolean }> {
    const { sha256 } = file;
    if (!/^[0-9a-f]{64}$/.test(sha256))
      throw wrongContent(`the checksum ${JSON.stringify(sha256)} in the manifest`, '64 hexadecimal digits');
    let isNew = false;
    let entry = this.#holds.get(sha256);
    if (entry === undefined) {
      this.onDisk(() => makeFolder(this.#held));
      const ready = this.#take(file).then(async (path) => {
        isNew = path === null;
        return path ?? this.#fetch(file, fetchTo, wrongContent);
      });
      entry = { readers: 0, ready };
      this.#holds.set(sha256, entry);
      ready.catch(() => this.#forget(sha256));
    }
    const mine = entry;
    mine.readers += 1;
    const path = await mine.ready;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      mine.readers -= 1;
      if (mine.readers > 0) return;
      rmSync(path, { force: true });
      this.#forget(sha256);
    };
    return { path, release, isNew };
  }

  /** Names of the parts of a file that are here. */
  listParts(sha256: string): readonly string[] {
    return namesOf(dirname(this.#pathOf(sha256))).filter(
      (name) => name.startsWith(`${sha256}.`) && name.endsWith(PART),
    );
  }

  /** Null for a part that is gone. */
  readPart(name: string): Buffer | null {
    const path = this.#partPath(name);
    try {
      const bytes = readFileSync(path);
      const now = new Date();
      utimesSync(path, now, now);
      return bytes;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw this.#diskError(error);
    }
  }

  /** Keeps a part of `file` under a name that begins with its checksum: whole, synced, or not at all. It goes as whole files do. */
  keepPart(name: string, bytes: Buffer, file: CachedFile): void {
    this.#makeRoom({ ...file, bytes: bytes.length });
    const path = this.#partPath(name);
    const temporary = join(this.#held, `${randomUUID()}.tmp`);
    try {
      makeFolder(this.#held);
      makeFolder(dirname(path));
      writeFileSync(temporary, bytes, { mode: 0o600, flush: true });
      renameSync(temporary, path);
    } catch (error) {
      throw this.#diskError(error, { ...file, bytes: bytes.length });
    } finally {
      rmSync(temporary, { force: true });
    }
    this.#bytes = (this.#bytes ?? 0) + bytes.length;
    this.#added += 1;
  }

  dropPart(name: string): void {
    rmSync(this.#partPath(name), { force: true });
  }

  /** Writes something of its user's beside it. Throws TwinbookError `objects_unreadable` for what the disk says. */
  onDisk<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw this.#diskError(error);
    }
  }

  figures(): CacheFigures {
    const files = this.#list();
    return {
      folder: this.folder,
      files: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      heldFiles: files.filter(({ isHeld }) => isHeld).length,
      maxBytes: this.#maxBytes(),
    };
  }

  /** Kept in the folder, for all that use it. Throws TwinbookError `usage` for less than a megabyte. */
  resize(maxBytes: number): void {
    if (!(Number.isSafeInteger(maxBytes) && maxBytes >= LEAST_MAX_BYTES)) {
      throw new TwinbookError(
        'usage',
        `the size of a cache is ${maxBytes} bytes; wanted at least ${LEAST_MAX_BYTES}`,
        'Give it a megabyte or more.',
      );
    }
    this.onDisk(() => writeJson(join(this.folder, 'cache.json'), { max_bytes: maxBytes }));
    this.#shrinkTo(maxBytes);
  }

  /** Removes whatever nobody holds. */
  clear(): void {
    this.#shrinkTo(0);
  }

  /** What a process leaves that dies is swept by the next one. */
  #forget(sha256: string): void {
    this.#holds.delete(sha256);
    this.#removeEmpty();
  }

  #removeEmpty(): void {
    if (this.#holds.size + this.#ownFolders.size === 0) rmSync(this.#held, { recursive: true, force: true });
  }

  /** The held name of a copy that is sound; null where there is none. */
  async #take({ sha256 }: CachedFile): Promise<string | null> {
    const path = this.#pathOf(sha256);
    const held = join(this.#held, `${sha256}.parquet`);
    try {
      linkSync(path, held);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return null;
      if (code !== 'EEXIST') throw this.#diskError(error);
    }
    if ((await computeSha256(held)) === sha256) {
      const now = new Date();
      utimesSync(held, now, now);
      return held;
    }
    // The disk has spoilt it: another copy takes its place.
    for (const name of [held, path]) rmSync(name, { force: true });
    return null;
  }

  async #fetch(
    file: CachedFile,
    fetchTo: FetchTo,
    wrongContent: (got: string, wanted: string) => TwinbookError,
  ): Promise<string> {
    const { sha256, bytes } = file;
    this.#makeRoom(file);
    const temporary = join(this.#held, `${randomUUID()}.tmp`);
    const held = join(this.#held, `${sha256}.parquet`);
    try {
      const got = await fetchTo(temporary);
      if (got.sha256 !== sha256 || got.bytes !== bytes) {
        throw wrongContent(
          `${got.bytes} bytes with the SHA-256 ${got.sha256}`,
          `${bytes} bytes with ${sha256}, as its manifest says`,
        );
      }
      linkSync(temporary, held);
      makeFolder(join(this.folder, 'files', sha256.slice(0, 2)));
      renameSync(temporary, this.#pathOf(sha256));
      this.#bytes = (this.#bytes ?? 0) + bytes;
      this.#added += 1;
      return held;
    } catch (error) {
      throw error instanceof TwinbookError ? error : this.#diskError(error, file);
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  #makeRoom({ bytes, name }: CachedFile): void {
    const maxBytes = this.#maxBytes();
    if (this.#bytes === null || this.#added >= COUNT_EVERY || this.#bytes + bytes > maxBytes)
      this.#shrinkTo(maxBytes - bytes);
    if ((this.#bytes ?? 0) + bytes <= maxBytes) return;
    throw new TwinbookError(
      'objects_unreadable',
      `the cache ${this.folder} is too small: ${name} has ${bytes} bytes, ${this.#bytes} of ${maxBytes} are being read`,
      'Make it larger with `twinbook data cache --size`, such as 50GB.',
    );
  }

  /** The least recently used go first. */
  #shrinkTo(maxBytes: number): void {
    const files = this.#list();
    let left = files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes, isHeld } of files.sort((a, b) => a.usedMs - b.usedMs)) {
      if (left <= maxBytes) break;
      if (isHeld) continue;
      rmSync(path, { force: true });
      left -= bytes;
    }
    this.#bytes = left;
    this.#added = 0;
  }

  #list(): { path: string; bytes: number; usedMs: number; isHeld: boolean }[] {
    const root = join(this.folder, 'files');
    const heldRoot = join(this.folder, 'held');
    const held = new Set(namesOf(heldRoot).flatMap((holder) => namesOf(join(heldRoot, holder))));
    return readdirSync(root).flatMap((part) =>
      readdirSync(join(root, part)).flatMap((name) => {
        const path = join(root, part, name);
        const stats = statOrNull(path);
        return stats === null ? [] : { path, bytes: stats.size, usedMs: stats.mtimeMs, isHeld: held.has(name) };
      }),
    );
  }

  #maxBytes(): number {
    try {
      const { max_bytes: maxBytes } = JSON.parse(readFileSync(join(this.folder, 'cache.json'), 'utf8')) as {
        max_bytes: unknown;
      };
      return typeof maxBytes === 'number' && maxBytes >= LEAST_MAX_BYTES ? maxBytes : USUAL_MAX_BYTES;
    } catch {
      return USUAL_MAX_BYTES; // nobody has set one
    }
  }

  /** What processes that have died still hold. */
  #sweepHolds(): void {
    const root = join(this.folder, 'held');
    for (const name of namesOf(root)) {
      const [host, pid, born = ''] = name.split('~');
      const stats = statOrNull(join(root, name));
      const isOver =
        host === hostname()
          ? isGone({ pid: Number(pid), born: born === '' ? null : born })
          : stats !== null && Date.now() - stats.mtimeMs > FOREIGN_HOLD_MS;
      if (isOver) rmSync(join(root, name), { recursive: true, force: true });
    }
  }

  #pathOf(sha256: string): string {
    return join(this.folder, 'files', sha256.slice(0, 2), `${sha256}.parquet`);
  }

  #partPath(name: string): string {
    return join(this.folder, 'files', name.slice(0, 2), name);
  }

  #diskError(error: unknown, file?: CachedFile): TwinbookError {
    const { code, message } = error as NodeJS.ErrnoException;
    const what = file === undefined ? '' : `; ${file.name} with its ${file.bytes} bytes is not kept`;
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    const got = isFull ? 'its disk is full' : message;
    const hint =
      'Free space, clear it with `twinbook data cache --clear`, or name another folder with TWINBOOK_CACHE_DIR.';
    return new TwinbookError('objects_unreadable', `cannot write the cache ${this.folder}: ${got}${what}`, hint, {
      cause: error,
    });
  }
}

/** None in a folder that is gone. */
function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const statOrNull = (path: string): Stats | null => statSync(path, { throwIfNoEntry: false }) ?? null;
