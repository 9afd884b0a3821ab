import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepTables } from '../../src/cli/lab/sweep.js';
import { record, type SweepPlace, sweepPlace } from '../lab/sweep/place.js';
import { optimiseThreadsLate } from '../support/late-optimising.js';
import { run } from './run.js';
import { findTooWide } from './too-wide.js';

optimiseThreadsLate();

let place: SweepPlace;

beforeAll(async () => {
  place = sweepPlace();
  await record(place.data, { events: 2 });
});
afterAll(() => place.remove());

const never = () => new Promise<void>(() => undefined);
const swept = (args: readonly string[], stopAsked = never) =>
  run(['sweep', '-c', 'trader.yaml', '--data', 'recordings', ...args], { cwd: place.folder, stopAsked });

describe('twinbook sweep', () => {
  it('prints a table, writes the page and the database, and prints the same as JSON when it is asked again', async () => {
    const question = ['--param', 'behind_ticks=0:1:1', '--workers', '1'];
    const first = await swept([...question, '--report', 'sweep.html']);
    expect(first.code).toBe(0);
    expect(first.out).toMatch(
      /#\s+CONFIG\s+BEHIND_TICKS\s+TRADE-THROUGH\s+SHARPE\s+DEFLATED\s+POSTS-ONLY\s+SHARPE\s+DEFLATED\s+RISK-AVERSE/,
    );
    expect(first.out).toContain('2 events: too few for a Sharpe ratio');
    expect(readFileSync(join(place.folder, 'sweep.html'), 'utf8')).toMatch(/^<!doctype html>/);
    expect(existsSync(join(place.folder, 'data/sweep/sweep.sqlite'))).toBe(true);

    const second = await swept([...question, '--json']);
    expect(second.code).toBe(0);
    expect(second.err).toContain('6 backtests of this sweep are done already.');
    const result = JSON.parse(second.out);
    for (const columns of [80, 60]) {
      const narrow = sweepTables(result, columns);
      expect(findTooWide(narrow, columns)).toEqual([]);
      expect(narrow).toMatch(/#\s+CONFIG\s+BEHIND_TICKS\s+TRADE-THROUGH/);
    }
    expect(result).toMatchObject({ format: 1, counts: { configurations: 2, done: 2, tried: 2, events: 2 } });
    const models = result.configurations[0].models.map(({ fillModel }: { fillModel: string }) => fillModel);
    expect(models).toEqual(['trade-through', 'posts-only', 'risk-averse']);
  });

  it('of a strategy file alone keeps its results out of the folder of configurations', async () => {
    const lone = ['sweep', '-c', 'strategies/maker.yaml', '--data', 'recordings', '--param', 'behind_ticks=0'];
    expect(await run([...lone, '--workers', '1'], { cwd: place.folder, stopAsked: never })).toMatchObject({ code: 0 });
    expect(existsSync(join(place.folder, 'data/sweep/maker/sweep.sqlite'))).toBe(true);
    expect(existsSync(join(place.folder, 'strategies/sweep'))).toBe(false);
  });

  it('ends with a word on how to go on when it is stopped', async () => {
    const stopped = async () => undefined;
    const { code, err, out } = await swept(['--param', 'behind_ticks=0:1:1', '--out', 'stopped'], stopped);
    expect(code).toBe(1);
    expect(err).toContain('with --resume to continue');
    expect(out).toContain('Not finished');
  });

  it.each([
    [['--param', 'behind_tick=1'], 2, /no strategy has a parameter behind_tick/],
    [['--param', 'behind_ticks=1', '--random', '10001'], 2, /Wanted a whole number from 1 to 10000/],
    [['--param', 'behind_ticks=1', '--fill-model', 'lucky'], 2, /there is no fill model "lucky"/],
    [['--param', 'behind_ticks=1', '--latency', 'soon'], 2, /unknown latency model 'soon'/],
    [['--param', 'behind_ticks=1', '--folds', '3'], 2, /cannot divide 2 events into 3 folds/],
    [['--param', 'behind_ticks=1', '--resume', '--out', 'fresh'], 2, /there is no sweep in .*fresh to continue/],
    [['--param', 'behind_ticks=1', '--out', 'trader.yaml'], 1, /cannot write the results to/],
    [['--param', 'behind_ticks=1', '--data', 'nowhere'], 1, /cannot read the recording/],
    [['--param', 'behind_ticks=1', '--data', 'strategies'], 1, /has no recording/],
  ])('%j is a mistake that is explained', async (args, code, message) => {
    const ran = await swept(args);
    expect(ran.err).toMatch(message);
    expect(ran.err).not.toContain('bug');
    expect({ code: ran.code, out: ran.out }).toEqual({ code, out: '' });
  });
});
