/** Runs the chunk of a job, or refuses it because this machine has another configuration or other recordings. */

import { z } from 'zod';
import { TwinbookError } from '../../../shared/base/errors.js';
import type { QueueWork } from '../../../shell/queue/job-worker.js';
import { ChunkRunner, OtherVersion, outcomesText, type RunnerPlace, readSheet } from '../chunks/chunk.js';

const job = z.object({
  sheet: z.string(),
  chunk: z.object({ fold: z.int().nonnegative(), first: z.int().positive(), last: z.int().positive() }),
});

/** @param takeTimeZone sets the time zone of this process */
export function openChunkWorker(
  place: RunnerPlace,
  takeTimeZone: (name: string) => void,
  say: (text: string) => void,
): { readonly handle: QueueWork['handle']; readonly close: () => Promise<void> } {
  let ready: { readonly hash: string; readonly runner: ChunkRunner } | null = null;
  const close = async () => {
    await ready?.runner.close();
    ready = null;
  };
  const open = async (hash: string, text: string | null): Promise<ChunkRunner> => {
    await close();
    const hint = 'The sweep has ended or its queue was emptied: start the sweep again.';
    if (text === null) throw new TwinbookError('queue_unusable', 'the sheet of its sweep is not there', hint);
    const sheet = readSheet(text, hash);
    takeTimeZone(sheet.timeZone);
    const runner = await ChunkRunner.open(sheet, place);
    ready = { hash, runner };
    return runner;
  };
  const handle: QueueWork['handle'] = async (data, document) => {
    const read = job.safeParse(data);
    if (!read.success) return { kind: 'foreign', why: 'it is no job of a sweep of this version' };
    const { sheet, chunk } = read.data;
    try {
      const runner = ready?.hash === sheet ? ready.runner : await open(sheet, await document(sheet));
      // A worker finishes its chunk before it stops.
      const outcomes = (await runner.run(chunk, new Promise(() => undefined))) ?? [];
      const failed = outcomes.filter(({ outcome }) => outcome.kind === 'failed').length;
      const what = `fold ${chunk.fold + 1}, configurations ${chunk.first} to ${chunk.last}`;
      say(`${what}: ${outcomes.length} backtests, ${failed} failed`);
      return { kind: 'done', text: outcomesText(outcomes) };
    } catch (error) {
      if (error instanceof OtherVersion) return { kind: 'foreign', why: error.message };
      if (error instanceof TwinbookError && error.code !== 'queue_unusable') return { kind: 'refused', error };
      throw error;
    }
  };
  return { handle, close };
}
