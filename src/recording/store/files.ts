/** Checksums and states of files. */

import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';

export async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

/** Differs after a file was written again; empty for a missing one. */
export function fileState(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.ino}`;
}
