/** Records as the core answers them: decimal strings, as on the wire. */

import type { z } from 'zod';
import type * as record from '../../../shared/protocol/records.js';

/** A record of protocol/records.ts in wire format, by its name there. */
export type Wire<Name extends keyof typeof record> = z.input<(typeof record)[Name]>;
