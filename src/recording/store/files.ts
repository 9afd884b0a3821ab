/** Checksums and states of files. */

import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';

/** Lower-case hex SHA-256. Throws what the system says. */
export async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

/** Differs once a file is written anew; empty for a file that is not there. */
export function fileState(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.ino}`;
}
