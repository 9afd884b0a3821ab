/** A run's journal of all inputs and requests, which suffices to repeat every decision. */

import { execFileSync } from 'node:child_process';
import { constants, mkdirSync, openSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '../../../src/shell/config/load.js';
import { openJournal, Segments } from '../../../src/shell/journal/journal-writer.js';
import { DiskQuota, type RunJournal, type RunStep, readRun, runFolders } from '../../../src/shell/journal/runs.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { endInOrder, folderOf } from '../../support/cases.js';
import { collected } from '../../support/collected.js';
import { resolvable } from '../../support/resolvable.js';
import { profile } from '../../support/venue.js';
import { traderAt } from './trader-at.js';

const place = (more?: string) => {
  const at = traderAt(null, more);
  return { ...at, runs: join(at.folder, 'runs') };
};

function onlyRunOf(dir: string): RunJournal {
  const [run, ...others] = runFolders(dir).map(readRun);
  if (run === undefined || others.length > 0) throw new Error('one run, one journal');
  return run;
}

const stepsOf = (run: RunJournal): Promise<RunStep[]> => collected(run.steps());

/** Ids of requests, and those with an observed outcome. Throws if an outcome has no request or is repeated. */
function paired(steps: readonly RunStep[]): { readonly asked: number; readonly open: number } {
  const open = new Set<number>();
  let asked = 0;
  for (const { observation, requests } of steps) {
    if (observation.kind === 'outcome' && !open.delete(observation.requestId))
      throw new Error(`outcome of request ${observation.requestId}, which is not under way`);
    for (const { id } of requests) open.add(id);
    asked += requests.length;
  }
  return { asked, open: open.size };
}

describe('the journal of a run', () => {
  it('holds each request with its one outcome, and every command and signature', async () => {
    const { start, runs } = place();
    const running = start();
    await running.waitFor(/fill: (buy|sell)/);
    await endInOrder(running);
    expect(running.output()).not.toContain('warning');
    const run = onlyRunOf(runs);
    const steps = await stepsOf(run);
    expect(run.warnings).toEqual([]);
    expect(run.end).toMatchObject({ steps: steps.length, stoppedEarly: null });
    const { asked, open } = paired(steps);
    expect(asked).toBeGreaterThan(20);
    // Requests in flight at the stop.
    expect(open).toBeLessThan(16);
    expect(steps.flatMap(({ signed }) => signed).length).toBeGreaterThan(0);
    expect(steps.some(({ observation }) => observation.kind === 'command')).toBe(true);
  });

  it('holds a large ledger as it was at the start, copied while the trader went on writing', async () => {
    const { folder, start, command, runs } = place('journal: { max_mb: 100 }\nstrategies: [maker.yaml]');
    const ledger = openLedger(join(folder, 'ledger.sqlite'), { pid: process.pid, startedMs: 1 });
    ledger.transaction(() => ledger.setNote('large', 'x'.repeat(25_000_000)));
    ledger.close();
    const running = start();
    await running.waitFor(/quoting \| markets [1-4] of/);
    await endInOrder(running);
    const run = onlyRunOf(runs);
    expect(run.description.ledgerMissing).toBeNull();
    // Repeats all decisions from the journal alone: the command fails when any request differs.
    const { code, output } = await command('replay', run.folder);
    expect(code, output).toBe(0);
    expect(readdirSync(run.folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('of a run that never was is a clear error', () => {
    const { folder, runs } = place();
    expect(() => readRun(join(runs, 'nowhere'))).toThrow(/cannot read the run: ENOENT.*nowhere/);
    writeFileSync(join(folder, 'run.json'), '{"name": "something else"}');
    expect(() => readRun(folder)).toThrow(/run.json does not describe a run \(format: /);
  });
});

type Limits = {
  keptFreeBytes: number;
  closeWithinMs: number;
  beginCopy?: NonNullable<Parameters<typeof openJournal>[0]['beginCopy']>;
};

/** A journal in this process, on its own ledger. */
async function opened(more = '') {
  const { folder, config: file, runs } = place(`${more}\nstrategies: [maker.yaml]`);
  const config = await loadConfig(file, { env: {}, cwd: folder });
  const ledger = openLedger(config.ledger.path, { pid: process.pid, startedMs: 1 });
  onTestFinished(() => ledger.close());
  const said: string[] = [];
  let next = 0;
  /** May change while a journal is open, as a disk fills up. */
  const limits: Limits = { keptFreeBytes: 0, closeWithinMs: 60_000 };
  const open = () => {
    next += 1;
    const facts = { config, version: '0', profile, strategyLimitMs: 250, runId: `run${next}`, startedMs: next };
    return openJournal(Object.assign(limits, { ...facts, ledger, loud: (text: string) => said.push(text) }));
  };
  return { folder, config, ledger, runs, said, limits, open };
}

const time = (nowMs: number) => ({ kind: 'time', nowMs }) as const;

function pauseNineTimes(journal: Awaited<ReturnType<typeof openJournal>>, reason: string): void {
  for (let nowMs = 0; nowMs < 9; nowMs++)
    journal.step({ kind: 'command', nowMs, command: { kind: 'pause', reason } }, [], null);
}

describe('a journal that cannot go on', () => {
  it('says so once, keeps what it had, and takes what comes in silence', async () => {
    const { runs, said, open } = await opened();
    const journal = await open();
    symlinkSync('/dev/full', join(runs, 'run1', 'observations-000001.ndjson'));
    expect(journal.ended).toBeNull();
    journal.step(time(1), [], null);
    await vi.waitFor(() => expect(said).toHaveLength(1), 5000);
    expect(journal.ended).toMatch(/ENOSPC/);
    expect(said[0]).toMatch(/the journal of this run ends here, but trading continues: ENOSPC/);
    for (let at = 2; at < 50; at++) journal.step(time(at), [], null);
    await journal.close();
    expect(said).toHaveLength(1);
    expect(readRun(join(runs, 'run1')).end).toMatchObject({ stoppedEarly: expect.stringMatching(/ENOSPC/) });
  });

  it('does not copy a ledger that is too large, and says that such a run cannot be replayed', async () => {
    const { ledger, runs, said, open } = await opened('journal: { max_mb: 10 }');
    ledger.transaction(() => ledger.setNote('large', 'x'.repeat(6_000_000)));
    const journal = await open();
    journal.step(time(1), [], null);
    await journal.close();
    expect(said).toEqual([expect.stringMatching(/this run cannot be replayed: the ledger \(\d+ MB\) is too large/)]);
    const run = readRun(join(runs, 'run1'));
    expect(run.ledgerFile).toBeNull();
    expect(await stepsOf(run)).toHaveLength(1);
  });

  it('ends when its run alone has used up the room', async () => {
    const { runs, said, open } = await opened('journal: { max_mb: 10 }');
    const journal = await open();
    // Random enough to be incompressible, large enough to matter.
    const parts = Array.from({ length: 200_000 }, (_, i) => ((i * 2_654_435_761) % 4_294_967_296).toString(36));
    pauseNineTimes(journal, parts.join(''));
    await vi.waitFor(() => expect(said).toHaveLength(1), 10_000);
    expect(said[0]).toContain('this run alone has reached journal.max_mb (10 MB)');
    await journal.close();
    expect((await stepsOf(readRun(join(runs, 'run1')))).map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

it('a run whose ledger is not copied yet says so itself: this is what a kill would leave', async () => {
  const { ledger, runs, limits, open } = await opened('journal: { max_mb: 100 }');
  ledger.transaction(() => ledger.setNote('large', 'x'.repeat(25_000_000)));
  const [done, copied] = resolvable();
  const run = () => readRun(join(runs, 'run1'));
  limits.beginCopy = async () => ({ done, hurry: copied, before: run() });
  const journal = await open();
  expect(run()).toMatchObject({
    description: { ledgerMissing: 'the run ended before its ledger was copied' },
    ledgerFile: null,
  });
  // A waiting copy is made at once when a run ends.
  await journal.close();
  expect(run().description.ledgerMissing).toBeNull();
});

/** More than the size of any disk. */
const ALL = 1e18;

describe('a journal on a disk that the ledger needs', () => {
  it('is not begun when the disk has no more than what is to stay free', async () => {
    const { runs, said, limits, open } = await opened();
    limits.keptFreeBytes = ALL;
    mkdirSync(join(runs, 'run1'), { recursive: true });
    // Room is made before the first write, which a full disk refuses.
    symlinkSync('/dev/full', join(runs, 'run1', 'run.json.part'));
    const journal = await open();
    journal.step(time(1), [], null);
    await journal.close();
    expect(said).toEqual([expect.stringMatching(/no journal.*: less than 1000000000000 MB would be left free/)]);
    expect(journal.ended).toMatch(/^less than 1000000000000 MB would be left free/);
    expect(readdirSync(runs)).toEqual([]);
  });

  it('gives up its oldest runs first, then ends, and is whole up to there', async () => {
    const { runs, said, limits, open } = await opened();
    await (await open()).close();
    const second = await open();
    second.step(time(1), [], null);
    limits.keptFreeBytes = ALL;
    await vi.waitFor(() => expect(said).toHaveLength(1), 10_000);
    expect(said[0]).toMatch(
      /the journal of this run ends here, but trading continues: less than .* would be left free/,
    );
    second.step(time(2), [], null);
    await second.close();
    expect(runFolders(runs)).toEqual([join(runs, 'run2')]);
    const run = readRun(join(runs, 'run2'));
    expect(await stepsOf(run)).toHaveLength(1);
    expect(run.end).toMatchObject({ stoppedEarly: expect.stringContaining('left free') });
    expect(said).toHaveLength(1);
  });
});

/** A file whose opening blocks, as on a disk that does not answer, until the test is over. */
function unanswered(path: string): void {
  execFileSync('mkfifo', [path]);
  // Left open: the writer continues, and this must not wait for a missing one.
  onTestFinished(() => void openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
}

describe('a journal on a disk that does not answer', () => {
  it('is not waited for without end when the trader stops', async () => {
    const { runs, said, limits, open } = await opened();
    limits.closeWithinMs = 100;
    const journal = await open();
    unanswered(join(runs, 'run1', 'observations-000001.ndjson'));
    journal.step(time(1), [], null);
    await journal.close();
    expect(said).toEqual([expect.stringMatching(/ends here, but trading continues: the disk does not answer/)]);
  });

  it('does not keep a trader that was stopped from ending', async () => {
    const { start, runs } = place();
    const running = start();
    await running.waitFor(/quoting \| markets [1-4] of/);
    unanswered(join(runFolders(runs)[0] ?? '', 'end.json'));
    running.process.kill('SIGTERM');
    // Killed: only its threads are left, waiting for the disk.
    expect(await running.exited).toBeNull();
    expect(running.output()).toMatch(/trading continues: the disk does not answer/);
    expect(running.output()).toMatch(/its exit code would be 0\n$/);
  });

  it('does not hold the trader up when too much waits for it', async () => {
    const { runs, said, limits, open } = await opened();
    limits.closeWithinMs = 100;
    const journal = await open();
    unanswered(join(runs, 'run1', 'end.json'));
    pauseNineTimes(journal, 'x'.repeat(10_000_000));
    expect(said).toEqual([expect.stringContaining('the disk is too slow for the journal')]);
    await journal.close();
    expect(said).toHaveLength(1);
  });
});

describe('what a journal holds', () => {
  it('reads back as it was given, over many segments', async () => {
    const { folder } = place();
    const segments = new Segments(folder, 1000);
    const given: object[] = [];
    for (let index = 0; index < 200; index++) {
      const step = { index, observation: time(index), requests: [], timedOut: [], signed: [], failure: null };
      given.push(step);
      segments.add(JSON.stringify(step));
      if (index % 7 === 0) await segments.flush();
    }
    await segments.close();
    expect(readdirSync(folder).filter((name) => name.endsWith('.ndjson.gz')).length).toBeGreaterThan(5);
    expect(readdirSync(folder).filter((name) => /\.(ndjson|part)$/.test(name))).toEqual([]);
    const told = { format: 1, runId: 'x', startedMs: 1, strategies: [], ledgerMissing: 'it is a test' };
    writeFileSync(join(folder, 'run.json'), JSON.stringify(told));
    // As a full disk leaves it.
    writeFileSync(join(folder, 'end.json'), '');
    expect(readRun(folder).end).toBeNull();
    expect(await stepsOf(readRun(folder))).toEqual(given);

    // A lost segment is not skipped.
    const run = readRun(folder);
    writeFileSync(
      join(folder, 'observations-000003.ndjson.gz'),
      readFileSync(join(folder, 'observations-000004.ndjson.gz')),
    );
    await expect(stepsOf(run)).rejects.toThrow(/is missing/);
  });

  it('names the calls into strategies that were cut short, and the signatures, step by step', async () => {
    const { runs, open } = await opened();
    const { boundedCall } = await import('../../../src/shell/runtime/loop.js');
    const journal = await open();
    const call = journal.boundedCall(boundedCall(500));
    const signer = journal.signer({ sign: (intentId) => ({ ok: false, reason: `not ${intentId}` }) });
    const endless = () => {
      for (;;);
    };
    expect(call(() => 1)).toBe(1);
    expect(() => call(endless)).toThrow(/^took longer than 500 ms$/);
    expect(() =>
      call(() => {
        throw new TypeError('its own');
      }),
    ).toThrow(TypeError);
    signer.sign('a');
    journal.step(time(1), [], null);
    expect(() => call(endless)).toThrow();
    journal.step(time(2), [], null);
    journal.step(time(3), [], new Error('the ledger is broken'));
    await journal.close();
    const steps = await stepsOf(readRun(join(runs, 'run1')));
    expect(steps.map(({ timedOut, signed, failure }) => ({ timedOut, signed, failure }))).toEqual([
      { timedOut: [1], signed: [{ intentId: 'a', answer: { ok: false, reason: 'not a' } }], failure: null },
      { timedOut: [0], signed: [], failure: null },
      { timedOut: [], signed: [], failure: 'the ledger is broken' },
    ]);
  });
});

it('room for a ledger’s runs is made by removing its oldest, never the own one or those of another ledger', async () => {
  const run = (id: string, startedMs: number, ledgerPath: string) => ({
    [`${id}/run.json`]: JSON.stringify({ startedMs, ledgerPath }),
    [`${id}/observations-000001.ndjson`]: 'x'.repeat(1000),
  });
  const runs = folderOf({ ...run('z', 1, 'L'), ...run('other', 0, 'M'), ...run('a', 2, 'L'), ...run('own', 3, 'L') });
  const left = () => runFolders(runs).map((path) => path.slice(runs.length + 1));
  const room = new DiskQuota(runs, join(runs, 'own'), 'L');
  expect([room.make(1000, 10_000, 0), left()]).toEqual([true, ['other', 'z', 'a', 'own']]);
  expect([room.make(1000, 2500, 0), left()]).toEqual([true, ['other', 'a', 'own']]);
  expect([room.make(1000, 10_000, -1), left()]).toEqual([true, ['other', 'own']]);
  expect([room.make(1000, 10_000, -1), left()]).toEqual([false, ['other', 'own']]);
});
