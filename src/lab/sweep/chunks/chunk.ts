/** A sweep in parts that are run anywhere: a fold and consecutive configurations under all fill models. */

import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../shell/config/hash.js';
import type { Candidate, Task } from '../contract.js';
import { playSeconds } from '../estimate.js';
import type { SweepFacts } from '../facts.js';
import { eventsIn, foldCount } from '../folds.js';

/** The events of a fold are decoded once for all of its configurations. */
export interface Chunk {
  /** From 0. */
  readonly fold: number;
  /** In the order of the search. */
  readonly candidates: readonly Candidate[];
}

/**
 * All chunks of a sweep, the same for the same question: fold by fold.
 *
 * @param seconds of one core that a chunk is to take by `playSeconds`; it holds one configuration at least
 */
export function makeChunks(
  { search: { candidates }, events, fillModels, assumptions }: SweepFacts,
  seconds: number,
): readonly Chunk[] {
  return Array.from({ length: foldCount(events) }, (_, fold) => {
    const eachSeconds = playSeconds(eventsIn(events, fold)) * fillModels.length * assumptions.repeat;
    const size = Math.max(1, Math.floor(seconds / eachSeconds));
    const parts = Math.ceil(candidates.length / size);
    return Array.from({ length: parts }, (_part, part) => ({
      fold,
      candidates: candidates.slice(part * size, (part + 1) * size),
    }));
  }).flat();
}

/** In the order of the search. */
export const tasksIn = ({ fold, candidates }: Chunk, fillModels: readonly string[]): readonly Task[] =>
  candidates.flatMap((candidate) => fillModels.map((fillModel) => ({ candidate, fold, fillModel })));

/** Lower-case hex SHA-256: what is run, whoever runs it. */
export const chunkId = (sheetHash: string, chunk: Chunk): string =>
  createHash('sha256').update(canonicalJson({ sheetHash, chunk })).digest('hex');
