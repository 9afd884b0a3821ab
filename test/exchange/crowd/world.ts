/** An exchange core for the tests of crowd and replay, with a record of its events. */

import { createHash } from 'node:crypto';
import { ASK, BID } from '../../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { publicTradePage } from '../../../src/exchange/core/records/market-rows.js';
import { micros } from '../../../src/shared/base/micros.js';
import { settings } from '../core/venue.js';

export const START_MS = Date.UTC(2026, 10, 21, 12);
export const HOUR_MS = 3_600_000;

export const newCore = (fillModel = 'risk-averse'): ExchangeCore => new ExchangeCore({ ...settings, fillModel });

/** The same core after a restart. */
export const restarted = (core: ExchangeCore): ExchangeCore =>
  new ExchangeCore(settings, JSON.parse(JSON.stringify(core.snapshot())));

/** All public trades of all markets, oldest first, as one hash. */
export function tapeHash(core: ExchangeCore): string {
  const hash = createHash('sha256');
  for (let market = 0; market < core.catalog.markets.length; market++) {
    const trades = publicTradePage(core.catalog.market(market), { limit: 20_000 }).rows;
    for (const { price, amount, timestamp, is_yes } of trades.toReversed())
      hash.update(`${market} ${timestamp} ${is_yes} ${price} ${amount}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** The middle of the book in ticks of a cent; null while it is one-sided. */
export function middle(core: ExchangeCore, market: number): number | null {
  const bid = core.catalog.market(market).bestBid;
  const ask = core.catalog.market(market).bestAsk;
  return bid === null || ask === null ? null : (bid + ask) / 20_000;
}

export interface ProbeFill {
  readonly nowMs: number;
  readonly market: number;
  readonly side: typeof BID | typeof ASK;
  readonly priceTicks: number;
  readonly shares: number;
  /** The account that traded against it. */
  readonly taker: number;
}

/** A simple maker: one order a side around the middle of the book without its own orders. Records its fills. */
export class Probe {
  readonly fills: ProbeFill[] = [];
  readonly #core: ExchangeCore;
  readonly #account: number;
  readonly #resting = new Map<number, { handle: number; side: typeof BID | typeof ASK; tick: number }[]>();

  constructor(core: ExchangeCore) {
    this.#core = core;
    this.#account = core.at(START_MS).identity.openInternal('probe', { unlimited: true });
    this.#watch();
  }

  quote(nowMs: number, market: number, halfTicks: number, shares: number): void {
    for (const { handle } of this.#resting.get(market) ?? []) this.#core.at(nowMs).internal.cancel(handle);
    const centre = middle(this.#core, market);
    if (centre === null) return;
    const wanted = [
      { side: BID, tick: Math.floor(centre - halfTicks) },
      { side: ASK, tick: Math.ceil(centre + halfTicks) },
    ] as const;
    const placed = wanted
      .filter(({ tick }) => tick >= 1 && tick <= 99)
      .map(({ side, tick }) => ({ side, tick, handle: this.#place(nowMs, market, side, tick, shares) }))
      .filter(({ handle }) => handle > 0);
    this.#resting.set(market, placed);
  }

  #place(nowMs: number, market: number, side: typeof BID | typeof ASK, tick: number, shares: number): number {
    const price = micros(tick * 10_000);
    return this.#core.at(nowMs).internal.place(this.#account, market, side, price, micros(shares * 1e6), false);
  }

  /** Records the fills that each order of another account takes from the probe. */
  #watch(): void {
    const core = this.#core;
    const { internal } = core;
    const place = internal.place.bind(internal);
    internal.place = (account, market, ...order) => {
      const resting = account === this.#account ? [] : (this.#resting.get(market) ?? []);
      const before = resting.map(({ handle }) => core.internal.remaining(handle));
      const result = place(account, market, ...order);
      for (const [at, { handle, side, tick }] of resting.entries()) {
        const shares = ((before[at] ?? 0) - core.internal.remaining(handle)) / 1e6;
        if (shares > 0) this.fills.push({ nowMs: core.nowMs, market, side, priceTicks: tick, shares, taker: account });
      }
      return result;
    };
  }
}
