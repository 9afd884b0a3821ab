/** What came of a chunk, as text that says whether it is whole: a head, a line for each backtest, and their checksum. */

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { z } from 'zod';
import { VERSION } from '../../../shell/config/version.js';
import type { Task, TaskOutcome } from '../contract.js';
import { eventsIn } from '../folds.js';
import type { TaskSettings } from '../task.js';
import { type Chunk, tasksIn } from './chunk.js';

export interface ChunkOutcome {
  readonly task: Task;
  readonly outcome: TaskOutcome;
}

const sum = z.object({ sharesMicros: z.number(), gainMicros: z.number() });
const figures = z.object({
  resultMicros: z.int(),
  maxDrawdownMicros: z.number(),
  fills: z.int().nonnegative(),
  turnoverMicros: z.number(),
  feesMicros: z.number(),
  twoSidedShare: z.number().nullable(),
  requests: z.int().nonnegative(),
  alarms: z.int().nonnegative(),
  played: z.int().nonnegative(),
  traceHash: z.string().min(1),
  crossing: z
    .object({
      filledMicros: z.number(),
      unfilledMicros: z.number(),
      unfilledOrders: z.number(),
      crossedMs: z.number(),
      after5s: sum,
      after60s: sum,
    })
    .nullable(),
  eventResults: z.array(z.int()),
  runs: z.array(z.object({ seed: z.int(), resultMicros: z.int(), fills: z.int(), traceHash: z.string().min(1) })),
});
const line = z.object({
  number: z.int(),
  fold: z.int(),
  fillModel: z.string(),
  outcome: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('done'), figures }),
    z.object({ kind: z.literal('failed'), error: z.string() }),
  ]),
});
const head = z.object({
  format: z.literal(1),
  version: z.string(),
  id: z.string(),
  tasks: z.int(),
  /** Who ran it. */
  worker: z.string().min(1).max(300),
});
const foot = z.object({ sha256: z.string() });

/** This process as others are told of it. */
const thisWorker = (): string => `${hostname()}, process ${process.pid}`;

/**
 * @param id of the chunk (`chunkId`)
 * @param worker who ran it
 */
export function outcomesText(id: string, outcomes: readonly ChunkOutcome[], worker = thisWorker()): string {
  const lines = outcomes.map(({ task: { candidate, fold, fillModel }, outcome }) =>
    JSON.stringify({ number: candidate.number, fold, fillModel, outcome }),
  );
  const first = JSON.stringify({ format: 1, version: VERSION, id, tasks: outcomes.length, worker });
  const text = [first, ...lines, ''].join('\n');
  return `${text}${JSON.stringify({ sha256: checksum(text) })}\n`;
}

/** `foreign`: whole, but of another chunk or another version. `broken`: cut or changed. */
export type OutcomesRead =
  | { readonly kind: 'whole'; readonly outcomes: readonly ChunkOutcome[]; readonly worker: string }
  | { readonly kind: 'broken' | 'foreign'; readonly why: string };

/** What came of this chunk, if the text says so: exactly its tasks, in their order, each with a result for each event. */
export function readOutcomes(
  text: string,
  id: string,
  chunk: Chunk,
  { fillModels, settings }: { readonly fillModels: readonly string[]; readonly settings: Pick<TaskSettings, 'events'> },
): OutcomesRead {
  const lines = text.split('\n').slice(0, -1);
  const last = foot.safeParse(parseJson(lines.at(-1)));
  const body = lines.slice(0, -1);
  if (!last.success || last.data.sha256 !== checksum(`${body.join('\n')}\n`)) {
    return { kind: 'broken', why: 'it is cut or was changed' };
  }
  const first = head.safeParse(parseJson(body[0]));
  if (!first.success) return { kind: 'broken', why: 'its first line is not that of a chunk' };
  if (first.data.version !== VERSION) {
    return { kind: 'foreign', why: `Twinbook ${first.data.version} made it, this is ${VERSION}` };
  }
  if (first.data.id !== id) return { kind: 'foreign', why: 'it is of another plan' };
  const tasks = tasksIn(chunk, fillModels);
  if (tasks.length !== body.length - 1) return { kind: 'broken', why: `it has not ${tasks.length} backtests` };
  const events = eventsIn(settings.events, chunk.fold).length;
  const outcomes: ChunkOutcome[] = [];
  for (const [index, task] of tasks.entries()) {
    const read = line.safeParse(parseJson(body[index + 1]));
    if (!read.success || !matchesTask(task, read.data))
      return { kind: 'broken', why: `its line ${index + 2} is no result` };
    const { outcome } = read.data;
    if (outcome.kind === 'done' && outcome.figures.eventResults.length !== events) {
      return { kind: 'broken', why: `its line ${index + 2} has not a result for each of ${events} events` };
    }
    outcomes.push({ task, outcome });
  }
  return { kind: 'whole', outcomes, worker: first.data.worker };
}

const matchesTask = ({ candidate, fold, fillModel }: Task, read: z.infer<typeof line>): boolean =>
  candidate.number === read.number && fold === read.fold && fillModel === read.fillModel;

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex');

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}
