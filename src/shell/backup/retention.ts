/** Which backups of a ledger stay. Pure: files by time, nothing is changed. */

/** Backups to keep. The newest one is always kept. */
export interface BackupPolicy {
  /** Number of the newest that stay. */
  readonly newest: number;
  /** Number of earlier UTC days whose last backup stays. */
  readonly days: number;
  /** Maximum total size; the oldest are deleted first. */
  readonly maxBytes: number;
}

export interface BackupFile {
  readonly name: string;
  /** Start of the backup, our clock, ms. */
  readonly atMs: number;
  readonly bytes: number;
}

const DAY_MS = 86_400_000;

/** Names of those that may be deleted, oldest first. */
export function expendable(files: readonly BackupFile[], policy: BackupPolicy): readonly string[] {
  const newestFirst = [...files].sort((a, b) => b.atMs - a.atMs);
  const days = new Set<number>();
  const kept = new Set<BackupFile>();
  let bytes = 0;
  for (const [rank, file] of newestFirst.entries()) {
    const day = Math.floor(file.atMs / DAY_MS);
    const isWanted = rank < policy.newest || (!days.has(day) && days.size < policy.days);
    days.add(day);
    if (rank > 0 && (!isWanted || bytes + file.bytes > policy.maxBytes)) continue;
    kept.add(file);
    bytes += file.bytes;
  }
  return newestFirst
    .filter((file) => !kept.has(file))
    .map(({ name }) => name)
    .reverse();
}
