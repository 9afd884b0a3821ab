/**
 * The report: from the record of a session to every figure of it (`analysis/`), to one HTML page (`html/`), to a table
 * for the terminal (`summary.ts`); and from a live ledger to such a record (`live/`).
 *
 * It never reads a clock, a recording or the network, and never decides anything: it says what was, and what is not
 * known. A figure stands in one place, `Analysis`; page, table and JSON only show it, so that they cannot disagree.
 * The split of the result is exact arithmetic, because a split that nearly adds up hides the mistake that one looks for.
 */
export {};
