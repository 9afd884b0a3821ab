/** What a ledger and its archives tell each other. */

/**
 * Intents that an archive has, on its disk. What moved money stays in the ledger for ever: fills, conversions, postings and the
 * orders that had a fill; and of every other order the terms, so that each is known, and each fill booked once.
 */
export interface ArchivedIntents {
  /** These leave with their orders, of which nothing was filled. */
  readonly whole: readonly string[];
  /** Of these the texts leave that were to be signed, and the signatures. */
  readonly texts: readonly string[];
  /** Only what was over before this moment, our clock, ms. */
  readonly beforeMs: number;
}

/** Of a ledger that is written. */
export interface Archiving {
  /** Takes out what an archive has, within a transaction. What has changed since it was chosen stays. */
  putAway(archived: ArchivedIntents): void;
}
