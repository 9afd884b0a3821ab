/** An engine whose workers are elsewhere, of whose backtests a part is run here too. */

import { makeSheet, sheetHash } from '../chunks/sheet.js';
import type { Task } from '../contract.js';
import type { EngineWork, Round, SweepEngine } from '../engine.js';
import { listTasks } from '../facts.js';
import { onThreads } from '../threads/threads.js';
import { Audit } from './audit.js';
import { chooseAudited } from './choice.js';

/**
 * Both run side by side, round by round; what differs ends the sweep with TwinbookError `results_differ`.
 *
 * @param fraction above 0, up to 1
 */
export const withAudit =
  (engine: SweepEngine, fraction: number, here: SweepEngine = onThreads): SweepEngine =>
  (work) => {
    const audit = new Audit(work.audits);
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const { watcher } = work;
    const stopAsked = Promise.race([watcher.stopAsked, stopped]);
    const elsewhere = engine({
      ...work,
      watcher: { ...watcher, stopAsked },
      done: (task, outcome, worker) => {
        work.done(task, outcome, worker);
        if (worker !== undefined) audit.ranThere(task, outcome, worker);
      },
    });
    const again = here({
      ...work,
      watcher: { ...watcher, stopAsked, progress: () => undefined },
      done: (task, outcome) => audit.ranHere(task, outcome),
    });
    const run = async (round: Round): Promise<boolean> => {
      const before = audit.compared;
      const tasks = chooseTasks(work, round, fraction, audit);
      const runs = [elsewhere.run(round), again.run({ ...round, tasks })];
      // Whichever fails, or is stopped, ends the other, and neither is left running.
      for (const one of runs) one.then((isComplete) => isComplete || stop(), stop);
      const ended = await Promise.allSettled(runs);
      const failed = ended.find((end) => end.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      const isComplete = ended.every((end) => end.status === 'fulfilled' && end.value);
      if (isComplete) watcher.say(`${audit.compared - before} backtests were the same here as at the workers.`);
      return isComplete;
    };
    const close = async () => void (await Promise.all([elsewhere.close(), again.close()]));
    return { run, close };
  };

/** Those of a round that are yet to be run here; what is stored of them already is known to the audit then. */
function chooseTasks(work: EngineWork, round: Round, fraction: number, audit: Audit): readonly Task[] {
  const { plan, planned, facts, audits, known, watcher } = work;
  const all = listTasks(round.candidates, round.folds, facts.fillModels);
  const chosen = chooseAudited(all, sheetHash(makeSheet(plan, planned)), fraction);
  const tasks = chosen.filter((task) => !audits.isSame(task));
  for (const task of tasks) {
    const [outcome, worker] = [known(task), audits.workerOf(task)];
    if (outcome !== undefined && worker !== null) audit.ranThere(task, outcome, worker);
  }
  watcher.say(`${chosen.length} of ${all.length} backtests are run here too and compared.`);
  return tasks;
}
