/** What a run says of its end. */

/** The note of one that ended as it should: the exchange has shown that nothing rests. */
export const ENDED_PROVEN = 'stopped, nothing rests';
