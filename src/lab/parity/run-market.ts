/** One market of a live run, measured as a backtest measures one: samples at equal steps, fills with their marks. */

import { ONE } from '../../shared/base/micros.js';
import { tradeNotional } from '../../trader/ledger/rounding.js';
import type { EventSource } from '../backtest/contract.js';
import type { ConversionRecord, Coverage, FillRecord, MarketSession } from '../session/contract.js';
import { MARKOUT_HORIZONS_MS } from '../session/contract.js';
import { Holdings, KEEP_NEAREST } from '../session/holdings.js';
import { MarketWalk, type SessionOrder } from '../session/market-walk.js';
import { MarketSamples } from '../session/samples.js';
import type { BestPrices } from './best-prices.js';
import type { RunConversion, RunFill, RunOrder } from './run-orders.js';

export interface RunMarketFacts {
  readonly conditionId: string;
  /** Null for a market whose book the run never saw. */
  readonly source: EventSource | null;
  readonly prices: BestPrices;
  readonly orders: readonly RunOrder[];
  readonly fills: readonly RunFill[];
  readonly conversions: readonly RunConversion[];
  /** Empty where several could have placed an order. */
  readonly strategy: string;
  /** The exchange's clock minus ours, ms; rounded. */
  readonly offsetMs: number;
  /** The exchange's clock: the last moment that is measured. */
  readonly untilMs: number;
}

export class RunMarket {
  readonly walk: MarketWalk;
  readonly #facts: RunMarketFacts;
  readonly #fills: readonly FillRecord[];
  readonly #conversions: readonly ConversionRecord[];
  readonly #samples = new MarketSamples();

  constructor(facts: RunMarketFacts) {
    this.#facts = facts;
    const fills = facts.fills.map((fill) => this.#fillOf(fill)).sort((a, b) => a.timeMs - b.timeMs);
    const conversions = facts.conversions.map((conversion) => this.#conversionOf(conversion));
    const orders = facts.orders.map((order) => onTheirClock(order, facts.offsetMs));
    const { prices } = facts;
    this.walk = new MarketWalk({ orders, fills, conversions, prices }, new Holdings(KEEP_NEAREST));
    this.#fills = fills;
    this.#conversions = conversions;
  }

  /** Once each `FIRST_STEP_MS`, on the exchange's clock; time only goes forward. */
  sample(timeMs: number): void {
    this.walk.advance(timeMs);
    this.#samples.take(timeMs, this.walk.top(timeMs), this.walk.held.netMicros);
  }

  session(): MarketSession {
    const { source, conditionId, untilMs, prices } = this.#facts;
    this.walk.advance(Number.POSITIVE_INFINITY);
    const { held } = this.walk;
    const market = source?.market;
    return {
      conditionId,
      title: market?.title ?? conditionId,
      eventTitle: market?.eventTitle ?? '',
      category: market?.category ?? '',
      tickMicros: market === undefined ? null : 10 ** (6 - market.tickPrecision),
      openMs: market?.openTimeMs ?? null,
      closeMs: null,
      outcome: market?.outcome ?? null,
      makerFeeRateMicros: market?.fees?.makerRateMicros ?? 0,
      series: this.#samples.series,
      fills: this.#fills,
      conversions: this.#conversions,
      endYesMicros: held.yesMicros,
      endNoMicros: held.noMicros,
      endMarkMicros: prices.at(untilMs).middleMicros,
      quoting: this.#quoting(),
      coverage: source === null ? null : coverageOf(source),
    };
  }

  #quoting(): MarketSession['quoting'] {
    const { orders } = this.#facts;
    return {
      ...this.#samples.quotedMs,
      ordersPlaced: orders.length,
      ordersCanceled: orders.filter(({ canceled }) => canceled).length,
      postedMicros: orders.reduce((sum, { amountMicros }) => sum + amountMicros, 0),
      joinedBehindMicros: null,
    };
  }

  #fillOf({ row, seenMs }: RunFill): FillRecord {
    const { strategy, offsetMs, orders } = this.#facts;
    const { pubkey, side, outcome } = row.order;
    const [isYes, isBuy] = [outcome.is_yes, side === 'buy'];
    // The exchange names whole seconds: the middle of it, unless we knew before.
    const timeMs = Math.max(row.timestamp * 1000, Math.min(row.timestamp * 1000 + 500, seenMs + offsetMs));
    const priceMicros = isYes ? row.price : ONE - row.price;
    const notional = tradeNotional(isYes, row.price, row.amount);
    const order = orders.find((candidate) => candidate.pubkey === pubkey);
    const restedMs = order === undefined ? null : Math.max(0, Math.round(timeMs - offsetMs - order.fromMs));
    return {
      timeMs,
      seenMs: Math.round(seenMs + offsetMs),
      orderPubkey: pubkey ?? '',
      strategy,
      side: isYes === isBuy ? 'bid' : 'ask',
      isYes,
      isBuy,
      priceMicros,
      amountMicros: row.amount,
      cashMicros: isBuy ? -notional : notional,
      feeMicros: row.fee ?? 0,
      isMaker: row.is_maker,
      markMicros: this.#markAt(timeMs - 1) ?? (this.#facts.source === null ? null : priceMicros),
      marksAfterMicros: MARKOUT_HORIZONS_MS.map((horizonMs) => this.#markAt(timeMs + horizonMs)),
      restedMs: row.is_maker === false ? 0 : restedMs,
      joinedBehindMicros: null,
    };
  }

  #conversionOf({ kind, yesMicros, noMicros, cashMicros, seenMs }: RunConversion): ConversionRecord {
    const timeMs = Math.round(seenMs + this.#facts.offsetMs);
    return { kind, timeMs, yesMicros, noMicros, cashMicros, markMicros: this.#markAt(timeMs) };
  }

  /** Null beyond the last moment that is measured. */
  #markAt(timeMs: number): number | null {
    const { prices, untilMs } = this.#facts;
    return timeMs > untilMs ? null : prices.at(timeMs).middleMicros;
  }
}

const onTheirClock = (order: RunOrder, offsetMs: number): SessionOrder => ({
  ...order,
  fromMs: order.fromMs + offsetMs,
  toMs: order.toMs === null ? null : order.toMs + offsetMs,
});

function coverageOf({ summary }: EventSource): Coverage {
  const { firstMs, lastMs, gaps = [], events, refused = 0 } = summary ?? {};
  const gapMs = gaps.reduce((sum, { fromMs, toMs }) => sum + ((toMs ?? lastMs ?? fromMs) - fromMs), 0);
  const counted = events === undefined ? 0 : events.level + events.trade + events.clear + events.end;
  return {
    spanMs: (lastMs ?? 0) - (firstMs ?? 0),
    gapMs,
    gaps: gaps.length,
    events: counted,
    trades: events?.trade ?? 0,
    skipped: refused,
  };
}
