/**
 * Makes `data/sample/`: three markets of the paper exchange's own crowd, fifteen minutes each, recorded event by event,
 * resolved by the crowd's hidden truth. `npx tsx test/recording/make-sample.ts` rewrites it; a test compares the folder
 * with its output. Its round trips are drawn, not measured: about 60 ms, sometimes slow.
 */

import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeName } from '../../src/exchange/core/catalog.js';
import type { MarketIndex, MatchingSide } from '../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../src/exchange/core/core.js';
import { bookRow, detailRow } from '../../src/exchange/core/records/market-rows.js';
import { Crowd } from '../../src/exchange/crowd/crowd.js';
import { type RecordedMarket, SIDE } from '../../src/recording/contract.js';
import type { MarketSink } from '../../src/recording/store/segment.js';
import { openRecordingStore, type RecordingStore } from '../../src/recording/store/store.js';
import { micros, parseDecimal } from '../../src/shared/base/micros.js';
import { Random } from '../../src/shared/base/random.js';

export const SAMPLE = resolve(import.meta.dirname, '../../data/sample');

const START_MS = Date.UTC(2026, 10, 20, 14);
const LENGTH_MS = 15 * 60_000;
const MARKETS = 3;
const SEED = 4;
/** The crowd needs a minute to fill its books. */
const WARM_UP_MS = 60_000;
const POLL_EVERY_MS = 2000;
const ONE = 1_000_000;

/** Writes the sample to a new or empty folder. */
export async function makeSample(folder: string): Promise<void> {
  const core = new ExchangeCore({
    serviceName: 'SVC',
    draftLifetimeMs: 60_000,
    landingMs: 400,
    startingFunds: micros(0),
    challengeLifetimeMs: 600_000,
    seed: SEED,
  });
  const crowd = new Crowd(core, { seed: SEED }, START_MS - WARM_UP_MS);
  while (crowd.nextDueMs() < START_MS) crowd.tick(crowd.nextDueMs());
  const store = await openRecordingStore(folder, { origin: 'paper-crowd', snapshotEveryMs: 120_000 });
  const random = Random.fromSeed(SEED, 'outcomes and round trips');
  const scribes = crowd
    .truths()
    .slice(0, MARKETS)
    .map(({ index }) => new Scribe(core, index, store));
  watch(core, scribes);
  while (crowd.nextDueMs() < START_MS + LENGTH_MS) crowd.tick(crowd.nextDueMs());
  for (const [at, scribe] of scribes.entries()) {
    scribe.close(START_MS + LENGTH_MS, random.chance(crowd.truths()[at]?.probability ?? 0.5));
    poll(scribe.sink, random);
  }
  await store.close();
}

/** Reports every possible change of a book to the scribes. */
function watch(core: ExchangeCore, scribes: readonly Scribe[]): void {
  const { internal } = core;
  const place = internal.place.bind(internal);
  internal.place = (account, market, side, ...order) => {
    const handle = place(account, market, side, ...order);
    for (const scribe of scribes) if (scribe.index === market) scribe.look(core.nowMs, side);
    return handle;
  };
  const cancel = internal.cancel.bind(internal);
  internal.cancel = (handle) => {
    const canceled = cancel(handle);
    for (const scribe of scribes) scribe.look(core.nowMs, null);
    return canceled;
  };
}

const CATEGORIES = ['politics', 'sports', 'crypto', 'wtf', 'tech', 'finance'] as const;

type Levels = Map<number, number>;

/** Records one market: its book after each order, and the fills of that order. */
class Scribe {
  readonly index: MarketIndex;
  readonly sink: MarketSink;
  readonly #core: ExchangeCore;
  #book: readonly [bids: Levels, asks: Levels] = [new Map(), new Map()];

  constructor(core: ExchangeCore, index: MarketIndex, store: RecordingStore) {
    this.#core = core;
    this.index = index;
    this.sink = store.market(describe(core, index));
    this.sink.clear({ timeMs: START_MS, seenMs: START_MS });
    this.look(START_MS, null);
  }

  /** `taker` is the side of the placed order: decreases of the other side were traded. */
  look(nowMs: number, taker: MatchingSide | null): void {
    const row = bookRow(this.#core.catalog.market(this.index), true, 100);
    const next = [levelsOf(row.bid), levelsOf(row.ask)] as const;
    const stamp = { timeMs: nowMs, seenMs: nowMs };
    for (const side of [SIDE.bid, SIDE.ask]) {
      const [before, after] = [this.#book[side], next[side]];
      for (const price of new Set([...before.keys(), ...after.keys()])) {
        const [was, is] = [before.get(price) ?? 0, after.get(price) ?? 0];
        if (was === is) continue;
        if (is < was && taker !== null && taker !== side) this.sink.trade(stamp, taker, price, was - is);
        this.sink.level(stamp, side, price, is);
      }
    }
    this.#book = next;
  }

  close(nowMs: number, outcome: boolean): void {
    this.sink.end({ timeMs: nowMs, seenMs: nowMs });
    this.sink.describe({ ...this.sink.market, outcome });
  }
}

/** Best first, so that a sweep trades level by level. */
const levelsOf = (rows: readonly { price: string; total_amount: string }[]): Levels =>
  new Map(rows.map((row) => [parseDecimal(row.price) ?? 0, parseDecimal(row.total_amount) ?? 0]));

function describe(core: ExchangeCore, index: MarketIndex): RecordedMarket {
  const detail = detailRow(core.catalog, core.catalog.market(index));
  return {
    // Not the crowd's own name, or a replay would be mistaken for the crowd's market in the same folder.
    conditionId: makeName(SEED, 'market', index),
    eventTitle: detail.event?.title ?? detail.title,
    title: detail.title,
    category: CATEGORIES.find((known) => known === detail.category) ?? 'wtf',
    rules: ['A made-up market of the paper exchange, resolved by a hidden probability of the simulation.'],
    tickPrecision: 2,
    amountPrecision: 2,
    openTimeMs: START_MS,
    closeTimeMs: START_MS + LENGTH_MS,
    outcome: null,
    fees: { makerRateMicros: 0, takerRateMicros: ONE / 100 },
    source: { kind: 'twinbook', path: '', ticker: `sample-${index + 1}` },
  };
}

function poll(sink: MarketSink, random: Random): void {
  for (let sentMs = START_MS; sentMs < START_MS + LENGTH_MS; sentMs += POLL_EVERY_MS) {
    const slow = random.chance(0.02) ? 500 * random.uniform() : 0;
    const roundTripMs = Math.round(20 + 40 * Math.exp(0.5 * random.normal()) + slow);
    const venueMs = sentMs + Math.floor(roundTripMs / 2);
    sink.poll({ endpoint: 'markets.book', sentMs, seenMs: sentMs + roundTripMs, venueMs, outcome: 'answered' });
  }
}

if (process.argv[1] === import.meta.filename) {
  rmSync(SAMPLE, { recursive: true, force: true });
  await makeSample(SAMPLE);
}
