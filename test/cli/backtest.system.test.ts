/** `twinbook backtest` as a user types it: its output, and its messages about mistakes. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BRACKET } from '../../src/lab/backtest/plan.js';
import { record } from '../lab/sweep/place.js';
import { times } from '../support/effort.js';
import { optimiseThreadsLate } from '../support/late-optimising.js';
import { run } from './run.js';

optimiseThreadsLate();

const ROOT = join(import.meta.dirname, '../..');
const SAMPLE = join(ROOT, 'data/sample');
/** One of its three markets, for tests where one is enough. */
const ONE_MARKET = join(SAMPLE, 'market=B9M4kCb2rA3QaKcxYkZWjvqkCnz7UEsjMJWPCTT7waHK');
const MAKER = join(ROOT, 'config/strategies/crowd-maker.yaml');
const folder = mkdtempSync(join(tmpdir(), 'twinbook-backtest-'));
/** A small recording for tests that accept any: two minutes of one market. */
const SMALL = join(folder, 'small');
const PLAYED = times(SMALL, SAMPLE);

beforeAll(() => record(SMALL, { events: 1, minutes: 2 }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A strategy file with the module of the documentation. */
function documented(name: string): string {
  file(`${name}.ts`, /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/strategies.md'), 'utf8'))?.[1] ?? '');
  return file(`${name}.yaml`, `strategy: ./${name}.ts\n`);
}

/** Without progress lines, which depend on time. */
const backtest = async (...more: string[]) => {
  const ran = await run(['backtest', ...more], { cwd: ROOT });
  return { ...ran, err: ran.err.replace(/^ *\d+ % .*\n/gm, '') };
};

interface Told {
  readonly assumptions: { readonly fillModel: string; readonly latency: string };
  readonly trading: { readonly fills: number };
  readonly traceHash: string;
  readonly events: number;
  readonly warnings: readonly { readonly level: string; readonly text: string }[];
}

describe('twinbook backtest', () => {
  it('runs a lone strategy file over a recording under the bracket of fill models', async () => {
    const { code, out } = await backtest('-c', MAKER, '--data', PLAYED);
    expect(code).toBe(0);
    for (const words of [...BRACKET, 'Result', 'spread earned', 'Fills']) expect(out).toContain(words);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('writes every figure as JSON and the report as one file', async () => {
    const report = join(folder, 'report.html');
    const one = ['--fill-model', 'trade-through', '--latency', 'constant:50:x2', '--report', report, '--json'];
    const { code, out } = await backtest('-c', MAKER, '--data', PLAYED, ...one);
    expect(code).toBe(0);
    const [told, ...others] = JSON.parse(out) as Told[];
    expect(others).toEqual([]);
    expect(told?.assumptions).toMatchObject({ fillModel: 'trade-through', latency: 'constant:50:x2' });
    expect(told?.events).toBeGreaterThan(1000);
    expect(told?.traceHash).toMatch(/^[0-9a-f]{16}$/);
    expect(readFileSync(report, 'utf8')).toMatch(/^<!doctype html>/i);
  });

  it('gives the same on threads: every figure, and the mistakes', async () => {
    // A user's own module: the shipped ones are compiled to other files.
    const mine = documented('threaded');
    const asked = ['-c', mine, '--data', PLAYED, '--repeat', times('1', '2'), '--json'];
    const models = ['--fill-model', 'risk-averse,optimistic'];
    const alone = await backtest(...asked, ...models, '--workers', '1');
    expect(alone.code).toBe(0);
    expect(await backtest(...asked, ...models, '--workers', '2')).toEqual(alone);
    const wrong = ['-c', mine, '--data', ONE_MARKET, '--fill-model', 'risk-averse,optimistic', '--latency', 'nonsense'];
    const mistake = await backtest(...wrong, '--workers', '1');
    expect(mistake.code).not.toBe(0);
    expect(await backtest(...wrong, '--workers', '2')).toEqual(mistake);
  });

  it('trades the module of the documentation on the sample', async () => {
    const asked = ['-c', documented('mine'), '--data', times(ONE_MARKET, SAMPLE), '--fill-model', 'risk-averse'];
    const { code, out, err } = await backtest(...asked, '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [told] = JSON.parse(out) as Told[];
    expect(told?.trading.fills).toBeGreaterThan(10);
  });

  it('says what is wrong, and what is wanted, in one place', async () => {
    const broken = file('broken.yaml', 'strategy: log-odds-maker\nparams: { half_spread_tick: 3 }\n');
    const politics = file('politics.yaml', 'strategy: log-odds-maker\nmarkets: { select: { categories: [wtf] } }\n');
    const named = file('named.yaml', 'strategy: log-odds-maker\nmarkets: { ids: [nobody] }\n');
    const text = file('text.ndjson.gz', 'not compressed');
    const report = join(folder, 'no', 'folder', 'report.html');
    const cases: readonly (readonly [string[], number, RegExp])[] = [
      [['-c', MAKER], 2, /--data/],
      [['-c', MAKER, '--data', '/no/such/place'], 1, /\/no\/such\/place/],
      [['-c', MAKER, '--data', folder], 1, /recording/],
      [['-c', MAKER, '--data', text], 1, /text\.ndjson\.gz/],
      [['-c', '/no/file.yaml', '--data', SAMPLE], 4, /no such file/],
      [['-c', broken, '--data', SAMPLE], 4, /broken.yaml:2:11.*half_spread_ticks/s],
      [['-c', politics, '--data', SAMPLE], 4, /wtf.*--all-markets/s],
      [['-c', named, '--data', SAMPLE], 4, /no strategy selects any of the/],
      [['-c', MAKER, '--data', SAMPLE, '--fill-model', 'magic'], 2, /"magic".*risk-averse/s],
      [['-c', MAKER, '--data', SAMPLE, '--fill-model', 'power,power:3'], 2, /power:3.*twice/s],
      [['-c', MAKER, '--data', SAMPLE, '--latency', 'fast'], 2, /'fast'.*constant:MS/s],
      [['-c', MAKER, '--data', SAMPLE, '--maker-fee', '2'], 2, /0 to 0.999999/],
      [['-c', MAKER, '--data', PLAYED, '--report', report], 1, /cannot write .*report\.html/],
    ];
    for (const [argv, wanted, words] of cases) {
      const { code, out, err } = await backtest(...argv);
      expect(`${code} ${out}${err}`, argv.join(' ')).toMatch(words);
      expect(code, `${argv.join(' ')}\n${err}`).toBe(wanted);
      expect(err).not.toMatch(/^\s+at /m);
    }
    expect(existsSync(report)).toBe(false);
  });

  it('plays a market whose strategy throws to its end, and says what was stopped', async () => {
    const module = `export default { name: 'thrower', summary: 'Throws.', params: {}, create() {
      let looks = 0;
      return { quote() { if (++looks > 20) throw new Error('out of ideas'); return {
        fairMicros: null, bids: [], asks: [], keepWithinTicks: 0, keepWithinSizeFraction: 0, note: '', factors: {} }; } };
    } };`;
    file('thrower.mjs', module);
    const strategy = file('thrower.yaml', 'strategy: ./thrower.mjs\n');
    const { code, out } = await backtest('-c', strategy, '--data', PLAYED, '--fill-model', 'optimistic', '--json');
    expect(code).toBe(0);
    const [told] = JSON.parse(out) as Told[];
    expect(told?.warnings.map(({ text }) => text).join('\n')).toMatch(/thrower is stopped .*out of ideas/);
    expect(told?.trading.fills).toBe(0);
  });
});
