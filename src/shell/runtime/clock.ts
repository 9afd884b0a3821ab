/** The one wall clock of the daemon, ms since 1970. */
export const nowMs = (): number => Date.now();
