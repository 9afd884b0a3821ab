/**
 * Makes a view of the recordings in a bucket: a folder with their manifests and descriptions as they are now. It never
 * changes: when the bucket has, another one is made. Small files are kept by the object's ETag, so that a second look costs
 * only the list.
 */

import { createHash, randomUUID } from 'node:crypto';
import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder } from '../../shared/base/folder.js';
import { isDayFolder, MANIFEST, MARKET } from '../store/layout.js';
import { cacheFolder, openCache } from './cache.js';
import { type ListedObject, ObjectClient, type Patience } from './client.js';
import { type Environment, type ObjectPlace, readCredentials, readPlace, showKey } from './place.js';
import { rememberView, VIEW_FILE, type ViewFile } from './view-files.js';

/** Looks at a bucket that changes meanwhile. */
const LOOKS = 3;
/** Small objects asked for at a time: each takes a round trip, whatever its size. */
const AT_A_TIME = 16;
const UNUSED_MS = 30 * 86_400_000;

/** A small object of the day folders that a view holds. */
interface SmallObject extends ListedObject {
  /** Its key without the prefix. */
  readonly inner: string;
}

/**
 * The folder of a view. Throws TwinbookError `usage` for an address that is none, `objects_unreadable` where the bucket cannot be
 * read, `recording_invalid` where no recording lies there.
 */
export async function openView(url: string, env: Environment, patience?: Patience): Promise<string> {
  const place = readPlace(url, env);
  const client = new ObjectClient(place, readCredentials(env), patience);
  const folder = cacheFolder(env);
  const cache = openCache(folder);
  for (let look = 1; ; look++) {
    const listed = await client.list(`${place.prefix}${place.inside === '' ? '' : `${place.inside}/`}`);
    const view = await makeView(client, cache.folder, listed, look === LOOKS);
    if (view === null) continue;
    rememberView(view, client);
    return place.inside === '' ? view : join(view, place.inside);
  }
}

/** Null where the bucket changed meanwhile, unless it is the last look. */
async function makeView(
  client: ObjectClient,
  folder: string,
  listed: readonly ListedObject[],
  isLast: boolean,
): Promise<string | null> {
  const { place } = client;
  const files = listed.map((object) => ({ ...object, inner: object.key.slice(place.prefix.length) })).filter(isOfDay);
  const small = files.filter(({ inner }) => inner.endsWith(`/${MANIFEST}`) || inner.endsWith(`/${MARKET}`));
  const days = new Set(small.filter(({ inner }) => inner.endsWith(`/${MANIFEST}`)).map(({ inner }) => dirname(inner)));
  if (days.size === 0) throw makeEmptyError(place, listed);
  const described = small.filter(({ inner }) => days.has(dirname(inner)));
  const content: ViewFile = {
    format: 1,
    place: { ...place, inside: '' },
    cache: folder,
    withoutManifest: [...new Set(files.map(({ inner }) => dirname(inner)))].filter((day) => !days.has(day)),
    objects: Object.fromEntries(
      files.filter(({ inner }) => days.has(dirname(inner))).map(({ inner, bytes }) => [inner, bytes]),
    ),
  };
  const etags = described.map(({ inner, etag }) => [inner, etag]);
  const root = join(folder, 'views', hash(JSON.stringify([content, etags])));
  if (existsSync(join(root, VIEW_FILE))) {
    touch(join(root, VIEW_FILE));
    return root;
  }
  removeUnused(folder);
  const temporary = join(folder, 'views', `.${randomUUID()}.tmp`);
  try {
    if (!(await fillView(client, folder, temporary, described, isLast))) return null;
    writeFileSync(join(temporary, VIEW_FILE), JSON.stringify(content), { mode: 0o600 });
    renameSync(temporary, root);
  } catch (error) {
    // Another process made the same view.
    if (!existsSync(join(root, VIEW_FILE))) throw asDiskError(folder, error);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return root;
}

/** False where an object is another one than was listed. */
async function fillView(
  client: ObjectClient,
  folder: string,
  target: string,
  objects: readonly SmallObject[],
  isLast: boolean,
): Promise<boolean> {
  makeFolder(join(folder, 'small'));
  const waiting = [...objects];
  let isSame = true;
  const work = async (): Promise<void> => {
    for (let object = waiting.pop(); object !== undefined && isSame; object = waiting.pop()) {
      const kept = join(
        folder,
        'small',
        hash(JSON.stringify([client.place.endpoint, client.place.bucket, object.key, object.etag])),
      );
      if (!existsSync(kept) || object.etag === '') isSame = (await fetchSmall(client, object, kept, isLast)) && isSame;
      if (!isSame) return;
      const path = join(target, object.inner);
      makeFolder(dirname(path));
      linkSync(kept, path);
      touch(kept);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, objects.length) }, work));
  return isSame;
}

async function fetchSmall(client: ObjectClient, object: SmallObject, kept: string, isLast: boolean): Promise<boolean> {
  const got = await client.get(object.key);
  const isListed =
    got.bytes.length === object.bytes && (got.etag === '' || object.etag === '' || got.etag === object.etag);
  if (!isListed) {
    if (!isLast) return false;
    const hint = 'Somebody writes there all the time; ask again when the upload is over.';
    const [found, wanted] = [describeObject(got.bytes.length, got.etag), describeObject(object.bytes, object.etag)];
    throw client.faults.wrong('read', object.key, found, `${wanted}, as it was listed`, hint);
  }
  requireJson(client, object.key, got.bytes);
  const temporary = `${kept}.${randomUUID()}.tmp`;
  try {
    writeFileSync(temporary, got.bytes, { mode: 0o600 });
    renameSync(temporary, kept);
  } finally {
    rmSync(temporary, { force: true });
  }
  return true;
}

const describeObject = (bytes: number, etag: string): string =>
  `${bytes} bytes${etag === '' ? '' : ` with the ETag ${etag}`}`;

function requireJson(client: ObjectClient, key: string, bytes: Buffer): void {
  const text = bytes.toString('utf8');
  try {
    JSON.parse(text);
  } catch {
    const what = key.endsWith(MANIFEST) ? 'a manifest of a recording' : 'a description of a recorded market';
    throw client.faults.wrong('read', key, JSON.stringify(text.slice(0, 80)), `${what} as JSON`);
  }
}

/** `market=…/date=…/name` or `date=…/name`, and nothing that would lead out of a folder. */
const isOfDay = ({ inner }: { readonly inner: string }): boolean => {
  const parts = inner.split('/');
  const name = parts.pop() ?? '';
  const day = parts.pop() ?? '';
  const [market] = parts;
  return (
    (market === undefined || market.startsWith('market=')) &&
    parts.length <= 1 &&
    isDayFolder(`/${day}`) &&
    /^[\w.-]+$/.test(name) &&
    name !== '..'
  );
};

function makeEmptyError(place: ObjectPlace, listed: readonly ListedObject[]): TwinbookError {
  const where = showKey(place, `${place.prefix}${place.inside}`);
  const got = listed.length === 0 ? 'no object at all' : `${listed.length} objects, the first ${listed[0]?.key}`;
  const hint = 'Recordings are put there with `twinbook data upload`; the manifest of a day comes last.';
  return new TwinbookError(
    'recording_invalid',
    `${where} holds no recording: got ${got}, wanted market=…/date=…/${MANIFEST} or date=…/${MANIFEST}`,
    hint,
  );
}

/** Views that nobody has opened for a month, and small files that none of them uses. */
function removeUnused(folder: string): void {
  makeFolder(join(folder, 'views'));
  const isOld = (path: string): boolean => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats !== undefined && Date.now() - stats.mtimeMs > UNUSED_MS;
  };
  for (const name of readdirSync(join(folder, 'views'))) {
    const view = join(folder, 'views', name);
    if (isOld(existsSync(join(view, VIEW_FILE)) ? join(view, VIEW_FILE) : view))
      rmSync(view, { recursive: true, force: true });
  }
  if (!existsSync(join(folder, 'small'))) return;
  for (const name of readdirSync(join(folder, 'small'))) {
    const path = join(folder, 'small', name);
    if (isOld(path)) rmSync(path, { force: true });
  }
}

function touch(path: string): void {
  const now = new Date();
  utimesSync(path, now, now);
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

function asDiskError(folder: string, error: unknown): unknown {
  if (error instanceof TwinbookError || !(error instanceof Error) || !('syscall' in error)) return error;
  const hint = 'Free space, or name another folder with TWINBOOK_CACHE_DIR.';
  return new TwinbookError('objects_unreadable', `cannot write the cache ${folder}: ${error.message}`, hint, {
    cause: error,
  });
}
