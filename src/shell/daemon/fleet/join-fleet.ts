/** A trader's start in its fleet: it gets the lease on its wallet before anything is signed. */

import type { Lane } from '../../../shared/protocol/seam.js';
import type { Config } from '../../config/types.js';
import { fleetPassword } from '../../fleet/database.js';
import { FleetMember } from '../../fleet/member.js';
import type { Wallet } from '../../wallet/wallet.js';
import { FleetSession } from './fleet-session.js';

/** Surroundings of a start. */
export interface Starting {
  readonly config: Pick<Config, 'fleet' | 'capitalMicros' | 'venue'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: (text: string) => void;
  /** True once the operator has asked to stop. */
  readonly isStopping: () => boolean;
}

/** Both null for a single trader. */
export interface Joined {
  readonly member: FleetMember | null;
  readonly fleet: FleetSession | null;
  /** False: orders of the wallet's previous trader must be canceled first. */
  readonly isSettled: boolean;
  /** The operator stopped the wait. */
  readonly isStopped: boolean;
}

/** Rejects with `fleet_unusable`, or `wallet_taken` where another trader has the wallet. */
export async function joinFleet({ config, env, say, isStopping }: Starting, { address }: Wallet): Promise<Joined> {
  const alone = { member: null, fleet: null, isSettled: true, isStopped: false };
  if (config.fleet === null) return alone;
  const { capitalMicros } = config;
  const password = fleetPassword(env);
  const joined = await FleetMember.join({
    config: config.fleet,
    wallet: address,
    password,
    capitalMicros,
    say,
    isStopping,
  });
  if (joined === null) return { ...alone, isStopped: true };
  const { member, isSettled } = joined;
  say(`has the wallet in the fleet as ${config.fleet.name} (term ${member.lease.term})`);
  return { member, isSettled, fleet: new FleetSession(member, capitalMicros), isStopped: false };
}

export type Objection = (lane: Lane) => string | null;

/** Signed orders and drafts leave only under the lease; cancels and reads always do. */
export const objectionOf =
  (member: FleetMember | null): Objection =>
  (lane) =>
    member === null || (lane !== 'submit' && lane !== 'draft') ? null : member.objection();
