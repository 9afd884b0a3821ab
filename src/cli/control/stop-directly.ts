/** Cancels everything without the trader: it is not running, or it does not answer. */

import type { TraderConfig } from '../../shell/config/load.js';
import type { CancelAllData } from '../../shell/control/control-protocol.js';
import type { CliIo } from '../output/io.js';
import { withVenue } from '../venue-session.js';
import { silenceText, type Unreached } from './reach.js';

/** Requests of a frozen trader may still arrive: two whole rounds without a find, this far apart. */
const PAUSE_MS = 2_000;

/** Cancels directly at the exchange. `verify`: also reads twice that nothing rests. Throws like `withVenue`. */
export async function cancelAlone(config: TraderConfig, verify: boolean, io: CliIo): Promise<CancelAllData> {
  const { cancelDirectly } = await import('../../shell/daemon/direct-cancel.js');
  const { profile, allowBlindSigning } = config.venue;
  return withVenue(config, io, ({ client, wallet }) =>
    cancelDirectly({ client, wallet, profile, allowBlindSigning, verify }),
  );
}

/**
 * The same past a hanging trader: the stop file comes first, so that it does not quote when it wakes; then the exchange
 * is read until nothing new appears. An unwritable file is reported, and canceling continues.
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

/** False when the file could not be written: the trader is then not stopped. */
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
