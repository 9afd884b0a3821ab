/** Strategies beside a run: the same whether its journal is read as it grows or when it is over, and no part of it. */

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FIRST_LOOK_MS } from '../../../src/lab/shadow/log-driver.js';
import { BEHIND_MS } from '../../../src/lab/shadow/run-log.js';
import { runShadow, type ShadowOptions, type ShadowResult } from '../../../src/lab/shadow/shadow.js';
import type { RunJournal, Step } from '../../../src/shell/journal/contract.js';
import { Segments } from '../../../src/shell/journal/segments.js';
import { CALM } from '../../simulation/faults.js';
import { traderSettings } from '../../simulation/setting.js';
import { World } from '../../simulation/world.js';
import { newFolder } from '../../support/folders.js';
import { journalOf } from '../parity/simulated-journal.js';
import { MemoryDiary } from '../replay/diary.js';

const LIVED_MS = 70_000;
const never = () => Promise.resolve(false);

let journal: RunJournal;
let steps: readonly Step[];
let options: Omit<ShadowOptions, 'more'>;
let whole: ShadowResult;
const folder = mkdtempSync(join(tmpdir(), 'twinbook-shadow-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A journal on disk with these steps. */
function written(lines: readonly Step[], isOver = true, folder = newFolder()): RunJournal {
  writeFileSync(join(folder, 'observations-000001.ndjson'), lines.map((step) => `${JSON.stringify(step)}\n`).join(''));
  if (isOver) writeFileSync(join(folder, 'end.json'), '{}');
  return { ...journal, folder };
}

beforeAll(async () => {
  const diary = new MemoryDiary();
  const world = new World(3, { ...CALM, clockOffMs: 7_000 }, diary);
  world.pass(LIVED_MS);
  world.command({ kind: 'stop' });
  world.pass(5_000);
  world.close();
  const [only] = diary.runs;
  if (only === undefined) throw new Error('a world has a run');
  journal = journalOf(only);
  steps = only.steps;
  const trader = traderSettings(only.runId);
  options = { trader, fillModels: ['risk-averse'], latency: null, seed: 1, landingMs: 700 };
  whole = await runShadow(written(steps, true, folder), { ...options, more: never });
});

it('quotes what the run looks at, and is filled as a backtest is', () => {
  const [live, shadow] = whole.sides;
  expect(live?.fills).toBeGreaterThan(0);
  expect(shadow?.fills).toBeGreaterThan(0);
  expect(shadow?.ordersPlaced).toBeGreaterThan(10);
  expect(shadow?.twoSidedShare).toBeGreaterThan(0.5);
  const [, session] = whole.sessions;
  expect(session?.notices.filter(({ severity }) => severity === 'loud')).toEqual([]);
  // It sees what the run saw from its first look on, and stops with it.
  expect(session?.fromMs).toBeLessThan(whole.liveRun.fromMs + FIRST_LOOK_MS);
  expect(session?.toMs).toBeGreaterThanOrEqual(whole.liveRun.commands.at(-1)?.atMs ?? Number.POSITIVE_INFINITY);
});

it('is the same beside a run that goes on, of which it sees no more than was written', async () => {
  const run = { ...journal, folder: newFolder() };
  const segments = new Segments(run.folder, 100_000);
  let at = 0;
  let looks: readonly (() => { readonly nowMs: number })[] = [];
  const shownMs: number[] = [];
  const more = async () => {
    for (const look of looks) shownMs.push(look().nowMs - (steps[at - 1]?.observation.nowMs ?? 0));
    for (const step of steps.slice(at, at + 100)) segments.add(JSON.stringify(step));
    at += 100;
    await segments.flush();
    if (at >= steps.length) writeFileSync(join(run.folder, 'end.json'), '{}');
    return true;
  };
  const grown = await runShadow(run, { ...options, more, onStart: (_model, look) => (looks = [...looks, look]) });
  await segments.close();
  expect(grown.sessions).toEqual(whole.sessions);
  expect(shownMs.length).toBeGreaterThan(1);
  // On the clock of the exchange, 7 s behind ours.
  for (const aheadMs of shownMs) expect(aheadMs).toBeLessThan(-BEHIND_MS);
});

it('ends where nobody waits any longer, also in the middle of a line', async () => {
  const part = steps.slice(0, 600);
  const run = written(part, false);
  appendFileSync(join(run.folder, 'observations-000001.ndjson'), JSON.stringify(steps[600]).slice(0, 30));
  const cut = await runShadow(run, { ...options, more: never });
  expect(cut.liveRun.toMs).toBe((part.at(-1)?.observation.nowMs ?? 0) + cut.liveRun.offsetMs);
  expect(cut.sides[1]?.ordersPlaced).toBeGreaterThan(0);
});

it('refuses a journal with a hole, and one in which no book was seen', async () => {
  const holed = written(steps.filter(({ index }) => index !== 100));
  await expect(runShadow(holed, { ...options, more: never })).rejects.toThrow(/step 101 where step 100 is missing/);
  const blind = written(steps.slice(0, 3));
  await expect(runShadow(blind, { ...options, more: never })).rejects.toThrow(/has seen no book of any market/);
});
