/** All codes of errors on which a user can act. A bug in the program is an `AssertionFailed` instead. */

const ERROR_CODES = [
  'config_invalid', // a configuration or strategy file cannot be used
  'file_unreadable', // a file or folder is missing, unreadable or not writable
  'key_insecure', // a key or secrets file is readable by others
  'key_invalid', // a key file's content is not a key
  'ledger_locked', // another process holds the ledger's lock
  'ledger_newer', // the ledger was written by a newer version
  'ledger_broken', // the ledger failed a write, a sync or a consistency check
  'port_busy', // the address is in use
  'not_running', // no trader answers on the control socket
  'venue_unreachable', // the exchange did not answer
  'venue_refused', // the exchange answered with an error
  'recording_invalid', // a recording cannot be read
  'strategy_invalid', // a strategy module cannot be loaded or returned an invalid value
  'usage', // a command was called wrongly
  'queue_unusable', // the server of a queue does not answer, or is unsuitable
  'fleet_unusable', // the database of a fleet does not answer, or is unsuitable
  'wallet_taken', // another trader of the fleet trades with this wallet
  'results_differ', // the same backtest gave two different results
  'timed_out', // a time limit was exceeded
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** An error for the user; `message` states the cause, and `hint` the next step. The texts never contain a secret. */
export class TwinbookError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;

  constructor(code: ErrorCode, message: string, hint = '', options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'TwinbookError';
    this.code = code;
    this.hint = hint;
  }
}

/** A violated invariant of Twinbook. The process then cancels its orders and stops: never catch this error. */
export class AssertionFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AssertionFailed';
  }
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionFailed(message);
}

/** Returns the value. Throws AssertionFailed with the name of the value if the value is null or undefined. */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new AssertionFailed(`missing: ${what}`);
  return value;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns the system's code of an error, such as ENOENT; empty if the error has no code. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Returns a `file_unreadable` error. The error's message is `what`, a colon and the message of `cause`. */
export const unreadable = (what: string, cause: unknown, hint: string): TwinbookError =>
  new TwinbookError('file_unreadable', `${what}: ${messageOf(cause)}`, hint, { cause });
