/**
 * The few calls of S3 that recordings need: list, get, head, put. Every one is retried while the server is busy or the network
 * breaks, each answer is checked, and whatever goes wrong says which object it was.
 */

import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { TwinbookError } from '../../shared/base/errors.js';
import { decodeEntities, isNobodyThere, ObjectFaults, readTag } from './faults.js';
import type { ObjectCredentials, ObjectPlace } from './place.js';

export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
}

export interface ReadObject {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Bytes of a file or object, from 0, without the last one. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface ReadRange extends ReadObject {
  /** Bytes of the whole object. */
  readonly total: number;
}

/** What was asked so far; servers charge for it. */
export interface RequestCounts {
  lists: number;
  reads: number;
  writes: number;
  bytesRead: number;
  bytesWritten: number;
  retries: number;
}

/** How long a client goes on asking. Tests make it short. */
export interface Patience {
  readonly tries: number;
  /** Before the second try, ms; doubled for each further one. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** A connection on which nothing comes for so long is given up, ms. */
  readonly idleMs: number;
}

const USUAL_PATIENCE: Patience = { tries: 8, firstPauseMs: 250, longestPauseMs: 15_000, idleMs: 30_000 };
const TRIES_WITH_NOBODY_THERE = 3;
const BUSY: readonly number[] = [408, 429, 500, 502, 503, 504];
const SHA256_META = 'x-amz-meta-sha256';

interface Question<T> {
  readonly what: string;
  readonly method: 'GET' | 'HEAD' | 'PUT';
  readonly key: string;
  /** What errors call it, where that is not the key. */
  readonly shown?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Statuses beside 2xx that `read` understands. */
  readonly understood?: readonly number[];
  readonly read: (response: Response, touch: () => void) => Promise<T>;
}

export class ObjectClient {
  readonly place: ObjectPlace;
  readonly faults: ObjectFaults;
  readonly counts: RequestCounts = { lists: 0, reads: 0, writes: 0, bytesRead: 0, bytesWritten: 0, retries: 0 };
  readonly #signer: AwsClient | null;
  readonly #patience: Patience;

  constructor(place: ObjectPlace, credentials: ObjectCredentials | null, patience: Patience = USUAL_PATIENCE) {
    this.place = place;
    this.faults = new ObjectFaults(place, credentials);
    this.#patience = patience;
    this.#signer =
      credentials === null
        ? null
        : new AwsClient({
            accessKeyId: credentials.accessKeyId,
            secretAccessKey: credentials.secretAccessKey,
            ...(credentials.sessionToken === null ? {} : { sessionToken: credentials.sessionToken }),
            service: 's3',
            region: place.region,
            retries: 0,
          });
  }

  /** Every object whose key begins with `prefix`, in order of their keys. */
  async list(prefix: string): Promise<ListedObject[]> {
    const found: ListedObject[] = [];
    let after: string | null = null;
    do {
      const page: ListPage = await this.#listPage(prefix, after);
      found.push(...page.objects);
      if (page.next !== null && page.next === after) {
        throw this.faults.wrong('list', prefix, 'the same page again', 'the next one');
      }
      after = page.next;
    } while (after !== null);
    return found;
  }

  /** A small object, whole. */
  get(key: string): Promise<ReadObject> {
    this.counts.reads += 1;
    return this.#ask({ what: 'read', method: 'GET', key, read: (response, touch) => this.#readWhole(response, touch) });
  }

  /** The same; null where there is none. */
  find(key: string): Promise<ReadObject | null> {
    this.counts.reads += 1;
    return this.#ask({
      what: 'read',
      method: 'GET',
      key,
      understood: [404],
      read: async (response, touch) => (response.status === 404 ? null : this.#readWhole(response, touch)),
    });
  }

  /**
   * A part of an object, in memory; null where the server knows no parts and would send the whole. With `etag` the object must still
   * be the one that had it.
   */
  getRange(key: string, range: ByteRange, etag: string | null): Promise<ReadRange | null> {
    this.counts.reads += 1;
    return this.#ask({
      what: 'read a part of',
      method: 'GET',
      key,
      headers: {
        range: `bytes=${range.from}-${range.to - 1}`,
        ...(etag === null || etag === '' ? {} : { 'if-match': etag }),
      },
      understood: [412, 416],
      read: (response, touch) => this.#readRange(response, key, range, touch),
    });
  }

  /** Writes an object to a file that nobody else uses. Throws what the disk says as it is. */
  download(key: string, path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
    this.counts.reads += 1;
    return this.#ask({
      what: 'read',
      method: 'GET',
      key,
      read: (response, touch) => this.#readToFile(response, path, touch),
    });
  }

  /** Null where there is none. */
  head(key: string): Promise<{ readonly bytes: number; readonly sha256: string | null } | null> {
    this.counts.reads += 1;
    return this.#ask({
      what: 'look at',
      method: 'HEAD',
      key,
      understood: [404],
      read: async ({ status, headers }) =>
        status === 404 ? null : { bytes: Number(headers.get('content-length')), sha256: headers.get(SHA256_META) },
    });
  }

  /** Writes an object whole. The server is told what must arrive, and refuses anything else. */
  put(key: string, body: Buffer): Promise<void> {
    this.counts.writes += 1;
    this.counts.bytesWritten += body.length;
    const sha256 = createHash('sha256').update(body).digest('hex');
    return this.#ask({
      what: 'write',
      method: 'PUT',
      key,
      body,
      headers: {
        'content-md5': createHash('md5').update(body).digest('base64'),
        'x-amz-content-sha256': sha256,
        [SHA256_META]: sha256,
      },
      read: async (response) => void (await response.arrayBuffer()),
    });
  }

  #listPage(prefix: string, after: string | null): Promise<ListPage> {
    this.counts.lists += 1;
    return this.#ask({
      what: 'list',
      method: 'GET',
      key: '',
      shown: prefix,
      query: {
        'list-type': '2',
        'encoding-type': 'url',
        'max-keys': '1000',
        prefix,
        ...(after === null ? {} : { 'continuation-token': after }),
      },
      read: async (response, touch) => {
        const text = (await this.#readWhole(response, touch)).bytes.toString('utf8');
        const page = readListPage(text);
        if (page !== null) return page;
        const wanted = 'a list of objects (ListBucketResult)';
        const hint = 'Check the endpoint (AWS_ENDPOINT_URL) and what stands between: a proxy, or a page to sign in at.';
        throw this.faults.wrong('list', prefix, JSON.stringify(text.slice(0, 80)), wanted, hint);
      },
    });
  }

  async #readWhole(response: Response, touch: () => void): Promise<ReadObject> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of bodyOf(response)) {
      touch();
      chunks.push(chunk);
      length += chunk.length;
    }
    this.counts.bytesRead += length;
    requireLength(response, length);
    return { bytes: Buffer.concat(chunks), etag: response.headers.get('etag') ?? '' };
  }

  async #readRange(
    response: Response,
    key: string,
    { from, to }: ByteRange,
    touch: () => void,
  ): Promise<ReadRange | null> {
    if (response.status === 200) {
      await response.body?.cancel();
      return null;
    }
    const wanted = `the bytes ${from} to ${to - 1} of the object that was looked at before`;
    const hint = 'Somebody has written it anew: ask again.';
    if (response.status !== 206) throw this.faults.wrong('read', key, `the status ${response.status}`, wanted, hint);
    const told = response.headers.get('content-range') ?? 'no Content-Range';
    const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(told) ?? [];
    if (Number(first) !== from || Number(last) !== to - 1) throw this.faults.wrong('read', key, told, wanted, hint);
    const read = await this.#readWhole(response, touch);
    if (read.bytes.length !== to - from) throw new Error(`the answer broke off: got ${read.bytes.length} bytes`);
    return { ...read, total: Number(total) };
  }

  async #readToFile(response: Response, path: string, touch: () => void): Promise<{ bytes: number; sha256: string }> {
    const hash = createHash('sha256');
    let bytes = 0;
    const count = new Transform({
      transform: (chunk: Buffer, _, done) => {
        touch();
        hash.update(chunk);
        bytes += chunk.length;
        done(null, chunk);
      },
    });
    // Synced before anybody relies on it.
    await pipeline(Readable.from(bodyOf(response)), count, createWriteStream(path, { mode: 0o600, flush: true }));
    this.counts.bytesRead += bytes;
    requireLength(response, bytes);
    return { bytes, sha256: hash.digest('hex') };
  }

  async #ask<T>(question: Question<T>): Promise<T> {
    const { tries, firstPauseMs, longestPauseMs } = this.#patience;
    for (let tried = 1; ; tried++) {
      const answer = await this.#tryOnce(question);
      if (answer.kind === 'done') return answer.value;
      if (tried >= (answer.isNobodyThere ? Math.min(tries, TRIES_WITH_NOBODY_THERE) : tries)) throw answer.error(tried);
      this.counts.retries += 1;
      const pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs * 2 ** (tried - 1), answer.waitMs));
      // Half of it at random: whoever was refused together must not come back together.
      await pause(pauseMs * (0.5 + Math.random() / 2));
    }
  }

  async #tryOnce<T>(question: Question<T>): Promise<Attempt<T>> {
    const { what, method, key, shown = key, query, headers = {}, body, understood = [], read } = question;
    const give = new AbortController();
    const { idleMs } = this.#patience;
    const timer = setTimeout(() => give.abort(new Error(`nothing came for ${idleMs / 1000} s`)), idleMs);
    try {
      const url = makeUrl(this.place, key, query ?? {});
      const init: RequestInit = { method, headers, ...(body === undefined ? {} : { body: new Uint8Array(body) }) };
      const signed = this.#signer === null ? new Request(url, init) : await this.#signer.sign(url, init);
      const response = await fetch(signed, { redirect: 'manual', signal: give.signal });
      if (response.ok || understood.includes(response.status)) {
        return { kind: 'done', value: await read(response, () => timer.refresh()) };
      }
      const text = method === 'HEAD' ? '' : (await response.text().catch(() => '')).slice(0, 4000);
      const error = () =>
        this.faults.refused(what, shown, { status: response.status, headers: response.headers, text }, Date.now());
      if (!BUSY.includes(response.status)) throw error();
      return { kind: 'again', error, waitMs: readRetryAfter(response.headers), isNobodyThere: false };
    } catch (error) {
      if (error instanceof TwinbookError || isDiskError(error)) throw error;
      const isNobody = isNobodyThere(error);
      const reason = give.signal.aborted ? give.signal.reason : error;
      return {
        kind: 'again',
        error: (tried) => this.faults.broken(what, shown, tried, reason),
        waitMs: 0,
        isNobodyThere: isNobody,
      };
    } finally {
      clearTimeout(timer);
    }
  }
}

type Attempt<T> =
  | { readonly kind: 'done'; readonly value: T }
  | {
      readonly kind: 'again';
      readonly error: (tried: number) => TwinbookError;
      readonly waitMs: number;
      readonly isNobodyThere: boolean;
    };

interface ListPage {
  readonly objects: readonly ListedObject[];
  readonly next: string | null;
}

/** Null for what is no page of a list. Throws for one without its end: what is missing there would look as if it were in no bucket. */
function readListPage(xml: string): ListPage | null {
  if (!xml.includes('<ListBucketResult')) return null;
  if (!xml.includes('</ListBucketResult>')) throw new Error('the list broke off: it has no </ListBucketResult>');
  const decodeKey = readTag(xml, 'EncodingType') === 'url' ? decodeUrl : (key: string) => key;
  const objects: ListedObject[] = [];
  for (const [, entry = ''] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
    const [key, size, etag] = [readTag(entry, 'Key'), readTag(entry, 'Size'), readTag(entry, 'ETag')];
    const bytes = Number(size);
    if (key === null || size === null || !Number.isSafeInteger(bytes)) return null;
    objects.push({ key: decodeKey(key), bytes, etag: decodeEntities(etag ?? '') });
  }
  const next = readTag(xml, 'NextContinuationToken');
  const isMore = readTag(xml, 'IsTruncated') === 'true';
  return isMore && next === null ? null : { objects, next: isMore ? next : null };
}

const decodeUrl = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

function makeUrl(
  { endpoint, bucket, pathStyle }: ObjectPlace,
  key: string,
  query: Readonly<Record<string, string>>,
): string {
  const base = pathStyle ? `${endpoint}/${bucket}` : endpoint.replace('://', `://${bucket}.`);
  const path = key.split('/').map(encodeSegment).join('/');
  const asked = Object.entries(query).map(([name, value]) => `${name}=${encodeSegment(value)}`);
  return `${base}/${path}${asked.length === 0 ? '' : `?${asked.join('&')}`}`;
}

/** As signatures want it: `encodeURIComponent` leaves five characters out. */
const encodeSegment = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

function readRetryAfter(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? '0');
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

async function* bodyOf(response: Response): AsyncGenerator<Uint8Array> {
  if (response.body !== null) yield* response.body as unknown as AsyncIterable<Uint8Array>;
}

function requireLength({ headers }: Response, length: number): void {
  const told = headers.get('content-length');
  // Of what the server packed, the length is that of the packed.
  if (told === null || headers.get('content-encoding') !== null || Number(told) === length) return;
  throw new Error(`the answer broke off: got ${length} bytes, wanted ${told}`);
}

const isDiskError = (error: unknown): boolean =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string' && 'path' in error
    ? true
    : error instanceof Error &&
      ['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '');
