/** The most memory that this process has had, for a measurement that is a process of its own. */

import { existsSync, readFileSync } from 'node:fs';

/** MiB. Of this process alone: what the system counts as its own maximum begins with that of its parent. */
export function readPeakMb(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const kb = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
  return (kb === undefined ? process.resourceUsage().maxRSS : Number(kb)) / 1024;
}
