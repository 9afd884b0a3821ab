/** State of the guardian from its own file: available while the trader hangs, and afterwards. */

import { isGone } from '../../shared/base/process-mark.js';
import type { TraderConfig } from '../../shell/config/load.js';
import { readBeatNow } from '../../shell/guardian/beat-file.js';
import { describeReport, type GuardianState, locateReportFile, reportSchema } from '../../shell/guardian/contract.js';

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
