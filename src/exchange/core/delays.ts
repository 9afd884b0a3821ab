/** How long things take on the exchange: what its settings say, or what a control has said for a while. */

import type { CoreSettings } from './types.js';

/** For a rehearsal: absent ones are as the settings say. */
export interface Delays {
  /** ms that a submitted merge or split stays `in_process`, and each step of margin takes. */
  readonly landingMs?: number | undefined;
  /** ms from the wish to close a margin position to its end, at the price of that moment; without one it ends at once. */
  readonly closingMs?: number | undefined;
  /** Until when they hold, ms; absent: until others are set. */
  readonly untilMs?: number | undefined;
}

/** What delays depend on. */
export interface Paced {
  readonly settings: CoreSettings;
  readonly nowMs: number;
  readonly delays: Delays;
}

const inForce = ({ delays, nowMs }: Paced): Delays =>
  delays.untilMs !== undefined && nowMs >= delays.untilMs ? {} : delays;

/** When what is submitted now lands, ms. */
export const landsMs = (context: Paced): number =>
  context.nowMs + (inForce(context).landingMs ?? context.settings.landingMs);

/** When a position whose close is asked for now ends at the earliest, ms. */
export const closesMs = (context: Paced): number => context.nowMs + (inForce(context).closingMs ?? 0);
