/** One market of a live run, measured as a backtest measures one: samples at equal steps, fills with their marks. */

import { complement } from '../../shared/base/micros.js';
import type { EventSource } from '../backtest/contract.js';
import type { ConversionRecord, FillRecord, MarketSession } from '../session/contract.js';
import { toCoverage } from '../session/coverage.js';
import { Holdings, KEEP_NEAREST } from '../session/holdings.js';
import { MarketWalk, type SessionOrder } from '../session/market-walk.js';
import { computeYesCost } from '../session/moves.js';
import { BEFORE_TRADE_MS, toFillRecord, tradeTimeMs } from '../session/own-trade.js';
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
  readonly #orders: ReadonlyMap<string, SessionOrder>;
  readonly #fills: readonly FillRecord[];
  readonly #conversions: readonly ConversionRecord[];
  readonly #samples = new MarketSamples();

  constructor(facts: RunMarketFacts) {
    this.#facts = facts;
    this.#orders = new Map(facts.orders.map((order) => [order.pubkey, onTheirClock(order, facts.offsetMs)]));
    const fills = facts.fills.map((fill) => this.#toFill(fill)).sort((a, b) => a.timeMs - b.timeMs);
    const conversions = facts.conversions.map((conversion) => this.#toConversion(conversion));
    const { prices } = facts;
    this.walk = new MarketWalk(
      { orders: [...this.#orders.values()], fills, conversions, prices },
      new Holdings(KEEP_NEAREST),
    );
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
      stoodCrossed: null,
      endYesMicros: held.yesMicros,
      endNoMicros: held.noMicros,
      endMarkMicros: prices.at(untilMs).middleMicros,
      quoting: this.#quoting(),
      coverage: toCoverage(source?.summary ?? null),
    };
  }

  #quoting(): MarketSession['quoting'] {
    const { orders } = this.#facts;
    return {
      ...this.#samples.quotedMs,
      haltedMs: null,
      ordersPlaced: orders.length,
      ordersCanceled: orders.filter(({ canceled }) => canceled).length,
      postedMicros: orders.reduce((sum, { amountMicros }) => sum + amountMicros, 0),
      joinedBehindMicros: null,
    };
  }

  #toFill({ row, seenMs }: RunFill): FillRecord {
    const { strategy, offsetMs, source } = this.#facts;
    const { pubkey, side, outcome } = row.order;
    const restingFromMs = this.#orders.get(pubkey ?? '')?.fromMs ?? null;
    const trade = {
      timeMs: tradeTimeMs(row.timestamp, seenMs + offsetMs),
      seenMs: Math.round(seenMs + offsetMs),
      orderPubkey: pubkey ?? '',
      strategy,
      isYes: outcome.is_yes,
      isBuy: side === 'buy',
      isMaker: row.is_maker,
      ownPriceMicros: row.price,
      amountMicros: row.amount,
      feeMicros: row.fee,
      restingFromMs,
    };
    const priceMicros = trade.isYes ? row.price : complement(row.price);
    const markMicros = this.#markAt(trade.timeMs - BEFORE_TRADE_MS) ?? (source === null ? null : priceMicros);
    return toFillRecord(trade, markMicros, (timeMs) => this.#markAt(timeMs));
  }

  #toConversion({ kind, yesMicros, noMicros, cashMicros, seenMs }: RunConversion): ConversionRecord {
    const timeMs = Math.round(seenMs + this.#facts.offsetMs);
    const markMicros = this.#markAt(timeMs);
    const yesCostMicros = kind === 'split' ? computeYesCost(-yesMicros, markMicros) : null;
    return { kind, timeMs, yesMicros, noMicros, cashMicros, yesCostMicros, markMicros };
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
