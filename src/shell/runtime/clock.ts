/** The one wall clock of the daemon, ms since 1970. */
export const nowMs = (): number => Date.now();

/** The one clock for intervals, ms from an arbitrary start: setting the wall clock does not move it. */
export const steadyMs = (): number => performance.now();
