/** The files of a bucket that a query reads, in a folder of this machine with the names that tell market and day. */

import { linkSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder } from '../../shared/base/folder.js';
import type { HeldFile } from '../objects/cache.js';
import { holdFile, isHere, makeOwnFolder, openInParts } from '../objects/view-files.js';
import type { Table } from '../store/layout.js';
import type { QueryBounds } from './query-bounds.js';
import { beginSparseCopy, type RowRange, type SparseCopy, type WantedParts } from './sparse-copy.js';
import { findTouched, type ListedFile, type Touched } from './touched-files.js';

/** A file of a packed day. */
export interface FetchedPart {
  readonly path: string;
  /** Those that may be read, counted from 0; null: all. The columns that the query does not read may be missing. */
  readonly rows: readonly RowRange[] | null;
}

export interface FetchedFiles {
  /** Null where nothing lies in a bucket. */
  readonly folder: string | null;
  /** Of one market each. */
  files(table: Table): readonly string[];
  /** Of packed days, with many markets in each. */
  packed(table: Table): readonly FetchedPart[];
  /** Whether some rows of a file may not be read. */
  readonly isParted: boolean;
  release(): void;
}

export interface FetchRules {
  readonly maxBytes: number;
  readonly bounds: QueryBounds;
  readonly onFetch: (files: number, bytes: number) => void;
}

const AT_A_TIME = 8;
/** What is asked for of a shorter file costs more than what is not. */
const LEAST_PARTED_BYTES = 524_288;
/** Where more of a file is wanted, all of it is fetched: then it is held to its checksum. */
const MOST_PARTED_SHARE = 0.5;
const NOTHING: FetchedFiles = {
  folder: null,
  files: () => [],
  packed: () => [],
  isParted: false,
  release: () => undefined,
};

/**
 * `listed` is what lies in buckets. Of long files of many markets only the parts come that the query can read. Throws TwinbookError
 * `usage` where more than `maxBytes` would have to be fetched, and what a bucket or the cache throws; then nothing stays held.
 */
export async function fetchTouched(
  sql: string,
  listed: readonly ListedFile[],
  markets: Readonly<Record<string, string>>,
  { maxBytes, bounds, onFetch }: FetchRules,
): Promise<FetchedFiles> {
  const folder = listed[0] === undefined ? null : makeOwnFolder(listed[0].path);
  if (folder === null) return NOTHING;
  const touched = await findTouched(sql, listed, markets, bounds);
  const fetching = new Fetching(folder, onceEach(listed).length, maxBytes);
  try {
    const files = onceEach(touched.files);
    const parted = files.filter((file) => !isHere(file.path, file.file) && isWorthParting(file));
    fetching.add(files.filter((file) => !parted.includes(file)));
    fetching.requireRoom();
    await forEach(parted, (file) => fetching.addParts(file, partsOf(file, touched)));
    fetching.requireRoom();
    if (fetching.count > 0) onFetch(fetching.count, fetching.bytes);
    await fetching.fetch();
    return fetching.done();
  } catch (error) {
    fetching.release();
    throw error;
  }
}

/** Some at a time. Throws what the first throws that fails, when nothing is under way any more. */
async function forEach<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await run(next).catch((error: unknown) => {
        // The others need not go on.
        waiting.length = 0;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_A_TIME }, work));
  const failed = ended.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Each file once, whose rows of many markets are listed one by one. */
const onceEach = (files: readonly ListedFile[]): ListedFile[] => [
  ...new Map(files.map((file) => [file.path, file])).values(),
];

const isWorthParting = ({ groups, file }: ListedFile): boolean => groups !== null && file.bytes >= LEAST_PARTED_BYTES;

function partsOf({ path, table }: ListedFile, { files, columns }: Touched): WantedParts {
  const groups = new Set<number>();
  for (const file of files) {
    if (file.path !== path || file.groups === null) continue;
    for (let group = file.groups.first; group <= file.groups.last; group++) groups.add(group);
  }
  return { groups, columns: columns.get(table) ?? new Set() };
}

/** Of a file, or of the parts of one. */
interface Begun {
  readonly file: ListedFile;
  readonly copy: SparseCopy | null;
  readonly missingBytes: number;
}

class Fetching {
  readonly #own: HeldFile;
  readonly #listed: number;
  readonly #maxBytes: number;
  readonly #begun: Begun[] = [];
  readonly #held: HeldFile[] = [];

  constructor(own: HeldFile, listed: number, maxBytes: number) {
    this.#own = own;
    this.#listed = listed;
    this.#maxBytes = maxBytes;
  }

  /** Files of which something has to be fetched. */
  get count(): number {
    return this.#begun.filter(({ missingBytes }) => missingBytes > 0).length;
  }

  get bytes(): number {
    return this.#begun.reduce((sum, { missingBytes }) => sum + missingBytes, 0);
  }

  add(files: readonly ListedFile[]): void {
    for (const file of files) {
      const missingBytes = isHere(file.path, file.file) ? 0 : file.file.bytes;
      this.#begun.push({ file, copy: null, missingBytes });
    }
  }

  /** Looks at its footer. Where most of it is wanted, or the server knows no parts, it is fetched whole. */
  async addParts(file: ListedFile, wanted: WantedParts): Promise<void> {
    const path = join(this.#own.path, file.inner);
    makeFolder(dirname(path));
    const object = await openInParts(file.path, file.file);
    const copy = object === null ? null : await beginSparseCopy(object, path, wanted);
    if (copy !== null && copy.missingBytes <= file.file.bytes * MOST_PARTED_SHARE) {
      this.#begun.push({ file, copy, missingBytes: copy.missingBytes });
      return;
    }
    rmSync(path, { force: true });
    this.add([file]);
  }

  /** Throws TwinbookError `usage`. */
  requireRoom(): void {
    const { count, bytes } = this;
    if (bytes <= this.#maxBytes) return;
    const hint =
      'Name markets, days or times that the query is of (where market = … and date >= …), or allow more with --max-bytes.';
    const found = `${count} of ${this.#listed} files with ${bytes} bytes would have to be fetched`;
    throw new TwinbookError('usage', `the query is too large: ${found}, at most ${this.#maxBytes} bytes may be`, hint);
  }

  fetch(): Promise<void> {
    return forEach(this.#begun, (one) => this.#fetchOne(one));
  }

  async #fetchOne({ file, copy }: Begun): Promise<void> {
    if (copy !== null) return copy.fill();
    const held = await holdFile(file.path, file.file);
    this.#held.push(held);
    const path = join(this.#own.path, file.inner);
    makeFolder(dirname(path));
    linkSync(held.path, path);
  }

  done(): FetchedFiles {
    const isPacked = ({ file }: Begun): boolean => file.inner.startsWith('date=');
    // In the order of days and numbers, whichever came first.
    const list = (table: Table, wanted: boolean): readonly FetchedPart[] =>
      this.#begun
        .filter((one) => one.file.table === table && isPacked(one) === wanted)
        .map(({ file, copy }) => ({ path: join(this.#own.path, file.inner), rows: copy === null ? null : copy.rows }))
        .sort((a, b) => (a.path < b.path ? -1 : 1));
    return {
      folder: this.#own.path,
      files: (table) => list(table, false).map(({ path }) => path),
      packed: (table) => list(table, true),
      isParted: this.#begun.some(({ copy }) => copy !== null && copy.rows !== null),
      release: () => this.release(),
    };
  }

  release(): void {
    for (const file of this.#held) file.release();
    this.#own.release();
  }
}
