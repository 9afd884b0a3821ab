/** Recorded markets on one clock: they close in the order of time, in every order of playing and reading. */

import { describe, expect, it } from 'vitest';
import type { ChunkStream, EventSource } from '../../../src/lab/backtest/contract.js';
import { ReplayDriver } from '../../../src/lab/backtest/replay-driver.js';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { exchangeOf, plan } from './plans.js';
import { ASK, BID, chunk, end, FIRST_MS, level, market, type Row, source, wanderingRows } from './recordings.js';

const OTHER_ID = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const THIRD_ID = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
const LANDING_MS = 400;
const CLOSE_MS = 10_000;

const BOOK: readonly Row[] = [level(0, BID, 0.4, 100), level(0, ASK, 0.6, 100)];
const CLOSING = [...BOOK, end(CLOSE_MS)];
/** An event every 50 ms, beyond the close of the other. */
const CHANGES = Array.from({ length: 400 }, (_, i) => level(50 * i + 50, BID, 0.39, 1 + (i % 7)));
const BUSY = [...BOOK, ...CHANGES, end(30_000)];

const quiet = { onOpen: () => undefined, ending: () => undefined, onClose: () => undefined };
const newExchange = () => exchangeOf('risk-averse', 0);
const prepare = (sources: readonly EventSource[]) => ReplayDriver.prepare(newExchange().core, plan(sources), quiet);

/** A market closes during a merge. Returns the exchange's final state of the shares. */
async function mergeAcrossClose(sources: readonly EventSource[]) {
  const { core, account } = newExchange();
  const closed: [string, number | null][] = [];
  const { driver } = await ReplayDriver.prepare(core, plan(sources), {
    onOpen: () => undefined,
    ending: () => undefined,
    onClose: ({ source: { market }, closedMs }) => closed.push([market.conditionId, closedMs]),
  });
  await driver.openDue(FIRST_MS);
  const goTo = async (atMs: number) => {
    if (driver.readUntilMs <= FIRST_MS + atMs) await driver.read(FIRST_MS + atMs);
    driver.syncAll(FIRST_MS + atMs);
    core.advance(FIRST_MS + atMs);
  };
  await goTo(1_000);
  const split = core.at(FIRST_MS + 1_000).conversions.draft('split', account, OTHER_ID, '5');
  if (split.ok) core.at(FIRST_MS + 1_000).conversions.submit('split', account, split.value.pubkey, true);
  await goTo(2_000);
  const submitMs = CLOSE_MS - LANDING_MS / 2;
  await goTo(submitMs);
  const merge = core.at(FIRST_MS + submitMs).conversions.draft('merge', account, OTHER_ID, '5');
  if (merge.ok) core.at(FIRST_MS + submitMs).conversions.submit('merge', account, merge.value.pubkey, true);
  await goTo(CLOSE_MS + 1_000);
  const index = core.catalog.findIndex(OTHER_ID) ?? 0;
  return { wasDrafted: merge.ok, yesMicros: core.catalog.market(index).shares.read(account).yes, closed };
}

describe('markets that are played together', () => {
  it('close at their own time: a merge that would land later finds its market closed', async () => {
    for (const events of [1000, 3, 1]) {
      const closing = source(CLOSING, { conditionId: OTHER_ID, outcome: null }, events);
      const busy = source(BUSY, {}, events);
      for (const sources of [
        [busy, closing],
        [closing, busy],
      ]) {
        const closed = [[OTHER_ID, FIRST_MS + CLOSE_MS]];
        expect(await mergeAcrossClose(sources)).toEqual({ wasDrafted: true, yesMicros: 5_000_000, closed });
      }
    }
  });

  it('give the same result in whatever pieces each of them is read', async () => {
    const ids = [OTHER_ID, THIRD_ID];
    const runs: unknown[] = [];
    for (const pieces of ['1000 1000', '1 1', '7 300', '300 7'].map((pair) => pair.split(' ').map(Number))) {
      const sources = ids.map((conditionId, i) => {
        const rows = wanderingRows(20 + i, 3).map(([t, ...row]): Row => [t + 61_700 * i, ...row]);
        return source(rows, { conditionId, openTimeMs: FIRST_MS + 60_300 * i }, pieces[i]);
      });
      runs.push(await runBacktest(plan(sources, { fillModel: 'optimistic' })));
    }
    for (const run of runs) expect(run).toEqual(runs[0]);
  });
});

it.each([
  [60_000, 60_000],
  [60_001, 0],
  [-5_000, 0],
])('a market that opened %i ms before its first event is listed %i ms before it', async (openMs, listedMs) => {
  const { driver } = await prepare([source(BOOK, { openTimeMs: FIRST_MS - openMs })]);
  expect(FIRST_MS - driver.nextOpenMs).toBe(listedMs);
});

it('markets whose recordings begin within ten seconds open together', async () => {
  const laterBy = (ms: number, conditionId: string) =>
    source([level(ms, BID, 0.4, 100)], { conditionId, openTimeMs: FIRST_MS + ms });
  const { driver } = await prepare([laterBy(20_001, THIRD_ID), laterBy(0, 'first'), laterBy(10_000, OTHER_ID)]);
  const opened: [number, number][] = [];
  for (; driver.openCount < 3; await driver.openDue(driver.nextOpenMs))
    opened.push([driver.openCount, driver.nextOpenMs - FIRST_MS]);
  expect(opened.join(' ')).toBe('0,10000 2,20001');
});

describe('files', () => {
  /** Streams of consecutive markets: their fate, and the number of rows read from each. */
  function watched(count: number) {
    const said: string[] = [];
    const sources = Array.from({ length: count }, (_, i): EventSource => {
      const conditionId = i === 0 ? OTHER_ID : THIRD_ID;
      const rows = CLOSING.map(([t, ...row]): Row => [t + 600_000 * i, ...row]);
      const made = source(rows, { conditionId, openTimeMs: FIRST_MS + 600_000 * i, outcome: null });
      const open = (): ChunkStream => {
        const stream = made.open();
        said.push(`${i} opened`);
        return { next: () => stream.next(), close: () => said.push(`${i} closed`) };
      };
      return { ...made, readsAhead: true, open };
    });
    return { said, sources };
  }

  it('of the market that opens next are read while the one before is played, each once', async () => {
    const { said, sources } = watched(2);
    const { driver } = await prepare(sources);
    expect(said).toEqual(['0 opened']);
    await driver.openDue(FIRST_MS);
    expect(said).toEqual(['0 opened', '1 opened']);
    await driver.openDue(FIRST_MS + 600_000);
    expect(said).toEqual(['0 opened', '1 opened']);
  });

  it('that were opened and are never played are closed', async () => {
    const { said, sources } = watched(2);
    const { driver } = await prepare(sources);
    await driver.openDue(FIRST_MS);
    driver.close();
    expect(said).toEqual(['0 opened', '1 opened', '0 closed', '1 closed']);
  });
});

it('a recording that breaks off in the middle plays as far as it can be read, and the report says so', async () => {
  const rows = wanderingRows(5, 6);
  const pieces = [rows.slice(0, 1000), rows.slice(1000, 2000)].map(chunk);
  const damaged = new TwinbookError('recording_invalid', `${market().source.path}/day-2 is damaged`);
  const open = (): ChunkStream => {
    let at = 0;
    return {
      next: () => {
        return pieces[at++] ?? Promise.reject(damaged);
      },
      close: () => undefined,
    };
  };
  const broken: EventSource = { ...source(rows), open };
  const { session, events } = await runBacktest(plan([broken], { fillModel: 'optimistic' }));
  expect(events).toBe(2000);
  expect(session.markets[0]?.closeMs ?? 0).toBeGreaterThanOrEqual(rows[1999]?.[0] ?? Number.POSITIVE_INFINITY);
  const loud = session.notices.filter(({ severity }) => severity === 'loud').map(({ text }) => text);
  expect(loud).toEqual([`"${market().title}" was replayed only up to the first unreadable event: day-2 is damaged`]);
});
