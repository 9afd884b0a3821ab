/** The peak memory of this process, for a measurement in its own process. */

import { existsSync, readFileSync } from 'node:fs';

/** MiB, of this process alone: the system's own maximum starts with that of the parent. */
export function readPeakMb(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const kb = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
  return (kb === undefined ? process.resourceUsage().maxRSS : Number(kb)) / 1024;
}
