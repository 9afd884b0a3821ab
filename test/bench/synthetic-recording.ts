/**
 * A large synthetic recording in our format: two-sided books that change all the time around a moving price, and trades
 * at the best level. Equal settings give equal events, so the recording is kept in the folder for temporary files.
 */

import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveConditionId, type RecordedMarket, SIDE } from '../../src/recording/contract.js';
import type { MarketSink } from '../../src/recording/store/segment.js';
import { openRecordingStore } from '../../src/recording/store/store.js';
import { Random } from '../../src/shared/base/random.js';
import { sized } from './bench.js';

export interface SyntheticSettings {
  readonly markets: number;
  /** Level changes and trades of all markets together. */
  readonly events: number;
  /** Of each market. */
  readonly eventsPerSecond: number;
  readonly seed: number;
}

export const TEN_MILLION: SyntheticSettings = {
  markets: sized(10, 2),
  events: sized(10_000_000, 20_000),
  eventsPerSecond: 200,
  seed: 1,
};

const START_MS = Date.UTC(2026, 9, 1);
/** Raised when the events for equal settings change. */
const VERSION = 1;

/** Returns the folder of the recording; the first call writes it. */
export async function syntheticRecording(settings: SyntheticSettings): Promise<string> {
  const { markets, events, eventsPerSecond, seed } = settings;
  const folder = join(tmpdir(), `twinbook-synthetic-v${VERSION}-${markets}-${events}-${eventsPerSecond}-${seed}`);
  if (existsSync(join(folder, 'whole'))) return folder;
  const draft = `${folder}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  const store = await openRecordingStore(draft, { origin: 'synthetic' });
  const each = Math.floor(events / markets);
  for (let market = 0; market < markets; market++) {
    const description = describe(market, each, settings);
    const life = new Life(store.market(description), Random.fromSeed(seed, description.source.ticker));
    for (let done = 0; done < each; done += BATCH) {
      life.go(Math.min(BATCH, each - done), 1000 / eventsPerSecond);
      await store.flush();
    }
    life.end();
    await store.rotate();
  }
  await store.close();
  writeFileSync(join(draft, 'whole'), '');
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
  return folder;
}

const BATCH = 50_000;

function describe(market: number, events: number, { eventsPerSecond, seed }: SyntheticSettings): RecordedMarket {
  const ticker = `SYNTHETIC-${market}`;
  return {
    conditionId: deriveConditionId('synthetic', `${seed}/${market}`),
    eventTitle: `Made-up event ${market}`,
    title: `Made-up market ${market}`,
    category: 'finance',
    rules: [],
    tickPrecision: 2,
    amountPrecision: 2,
    openTimeMs: START_MS,
    closeTimeMs: START_MS + Math.ceil((1000 * events) / eventsPerSecond),
    outcome: market % 2 === 0,
    source: { kind: 'twinbook', path: '', ticker },
  };
}

const TICK = 10_000;
const DEPTH = 15;
const LOWEST = DEPTH + 1;
const HIGHEST = 99 - DEPTH;

/** One market's book and its events. Amounts in millionths, prices in ticks. */
class Life {
  readonly #sink: MarketSink;
  readonly #random: Random;
  readonly #amounts = [new Float64Array(101), new Float64Array(101)] as const;
  /** Bids are below it, asks above. */
  #centre: number;
  #timeMs = START_MS;
  #left = 0;

  constructor(sink: MarketSink, random: Random) {
    this.#sink = sink;
    this.#random = random;
    this.#centre = 30 + random.below(41);
    sink.clear(this.#stamp());
    this.#left = 2 * DEPTH;
    this.#refill();
  }

  /** Yields this number of events, about `everyMs` apart. */
  go(events: number, everyMs: number): void {
    this.#left = events;
    while (this.#left > 0) {
      this.#timeMs += this.#random.exponential(everyMs);
      const draw = this.#random.uniform();
      if (draw < 0.03) this.#trade();
      else if (draw < 0.034) this.#move();
      else this.#change();
    }
  }

  end(): void {
    this.#sink.end(this.#stamp());
  }

  #stamp() {
    const timeMs = Math.floor(this.#timeMs);
    return { timeMs, seenMs: timeMs + 40 };
  }

  /** An order is added to a level or removed from it, most often near the middle. */
  #change(): void {
    const side = this.#random.below(2);
    const away = Math.min(DEPTH, 1 + Math.floor(this.#random.exponential(3)));
    const gone = away > 1 && this.#random.chance(0.05);
    this.#set(side, side === SIDE.bid ? this.#centre - away : this.#centre + away, gone ? 0 : this.#size());
  }

  #trade(): void {
    const side = this.#random.below(2);
    const tick = side === SIDE.bid ? this.#centre - 1 : this.#centre + 1;
    const shown = this.#amounts[side as 0 | 1][tick] ?? 0;
    const taken = Math.min(shown - TICK, Math.round(this.#random.exponential(20)) * 1_000_000);
    if (taken <= 0 || this.#left < 2) return this.#change();
    this.#left--;
    this.#sink.trade(this.#stamp(), 1 - side, tick * TICK, taken);
    this.#set(side, tick, shown - taken);
  }

  /** The price moves by a tick: one side loses its best level, the other side gets a new one. */
  #move(): void {
    const up = this.#centre <= LOWEST || (this.#centre < HIGHEST && this.#random.chance(0.5));
    this.#centre += up ? 1 : -1;
    this.#set(SIDE.bid, this.#centre, 0);
    this.#set(SIDE.ask, this.#centre, 0);
    this.#refill();
  }

  /** Every level near the middle has an amount, and none is far away. */
  #refill(): void {
    for (let away = 1; away <= DEPTH; away++) {
      for (const side of [SIDE.bid, SIDE.ask]) {
        const tick = side === SIDE.bid ? this.#centre - away : this.#centre + away;
        if ((this.#amounts[side][tick] ?? 0) === 0) this.#set(side, tick, this.#size());
      }
    }
    this.#set(SIDE.bid, this.#centre - DEPTH - 1, 0);
    this.#set(SIDE.ask, this.#centre + DEPTH + 1, 0);
  }

  #size(): number {
    return (1 + this.#random.below(500)) * 1_000_000;
  }

  #set(side: number, tick: number, amount: number): void {
    const amounts = this.#amounts[side as 0 | 1];
    if (this.#left <= 0 || tick < 1 || tick > 99 || amounts[tick] === amount) return;
    this.#left--;
    amounts[tick] = amount;
    this.#sink.level(this.#stamp(), side, tick * TICK, amount);
  }
}

if (process.argv[1] === import.meta.filename) {
  const events = Number(process.argv[2] ?? TEN_MILLION.events);
  console.log(await syntheticRecording({ ...TEN_MILLION, events }));
}
