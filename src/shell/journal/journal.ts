/**
 * The journal of a run as it lies on disk: everything that crossed the seam between the trader's core and its shell.
 * `contract.ts` says what is kept, `journal-writer.ts` writes a run for the daemon, `read-run.ts` reads one, and
 * `runs.ts` finds it. Reader and writer stand together, so that a shell on virtual time needs nothing of the real one.
 *
 * It never changes a run, and never reads another format than its own: a journal that is half understood would show
 * differences that never were.
 */

/** `RunDescription`. */
export const RUN_FILE = 'run.json';
/** The starting ledger. */
export const LEDGER_COPY = 'ledger.sqlite';
/** `RunEnd`. */
export const END_FILE = 'end.json';
