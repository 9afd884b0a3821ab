/** Exit codes: fixed, because scripts branch on them. */

import { type ErrorCode, TwinbookError } from '../../shared/base/errors.js';

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notRunning: 3,
  configuration: 4,
  timedOut: 5,
  difference: 6,
  accepted: 7,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_CODE: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  config_invalid: EXIT.configuration,
  strategy_invalid: EXIT.configuration,
  key_insecure: EXIT.configuration,
  key_invalid: EXIT.configuration,
  usage: EXIT.usage,
  not_running: EXIT.notRunning,
  timed_out: EXIT.timedOut,
  results_differ: EXIT.difference,
};

export const findExitCode = (error: unknown): ExitCode =>
  error instanceof TwinbookError ? (BY_CODE[error.code] ?? EXIT.failed) : EXIT.failed;
