/** Clock and limits of a venue, compared with its profile. */

import type { DataOf, EndpointName, Scope } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { Outcome } from '../../shared/protocol/seam.js';
import type { ServiceClient } from '../../shell/client/client.js';
import type { CallInput, ClientAnswer } from '../../shell/client/contract.js';
import { requireAnswer } from '../venue-session.js';
import { difference, failure } from './steps.js';

/** Beyond this, ms, the offset exceeds the one-second resolution of the venue's clock. */
const CLOCK_OK_MS = 2_000;

/** Makes a call and throws errors that end the rehearsal: a foreign answer is a difference, a refusal a failure. */
export async function ask<N extends EndpointName>(
  client: ServiceClient,
  endpoint: N,
  input: CallInput<N>,
  what: string,
): Promise<{ readonly data: DataOf<N>; readonly answer: ClientAnswer<N> }> {
  const answer = await client.call(endpoint, input);
  if (answer.outcome.kind === 'unknown' && isStrange(answer.outcome)) {
    const todo = 'Read the same address by hand: a proxy before the venue may want something of whoever calls it.';
    throw difference(`asking for ${what}`, 'the service answers in its own envelope', answer.outcome.reason, todo);
  }
  return { data: requireAnswer(answer, what), answer };
}

/** True for an answer that is not the service's. Silence is no difference. */
export const isStrange = (outcome: Outcome): boolean =>
  outcome.kind === 'unknown' && outcome.sent && outcome.reason.startsWith('HTTP ');

/** Line of the clock, after the first answer. */
export function clockText(client: ServiceClient, { clock_tolerance_s }: VenueProfile): string {
  const offset = client.clockOffset;
  if (offset === null) return 'the venue does not say its time; this clock is believed';
  const apartMs = Math.abs(offset.offsetMs);
  const seconds = (apartMs / 1000).toFixed(1);
  const apart = `this clock is ${seconds} s ${offset.offsetMs >= 0 ? 'behind' : 'ahead of'} the venue's`;
  if (apartMs > clock_tolerance_s * 1000) {
    const todo = 'Synchronise this clock (NTP), and compare the venue’s with another: one of the two is wrong.';
    throw difference('the clocks differ', `clock_tolerance_s: ${clock_tolerance_s}`, apart, todo);
  }
  return apartMs <= CLOCK_OK_MS ? 'this clock agrees with the venue’s' : `${apart}; signed calls are corrected for it`;
}

const KEYS = {
  public: 'public_per_minute',
  signed: 'signed_per_minute',
  bootstrap: 'bootstrap_per_minute',
} as const satisfies Record<Scope, keyof VenueProfile['rate_limits']>;

/** The limit of one scope by an answer's headers. A venue that allows more than its profile says is no trouble. */
export function limitText({ budget }: Pick<ClientAnswer, 'budget'>, scope: Scope, profile: VenueProfile): string {
  const key = KEYS[scope];
  const due = profile.rate_limits[key];
  if (budget === null) return `${scope}: no headers, ${due} a minute are kept`;
  if (budget.limit < due) {
    const text = `the venue allows fewer ${scope} requests than the profile says`;
    const todo = `Write ${key}: ${budget.limit} under rate_limits of your copy of the profile.`;
    throw difference(text, `${key}: ${due}`, `X-RateLimit-Limit: ${budget.limit}`, todo);
  }
  const more = budget.limit === due ? '' : ` (the profile keeps to ${due})`;
  return `${scope}: ${budget.limit} a minute${more}`;
}

/** The rehearsal must be alone: other resting orders would pass for its own. */
export function nothingRests(resting: readonly { readonly pubkey: string | null }[]): void {
  if (resting.length === 0) return;
  const count = resting.length === 1 ? 'an order rests' : `${resting.length} orders rest`;
  throw failure(
    `${count} under this wallet`,
    'Stop the trader, or `twinbook cancel-all --verify`, then rehearse again.',
  );
}
