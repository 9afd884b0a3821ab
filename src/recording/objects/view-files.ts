/**
 * Files of recordings wherever they lie. A folder on the disk is what it is. A *view* of a bucket is a folder with the
 * manifests and descriptions alone; its Parquet files are known by name, and are fetched when somebody holds them.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { must } from '../../shared/base/errors.js';
import { type CachedFile, type HeldFile, type ObjectCache, openCache } from './cache.js';
import type { ObjectClient, RequestCounts } from './client.js';
import { type ObjectPlace, readCredentials, showKey } from './place.js';

/** What a view holds beside its small files. */
export const VIEW_FILE = 'objects.json';

export interface ViewFile {
  readonly format: 1;
  readonly place: ObjectPlace;
  /** The folder of the cache. */
  readonly cache: string;
  /** Bytes of every object below the prefix that is a file of a recording, by its key without the prefix. */
  readonly objects: Readonly<Record<string, number>>;
  /** Days with files and no manifest, which are left out: their upload is under way, or another program wrote them. */
  readonly withoutManifest: readonly string[];
}

/** What was read of a bucket by this thread, and what was here already. */
export interface Traffic extends RequestCounts {
  readonly place: ObjectPlace;
  readonly objects: number;
  readonly bytes: number;
  readonly withoutManifest: readonly string[];
  filesFromCache: number;
  bytesFromCache: number;
  filesFetched: number;
}

interface View {
  readonly root: string;
  readonly file: ViewFile;
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** One for each time that it was opened; the last one goes on reading. */
  readonly clients: ObjectClient[];
  filesFromCache: number;
  bytesFromCache: number;
  filesFetched: number;
}

/** By the folder that holds `market=…`; null for one on the disk. */
const views = new Map<string, View | null>();

/** The client that made a view goes on reading for it. */
export function rememberView(root: string, client: ObjectClient): void {
  const view = views.get(root) ?? loadView(root);
  view?.clients.push(client);
  views.set(root, view);
}

/** Names of the files of a day's folder. Throws what the disk says. */
export function namesIn(day: string): readonly string[] {
  const found = findView(day);
  return found === null ? readdirSync(day) : (found.view.names.get(found.inner) ?? []);
}

/** Bytes of a file; null for one that is not there. */
export function sizeOf(path: string): number | null {
  const found = findView(path);
  if (found === null) return statSync(path, { throwIfNoEntry: false })?.size ?? null;
  return found.view.file.objects[found.inner] ?? null;
}

/** A path as a user knows it: that of the object, for a file of a view. */
export function showPath(path: string): string {
  const found = findView(path);
  if (found === null) return path;
  const { place } = found.view.file;
  return showKey(place, `${place.prefix}${found.inner}`);
}

/** Whether it lies in a bucket. */
export const isInBucket = (path: string): boolean => findView(path) !== null;

/** What the manifest says of a file; null where none lists it. */
type Listed = { readonly sha256: string; readonly bytes: number } | null;

/**
 * The file as one of this disk, until it is released. Of a bucket only what a manifest lists can be held, and its checksum
 * has held. Throws TwinbookError `objects_unreadable` or `recording_invalid`.
 */
export async function holdFile(path: string, listed: Listed): Promise<HeldFile> {
  const found = findView(path);
  if (found === null || listed === null) return { path, release: () => undefined };
  const { view, inner } = found;
  const client = await clientOf(view);
  const key = `${view.file.place.prefix}${inner}`;
  const held = await openCache(view.file.cache).hold(
    { ...listed, name: showKey(view.file.place, key) },
    (target) => client.download(key, target),
    (got, wanted) =>
      client.faults.wrong(
        'use',
        key,
        got,
        wanted,
        'It was changed or damaged after its manifest was written; upload the recording anew.',
      ),
  );
  if (held.isNew) {
    view.filesFetched += 1;
  } else {
    view.filesFromCache += 1;
    view.bytesFromCache += listed.bytes;
  }
  return held;
}

/** An object that is read in parts. */
export interface ObjectInParts {
  readonly key: string;
  readonly client: ObjectClient;
  readonly cache: ObjectCache;
  readonly file: CachedFile;
  /** Counts what was read of it. */
  readonly note: (isFetched: boolean, bytesFromCache: number) => void;
}

/** The object behind a file of a view; null for one of this disk. */
export async function openInParts(
  path: string,
  listed: { sha256: string; bytes: number },
): Promise<ObjectInParts | null> {
  const found = findView(path);
  if (found === null) return null;
  const { view, inner } = found;
  const key = `${view.file.place.prefix}${inner}`;
  return {
    key,
    client: await clientOf(view),
    cache: openCache(view.file.cache),
    file: { sha256: listed.sha256, bytes: listed.bytes, name: showKey(view.file.place, key) },
    note: (isFetched, bytesFromCache) => {
      if (isFetched) view.filesFetched += 1;
      else view.filesFromCache += 1;
      view.bytesFromCache += bytesFromCache;
    },
  };
}

/** Whether holding the file costs no request. */
export function isHere(path: string, listed: Listed): boolean {
  const found = findView(path);
  if (found === null || listed === null) return true;
  return openCache(found.view.file.cache).has({ ...listed, name: '' });
}

/** A folder for links and copies, on the disk of the cache that this path belongs to; null for a path of this disk. */
export function makeOwnFolder(path: string): HeldFile | null {
  const found = findView(path);
  return found === null ? null : openCache(found.view.file.cache).makeOwnFolder();
}

/** Of the buckets that these folders are views of, by this thread. */
export const listTraffic = (paths: readonly string[]): readonly Traffic[] =>
  [...new Set(paths.map((path) => findView(path)?.view ?? views.get(resolve(path)) ?? null))].flatMap((view) => {
    if (view === null || view.clients.length === 0) return [];
    const { clients, file, filesFetched, filesFromCache, bytesFromCache } = view;
    const bytes = Object.values(file.objects);
    return {
      ...sumCounts(clients),
      place: file.place,
      withoutManifest: file.withoutManifest,
      objects: bytes.length,
      bytes: bytes.reduce((sum, one) => sum + one, 0),
      filesFetched,
      filesFromCache,
      bytesFromCache,
    };
  });

/** In another thread than the one that made the view, the environment says the keys. */
async function clientOf(view: View): Promise<ObjectClient> {
  const { ObjectClient } = await import('./client.js');
  if (view.clients.length === 0) view.clients.push(new ObjectClient(view.file.place, readCredentials(process.env)));
  return must(view.clients.at(-1), 'a client');
}

function sumCounts(clients: readonly ObjectClient[]): RequestCounts {
  const sum = { lists: 0, reads: 0, writes: 0, bytesRead: 0, bytesWritten: 0, retries: 0 };
  for (const { counts } of clients) for (const name of COUNTED) sum[name] += counts[name];
  return sum;
}

const COUNTED = ['lists', 'reads', 'writes', 'bytesRead', 'bytesWritten', 'retries'] as const;

/** A market's folder, or the folder of a packed day. */
const IN_ROOT = /\/(?:market=|date=\d{4}-\d{2}-\d{2}(?:\/|$))/;

/** `inner` is what stands behind the root: `market=…`, a day or a file of it. */
function findView(path: string): { readonly view: View; readonly inner: string } | null {
  const full = resolve(path);
  const at = full.search(IN_ROOT);
  if (at < 0) return null;
  const root = full.slice(0, at);
  let view = views.get(root);
  if (view === undefined) {
    view = loadView(root);
    views.set(root, view);
  }
  return view === null ? null : { view, inner: full.slice(at + 1) };
}

function loadView(root: string): View | null {
  let text: string;
  try {
    text = readFileSync(join(root, VIEW_FILE), 'utf8');
  } catch {
    return null; // a folder on the disk
  }
  // Nobody but `open-view.ts` writes it.
  const file = JSON.parse(text) as ViewFile;
  const names = new Map<string, string[]>();
  for (const inner of Object.keys(file.objects)) {
    const at = inner.lastIndexOf('/');
    const day = inner.slice(0, at);
    const known = names.get(day);
    if (known === undefined) names.set(day, [inner.slice(at + 1)]);
    else known.push(inner.slice(at + 1));
  }
  return { root, file, names, clients: [], filesFetched: 0, filesFromCache: 0, bytesFromCache: 0 };
}
