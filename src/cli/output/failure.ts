/** What the user is told when a command fails. */

import { TwinbookError } from '../../shared/base/errors.js';
import { EXIT, type ExitCode, findExitCode } from './exit.js';
import type { CliIo } from './io.js';

/** Prints what went wrong: message and hint for a user's mistake, an apology for a bug. */
export function reportFailure(error: unknown, io: CliIo): ExitCode {
  if (error instanceof TwinbookError) {
    io.err(`${error.message}\n`);
    if (error.hint !== '') io.err(`  ${error.hint}\n`);
    return findExitCode(error);
  }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  io.err(`Sorry, this is a bug in Twinbook: ${text}\n`);
  if (io.env['TWINBOOK_DEBUG'] === '1' && error instanceof Error) io.err(`${error.stack ?? ''}\n`);
  else io.err('  Run it again with TWINBOOK_DEBUG=1 to see where, and report that together with the command.\n');
  return EXIT.failed;
}
