/** Text that a run stores at its end. */

/** Stored at a regular stop, after the exchange has shown that no order rests. */
export const ENDED_PROVEN = 'stopped, nothing rests';
