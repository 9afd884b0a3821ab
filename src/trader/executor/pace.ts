/**
 * Waits before the next read or send. Reads of an unsettled record are bounded in rate, not in number: only the record
 * may end them, and its capital stays reserved until then.
 */

/** After an uncertain submit: a read that overtakes the submit would show nothing. */
export const FIRST_LOOK_MS = 500;
/**
 * For an exchange that does not answer: short enough to notice its return within seconds, and cheap while it is away.
 */
const LONGEST_LOOK_MS = 10_000;
/** For a record that the exchange does not know: this seldom changes. */
const LONGEST_MISSING_MS = 60_000;
/** A transaction lands in half a second on the paper exchange and in seconds on a chain. */
const LONGEST_LANDING_MS = 5_000;
/**
 * Maximum requests for a conversion's draft after lost answers. A repeat is harmless, since unsigned drafts have no
 * effect, but useless while the exchange is away: then the engine decides again.
 */
export const MOST_DRAFT_ASKS = 3;
/** Longest delay of a request whose answer was lost: a draft's locks are waited out for this time more. */
export const LATE_DELIVERY_S = 60;
/**
 * Maximum age of an order's decision when it is signed and sent: its price comes from a book of that time. Draft and
 * submit normally take under a second.
 */
export const PLACE_USEFUL_MS = 5_000;
/** Tolerance for the exchange's clock and rounding in the latest expiry of a draft. */
export const EXPIRY_SLACK_S = 60;
/** Exchange times are whole seconds: one on each side. */
export const WHOLE_SECONDS_S = 2;

const doubling = (tries: number, longestMs: number): number =>
  // 2^20 exceeds every longest wait and cannot overflow.
  Math.min(longestMs, FIRST_LOOK_MS * 2 ** Math.min(tries, 20));

export const lookWaitMs = (tries: number): number => doubling(tries, LONGEST_LOOK_MS);
export const missingWaitMs = (tries: number): number => doubling(tries, LONGEST_MISSING_MS);
export const landingWaitMs = (tries: number): number => doubling(tries, LONGEST_LANDING_MS);
