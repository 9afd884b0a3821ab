/** Outcomes of a chunk as text. They may arrive twice and are stored once; a different trace is an error. */

import { hostname } from 'node:os';
import { z } from 'zod';
import { must, TwinbookError } from '../../../shared/base/errors.js';
import type { Task, TaskFigures, TaskOutcome } from '../contract.js';
import type { EngineWork } from '../engine.js';
import { eventsIn } from '../folds.js';
import { type Chunk, tasksIn } from './chunk.js';
import type { SweepSheet } from './sheet.js';

export interface ChunkOutcome {
  readonly task: Task;
  readonly outcome: TaskOutcome;
}

/** The seal of a text proves that a program of this version wrote it: these figures prove that it was not broken. */
const figures = z.looseObject({ resultMicros: z.int(), traceHash: z.string().min(1), eventResults: z.array(z.int()) });
const outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), figures: figures.transform((all) => all as unknown as TaskFigures) }),
  z.object({ kind: z.literal('failed'), error: z.string() }),
]);
/** Outcomes in the order of the chunk's tasks. */
const content = z.object({ worker: z.string().min(1).max(300), outcomes: z.array(outcome) });

export const outcomesText = (all: readonly ChunkOutcome[]): string =>
  JSON.stringify({ worker: `${hostname()}, process ${process.pid}`, outcomes: all.map((one) => one.outcome) });

/** One outcome for each task of the chunk, with one result for each event; null for any other text. */
export function readOutcomes(text: string, chunk: Chunk, sheet: SweepSheet) {
  const read = content.safeParse(JSON.parse(text));
  const tasks = tasksIn(chunk, sheet);
  const events = eventsIn(sheet.settings.events, chunk.fold).length;
  if (!read.success || read.data.outcomes.length !== tasks.length) return null;
  const { worker, outcomes: found } = read.data;
  if (found.some((one) => one.kind === 'done' && one.figures.eventResults.length !== events)) return null;
  return { worker, outcomes: tasks.map((task, at) => ({ task, outcome: must(found[at], 'as many as tasks') })) };
}

/**
 * Stores outcomes that are not stored yet, or failed before. Throws TwinbookError `results_differ` where a backtest that is done
 * has another trace: the same code over the same data gives the same everywhere.
 *
 * @returns how many were stored
 */
export function keepOutcomes(
  outcomes: readonly ChunkOutcome[],
  { known, done }: Pick<EngineWork, 'known' | 'done'>,
  from: string,
): number {
  let kept = 0;
  for (const { task, outcome } of outcomes) {
    const before = known(task);
    if (before === undefined || before.kind === 'failed') {
      if (outcome.kind === 'failed' && before?.error === outcome.error) continue;
      done(task, outcome);
      kept++;
    } else if (outcome.kind === 'done' && outcome.figures.traceHash !== before.figures.traceHash) {
      const { candidate, fold, fillModel } = task;
      throw new TwinbookError(
        'results_differ',
        `${from}: configuration ${candidate.number}, fold ${fold + 1}, ${fillModel} gives another result than before`,
        'A machine is broken, or a strategy is not deterministic: `twinbook strategies test` looks for that.',
      );
    }
  }
  return kept;
}
