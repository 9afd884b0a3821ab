/** Replays a run from its folder, on a copy of its starting ledger in memory. */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import type { RunJournal } from '../../shell/journal/runs.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { openMemoryLedger } from '../../trader/ledger/ledger.js';
import type { Strategy } from '../../trader/strategy/contract.js';
import { type ReplayedTrader, type ReplayLook, type ReplayResult, replay } from './replay.js';
import type { NamedCode, RunCode } from './run-code.js';

export interface ReplayOptions {
  readonly trader: ReplayedTrader;
  /** Finds the code of the run's configuration changes. */
  readonly code: RunCode;
  /** Called with the replay's final ledger, right before it is dropped. */
  readonly ledgerAtEnd?: (ledger: Ledger) => void;
  readonly look?: ReplayLook;
}

/** Throws TwinbookError `recording_invalid` for a run without its starting ledger, and for a damaged journal. */
export async function replayRun(run: RunJournal, options: ReplayOptions): Promise<ReplayResult> {
  const { trader, code, ledgerAtEnd, look } = options;
  const { startedMs, strategyLimitMs } = run.description;
  const ledger = startingLedger(run);
  try {
    const findModule = await configuredModules(run, code);
    const result = await replay({
      trader: { ...trader, findModule },
      startedMs,
      strategyLimitMs,
      ledger,
      steps: run.steps(),
      ...(look === undefined ? {} : { look }),
    });
    ledgerAtEnd?.(ledger);
    return result;
  } finally {
    ledger.close();
  }
}

/** Code of the run's configuration changes. */
async function configuredModules(run: RunJournal, code: RunCode): Promise<(key: string) => Strategy | null> {
  const modules = new Map<string, Strategy>();
  for await (const { observation } of run.steps()) {
    if (observation.kind !== 'command' || observation.command.kind !== 'configure') continue;
    const { settings } = JSON.parse(observation.command.config) as { settings: { strategies: readonly NamedCode[] } };
    for (const strategy of settings.strategies) modules.set(strategy.moduleKey, (await code.find(strategy)).module);
  }
  return (key) => modules.get(key) ?? null;
}

/** In memory; the caller closes it. */
export function startingLedger({ folder, ledgerFile, description }: RunJournal): Ledger {
  if (ledgerFile === null) {
    const why = description.ledgerMissing ?? 'the copy of its starting ledger is not in its folder any more';
    const hint = 'Its steps are there to be read, but what it began with is not known.';
    throw new TwinbookError('recording_invalid', `run ${basename(folder)} cannot be replayed: ${why}`, hint);
  }
  return openMemoryLedger(readFileSync(ledgerFile));
}
