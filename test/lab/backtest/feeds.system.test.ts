/** Feeds in backtests, from files and from recordings: values arrive when they could be known, never earlier. */

import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFeedData, silentFeeds } from '../../../src/lab/backtest/plan.js';
import { FeedReplay } from '../../../src/lab/backtest/run.js';
import type { RecordedFeedValue, Recording } from '../../../src/recording/contract.js';
import fairMaker from '../../../strategies/fair-maker.js';
import { folderOf } from '../../support/folders.js';
import { ordersIn, playSending, textsBefore } from './decisions.js';
import { plan } from './plans.js';
import { FIRST_MS, market, source, wanderingRows } from './recordings.js';

const { conditionId } = market();
const S = 1000;
const MINUTES = 3;
const rows = wanderingRows(31, MINUTES);

interface Row {
  readonly p: number;
  readonly at: number;
}

/** A value every two seconds, changing and away from the book's middle. */
const wandering = (): Row[] =>
  Array.from({ length: MINUTES * 30 }, (_, i) => ({ p: 0.5 + 0.02 * Math.sin(i / 5), at: FIRST_MS + i * 2 * S }));

const jsonl = (values: readonly Row[]): string =>
  values.map((value) => `${JSON.stringify({ market: conditionId, ...value })}\n`).join('');

async function read(text: string, changes: { delayMs?: number; file?: string; everyMs?: number } = {}) {
  const { delayMs = null, file = 'model.jsonl', everyMs } = changes;
  const path = join(folderOf({ [file]: text }), file);
  const known =
    everyMs === undefined ? [] : [{ name: 'model', kind: 'file' as const, path, everyMs, maxAgeMs: 10 * S }];
  const choices: Parameters<typeof readFeedData>[0]['choices'][number][] = [{ name: 'model', path }];
  return readFeedData({ config: { feeds: known }, recordings: [], choices, delayMs });
}

function run({ settings, values }: Pick<Awaited<ReturnType<typeof readFeedData>>, 'settings' | 'values'>) {
  const base = plan([source(rows)], { strategy: fairMaker, params: { feed: 'model', order_shares: '10' } });
  return playSending({ ...base, trader: { ...base.trader, feeds: settings }, feedValues: values });
}

describe('a backtest with a feed', () => {
  it('quotes around it, and decides nothing by what the feed says later', async () => {
    const all = wandering();
    const cutMs = FIRST_MS + 100 * S;
    const whole = await run(await read(jsonl(all)));
    const decided = textsBefore(whole.sent, cutMs);
    expect(ordersIn(decided)).toBeGreaterThan(5);
    const futures = {
      cut: all.filter(({ at }) => at < cutMs),
      mirrored: all.map(({ p, at }) => ({ p: at < cutMs ? p : 1 - p, at })),
      moved: all.map(({ p, at }) => ({ p: at < cutMs ? p : 0.9, at })),
    };
    for (const [name, future] of Object.entries(futures)) {
      const other = await run(await read(jsonl(future)));
      // At the earliest, known at its time without delay.
      expect(textsBefore(other.sent, cutMs), name).toEqual(decided);
      expect(other.sent, name).not.toEqual(whole.sent);
    }
  });

  it('is the same again, and quotes nothing once the feed has fallen silent', async () => {
    const data = await read(jsonl(wandering().slice(0, 15)), { everyMs: 1000 });
    const [first, second] = [await run(data), await run(data)];
    expect(second.outcome.traceHash).toBe(first.outcome.traceHash);
    // The newest value is of second 28 and may be 10 s old.
    const last = first.sent.filter(({ text }) => text.includes('orders.create')).at(-1);
    expect(last?.atMs).toBeLessThanOrEqual(FIRST_MS + 38 * S);
    const canceled = first.sent.filter(({ text }) => /cancel/.test(text)).at(-1);
    expect(canceled?.atMs).toBeGreaterThanOrEqual(FIRST_MS + 38 * S);
    expect(canceled?.atMs).toBeLessThan(FIRST_MS + 41 * S);
  });

  it('quotes nothing without values, and says so', async () => {
    const { sent } = await run({ settings: [{ name: 'model', maxAgeMs: S }], values: [] });
    expect(ordersIn(sent.map(({ text }) => text))).toBe(0);
    expect(silentFeeds([{ name: 'model', maxAgeMs: S }], [])).toEqual([
      'feed model has no value for these markets: strategies that need it do not quote',
    ]);
  });
});

describe('a file with what a feed says', () => {
  it('is known when a live trader would know it, or after the given delay', async () => {
    const text = jsonl([{ p: 0.5, at: FIRST_MS + 1 }]);
    const knownAt = async (changes: Parameters<typeof read>[1]) => (await read(text, changes)).values[0]?.timeMs;
    expect([await knownAt({}), await knownAt({ everyMs: 500 })]).toEqual([FIRST_MS + 1200, FIRST_MS + 700]);
    expect(await knownAt({ delayMs: 0 })).toBe(FIRST_MS + 100);
  });

  it('may be CSV and out of order; what is no row is left out and said', async () => {
    const day = '2026-03-02T12:00:0';
    const lines = [
      'market,p,at',
      `${conditionId},0.5,${day}2Z`,
      `${conditionId},0.4,${day}1Z`,
      `${conditionId},1.5,${day}3Z`,
    ];
    const { values, warnings, lines: told, settings } = await read(`${lines.join('\r\n')}\n`, { file: 'desk.csv' });
    expect(values.map(({ value: { p } }) => p)).toEqual([0.4, 0.5]);
    expect(warnings).toEqual(['feed model: 1 row left out: p: wants a number below 1, got 1.5']);
    expect(told).toEqual([
      'feed model: 2 values of 1 market from desk.csv, each visible to strategies 1.1 s after its time',
    ]);
    expect(settings).toEqual([{ name: 'model', maxAgeMs: 60 * S }]);
  });

  it('without a row is an error, and so is one that is not there', async () => {
    await expect(read('{"market": "x"}\n')).rejects.toThrow(/model\.jsonl contains no valid feed row: at: missing/);
    const choices = [{ name: 'model', path: '/nowhere/model.csv' }];
    const question = { config: { feeds: [] }, recordings: [], choices, delayMs: null };
    await expect(readFeedData(question)).rejects.toThrow(/cannot read the feed \/nowhere\/model\.csv/);
  });
});

describe('recorded values', () => {
  const value = (timeMs: number, p: number, feed = 'model'): RecordedFeedValue => ({
    feed,
    timeMs,
    value: { conditionId, p, bid: null, ask: null, sd: null, atMs: timeMs - 300, validUntilMs: null },
  });
  const recording = (values: readonly RecordedFeedValue[]): Recording => ({
    market: market(),
    warnings: [],
    chunks: () => {
      throw new Error('nobody asked for events');
    },
    feedValues: async function* () {
      yield* values;
    },
  });

  it('are played under their names, but where a file is given in their place', async () => {
    const feed = { name: 'model', kind: 'child' as const, command: ['x'], cwd: '/', env: [], maxAgeMs: S };
    const recordings = [recording([value(5, 0.5), value(7, 0.6, 'other')]), recording([value(2, 0.4)])];
    const question = { config: { feeds: [feed] }, recordings, choices: [], delayMs: null };
    const data = await readFeedData(question);
    expect(data.values.map(({ timeMs }) => timeMs)).toEqual([2, 5]);
    expect(data.lines).toEqual(['feed model: 2 values of 1 market, from the recordings']);
    const path = join(folderOf({ 'm.jsonl': jsonl([{ p: 0.3, at: FIRST_MS }]) }), 'm.jsonl');
    const given = await readFeedData({ ...question, choices: [{ name: 'model', path }] });
    expect(given.values.map(({ value: { p } }) => p)).toEqual([0.3]);
    expect(given.lines[0]).toContain(basename(path));
    const named = await readFeedData({ ...question, choices: [{ name: 'other', path: null }] });
    expect(named.values.map(({ feed: name }) => name)).toEqual(['model', 'model', 'other']);
  });

  it('speak at their moment, of each market the newest', () => {
    const replay = new FeedReplay([value(1000, 0.4), value(1000, 0.5), value(2000, 0.6)]);
    expect([replay.nextMs, replay.take(999)]).toEqual([1000, []]);
    expect([replay.take(1000), replay.nextMs]).toEqual([[{ feed: 'model', values: [value(1000, 0.5).value] }], 2000]);
    expect(replay.take(5000)).toHaveLength(1);
    expect(replay.nextMs).toBe(Number.POSITIVE_INFINITY);
  });
});
