/** Finds runs in their folder. */

import { type Dirent, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { LEDGER_COPY, RUN_FILE } from './contract.js';

/** The runs under `dir`, oldest first: their ids begin with the time of their start, but files may have been copied. */
export function runFolders(dir: string): readonly string[] {
  const runs = listEntries(dir)
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(dir, entry.name))
    .flatMap((folder) => {
      const startedMs = runField(folder, 'startedMs');
      return typeof startedMs === 'number' ? [{ folder, startedMs }] : [];
    });
  return runs.sort((a, b) => a.startedMs - b.startedMs).map(({ folder }) => folder);
}

/** A mistyped name is answered with the newest runs. */
const MAX_NAMED = 10;

/**
 * The folder of the named run: `last`, a prefix of an id in `dir`, or a path. Throws TwinbookError `usage` for none or
 * several, with the existing ones.
 */
export function findRun(name: string, dir: string, cwd: string): string {
  const path = resolve(cwd, name);
  if (existsSync(join(path, RUN_FILE))) return path;
  const runs = runFolders(dir);
  const newest = runs.at(-1);
  if (name === 'last' && newest !== undefined) return newest;
  const meant = runs.filter((folder) => basename(folder).startsWith(name));
  const exact = meant.find((folder) => basename(folder) === name);
  const [only, another] = exact === undefined ? meant : [exact];
  if (only !== undefined && another === undefined) return only;
  const what = only === undefined ? `there is no run '${name}'` : `more than one run begins with '${name}'`;
  throw new TwinbookError('usage', `${what} in ${dir}`, describeRuns(only === undefined ? runs : meant));
}

function describeRuns(runs: readonly string[]): string {
  if (runs.length === 0)
    return 'There are no runs: `twinbook start` keeps one with every start, unless journal.enabled is false.';
  const lines = runs
    .slice(-MAX_NAMED)
    .reverse()
    .map((folder) => `${basename(folder)}, started ${formatStart(folder)}`);
  const more = runs.length - lines.length;
  return `There ${runs.length === 1 ? 'is' : 'are'}: ${lines.join('; ')}${more > 0 ? `; and ${more} older` : ''}.`;
}

function formatStart(folder: string): string {
  const startedMs = runField(folder, 'startedMs');
  return typeof startedMs === 'number' ? new Date(startedMs).toISOString() : 'at an unknown time';
}

/** One field of a run's description; undefined for a folder that is no run. */
export function runField(folder: string, name: string): unknown {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(folder, RUN_FILE), 'utf8'));
    return typeof parsed === 'object' && parsed !== null
      ? new Map<string, unknown>(Object.entries(parsed)).get(name)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Entries of a folder; empty for a missing or just removed one. */
export function listEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** A folder without a description is from a killed start, unless it is recent. */
const STARTED_WITHIN_MS = 3_600_000;

/** Deletable space for a run. Scans the folders once, when created; no other run grows meanwhile. */
export class DiskQuota {
  /** Finished runs of this ledger, oldest first. */
  readonly #others: { readonly folder: string; readonly bytes: number }[];
  #othersBytes: number;

  /** Runs of another ledger are left alone: another trader may be writing them. */
  constructor(dir: string, own: string, ledgerPath: string) {
    this.#others = listRuns(dir, ledgerPath)
      .filter((folder) => folder !== own)
      .map((folder) => ({ folder, bytes: sumBytes(folder) }));
    this.#othersBytes = this.#others.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Removes the oldest runs until the others and `ownBytes` fit into `maxBytes`, and the disk has enough space, of
   * which `spareBytes` may still be used. Returns whether it is enough.
   */
  make(ownBytes: number, maxBytes: number, spareBytes: number): boolean {
    let over = Math.max(ownBytes + this.#othersBytes - maxBytes, -spareBytes);
    while (over > 0) {
      const oldest = this.#others.shift();
      if (oldest === undefined) return false;
      rmSync(oldest.folder, { recursive: true, force: true });
      this.#othersBytes -= oldest.bytes;
      over -= oldest.bytes;
    }
    return true;
  }
}

const listRuns = (dir: string, ledgerPath: string): readonly string[] =>
  runFolders(dir).filter((folder) => runField(folder, 'ledgerPath') === ledgerPath);

/** Removes leftovers of starts killed before their run began: only a copy of the ledger. */
export function removeUnbegun(dir: string, nowMs: number): void {
  for (const entry of listEntries(dir)) {
    const folder = join(dir, entry.name);
    if (entry.isDirectory() && isUnbegun(folder, nowMs)) rmSync(folder, { recursive: true, force: true });
  }
}

function isUnbegun(folder: string, nowMs: number): boolean {
  const names = listEntries(folder).map(({ name }) => name);
  const ours = (name: string) => name.startsWith(LEDGER_COPY) || name === `${RUN_FILE}.part`;
  return names.length > 0 && names.every(ours) && nowMs - statSync(folder).mtimeMs > STARTED_WITHIN_MS;
}

const sumBytes = (folder: string): number =>
  listEntries(folder).reduce((sum, entry) => sum + readSize(join(folder, entry.name)), 0);

function readSize(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0; // Just packed and removed.
  }
}
