/** The clocks of this machine, read together. */

import { uptime } from 'node:os';
import type { Instant } from './lease.js';

export const readInstant = (): Instant => ({
  steadyMs: performance.now(),
  bootMs: uptime() * 1000,
  wallMs: Date.now(),
});
