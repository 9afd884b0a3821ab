/**
 * Parts of one object, kept in the cache by what the whole is. A part's name says which bytes it is, the mark of the object's ETag,
 * and its own checksum: it counts once it has that name.
 */

import { createHash } from 'node:crypto';
import { AssertionFailed, type TwinbookError } from '../../shared/base/errors.js';
import { PART } from './cache.js';
import type { ByteRange } from './client.js';
import type { ObjectInParts } from './view-files.js';

interface KeptPart extends ByteRange {
  readonly name: string;
  readonly mark: string;
  readonly sha256: string;
}

export class ObjectParts {
  readonly #object: ObjectInParts;
  #kept: KeptPart[];
  /** Those that were here before, and have not been counted yet. */
  readonly #found: Set<KeptPart>;
  /** Of the object as it answered first. */
  #etag: string | null = null;
  /** The part that was read last: neighbours are read one after the other. */
  #last: { readonly part: KeptPart; readonly bytes: Buffer } | null = null;
  #bytesFromCache = 0;
  #isFetched = false;

  constructor(object: ObjectInParts) {
    this.#object = object;
    this.#kept = object.cache.listParts(object.file.sha256).flatMap((name) => readName(name) ?? []);
    this.#found = new Set(this.#kept);
  }

  /** Whether something was asked of the bucket. */
  get isFetched(): boolean {
    return this.#isFetched;
  }

  /** Of parts that were here before. */
  get bytesFromCache(): number {
    return this.#bytesFromCache;
  }

  has(range: ByteRange): boolean {
    return this.#find(range) !== undefined;
  }

  /** These bytes, fetched where they are not here; null where the server sends no parts. */
  async read(range: ByteRange): Promise<Buffer | null> {
    for (let part = this.#find(range); part !== undefined; part = this.#find(range)) {
      const bytes = this.#open(part);
      if (bytes === null) continue;
      return bytes.subarray(range.from - part.from, range.to - part.from);
    }
    return this.fetch(range);
  }

  /**
   * Asks for it and keeps it. Throws TwinbookError `recording_invalid` for an object of another length than its manifest says, and
   * for one that was written anew since its other parts were read: these are then forgotten.
   */
  async fetch(range: ByteRange): Promise<Buffer | null> {
    const { client, key, cache, file } = this.#object;
    const got = await client.getRange(key, range, this.#etag);
    if (got === null) return null;
    if (got.total !== file.bytes) {
      const hint = 'It was changed or damaged after its manifest was written; upload the recording anew.';
      throw client.faults.wrong('use', key, `${got.total} bytes`, `${file.bytes}, as its manifest says`, hint);
    }
    const mark = hash(got.etag).slice(0, 16);
    this.#requireSame(mark);
    this.#etag = got.etag;
    this.#isFetched = true;
    const name = `${file.sha256}.${range.from}-${range.to}.${mark}.${hash(got.bytes)}${PART}`;
    cache.keepPart(name, got.bytes, file);
    const part = readName(name);
    if (part === null) throw new AssertionFailed(`${name} is no name of a part`);
    this.#kept.push(part);
    this.#last = { part, bytes: got.bytes };
    return got.bytes;
  }

  #find({ from, to }: ByteRange): KeptPart | undefined {
    return this.#kept.find((part) => part.from <= from && part.to >= to);
  }

  /** Null for one that is gone, or that the disk has spoilt: it is fetched again. */
  #open(part: KeptPart): Buffer | null {
    if (this.#last?.part === part) return this.#last.bytes;
    const bytes = this.#object.cache.readPart(part.name);
    if (bytes === null || hash(bytes) !== part.sha256) {
      this.#forget([part]);
      return null;
    }
    this.#last = { part, bytes };
    if (this.#found.delete(part)) this.#bytesFromCache += bytes.length;
    return bytes;
  }

  /** What was read is no part of such a file: all that is kept of it is forgotten, so that a sound one can be read later. */
  refuse(got: string, wanted: string): TwinbookError {
    this.#forget(this.#kept);
    const { client, key } = this.#object;
    const hint = 'It was changed or damaged after its manifest was written; upload the recording anew.';
    return client.faults.wrong('use', key, got, wanted, hint);
  }

  #requireSame(mark: string): void {
    const others = this.#kept.filter((part) => part.mark !== mark);
    if (others.length === 0) return;
    this.#forget(others);
    const { client, key } = this.#object;
    const hint = 'What was kept of it is forgotten: ask again.';
    throw client.faults.wrong(
      'use',
      key,
      'an object with another ETag',
      'the one that parts were read of before',
      hint,
    );
  }

  #forget(parts: readonly KeptPart[]): void {
    for (const { name } of parts) this.#object.cache.dropPart(name);
    this.#kept = this.#kept.filter((part) => !parts.includes(part));
  }
}

const NAME = /^[0-9a-f]{64}\.(\d+)-(\d+)\.([0-9a-f]{16})\.([0-9a-f]{64})\.part$/;

function readName(name: string): KeptPart | null {
  const [, from, to, mark, sha256] = NAME.exec(name) ?? [];
  if (mark === undefined || sha256 === undefined) return null;
  return { name, from: Number(from), to: Number(to), mark, sha256 };
}

const hash = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
