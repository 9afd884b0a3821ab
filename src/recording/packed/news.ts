/** What the folders of markets hold that their packed day does not: more files, other counts, a description that knows more. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST } from '../store/layout.js';
import { formatVersion } from '../store/manifest.js';
import type { MarketRow } from './index-table.js';
import { findHindrance, readSourceDay, type SourceDay } from './plan.js';
import type { PackedDay, PackedMarket } from './read-day.js';
import { describeDay } from './write-tables.js';

export interface News {
  /** With the files that the packed day lacks, in order of the markets. */
  readonly days: readonly SourceDay[];
  /** Of markets that are new to it, or of which more is known. */
  readonly described: readonly MarketRow[];
}

/** Tells in `left` which folders stay as they are, and why. */
export function findNews(day: PackedDay, folders: readonly string[], isRecorder: boolean, left: string[]): News {
  const days: SourceDay[] = [];
  const described: MarketRow[] = [];
  for (const folder of folders) {
    const hindrance = findHindrance(folder, isRecorder);
    if (hindrance !== null) {
      if (!isRecorder || existsSync(join(folder, MANIFEST)))
        left.push(`${day.date} is packed already, what came since waits: ${hindrance}`);
      continue;
    }
    const source = readSourceDay(folder);
    const packed = day.markets.get(source.market);
    if (packed !== undefined && isOther(packed, source)) {
      left.push(`${day.date} is packed already, ${folder} has other rows than were packed: it stays as it is`);
      continue;
    }
    const lacking = { ...source, manifest: { ...source.manifest, files: listLacking(packed, source) } };
    const row = describeBoth(packed, source);
    if (packed !== undefined && isSame(describeDay(toSource(packed)), row) && lacking.manifest.files.length === 0)
      continue;
    described.push(row);
    if (lacking.manifest.files.length > 0) days.push(lacking);
  }
  return { days, described };
}

/** Files of the folder that the packed day does not hold. */
export function listLacking(packed: PackedMarket | undefined, { manifest }: SourceDay): SourceDay['manifest']['files'] {
  const sums = new Set(packed?.rows.map((row) => `${row.table} ${row.source_sha256}`));
  return manifest.files.filter(({ table, sha256 }) => !sums.has(`${table} ${sha256}`));
}

/** Whether the packed day holds all files of the folder, and knows what it tells of them. */
export const holdsAll = (packed: PackedMarket, source: SourceDay): boolean =>
  !isOther(packed, source) &&
  listLacking(packed, source).length === 0 &&
  isSame(describeDay(toSource(packed)), describeBoth(packed, source));

/** Whether rows of the same numbers lie here and there in different files: the market was written anew. */
export function isOther(packed: PackedMarket, source: SourceDay): boolean {
  const own = new Set(source.manifest.files.map(({ sha256 }) => sha256));
  const theirs = packed.rows.filter((row) => row.table === 'events' && !own.has(row.source_sha256));
  const mine = listLacking(packed, source);
  return mine.some(
    (file) =>
      file.table === 'events' &&
      theirs.some((row) => file.first_seq <= (row.last_seq ?? 0) && file.last_seq >= (row.first_seq ?? 0)),
  );
}

/** Counts of a folder go on from what was packed of it before; one that was made anew has only its own. */
function describeBoth(packed: PackedMarket | undefined, source: SourceDay): MarketRow {
  const own = describeDay(source);
  if (packed === undefined) return own;
  const { files, packed: mark } = source.manifest;
  const lacking = listLacking(packed, source).length;
  const goesOn = mark !== undefined || files.length === 0 || lacking < files.length;
  const join = (mine: number, before: number): number => (goesOn ? Math.max(mine, before) : mine + before);
  const before = packed.manifest;
  return {
    ...(own.description === null ? describeDay(toSource(packed)) : own),
    version: formatVersion([...before.files, ...files]),
    refused: join(own.refused, before.refused),
    stepped_back: join(own.stepped_back, before.stepped_back),
    broken_lines: join(own.broken_lines, before.broken_lines),
  };
}

const isSame = (a: MarketRow, b: MarketRow): boolean => JSON.stringify(a) === JSON.stringify(b);

const toSource = ({ market, manifest, description, described }: PackedMarket): SourceDay => ({
  market,
  folder: '',
  manifest,
  description,
  ticker: described?.market.source.ticker ?? null,
  title: described?.market.title ?? null,
});
