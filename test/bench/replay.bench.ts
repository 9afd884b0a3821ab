/** Recorded events through a replay into the exchange core, with real orders in the queues. */

import { ASK, BID } from '../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../src/exchange/core/core.js';
import { Replay } from '../../src/exchange/crowd/replay.js';
import { CHUNK_EVENTS } from '../../src/recording/chunks.js';
import { EVENT, type EventChunk, type Recording, SIDE } from '../../src/recording/contract.js';
import { micros } from '../../src/shared/base/micros.js';
import { type Bench, rate, sized } from './bench.js';

const CHUNKS = sized(250, 3);
const STEP_MS = 10;
const START_MS = Date.UTC(2026, 10, 21);

/** Levels of 20 prices a side that change all the time, a trade in 20 events. */
function chunk(number: number): EventChunk {
  const timeMs = new Float64Array(CHUNK_EVENTS);
  const kind = new Uint8Array(CHUNK_EVENTS);
  const side = new Uint8Array(CHUNK_EVENTS);
  const priceMicros = new Int32Array(CHUNK_EVENTS);
  const amountMicros = new Float64Array(CHUNK_EVENTS);
  for (let at = 0; at < CHUNK_EVENTS; at++) {
    const n = number * CHUNK_EVENTS + at;
    timeMs[at] = START_MS + n * STEP_MS;
    kind[at] = n === CHUNKS * CHUNK_EVENTS - 1 ? EVENT.end : n % 40 < 2 ? EVENT.trade : EVENT.level;
    // The bids below the middle at even numbers; their taker is a seller.
    const isBid = n % 2 === 0;
    side[at] = isBid === (kind[at] === EVENT.level) ? SIDE.bid : SIDE.ask;
    const away = 1 + ((n * 7) % 20);
    priceMicros[at] = (isBid ? 50 - away : 50 + away) * 10_000;
    amountMicros[at] = n % 40 < 2 ? 400_000_000 : (1 + ((n * 31) % 500)) * 1_000_000;
  }
  return { length: CHUNK_EVENTS, timeMs, kind, side, priceMicros, amountMicros };
}

function recording(): Recording {
  const chunks = Array.from({ length: CHUNKS }, (_, number) => chunk(number));
  return {
    market: {
      conditionId: 'bench',
      eventTitle: 'Bench',
      title: 'Bench',
      category: 'finance',
      rules: [],
      tickPrecision: 2,
      amountPrecision: 2,
      openTimeMs: START_MS,
      closeTimeMs: START_MS + CHUNKS * CHUNK_EVENTS * STEP_MS,
      outcome: true,
      source: { kind: 'kalshi', path: 'bench', ticker: 'BENCH' },
    },
    warnings: [],
    async *chunks() {
      yield* chunks;
    },
  };
}

/** Events per second spent in `tick`; reading ahead is not counted. */
async function once(): Promise<number> {
  const core = new ExchangeCore({
    serviceName: 'SVC',
    draftLifetimeMs: 60_000,
    landingMs: 400,
    startingFunds: micros(1_000_000_000),
    challengeLifetimeMs: 600_000,
    seed: 1,
  });
  const replay = await Replay.attach(core, [recording()], { speed: 1 }, START_MS);
  replay.tick(START_MS);
  const account = core.openInternalAccount(START_MS, 'trader', { unlimited: true });
  for (let level = 1; level <= 20; level++) {
    core.placeInternal(START_MS, account, 0, BID, micros((50 - level) * 10_000), micros(25_000_000_000), false);
    core.placeInternal(START_MS, account, 0, ASK, micros((50 + level) * 10_000), micros(25_000_000_000), false);
  }
  let spentMs = 0;
  for (let nowMs = START_MS; !replay.done; nowMs += CHUNK_EVENTS * STEP_MS) {
    await replay.ready();
    const started = performance.now();
    replay.tick(nowMs);
    spentMs += performance.now() - started;
  }
  return (CHUNKS * CHUNK_EVENTS) / (spentMs / 1000);
}

export const bench: Bench = {
  title: 'replay of recorded events',
  async run() {
    const figures: number[] = [];
    for (let turn = 0; turn < sized(5, 1); turn++) figures.push(await once());
    let at = 0;
    return [rate('replay into the core, 40 orders resting', 'events/s', figures.length, () => figures[at++] ?? 0)];
  },
};
