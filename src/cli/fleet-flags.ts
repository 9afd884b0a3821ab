/** What commands of a fleet are told, and the section of the trader's file that they need. */

import { TwinbookError } from '../shared/base/errors.js';
import type { FleetConfig } from '../shell/config/types.js';

export interface FleetFlags {
  readonly config: string;
  readonly json?: true;
}

export interface ReleaseFlags extends FleetFlags {
  readonly reason: string;
  readonly wallet?: string;
  readonly unproven?: true;
  readonly timeout: number;
}

/** Throws TwinbookError `config_invalid` for a trader by itself. */
export function requireFleet(config: { readonly file: string; readonly fleet: FleetConfig | null }): FleetConfig {
  if (config.fleet !== null) return config.fleet;
  const hint = 'Wanted there: fleet: { database: "postgresql://USER@HOST:PORT/DATABASE", name: NAME }.';
  throw new TwinbookError('config_invalid', `${config.file} has no section \`fleet\``, hint);
}
