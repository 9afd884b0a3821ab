/** A sweep on the terminal: its progress, and its printed result. */

import { join, resolve } from 'node:path';
import { count, formatDuration } from '../../../lab/report/figures.js';
import type { SweepProgress, SweepResult, SweepWatcher } from '../../../lab/sweep/contract.js';
import { type Answer, text } from '../../command.js';
import type { CliIo } from '../../output/io.js';
import { writeWhole } from '../../output/whole-file.js';
import type { ProgressLine } from '../progress.js';

export const reportOption = text(
  '--report <file>',
  'write a page with table, parameters and walk-forward, one HTML file',
);

/** The result; writes the page if requested. */
export async function resultAnswer(
  result: SweepResult,
  outDir: string,
  report: string | undefined,
  io: CliIo,
): Promise<Answer> {
  if (report !== undefined) {
    const { sweepHtml } = await import('../../../lab/sweep/html/sweep-html.js');
    writeWhole(resolve(io.cwd, report), sweepHtml(result));
  }
  const { sweepTables } = await import('./sweep-tables.js');
  const places = `results: ${join(outDir, 'sweep.sqlite')}\n${report === undefined ? '' : `page: ${report}\n`}`;
  return { data: result, text: (width) => `${sweepTables(result, width)}${places}` };
}

/** Counted items, and the unit of its speed. */
export type ProgressWords = readonly [tasks: string, parts: string];

export const watcher = (line: ProgressLine, io: CliIo, words: ProgressWords): SweepWatcher => ({
  now: () => performance.now(),
  progress: (progress) =>
    line.show(progress.all === 0 ? 1 : progress.done / progress.all, progressText(progress, words)),
  say: (text) => {
    line.end();
    io.err(`${text}\n`);
  },
  stopAsked: io.stopAsked(),
});

function progressText(
  { phase, done, all, failed, eventsPerS, leftMs }: SweepProgress,
  [tasks, parts]: ProgressWords,
): string {
  if (phase === 'reading') return `reading recordings ${count(done)}/${count(all)}`;
  const speed = eventsPerS === null ? '' : `, ${count(eventsPerS)} ${parts}/s`;
  const left = leftMs === null ? '' : `, ${formatDuration(leftMs)} left`;
  return `${tasks} ${count(done)}/${count(all)}${failed > 0 ? `, ${count(failed)} failed` : ''}${speed}${left}`;
}
