/** A part of what workers bring is run here too: what differs names worker and task, is marked, and is run again. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseAudited } from '../../../src/lab/sweep/audit/choice.js';
import { withAudit } from '../../../src/lab/sweep/audit/with-audit.js';
import type { Task, TaskOutcome } from '../../../src/lab/sweep/contract.js';
import type { SweepEngine } from '../../../src/lab/sweep/engine.js';
import { runSweep } from '../../../src/lab/sweep/sweep.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { engineThat, figuresOf } from './made-up.js';
import { record, type SweepPlace, sweepPlace, sweepPlan, watching } from './place.js';

let place: SweepPlace;
beforeAll(async () => {
  place = sweepPlace();
  await record(place.data, { events: 2 });
});
afterAll(() => place.remove());

const truth = ({ candidate }: Task): TaskOutcome => ({ kind: 'done', figures: figuresOf([candidate.number]) });
const lie = ({ candidate }: Task): TaskOutcome => ({ kind: 'done', figures: figuresOf([-candidate.number]) });

/** Workers of two machines take turns; the second one lies about what it is told to. Says which tasks were sent. */
function workers(isLie: (task: Task) => boolean, sent: Task[] = []): SweepEngine {
  return engineThat(async ({ tasks }, { done }) => {
    for (const [at, task] of tasks.entries()) {
      sent.push(task);
      await Promise.resolve();
      if (at % 2 === 0) done(task, truth(task), 'sound, process 1');
      else done(task, isLie(task) ? lie(task) : truth(task), `broken, process ${at}`);
    }
    return true;
  });
}

const here = engineThat(async ({ tasks }, { done }) => {
  for (const task of tasks) {
    await Promise.resolve();
    done(task, truth(task));
  }
  return true;
});

const rowsOf = (outDir: string, sql: string): unknown[] => {
  const db = new SqliteDriver(join(outDir, 'sweep.sqlite'), { readonly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
};

async function sweep(engine: SweepEngine, outDir: string, resume = false) {
  const plan = await sweepPlan(place, { params: ['behind_ticks=0:3:1'], folds: 2, outDir, resume });
  const told = watching();
  return { ...(await runSweep(plan, told.watcher, engine)), said: told.said };
}

describe('the choice of what is run twice', () => {
  const tasks = Array.from({ length: 4000 }, (_, at) => ({
    candidate: { number: at, values: [], hash: '' },
    fold: at % 3,
    fillModel: at % 2 === 0 ? 'a' : 'b',
  }));

  it('is the same every time, grows with the fraction, is about that part, and never nothing', () => {
    const [some, more] = [chooseAudited(tasks, 'sheet', 0.05), chooseAudited(tasks, 'sheet', 0.2)];
    expect(chooseAudited([...tasks].reverse(), 'sheet', 0.05).reverse()).toEqual(some);
    expect(more).toEqual(expect.arrayContaining(some));
    expect(some.length / tasks.length).toBeCloseTo(0.05, 1);
    expect(more.length / tasks.length).toBeCloseTo(0.2, 1);
    expect(chooseAudited(tasks, 'sheet', 1)).toEqual(tasks);
    expect(chooseAudited(tasks, 'another', 0.05)).not.toEqual(some);
    expect(chooseAudited(tasks, 'sheet', 1e-12)).toHaveLength(1);
  });
});

describe('an audited sweep', () => {
  it('is one like any other where all is the same, and says how many were compared', async () => {
    const outDir = mkdtempSync(join(tmpdir(), 'twinbook-audit-'));
    const { isComplete, said } = await sweep(
      withAudit(
        workers(() => false),
        0.4,
        here,
      ),
      outDir,
    );
    expect(isComplete).toBe(true);
    const same = rowsOf(outDir, `SELECT * FROM audits WHERE state = 'same'`).length;
    expect(said).toEqual([
      `${same} of 16 backtests are run here too and compared.`,
      `${same} backtests were the same here as at the workers.`,
    ]);
    expect(same).toBeGreaterThan(0);
    expect(same).toBeLessThan(16);
    rmSync(outDir, { recursive: true });
  });

  it('ends with an alarm that names worker and backtest, marks what else that machine brought, and runs it again', async () => {
    const outDir = mkdtempSync(join(tmpdir(), 'twinbook-audit-'));
    const sent: Task[] = [];
    let lies = 0;
    const isLie = () => ++lies === 3;
    // What runs here begins once the workers are done: then everything of them is there to be marked.
    const late = engineThat(async (round, work) => {
      for (let turn = 0; turn < 40; turn++) await Promise.resolve();
      return here(work).run(round);
    });
    await expect(sweep(withAudit(workers(isLie, sent), 1, late), outDir)).rejects.toMatchObject({
      code: 'results_differ',
      message: expect.stringMatching(
        /^configuration 2, fold 1, power:3: broken, process 5 gave the trace -2, here it gave the trace 2; this row and \d+ others of that machine are marked/,
      ),
    });
    expect(sent).toHaveLength(16);
    expect(
      rowsOf(outDir, "SELECT configuration, fold, fill_model, worker, trace_hash FROM audits WHERE state = 'differs'"),
    ).toEqual([{ configuration: 2, fold: 0, fill_model: 'power:3', worker: 'broken, process 5', trace_hash: '2' }]);
    const suspects = rowsOf(outDir, `SELECT worker FROM audits WHERE state = 'suspect'`);
    expect(suspects.length).toBeGreaterThan(0);
    expect(suspects.every((row) => String((row as { worker: string }).worker).startsWith('broken, '))).toBe(true);
    const again: Task[] = [];
    const { isComplete, result } = await sweep(
      withAudit(
        workers(() => false, again),
        1,
        here,
      ),
      outDir,
      true,
    );
    expect(isComplete).toBe(true);
    expect(again).toHaveLength(1 + suspects.length);
    expect(result.counts).toMatchObject({ done: 4, failed: 0, unfinished: 0 });
    expect(rowsOf(outDir, 'SELECT DISTINCT state FROM audits')).toEqual([{ state: 'same' }]);
    expect(rowsOf(outDir, 'SELECT count(*) AS rows FROM results WHERE result_micros < 0')).toEqual([{ rows: 0 }]);
    rmSync(outDir, { recursive: true });
  });

  it('ends the workers where something differs, and what runs here where they fail', async () => {
    const outDir = mkdtempSync(join(tmpdir(), 'twinbook-audit-'));
    let stopped = 0;
    /** Works on until it is stopped. */
    const endless = (engine: SweepEngine) =>
      engineThat(async (round, work) => {
        await engine(work).run(round);
        await work.watcher.stopAsked;
        stopped++;
        return false;
      });
    await expect(sweep(withAudit(endless(workers(() => true)), 1, here), outDir)).rejects.toMatchObject({
      code: 'results_differ',
    });
    const failing = engineThat(() => Promise.reject(new Error('no queue')));
    await expect(
      sweep(withAudit(failing, 1, endless(engineThat(() => Promise.resolve(true)))), outDir, true),
    ).rejects.toThrow('no queue');
    expect(stopped).toBe(2);
    rmSync(outDir, { recursive: true });
  });
});
