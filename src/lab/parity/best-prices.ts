/** Best prices of one recorded market over time: the source of marks at any moment. */

import { EVENT, type EventChunk, SIDE } from '../../recording/contract.js';
import { assert } from '../../shared/base/errors.js';
import type { EventSource } from '../backtest/contract.js';
import type { Coverage } from '../session/contract.js';
import { type RecordedBest, type RecordedPrices, toCoverage, UNKNOWN_BEST } from '../session/market-walk.js';

export class BestPrices implements RecordedPrices {
  readonly outcome: RecordedPrices['outcome'];
  readonly coverage: Coverage | null;
  readonly eventTitle: string;
  readonly category: string;
  readonly #timesMs: number[] = [];
  readonly #bests: RecordedBest[] = [];
  readonly #levels: readonly [bids: Map<number, number>, asks: Map<number, number>] = [new Map(), new Map()];

  private constructor({ market, summary }: EventSource) {
    this.outcome = market.outcome;
    this.coverage = toCoverage(summary);
    this.eventTitle = market.eventTitle;
    this.category = market.category;
  }

  /** Reads a source to its end. */
  static async of(source: EventSource): Promise<BestPrices> {
    const prices = new BestPrices(source);
    const stream = source.open();
    try {
      for (let chunk = await stream.next(); chunk !== null; chunk = await stream.next()) prices.#take(chunk);
    } finally {
      stream.close();
    }
    return prices;
  }

  /** As known at this time, by the recording's clock. */
  at(timeMs: number): RecordedBest {
    let [low, high] = [0, this.#timesMs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#timesMs[middle] ?? 0) <= timeMs) low = middle + 1;
      else high = middle;
    }
    return this.#bests[low - 1] ?? UNKNOWN_BEST;
  }

  /** A mid is valid until the next one. */
  standing(timeMs: number): number | null {
    return this.at(timeMs).middleMicros;
  }

  /** Events of one time are one change of the book. */
  #take(chunk: EventChunk): void {
    for (let i = 0; i < chunk.length; i++) {
      const timeMs = chunk.timeMs[i];
      assert(timeMs !== undefined, 'a chunk has a time for each event');
      if (chunk.kind[i] === EVENT.clear) for (const side of this.#levels) side.clear();
      if (chunk.kind[i] === EVENT.level) this.#level(chunk, i);
      if (i + 1 < chunk.length && chunk.timeMs[i + 1] === timeMs) continue;
      if (chunk.kind[i] !== EVENT.end) this.#note(timeMs);
    }
  }

  #level({ side, priceMicros, amountMicros }: EventChunk, i: number): void {
    const levels = side[i] === SIDE.bid ? this.#levels[0] : this.#levels[1];
    const amount = amountMicros[i] ?? 0;
    if (amount === 0) levels.delete(priceMicros[i] ?? 0);
    else levels.set(priceMicros[i] ?? 0, amount);
  }

  #note(timeMs: number): void {
    const bidMicros = this.#levels[0].size === 0 ? null : Math.max(...this.#levels[0].keys());
    const askMicros = this.#levels[1].size === 0 ? null : Math.min(...this.#levels[1].keys());
    const last = this.#bests.at(-1) ?? UNKNOWN_BEST;
    if (last.bidMicros === bidMicros && last.askMicros === askMicros) return;
    const both = bidMicros !== null && askMicros !== null;
    const middleMicros = both ? Math.floor((bidMicros + askMicros) / 2) : last.middleMicros;
    this.#timesMs.push(timeMs);
    this.#bests.push({ bidMicros, askMicros, middleMicros });
  }
}
