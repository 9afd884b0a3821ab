/** Parts of a sweep that any machine can run: one fold and consecutive configurations under all fill models. */

import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../shell/config/hash.js';
import type { Task } from '../contract.js';
import { playSeconds } from '../estimate.js';
import type { SweepFacts } from '../facts.js';
import { eventsIn, foldCount } from '../folds.js';
import type { SweepSheet } from './sheet.js';

/** The events of a fold are decoded once for all of its configurations. */
export interface Chunk {
  /** From 0. */
  readonly fold: number;
  /** Numbers of the first and the last configuration. */
  readonly first: number;
  readonly last: number;
}

/** All chunks of a sweep, fold by fold. A chunk takes `seconds` by `playSeconds`, and has at least one configuration. */
export function makeChunks(
  { search: { candidates }, events, fillModels, assumptions }: SweepFacts,
  seconds: number,
): readonly Chunk[] {
  return Array.from({ length: foldCount(events) }, (_, fold) => {
    const eachSeconds = playSeconds(eventsIn(events, fold)) * fillModels.length * assumptions.repeat;
    const size = Math.max(1, Math.floor(seconds / eachSeconds));
    return Array.from({ length: Math.ceil(candidates.length / size) }, (_part, part) => ({
      fold,
      first: part * size + 1,
      last: Math.min((part + 1) * size, candidates.length),
    }));
  }).flat();
}

/** In the order of the search. */
export const tasksIn = (
  { fold, first, last }: Chunk,
  { candidates, fillModels }: Pick<SweepSheet, 'candidates' | 'fillModels'>,
): readonly Task[] =>
  candidates
    .slice(first - 1, last)
    .flatMap((candidate) => fillModels.map((fillModel) => ({ candidate, fold, fillModel })));

/** Lower-case hex SHA-256 of the sheet and the chunk. */
export const chunkId = (sheetHash: string, chunk: Chunk): string =>
  createHash('sha256').update(canonicalJson({ sheetHash, chunk })).digest('hex');
