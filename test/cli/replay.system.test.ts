/** Real sessions on an embedded exchange with its crowd, replayed and compared by the program. */

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BRACKET } from '../../src/lab/backtest/plan.js';
import { readRun, runFolders } from '../../src/shell/journal/runs.js';
import { openReadOnly } from '../../src/trader/ledger/ledger.js';
import { folderOf, makerYaml, started, traderYaml } from '../support/cases.js';
import { run } from './run.js';

interface Place {
  readonly folder: string;
  readonly file: string;
  /** Folders of runs, oldest first. */
  readonly runs: () => readonly string[];
}

function place(files: Readonly<Record<string, string>> = { 'maker.yaml': makerYaml() }): Place {
  const folder = folderOf({ 'trader.yaml': traderYaml(null), ...files });
  return { folder, file: join(folder, 'trader.yaml'), runs: () => runFolders(join(folder, 'runs')) };
}

/** Runs until the output matches, and a moment longer. */
async function traded(file: string, until: RegExp, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  const running = started(['start', '-c', file]);
  await running.waitFor(until);
  running.process.kill(signal);
  expect(await running.exited, running.output()).toBe(signal === 'SIGTERM' ? 0 : null);
}

const FILLS = /(?:fill: [\s\S]*){3}/;
/**
 * Ten seconds between two status lines with a fill between: long enough that a backtest of the run trades and its
 * recording has content. On a busy machine a fill may precede the second poll.
 */
const QUOTED_FILLED_QUOTED = /quoting \| markets [1-9][\s\S]*fill: [\s\S]*quoting \| markets [1-9]/;

/** Explains the market of the first fill, a second after it, although a later run exists. */
async function explainsThen(file: string, runs: readonly string[]): Promise<void> {
  const [first = ''] = runs;
  const fills: readonly { market_condition_id: string; timestamp: number }[] = JSON.parse(
    (await run(['fills', '--json', '-c', file])).out,
  );
  const { market_condition_id: market = '', timestamp = 0 } = fills.at(-1) ?? {};
  const at = new Date((timestamp + 1) * 1000).toISOString();
  const { code, out } = await run(['explain', market, '--at', at, '-c', file]);
  expect(code).toBe(0);
  expect(out).toContain(`run ${basename(first)}, replayed from its journal`);
  expect(out).not.toContain('differs from the run');
  expect(out).toMatch(/\(\w{32,}\)\n {2}Trader: /);
  const tooEarly = await run(['explain', market, '--at', '2020-01-01 00:00', '-c', file]);
  expect(tooEarly).toMatchObject({ code: 2, err: expect.stringContaining('had begun by 2020-01-01 00:00:00 UTC') });
}

const replayJson = async (...args: readonly string[]) => {
  const { code, out, err } = await run(['replay', ...args, '--json']);
  expect(err).toBe('');
  return { code, told: JSON.parse(out) as Readonly<Record<string, unknown>> };
};

describe('a live paper session', () => {
  it('repeats to the last request, also the one after a restart, and is compared with backtests', async () => {
    const { folder, file, runs } = place({
      'trader.yaml': traderYaml(null, 'strategies: [maker.yaml]'),
      'maker.yaml': makerYaml(),
    });
    await traded(file, FILLS);
    await traded(file, QUOTED_FILLED_QUOTED);
    expect(runs().length).toBe(2);
    for (const path of runs()) {
      const { code, told } = await replayJson(path);
      expect(code).toBe(0);
      expect(told).toMatchObject({ exact: true, complete: true, changes: [], difference: null });
      expect(told['repeated_requests']).toBe(told['requests']);
      expect(told['requests']).toBeGreaterThan(20);
      expect(told['signatures']).toBeGreaterThan(0);
    }
    await explainsThen(file, runs());
    const last = await run(['replay', 'last', '-c', file]);
    expect(last.code, last.err).toBe(0);
    expect(last.out).toMatch(/^run +\w+\njournal +2\d{3}-.* UTC, complete\nsteps +\d+\nrequests +\d+\n/);
    expect(last.out).toContain('100 %: every decision is the same');

    const [first = '', second = ''] = runs();
    await parityAddsUp(first, second, folder);
    const text = await run(['parity', second, '--fill-model', 'risk-averse,optimistic']);
    expect(text.code, text.err).toBe(0);
    expect(text.out).toMatch(/^ +live +risk-averse +optimistic$/m);
    expect(text.out).toMatch(
      /^Fill error, as a fraction of the |^Fill error: unknown, because nothing was filled live/m,
    );
    expect(text.out).toMatch(/^! In the live run, other traders may have reacted/m);
    expect(text.out).toMatch(/^! The run began with \d holdings?, the backtest began with none/m);
    await playsAnother(second, folder, file);
  });

  it('with another strategy file differs where it first decides otherwise, and says why beforehand', async () => {
    const { folder, file } = place();
    await traded(file, /quoting \| markets 4 of/);
    writeFileSync(join(folder, 'maker.yaml'), makerYaml().replace('"25"', '"24"'));
    const { code, out } = await run(['replay', 'last', '-c', file]);
    expect(code).toBe(6);
    expect(out).toMatch(
      /^decisions may differ, because\n {2}strategy maker: order_shares is now 24, in the run it was 25\nrun /,
    );
    expect(out).toMatch(/The first difference is in step \d+, 2\d{3}-.* UTC: request \d+ differs\./);
    expect(out).toMatch(
      /recorded requests:\n(.*\n)*? {2}request \d+: draft a limit order: buy 25 (YES|NO) at 0\.\d+ in ".+" \(\w+\)/,
    );
    expect(out).toMatch(/replayed requests:\n(.*\n)*? {2}request \d+: draft a limit order: buy 24 /);
    expect(out).toContain('  call.body.amount: run "25", replay "24"');
    expect(out).not.toContain('Neither settings nor strategy files have changed');

    const recorded = await replayJson('last', '-c', file, '--as-recorded');
    expect(recorded).toMatchObject({ code: 0, told: { exact: true, changes: [] } });
  });
});

/** Live side and backtests: the markets add up to the micro, and the live side equals the ledger. */
async function parityAddsUp(path: string, next: string, folder: string): Promise<void> {
  const { code, out, err } = await run(['parity', path, '--json', '--latency', 'constant:40']);
  expect(code, err).toBe(0);
  const told = JSON.parse(out) as ToldParity;
  expect([told.latency, told.sides.map(({ name }) => name)]).toEqual(['constant:40', ['live', ...BRACKET]]);
  const ledger = openReadOnly(join(folder, 'ledger.sqlite'));
  const [live] = told.sides;
  // The next run's bookings are also in its journal.
  const { startedMs } = readRun(next).description;
  const booked = ledger.fills({ limit: 1000 }).filter(({ seenMs }) => seenMs < startedMs);
  ledger.close();
  expect(live?.fills).toBe(booked.length);
  expect(live?.sharesMicros).toBe(booked.reduce((sum, { amountMicros }) => sum + amountMicros, 0));
  for (const [index, side] of told.sides.entries())
    expect(told.markets.reduce((sum, { sides }) => sum + (sides[index]?.sharesMicros ?? 0), 0)).toBe(side.sharesMicros);
}

/** Compares the live side with another strategy file, and with another trader's file and its strategies. */
async function playsAnother(path: string, folder: string, file: string): Promise<void> {
  const other = join(folder, 'other.yaml');
  writeFileSync(other, makerYaml('{ max: 1 }'));
  writeFileSync(join(folder, 'wide.yaml'), traderYaml(null, 'strategies: [other.yaml]'));
  const model = ['--fill-model', 'optimistic', '--json'];
  const own = JSON.parse((await run(['parity', path, ...model])).out) as ToldParity;
  const played: ToldParity[] = [];
  for (const name of [other, join(folder, 'wide.yaml')]) {
    const { code, out, err } = await run(['replay', path, '--play', name, ...model]);
    expect(code, err).toBe(0);
    played.push(JSON.parse(out) as ToldParity);
  }
  for (const { sides, markets } of played) {
    expect([sides.map(({ name }) => name), sides[0]]).toEqual([['live', 'optimistic'], own.sides[0]]);
    expect(sides[1]?.ordersPlaced).toBeGreaterThan(0);
    expect(markets.reduce((sum, market) => sum + (market.sides[1]?.sharesMicros ?? 0), 0)).toBe(sides[1]?.sharesMicros);
  }
  // The same strategy and limits, in one market where the run had four.
  expect(played[0]?.sides).toEqual(played[1]?.sides);
  expect(played[0]?.markets.filter(({ sides }) => (sides[1]?.ordersPlaced ?? 0) > 0)).toHaveLength(1);

  const text = await run(['replay', 'last', '-c', file, '--play', other, '--fill-model', 'risk-averse']);
  expect(text.code, text.err).toBe(0);
  expect(text.out).toMatch(/^run +\w+\nspan +2\d{3}-.* UTC\nplayed +\/.*other\.yaml\n/);
  expect(text.out).toMatch(/^ +live +risk-averse$/m);
  expect(text.out).toMatch(/^Fills +\d+ +\d+$/m);
  expect(text.out).toMatch(/^Result +\S+ +\S+$/m);

  const wrong: readonly (readonly [args: readonly string[], code: number, err: string])[] = [
    [[path, '--play', 'none.yaml'], 4, '--play none.yaml: no such file\n  Name a strategy file or a trader'],
    [['zzz', '-c', file, '--play', other], 2, "there is no run 'zzz' in "],
    [[folder, '-c', file, '--play', other], 2, `there is no run '${folder}' in `],
    [[path, '--play', other, '--fill-model', 'nope'], 2, 'there is no fill model "nope"\n  Use one of posts-only'],
    [[path, '--fill-model', 'log'], 2, '--fill-model applies only to --play'],
    [[path, '--play', other, '--as-recorded'], 2, "cannot be used with option '--as-recorded'"],
  ];
  for (const [args, code, err] of wrong) {
    const said = await run(['replay', ...args], { cwd: folder });
    expect(said.err, args.join(' ')).toContain(err);
    expect(said.code, args.join(' ')).toBe(code);
  }
}

interface ToldSide {
  readonly name: string;
  readonly fills: number;
  readonly sharesMicros: number;
  readonly ordersPlaced: number;
}

interface ToldParity {
  readonly data: readonly string[];
  readonly latency: string;
  readonly sides: readonly ToldSide[];
  readonly markets: readonly { readonly sides: readonly ToldSide[] }[];
}

const OWN_MODULE = `
import { defineStrategy } from 'twinbook/strategy';
export default defineStrategy({
  name: 'mine', summary: 'mine', params: {},
  create: () => ({
    quote: () => ({ fairMicros: null, bids: [], asks: [], keepWithinTicks: 0, keepWithinSizeFraction: 0, note: 'waits', factors: {} }),
  }),
});
`;

it('what cannot be replayed is said in words that name the file and what to do', async () => {
  const { folder, file, runs } = place({
    'maker.yaml': 'strategy: ./mine.mjs\nmarkets: { max: 2 }\n',
    'mine.mjs': OWN_MODULE,
  });
  await traded(file, /quoting \| markets 0 of/, 'SIGKILL');
  const [path = ''] = runs();
  const killed = { exact: true, complete: false, ended: null };
  expect(await replayJson(path, '-c', file)).toMatchObject({ code: 0, told: killed });
  const text = await run(['replay', path, '-c', file]);
  expect(text.out).toMatch(/journal .*the journal was cut off, or the run has not ended/);

  const none = await run(['replay', 'zzz', '-c', file]);
  expect(none.err).toMatch(/^there is no run 'zzz' in .*runs\n {2}There is: \w+, started 2\d{3}-/);

  rmSync(join(folder, 'mine.mjs'));
  const gone = await run(['replay', 'last', '-c', file]);
  expect(gone.code).toBe(4);
  expect(gone.err).toMatch(/mine\.mjs: no such file/);

  const copy = join(folder, 'copy');
  cpSync(path, copy, { recursive: true });
  writeFileSync(join(folder, 'mine.mjs'), OWN_MODULE);
  rmSync(join(copy, 'ledger.sqlite'));
  const bare = await run(['replay', copy, '-c', file]);
  expect(bare.code).toBe(1);
  expect(bare.err).toMatch(/^run copy cannot be replayed: the copy of its starting ledger is missing in its folder/);

  const described = readFileSync(join(copy, 'run.json'), 'utf8');
  writeFileSync(join(copy, 'run.json'), described.replace(/"format": \d+/, '"format": 999'));
  const other = await run(['replay', copy, '-c', file]);
  expect(other.code).toBe(1);
  expect(other.err).toContain('does not describe a run (format: ');
});
