/** Canceling everything without the trader: it does not run, or it does not answer. */

import type { TraderConfig } from '../../shell/config/load.js';
import type { CancelAllData } from '../../shell/control/control-protocol.js';
import type { CliIo } from '../output/io.js';
import { withVenue } from '../venue-session.js';
import { silenceText, type Unreached } from './reach.js';

/** What a frozen trader had sent may still arrive: two whole rounds that find nothing, so far apart. */
const PAUSE_MS = 2_000;

/** Cancels at the exchange by itself. `verify`: and reads twice that nothing rests. Throws what `withVenue` throws. */
export async function cancelAlone(config: TraderConfig, verify: boolean, io: CliIo): Promise<CancelAllData> {
  const { cancelDirectly } = await import('../../shell/daemon/direct-cancel.js');
  const { profile, allowBlindSigning } = config.venue;
  return withVenue(config, io, ({ client, wallet }) =>
    cancelDirectly({ client, wallet, profile, allowBlindSigning, verify }),
  );
}

/**
 * The same past a trader that hangs: it must not quote on when it wakes, so the stop file goes first; then the exchange is
 * read until nothing has come for a while. A file that cannot be written is said, and canceling goes on.
 */
export async function cancelPast(
  config: TraderConfig,
  reason: string,
  reach: Unreached,
  within: { readonly timeoutMs: number; readonly io: CliIo },
): Promise<CancelAllData & { readonly killed: boolean }> {
  const { io, timeoutMs } = within;
  const killed = await leaveMark(config, reason, reach, io);
  const isEmbedded = config.exchange?.embedded === true;
  if (reach !== 'not running' && isEmbedded) {
    io.err('  The exchange is embedded in that process and hangs with it: end the process, then cancel again.\n');
    return { asked: 0, resting: 0, verified: false, killed };
  }
  if (reach === 'not running') return { ...(await cancelAlone(config, true, io)), killed };
  const { cancelUntilNothingRests } = await import('../../shell/daemon/direct-cancel.js');
  const { profile, allowBlindSigning } = config.venue;
  const patience = { withinMs: timeoutMs, pauseMs: PAUSE_MS };
  const canceled = await withVenue(config, io, ({ client, wallet }) =>
    cancelUntilNothingRests({ client, wallet, profile, allowBlindSigning }, patience),
  );
  return { ...canceled, killed };
}

/** False when the file could not be written: then the trader is not held. */
async function leaveMark({ ledger }: TraderConfig, reason: string, reach: Unreached, io: CliIo): Promise<boolean> {
  const { leaveStopFile, locateStopFile } = await import('../../shell/control/stop-file.js');
  const path = locateStopFile(ledger.path);
  const who = silenceText(reach);
  try {
    leaveStopFile(path, reason);
    const then = reach === 'not running' ? 'the next start is killed' : 'it is killed when it wakes';
    io.err(`${who}; ${then} (${path}). Canceling at the exchange directly.\n`);
    return true;
  } catch (error) {
    const pid = reach === 'not running' ? null : reach.silentPid;
    io.err(`${who}, and ${error instanceof Error ? error.message : String(error)}.\n`);
    io.err(`  ${pid === null ? 'Do not start it' : `End process ${pid}, it may quote on when it wakes`}.`);
    io.err(' Canceling at the exchange directly.\n');
    return false;
  }
}
