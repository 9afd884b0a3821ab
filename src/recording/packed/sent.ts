/**
 * What a bucket has of packed days that were removed here: their manifests, in a folder beside. A day that goes on (the gap after a
 * long rest begins in it) gets files of other names then, and its manifest in the bucket lists all of them.
 */

import { join } from 'node:path';
import { makeFolder } from '../../shared/base/folder.js';
import { writeJson } from '../store/json-file.js';
import { type PackedManifest, packedManifestOf, readPackedManifest } from './manifest.js';

const FOLDER = '.sent';

const pathOf = (root: string, date: string): string => join(root, FOLDER, `${date}.json`);

/** Null where no such day was removed. Throws TwinbookError `recording_invalid` for one that is damaged. */
export const readSent = (root: string, date: string): PackedManifest | null => readPackedManifest(pathOf(root, date));

/** The day's manifest as a bucket has it: with what was sent before. */
export function withSent(root: string, manifest: PackedManifest): PackedManifest {
  const sent = readSent(root, manifest.date);
  if (sent === null) return manifest;
  const names = new Set(manifest.files.map(({ name }) => name));
  const before = sent.files.filter(({ name }) => !names.has(name));
  return packedManifestOf(manifest.date, manifest.shards, [...before, ...manifest.files]);
}

/** Throws what the disk says. */
export function rememberSent(root: string, manifest: PackedManifest): void {
  makeFolder(join(root, FOLDER));
  writeJson(pathOf(root, manifest.date), withSent(root, manifest));
}
