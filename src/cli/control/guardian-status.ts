/** What the guardian does, read from the file that it writes: so it can be told while the trader hangs, and afterwards. */

import { isGone } from '../../shared/base/process-mark.js';
import type { TraderConfig } from '../../shell/config/load.js';
import { readBeatNow } from '../../shell/guardian/beat-file.js';
import { describeReport, reportFileOf, reportSchema } from '../../shell/guardian/heartbeat-files.js';

export function guardianStatus({ exchange, guardian, ledger }: TraderConfig): string {
  if (exchange?.embedded === true) return 'none needed: the exchange stops with the trader';
  if (!guardian.enabled) return 'NONE: guardian.enabled is false';
  const report = readBeatNow(reportFileOf(ledger.path), reportSchema);
  if (report === null || report === 'unreadable') return 'NONE';
  return isGone(report.process) ? `NONE, the last one said: ${report.state}, ${report.text}` : describeReport(report);
}
