/** Permissions from the trader's fleet, as last reported by the shell; not stored. */

import type { FleetCommand } from '../../../shared/protocol/seam.js';

export interface FleetBounds {
  /** Why all orders are pulled; null when none must be. */
  readonly hold: string | null;
  readonly markets: ReadonlySet<string>;
}

/** Of the trader's state. */
interface Bounded {
  fleet: FleetBounds | null;
  readonly markets: { readonly all: Iterable<{ readonly conditionId: string }> };
  requestRequote(conditionId: string): void;
  notify(timeMs: number, kind: string, text: string): void;
  alert(timeMs: number, kind: string, text: string): void;
}

export function setFleetBounds(state: Bounded, { hold, markets }: FleetCommand, nowMs: number): void {
  const before = state.fleet?.hold ?? null;
  state.fleet = { hold, markets: new Set(markets) };
  for (const { conditionId } of state.markets.all) state.requestRequote(conditionId);
  if (hold === before) return;
  if (hold === null) state.notify(nowMs, 'fleet', 'the wallet is surely ours again');
  else if (before === null) state.alert(nowMs, 'fleet', hold);
}

/** Why nothing is quoted in a market; undefined if quoting is allowed. */
export const unclaimedBecause = ({ fleet }: Pick<Bounded, 'fleet'>, conditionId: string): string | undefined =>
  fleet === null || fleet.markets.has(conditionId) ? undefined : UNCLAIMED;

const UNCLAIMED = 'another wallet of the fleet has this market, or it is not claimed yet';

/** Why nothing is quoted or converted in one market; undefined if it is allowed. */
export const pausedBecause = (
  state: Pick<Bounded, 'fleet'> & { readonly pauses: WithReasons; readonly unreadMarkets: WithReasons },
  conditionId: string,
): string | undefined =>
  state.pauses.findReason(conditionId) ??
  state.unreadMarkets.findReason(conditionId) ??
  unclaimedBecause(state, conditionId);

interface WithReasons {
  findReason(conditionId: string): string | undefined;
}
