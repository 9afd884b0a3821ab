/** Text that a run stores at its end. */

/** Note of a regular end: the exchange has shown that nothing rests. */
export const ENDED_PROVEN = 'stopped, nothing rests';
