/** The public trades of one market and what is counted from them. A ring of columns: a trade costs no allocation. */

import { f64, u8 } from './cells.js';

/** Trades that are kept for `GET /markets/{id}/trades/`: hours of a busy market, 0.8 MB. */
export const TAPE_LENGTH = 20_000;
const HOUR_MS = 3_600_000;
/** The 24 hours before and the running one. */
const HOURS = 25;

export interface TapeTrade {
  readonly id: number;
  readonly timeMs: number;
  /** In the space of the taker's outcome, like `isYes`. */
  readonly price: number;
  readonly amount: number;
  readonly makerFee: number;
  readonly takerFee: number;
  readonly isYes: boolean;
}

export class Tape {
  /** Trades ever; the newest trade's id. */
  count = 0;
  /** Currency: price × amount of every trade at the taker's price. */
  volume = 0;
  /** YES space, 0 before the first trade. */
  lastPrice = 0;
  lastMs = 0;

  readonly #timeMs = new Float64Array(TAPE_LENGTH);
  readonly #price = new Float64Array(TAPE_LENGTH);
  readonly #amount = new Float64Array(TAPE_LENGTH);
  readonly #makerFee = new Float64Array(TAPE_LENGTH);
  readonly #takerFee = new Float64Array(TAPE_LENGTH);
  readonly #isYes = new Uint8Array(TAPE_LENGTH);
  readonly #hour = new Float64Array(HOURS);
  readonly #hourVolume = new Float64Array(HOURS);

  write(
    timeMs: number,
    yesPrice: number,
    amount: number,
    notional: number,
    isYes: boolean,
    makerFee: number,
    takerFee: number,
  ): void {
    const at = this.count % TAPE_LENGTH;
    this.count += 1;
    this.#timeMs[at] = timeMs;
    this.#price[at] = isYes ? yesPrice : 1_000_000 - yesPrice;
    this.#amount[at] = amount;
    this.#makerFee[at] = makerFee;
    this.#takerFee[at] = takerFee;
    this.#isYes[at] = isYes ? 1 : 0;
    this.lastPrice = yesPrice;
    this.lastMs = timeMs;
    this.volume += notional;
    const hour = Math.floor(timeMs / HOUR_MS);
    const cell = hour % HOURS;
    if (f64(this.#hour, cell) !== hour) {
      this.#hour[cell] = hour;
      this.#hourVolume[cell] = 0;
    }
    this.#hourVolume[cell] = f64(this.#hourVolume, cell) + notional;
  }

  /** Volume of the running hour and the 24 before it: the last 24 hours to the hour. */
  volume24h(nowMs: number): number {
    const oldest = Math.floor(nowMs / HOUR_MS) - (HOURS - 1);
    let sum = 0;
    for (let cell = 0; cell < HOURS; cell++) {
      if (f64(this.#hour, cell) >= oldest) sum += f64(this.#hourVolume, cell);
    }
    return sum;
  }

  /** Up to `limit` trades with ids below `beforeId`, newest first. */
  read(limit: number, beforeId: number): readonly TapeTrade[] {
    const trades: TapeTrade[] = [];
    const oldest = Math.max(1, this.count - TAPE_LENGTH + 1);
    for (let id = Math.min(beforeId - 1, this.count); id >= oldest && trades.length < limit; id--) {
      trades.push(this.#at(id));
    }
    return trades;
  }

  /** Whether a trade below this id is still kept. */
  hasBefore(id: number): boolean {
    return id > Math.max(1, this.count - TAPE_LENGTH + 1);
  }

  #at(id: number): TapeTrade {
    const at = (id - 1) % TAPE_LENGTH;
    return {
      id,
      timeMs: f64(this.#timeMs, at),
      price: f64(this.#price, at),
      amount: f64(this.#amount, at),
      makerFee: f64(this.#makerFee, at),
      takerFee: f64(this.#takerFee, at),
      isYes: u8(this.#isYes, at) === 1,
    };
  }

  dump(): TapeDump {
    const kept = this.read(TAPE_LENGTH, this.count + 1);
    return {
      count: this.count,
      volume: this.volume,
      lastPrice: this.lastPrice,
      lastMs: this.lastMs,
      hour: [...this.#hour],
      hourVolume: [...this.#hourVolume],
      trades: kept.flatMap((t) => [t.timeMs, t.price, t.amount, t.makerFee, t.takerFee, t.isYes ? 1 : 0]),
    };
  }

  load(dump: TapeDump): void {
    this.count = dump.count;
    this.volume = dump.volume;
    this.lastPrice = dump.lastPrice;
    this.lastMs = dump.lastMs;
    this.#hour.set(dump.hour);
    this.#hourVolume.set(dump.hourVolume);
    const columns = [this.#timeMs, this.#price, this.#amount, this.#makerFee, this.#takerFee, this.#isYes];
    for (const [index, value] of dump.trades.entries()) {
      const at = (dump.count - 1 - Math.floor(index / columns.length)) % TAPE_LENGTH;
      const column = columns[index % columns.length];
      if (column !== undefined) column[at] = value;
    }
  }
}

export interface TapeDump {
  readonly count: number;
  readonly volume: number;
  readonly lastPrice: number;
  readonly lastMs: number;
  readonly hour: readonly number[];
  readonly hourVolume: readonly number[];
  /** Six values a trade, newest first. */
  readonly trades: readonly number[];
}
