/** Runs a part of the backtests that job arrays brought a second time here, before they are stored. */

import { type FolderPlan, readChunk } from '../chunks/folder.js';
import type { ChunkOutcome } from '../chunks/outcomes-file.js';
import { ChunkRunner, type RunnerPlace } from '../chunks/runner.js';
import { sheetHash } from '../chunks/sheet.js';
import { makeHeader } from '../facts.js';
import { openStore } from '../results/store.js';
import { Audit } from './audit.js';
import { chooseAudited } from './choice.js';

export interface ChunkAudit {
  /** Above 0, up to 1. */
  readonly fraction: number;
  readonly place: RunnerPlace;
  readonly stopAsked: Promise<void>;
}

/**
 * Of the chunks that are there and whole. Backtests that were the same before are not run again. Throws TwinbookError
 * `results_differ` where one is not, `config_invalid` or `recording_invalid` where this machine has others than were planned with.
 *
 * @returns how many were run and the same; null when it was asked to stop before
 */
export async function auditChunks(
  dir: string,
  plan: FolderPlan,
  outDir: string,
  { fraction, place, stopAsked }: ChunkAudit,
): Promise<number | null> {
  const store = openStore(outDir);
  let runner: ChunkRunner | null = null;
  try {
    store.begin(makeHeader(plan.facts, 'either'));
    const audit = new Audit(store.audits);
    const found: ChunkOutcome[] = [];
    for (const index of plan.chunks.keys()) {
      const read = readChunk(dir, plan, index);
      if (read?.kind !== 'whole') continue;
      for (const { task, outcome } of read.outcomes) {
        if (!store.audits.isSame(task)) audit.ranThere(task, outcome, read.worker);
        found.push({ task, outcome });
      }
    }
    const chosen = chooseAudited(
      found.map(({ task }) => task),
      sheetHash(plan.sheet),
      fraction,
    );
    const tasks = chosen.filter((task) => !store.audits.isSame(task));
    if (tasks.length === 0) return 0;
    runner = await ChunkRunner.open(plan.sheet, place);
    for (const fold of new Set(tasks.map((task) => task.fold))) {
      const ofFold = tasks.filter((task) => task.fold === fold);
      const done = audit.ranHere.bind(audit);
      if (!(await runner.runTasks(fold, { tasks: ofFold, done, stopAsked }))) return null;
    }
    return audit.compared;
  } finally {
    await runner?.close();
    store.close();
  }
}
