/** The journal of a simulated trader's run, in the form in which it is read from disk. */

import { VERSION } from '../../../src/shell/config/shipped.js';
import type { RunDescription, RunJournal } from '../../../src/shell/journal/runs.js';
import { traderSettings } from '../../simulation/setting.js';
import type { KeptRun } from '../replay/diary.js';

export function journalOf(run: KeptRun): RunJournal {
  const { boundedCall: _, findModule: __, feeds = [], strategies, ...settings } = traderSettings(run.runId);
  const description: RunDescription = {
    ...settings,
    feeds,
    format: 1,
    version: VERSION,
    configFile: '',
    ledgerPath: '',
    startedMs: run.startedMs,
    strategyLimitMs: 250,
    ledgerMissing: 'simulated',
    strategies: strategies.map(({ module, moduleKey = '', ...strategy }): RunDescription['strategies'][number] => ({
      ...strategy,
      moduleKey,
      file: '',
      moduleName: module.name,
    })),
  };
  async function* steps() {
    yield* run.steps;
  }
  return { folder: '/simulated', description, ledgerFile: null, end: null, warnings: [], steps };
}
