import { once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ASK, BID } from '../../../src/exchange/core/contract.js';
import type { ExchangeCore } from '../../../src/exchange/core/core.js';
import { bookRow } from '../../../src/exchange/core/records/market-rows.js';
import { attachReplay, type Replay } from '../../../src/exchange/crowd/replay.js';
import {
  deriveConditionId,
  EVENT,
  type RecordedMarket,
  type Recording,
  SIDE,
} from '../../../src/recording/contract.js';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { micros } from '../../../src/shared/base/micros.js';
import { chunk, market } from '../../lab/backtest/recordings.js';
import { levelAmount } from '../core/venue.js';
import { newCore, restarted, START_MS } from './world.js';

/** Recorded time; the exchange plays it on its own clock. */
const R = Date.UTC(2026, 7, 1, 10);

type Row = readonly [ms: number, kind: keyof typeof EVENT, side?: 'bid' | 'ask', price?: number, amount?: number];

const START: readonly Row[] = [
  [0, 'clear'],
  [0, 'level', 'bid', 0.4, 100],
  [0, 'level', 'ask', 0.45, 50],
];

const ELSEWHERE = { kind: 'polymarket', path: '/recordings/elsewhere', ticker: 'elsewhere' } as const;

let core: ExchangeCore;
beforeEach(() => (core = newCore()));

/** A recording of plain rows, in chunks of three events; `failsAfter`: the reader throws after these chunks. */
function recordingOf(
  rows: readonly Row[],
  {
    name = 'A',
    failsAfter = Number.POSITIVE_INFINITY,
    ...changes
  }: Partial<RecordedMarket> & { name?: string; failsAfter?: number } = {},
): Recording {
  return {
    market: market({
      conditionId: deriveConditionId('test', name),
      title: `Recorded ${name}`,
      openTimeMs: R + (rows[0]?.[0] ?? 0),
      closeTimeMs: R + (rows.at(-1)?.[0] ?? 0),
      source: { kind: 'kalshi', path: `/recordings/${name}`, ticker: name },
      ...changes,
    }),
    warnings: [],
    async *chunks() {
      for (let from = 0; from < rows.length; from += 3) {
        if (from / 3 >= failsAfter) throw new TwinbookError('recording_invalid', `the disk of ${name} broke`);
        yield chunk(rows.slice(from, from + 3).map(toEvent));
      }
    },
  };
}

const toEvent = ([ms, kind, side = 'bid', price = 0, amount = 0]: Row) =>
  [R + ms, EVENT[kind], SIDE[side], price, amount] as const;

const attach = (recordings: readonly Recording[], speed = 1, to = core): Promise<Replay> =>
  attachReplay(to, recordings, speed, START_MS);

/** Plays up to each of these exchange times, after reading all available events. */
async function play(replay: Replay, ...times: number[]): Promise<void> {
  for (const ms of times) {
    replay.tick(ms);
    // A tick may consume all events that were read; the next one continues.
    for (let round = 0; round < 50 && replay.nextDueMs() <= ms + 10; round++) {
      await replay.ready();
      replay.tick(ms);
    }
  }
}

const at = (ms: number): number => START_MS + ms;

function trader(core: ExchangeCore) {
  const account = core.at(START_MS).identity.openInternal('trader', { unlimited: true });
  return {
    account,
    rest: (ms: number, side: typeof BID | typeof ASK, price: number, shares: number) =>
      core.at(at(ms)).internal.place(account, 0, side, micros(Math.round(price * 1e6)), micros(shares * 1e6), false),
  };
}

const left = (core: ExchangeCore, handle: number): number => core.internal.remaining(handle) / 1e6;

describe('a replay', () => {
  it('fills a resting order when recorded trades have eaten what stood ahead of it, and by nothing else', async () => {
    const replay = await attach([
      recordingOf([
        ...START,
        [100, 'trade', 'ask', 0.4, 30], // 30 of the 100 ahead are gone
        [100, 'level', 'bid', 0.4, 70],
        [200, 'level', 'bid', 0.4, 90], // joins behind us
        [300, 'level', 'bid', 0.4, 80], // a cancel: assumed to be behind us
        [400, 'trade', 'ask', 0.4, 69], // one is still ahead
        [400, 'level', 'bid', 0.4, 11],
        [500, 'trade', 'ask', 0.4, 4], // one ahead, then three of ours
        [500, 'level', 'bid', 0.4, 10],
        [600, 'trade', 'bid', 0.45, 20], // the other side
        [600, 'level', 'ask', 0.45, 30],
        [700, 'level', 'bid', 0.4, 0], // no trade: no shares are ahead any longer
        [800, 'trade', 'ask', 0.4, 50], // the rest of ours
        [1000, 'end'],
      ]),
    ]);
    await play(replay, at(0));
    const me = trader(core);
    const order = me.rest(50, BID, 0.4, 10);
    const after: number[] = [];
    for (const ms of [100, 200, 300, 400, 500, 600, 700, 800]) {
      await play(replay, at(ms));
      after.push(left(core, order));
    }
    expect(after).toEqual([10, 10, 10, 10, 7, 7, 7, 0]);
    expect(core.catalog.market(0).shares.read(me.account).yes).toBe(10_000_000);
  });

  it('maps recorded time onto the clock of the exchange at its speed', async () => {
    const rows: Row[] = [...START, [1000, 'level', 'bid', 0.4, 60], [8000, 'end']];
    const replay = await attach([recordingOf(rows)], 4);
    expect(replay.nextDueMs()).toBe(at(0));
    expect(core.catalog.markets.length).toBe(0);
    await play(replay, at(0));
    const shown = { state: 'open', card: { createdMs: at(0), resolutionDate: at(2000) / 1000 } };
    expect(core.catalog.market(0)).toMatchObject(shown);
    expect(replay.nextDueMs()).toBe(at(250));
    await play(replay, at(249));
    expect(levelAmount(core.catalog.market(0), BID, micros(400_000))).toBe(100_000_000);
    await play(replay, at(250));
    expect(levelAmount(core.catalog.market(0), BID, micros(400_000))).toBe(60_000_000);
    expect(replay.nextDueMs()).toBe(at(2000));
    expect(replay.done).toBe(false);
    await play(replay, at(2000));
    expect(replay.done).toBe(true);
    expect(replay.nextDueMs()).toBe(Number.POSITIVE_INFINITY);
  });

  it('tells no close that only the last event of the recording stands for', async () => {
    const rows: Row[] = [...START, [8000, 'end']];
    await play(await attach([recordingOf(rows, { closeIsGuessed: true })]), at(0));
    expect(core.catalog.market(0)).toMatchObject({ state: 'open', card: { resolutionDate: null } });
  });

  it.each([
    [true, 'resolved'],
    [false, 'resolved'],
    [0.5, 'canceled'],
    [0.37, 'canceled'],
    [null, 'waiting_to_resolve'],
  ] as const)('closes with the recording: outcome %s makes the market %s', async (outcome, state) => {
    const replay = await attach([recordingOf([...START, [100, 'end']], { outcome })]);
    await play(replay, at(0));
    const order = trader(core).rest(50, BID, 0.3, 10);
    expect(left(core, order)).toBe(10);
    await play(replay, at(100));
    expect(core.catalog.market(0)).toMatchObject({ state, outcome });
    expect(left(core, order)).toBe(0);
    expect([core.catalog.market(0).bestBid, core.catalog.market(0).bestAsk]).toEqual([null, null]);
  });

  it('plays overlapping recordings together, skips the time between others, and starts every source at once', async () => {
    const span = (from: number, to: number): Row[] => [
      [from, 'clear'],
      [from, 'level', 'bid', 0.4, 1],
      [to, 'end'],
    ];
    const endsBeforeClose = { firstMs: R, lastMs: R + 500 } as NonNullable<Recording['summary']>;
    const replay = await attach([
      recordingOf(span(9_000_000, 9_000_300), { name: 'late' }),
      { ...recordingOf(span(0, 500), { name: 'first', closeTimeMs: R + 99_000_000 }), summary: endsBeforeClose },
      recordingOf(span(200, 800), { name: 'overlapping' }),
      recordingOf(span(-5000, -4900), { name: 'elsewhere', source: ELSEWHERE }),
    ]);
    const states = () => core.catalog.markets.map(({ card, state }) => `${card.title.slice(9)} ${state}`).sort();
    await play(replay, at(0));
    expect(states()).toEqual(['elsewhere open', 'first open']);
    await play(replay, at(200));
    expect(states()).toEqual(['elsewhere resolved', 'first open', 'overlapping open']);
    await play(replay, at(799));
    expect(states()).toEqual(['elsewhere resolved', 'first resolved', 'overlapping open']);
    await play(replay, at(800));
    expect(states()).toEqual(['elsewhere resolved', 'first resolved', 'late open', 'overlapping resolved']);
    await play(replay, at(1100));
    expect(states()).toContain('late resolved');
    expect(replay.done).toBe(true);
  });

  it('shows the last amount of every level, and gives the same exchange whether ticks come often or seldom', async () => {
    const rows: Row[] = [...START];
    for (let i = 1; i <= 200; i++) {
      const [side, cents] = i % 2 === 0 ? (['bid', 30] as const) : (['ask', 60] as const);
      rows.push([i * 7, 'level', side, (cents + (i % 9)) / 100, i]);
    }
    const run = async (stepMs: number) => {
      const core = newCore();
      const replay = await attach([recordingOf([...rows, [5000, 'end']])], 1, core);
      for (let ms = 0; ms < 5000; ms += stepMs) await play(replay, at(ms));
      const { bid, ask } = bookRow(core.catalog.market(0), true, 100);
      await play(replay, at(5000));
      return { levels: [...bid, ...ask], snapshot: JSON.stringify(core.snapshot()) };
    };
    const [often, seldom] = [await run(10), await run(500)];
    expect(often).toEqual(seldom);
    const wanted = new Map(rows.slice(1).map(([, , , price, amount]) => [price, amount]));
    const shown = often.levels.map(({ price, total_amount }) => [Number(price), Number(total_amount)] as const);
    expect(new Map(shown)).toEqual(wanted);
  });
});

describe('after a restart of the exchange a replay', () => {
  const rows: Row[] = [
    ...START,
    [500, 'level', 'bid', 0.39, 7],
    [900, 'level', 'bid', 0.4, 60],
    [950, 'level', 'ask', 0.45, 0],
    [950, 'level', 'ask', 0.46, 9],
    [2000, 'level', 'bid', 0.38, 5],
    [3000, 'end'],
  ];

  it('does not play a settled market again', async () => {
    await play(await attach([recordingOf(rows)]), at(0), at(3000));
    const again = restarted(core);
    const replay = await attachReplay(again, [recordingOf(rows)], 1, at(9000));
    expect(replay.done).toBe(true);
    expect(replay.nextDueMs()).toBe(Number.POSITIVE_INFINITY);
    expect(again.catalog.markets.length).toBe(1);
  });

  it('goes on with a half-played one from where the clock stood, with the book of that moment', async () => {
    const both = [recordingOf(rows), recordingOf(rows, { name: 'B', source: ELSEWHERE })];
    await play(await attach(both), at(0), at(600));
    const order = trader(core).rest(600, BID, 0.4, 10);
    // The exchange's clock reached 960 ms, but the replay was stopped before its next tick.
    core.advance(at(960));
    const again = restarted(core);
    const replay = await attachReplay(again, both, 1, at(50_000));
    const book = bookRow(again.catalog.market(0), true, 10);
    expect(book.bid.map((level) => `${level.total_amount} at ${level.price}`)).toEqual(['70 at 0.4', '7 at 0.39']);
    expect(book.ask.map((level) => [level.price, level.total_amount])).toEqual([['0.46', '9']]);
    expect(left(again, order)).toBe(10);
    expect(replay.nextDueMs()).toBe(at(50_000 + 1040));
    again.advance(at(50_040));
    const third = restarted(again);
    const last = await attachReplay(third, both, 1, at(90_000));
    expect(last.nextDueMs()).toBe(at(90_000 + 1000));
    await play(last, at(90_000 + 1000), at(90_000 + 2000));
    const resolved = { state: 'resolved', outcome: true };
    expect(third.catalog.markets).toMatchObject([resolved, resolved]);
  });

  it.each([
    ['resolves a market that the replay had closed just before', 'waiting_to_resolve', true, 'resolved'],
    ['continues a market that a control had closed', 'waiting_to_resolve', false, 'waiting_to_resolve'],
    ['continues a market that a control had interrupted', 'interrupted', false, 'interrupted'],
  ] as const)('%s', async (_, state, isOwnClose, after) => {
    await play(await attach([recordingOf(rows)]), at(0), at(600));
    if (isOwnClose) core.at(at(700)).feed.clear(0);
    core.at(at(700)).markets.setState(core.catalog.market(0).card.conditionId, state);
    const again = restarted(core);
    const replay = await attachReplay(again, [recordingOf(rows)], 1, at(9000));
    expect(again.catalog.market(0).state).toBe(after);
    expect(replay.done).toBe(isOwnClose);
    await play(replay, at(9000), at(12_000));
    expect(again.catalog.market(0).state).toBe('resolved');
  });
});

describe('a replay of bad data', () => {
  it('closes the market where reading fails, says why, and goes on with the others', async () => {
    const rows: Row[] = [
      ...START,
      [100, 'level', 'bid', 0.4, 90],
      [200, 'level', 'bid', 0.4, 80],
      [300, 'level', 'bid', 0.4, 70],
      [900, 'end'],
    ];
    const recordings = [recordingOf(rows, { failsAfter: 1, outcome: null }), recordingOf(rows, { name: 'B' })];
    const replay = await attach(recordings);
    await play(replay, at(0), at(100), at(300));
    expect(core.catalog.market(0)).toMatchObject({ card: { title: 'Recorded A' }, state: 'waiting_to_resolve' });
    expect(core.catalog.market(1)).toMatchObject({ card: { title: 'Recorded B' }, state: 'open' });
    expect(replay.notes().failures).toEqual([{ path: '/recordings/A', message: 'the disk of A broke' }]);
    await play(replay, at(900));
    expect(replay.done).toBe(true);
    expect(replay.notes().failures).toHaveLength(1);
  });

  it('waits with every market when a chunk is late, and then goes on', async () => {
    const gate = new AbortController();
    const released = once(gate.signal, 'abort');
    const rows: Row[] = [...START, [100, 'level', 'bid', 0.4, 80], [300, 'end']];
    const plain = recordingOf(rows);
    let readings = 0;
    const late: Recording = {
      ...plain,
      async *chunks() {
        // The first reading only scans the beginning; the second one plays.
        const gated = readings++ > 0;
        for await (const chunk of plain.chunks()) {
          yield chunk;
          if (gated) await released;
        }
      },
    };
    const replay = await attach([late, recordingOf(rows, { name: 'B' })]);
    replay.tick(at(0));
    replay.tick(at(100));
    expect(core.catalog.markets.length).toBe(1);
    expect(levelAmount(core.catalog.market(0), BID, micros(400_000))).toBe(100_000_000);
    expect(replay.nextDueMs()).toBe(at(110));
    gate.abort();
    await play(replay, at(110));
    for (const market of [0, 1])
      expect(levelAmount(core.catalog.market(market), BID, micros(400_000))).toBe(80_000_000);
  });

  it('lets go of the files that are half read when it is closed', async () => {
    let open = 0;
    const recording = recordingOf([...START, [1_000, 'clear'], [2_000, 'clear'], [3_000, 'clear'], [9_000, 'end']]);
    const counted: Recording = {
      ...recording,
      async *chunks() {
        open += 1;
        try {
          yield* recording.chunks();
        } finally {
          open -= 1;
        }
      },
    };
    const replay = await attach([counted]);
    expect(open).toBe(1);
    await replay.close();
    expect(open).toBe(0);
  });

  it('is refused when nothing of it can be read, or the speed makes no sense', async () => {
    await expect(attach([recordingOf([])])).rejects.toMatchObject({ code: 'recording_invalid' });
    await expect(attach([recordingOf(START, { failsAfter: 0 })])).rejects.toThrow('the disk of A broke');
    for (const speed of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      await expect(attach([], speed)).rejects.toMatchObject({ code: 'usage' });
  });

  it('skips events off the price grid and counts them', async () => {
    const rows: Row[] = [...START, [1, 'level', 'bid', 0.405, 5], [2, 'end']];
    const replay = await attach([recordingOf(rows)]);
    await play(replay, at(0), at(2));
    expect(replay.notes().notes).toEqual([
      { path: '/recordings/A', message: expect.stringContaining('1 events were skipped') },
    ]);
  });
});
