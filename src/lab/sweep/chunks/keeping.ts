/** Outcomes that may come twice are kept once; two that differ are an alarm. */

import { TwinbookError } from '../../../shared/base/errors.js';
import type { TaskOutcome } from '../contract.js';
import type { EngineWork } from '../engine.js';
import type { ChunkOutcome } from './outcomes-file.js';

/**
 * Stores what is not known yet, or failed before. Throws TwinbookError `results_differ` where a backtest that is done has
 * another trace: the same code over the same data gives the same everywhere, so a machine or a strategy is broken.
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
      if (isSame(before, outcome)) continue;
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

const isSame = (before: TaskOutcome | undefined, outcome: TaskOutcome): boolean =>
  before?.kind === 'failed' && outcome.kind === 'failed' && before.error === outcome.error;
