/** All rows of an archive, and independent archives with the same rows. */

import {
  type Archive,
  type Archived,
  memoryArchive,
  RECORD_KINDS,
  type RecordKind,
} from '../../../src/exchange/core/records/archive.js';

/** More accounts than any test opens. */
const ACCOUNTS = 50;

export function rowsOf(archive: Archive): readonly (readonly [RecordKind, Archived])[] {
  const accounts = Array.from({ length: ACCOUNTS }, (_, account) => account);
  return RECORD_KINDS.flatMap((recordKind) =>
    accounts.flatMap((account) =>
      archive[recordKind].list({ account, limit: Number.MAX_SAFE_INTEGER }).map((row) => [recordKind, row] as const),
    ),
  );
}

export function copyOf(archive: Archive): Archive {
  const copy = memoryArchive();
  for (const [recordKind, row] of rowsOf(archive)) copy[recordKind].put(row);
  return copy;
}
