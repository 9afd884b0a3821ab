/** `twinbook guardian`: the process that cancels everything when the trader's heart stops. */

import { isGone } from '../../shared/base/process-mark.js';
import type { TraderConfig } from '../../shell/config/config.js';
import { readBeatNow } from '../../shell/guardian/beat-file.js';
import { describeReport, type GuardianState, locateReportFile, reportSchema } from '../../shell/guardian/contract.js';
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

export function guardianStatus({ exchange, guardian, ledger }: TraderConfig): string {
  if (exchange?.embedded === true) return 'none needed: the exchange stops with the trader';
  if (!guardian.enabled) return 'NONE: guardian.enabled is false';
  const report = readBeatNow(locateReportFile(ledger.path), reportSchema);
  if (report === null || report === 'unreadable') return 'NONE';
  return isGone(report.process) ? `NONE, the last one said: ${report.state}, ${report.text}` : describeReport(report);
}

const ABLE: readonly GuardianState[] = ['watching', 'canceling', 'secured'];

/** Whether an active guardian can cancel; null where none is needed or configured. */
export function isGuarded({ exchange, guardian, ledger }: TraderConfig): boolean | null {
  if (exchange?.embedded === true || !guardian.enabled) return null;
  const report = readBeatNow(locateReportFile(ledger.path), reportSchema);
  if (report === null || report === 'unreadable') return false;
  return ABLE.includes(report.state) && !isGone(report.process);
}
