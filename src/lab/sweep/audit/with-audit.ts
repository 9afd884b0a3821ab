/** An engine whose workers are elsewhere, of whose backtests a part is run here too. */

import { makeSheet, sheetHash } from '../chunks/sheet.js';
import type { EngineWork, SweepEngine } from '../engine.js';
import { listTasks } from '../facts.js';
import { onThreads } from '../threads/threads.js';
import { Audit } from './audit.js';
import { chooseAudited } from './choice.js';

/**
 * Both run side by side; what differs ends the sweep with TwinbookError `results_differ`.
 *
 * @param fraction above 0, up to 1
 */
export const withAudit =
  (engine: SweepEngine, fraction: number, here: SweepEngine = onThreads): SweepEngine =>
  async (work) => {
    const { facts, audits, known, watcher } = work;
    const audit = new Audit(audits);
    const chosen = chooseAudited(listTasks(facts), sheetHash(makeSheet(work.plan, work.planned)), fraction);
    const tasks = chosen.filter((task) => !audits.isSame(task));
    for (const task of tasks) {
      const [outcome, worker] = [known(task), audits.workerOf(task)];
      if (outcome !== undefined && worker !== null) audit.ranThere(task, outcome, worker);
    }
    watcher.say(`${chosen.length} of ${listTasks(facts).length} backtests are run here too and compared.`);
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const stopAsked = Promise.race([watcher.stopAsked, stopped]);
    const elsewhere: EngineWork = {
      ...work,
      watcher: { ...watcher, stopAsked },
      done: (task, outcome, worker) => {
        work.done(task, outcome, worker);
        if (worker !== undefined) audit.ranThere(task, outcome, worker);
      },
    };
    const quiet = { ...watcher, stopAsked, progress: () => undefined };
    const again: EngineWork = { ...work, tasks, watcher: quiet, done: (task, outcome) => audit.ranHere(task, outcome) };
    const runs = [engine(elsewhere), here(again)];
    // Whichever fails, or is stopped, ends the other, and neither is left running.
    for (const run of runs) run.then((isComplete) => isComplete || stop(), stop);
    const ended = await Promise.allSettled(runs);
    const failed = ended.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const isComplete = ended.every((end) => end.status === 'fulfilled' && end.value);
    if (isComplete) watcher.say(`${audit.compared} backtests were the same here as at the workers.`);
    return isComplete;
  };
