/**
 * How long to wait before looking or sending again. Looks at a record that is not settled are bounded in their rate,
 * not in their number: only the record may end them, and until then its capital stays reserved.
 */

/** After an uncertain submit: a look that overtakes a submit still under way would learn nothing. */
export const FIRST_LOOK_MS = 500;
/** The exchange does not answer: often enough to notice within seconds that it is back, cheap enough while it is away. */
const LONGEST_LOOK_MS = 10_000;
/** The exchange says that it does not know a record of its own: that seldom heals by itself. */
const LONGEST_MISSING_MS = 60_000;
/** A transaction lands within about half a second on the paper exchange and seconds on a chain. */
const LONGEST_LANDING_MS = 5_000;
/**
 * How often the draft of a conversion is asked for when its answer is lost. A repeat is harmless (unsigned drafts have no
 * effect) but pointless while the exchange is away: after these the engine decides anew.
 */
export const MOST_DRAFT_ASKS = 3;
/** A request whose answer was lost may still be on its way: the longest delay that a draft's locks are waited out for. */
export const LATE_DELIVERY_S = 60;
/**
 * A place is signed and sent at most this long after it was decided: its price comes from a book as old as that. Asking
 * for its draft and submitting it take well under a second; what took longer was held up, and the engine decides anew.
 */
export const PLACE_USEFUL_MS = 5_000;
/** Room for the exchange's clock and its roundings in the longest expiry that a draft may name. */
export const EXPIRY_SLACK_S = 60;
/** The exchange's times are whole seconds: one on each side. */
export const WHOLE_SECONDS_S = 2;

const doubling = (tries: number, longestMs: number): number =>
  // 2^20 is beyond every longest wait and far from overflow.
  Math.min(longestMs, FIRST_LOOK_MS * 2 ** Math.min(tries, 20));

export const lookWaitMs = (tries: number): number => doubling(tries, LONGEST_LOOK_MS);
export const missingWaitMs = (tries: number): number => doubling(tries, LONGEST_MISSING_MS);
export const landingWaitMs = (tries: number): number => doubling(tries, LONGEST_LANDING_MS);
