/** What a file that is written anew does not keep. */

import { statSync } from 'node:fs';

/** Empty for a file that is not there. */
export function fileState(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.ino}`;
}
