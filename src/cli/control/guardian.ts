/** `twinbook guardian`: the process that cancels everything when the trader's heart stops. */

import type { TraderConfig } from '../../shell/config/load.js';
import { command, flag } from '../command.js';
import { type CliIo, keepFilesPrivate } from '../output/io.js';

/** A submit in flight at the trader's death arrives within this, ms; sockets wait a minute. */
const ON_ITS_WAY_MS = 30_000;
/** On a paper exchange that ended during an alarm, the guardian does not run for ever. */
const PAPER_PATIENCE_MS = 600_000;

export const addGuardianCommand = command({
  name: 'guardian',
  help: "cancels everything when the trader's heartbeat stops; the trader starts one automatically",
  config: 'trader',
  options: {
    withTrader: flag(
      '--with-trader',
      'ends when the trader has ended and nothing rests; else it stays for the next one',
    ),
  },
  run: ({ options: { withTrader }, config, io }) => guard(config, withTrader !== true, io),
});

async function guard(config: TraderConfig, stays: boolean, io: CliIo): Promise<void> {
  if (config.exchange?.embedded === true) {
    io.out(
      'The exchange runs inside the trader: nothing rests when the trader does not run, and nothing is guarded.\n',
    );
    return;
  }
  keepFilesPrivate();
  const [{ runGuardian }, { cancelDirectly }, { locateStopFile }] = await Promise.all([
    import('../../shell/guardian/guardian.js'),
    import('../../shell/daemon/direct-cancel.js'),
    import('../../shell/control/stop-file.js'),
  ]);
  const { venue, wallet, ledger, guardian, fleet } = config;
  const { profile, allowBlindSigning } = venue;
  const isPaper = venue.name === 'paper';
  await runGuardian({
    profile,
    isPaper,
    walletFile: wallet.file,
    credentialsFile: guardian.credentials,
    isFenced: fleet !== null,
    env: io.env,
    ledgerPath: ledger.path,
    logFile: `${config.ledger.path}.guardian.log`,
    rules: {
      timeoutMs: guardian.timeoutMs,
      lateOrdersMs: profile.draft_lifetime_s * 1000 + ON_ITS_WAY_MS,
      stays,
      paperPatienceMs: isPaper ? PAPER_PATIENCE_MS : null,
    },
    markFile: guardian.resumeAfterAlarm ? null : locateStopFile(ledger.path),
    cancelEverything: (access) => cancelDirectly({ ...access, profile, allowBlindSigning, verify: true }),
    say: io.err,
    onUnusedSignal: io.onUnusedSignal,
    stopAsked: io.stopAsked,
  });
}
