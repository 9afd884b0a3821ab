/** Where a rehearsal takes place, and what it may use there. */

import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { ServiceClient } from '../../shell/client/client.js';
import type { Config } from '../../shell/config/types.js';
import type { Wallet } from '../../shell/wallet/wallet.js';
import type { StepLine, Where } from './steps.js';

export interface Place {
  readonly where: Where;
  readonly config: Config;
  /** The configuration's own. */
  readonly profile: VenueProfile;
  readonly client: ServiceClient;
  readonly wallet: Wallet;
  /** A new one, or that of an earlier rehearsal. */
  readonly ledgerPath: string;
  /** Id of the market to use; null: one is chosen. */
  readonly market: string | null;
  /** For the life of the order, ms; what it leaves behind is taken back in a time of its own. */
  readonly withinMs: number;
  readonly note: (line: StepLine) => void;
  /** True once the operator asked for the end. */
  readonly isStopped: () => boolean;
}
