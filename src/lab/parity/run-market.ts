/** One market of a live run, measured as a backtest measures one: samples at equal steps, fills with their marks. */

import { ONE } from '../../shared/base/micros.js';
import { tradeNotional } from '../../trader/ledger/rounding.js';
import type { EventSource } from '../backtest/contract.js';
import type { ConversionRecord, Coverage, FillRecord, MarketSession } from '../session/contract.js';
import { MARKOUT_HORIZONS_MS } from '../session/contract.js';
import { FIRST_STEP_MS, Samples } from '../session/samples.js';
import type { BestPrices } from './best-prices.js';
import { Holdings } from './holdings.js';
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
  readonly held = new Holdings();
  readonly #facts: RunMarketFacts;
  readonly #fills: readonly FillRecord[];
  readonly #conversions: readonly ConversionRecord[];
  readonly #moves: readonly (FillRecord | ConversionRecord)[];
  #moved = 0;
  readonly #orders: readonly RunOrder[];
  #begun = 0;
  readonly #resting = new Set<RunOrder>();
  readonly #filledMicros = new Map<string, number>();
  readonly #samples = new Samples(['bid', 'ask', 'ourBid', 'ourAsk', 'inventory']);
  #openForMs = 0;
  #twoSidedMs = 0;
  #oneSidedMs = 0;

  constructor(facts: RunMarketFacts) {
    this.#facts = facts;
    this.#orders = [...facts.orders].sort((a, b) => a.fromMs - b.fromMs);
    this.#fills = facts.fills.map((fill) => this.#fillOf(fill)).sort((a, b) => a.timeMs - b.timeMs);
    this.#conversions = facts.conversions.map((conversion) => this.#conversionOf(conversion));
    this.#moves = [...this.#fills, ...this.#conversions].sort((a, b) => a.timeMs - b.timeMs);
  }

  /** What is held, at the middle; null while that is not known. */
  worthMicros(timeMs: number): number | null {
    const { yesMicros, noMicros } = this.held;
    if (yesMicros === 0 && noMicros === 0) return 0;
    const { middleMicros } = this.#facts.prices.at(timeMs);
    return middleMicros === null ? null : this.held.valueMicros(middleMicros);
  }

  /** Currency behind resting purchases. */
  get lockedMicros(): number {
    let locked = 0;
    for (const { pubkey, isBuy, ownPriceMicros, amountMicros } of this.#resting) {
      const left = Math.max(0, amountMicros - (this.#filledMicros.get(pubkey) ?? 0));
      if (isBuy) locked += Math.ceil((left * ownPriceMicros) / ONE);
    }
    return locked;
  }

  /** Once each `FIRST_STEP_MS`, on the exchange's clock; time only goes forward. */
  sample(timeMs: number): void {
    this.#advance(timeMs);
    const { bidMicros, askMicros } = this.#facts.prices.at(timeMs);
    const ourBid = this.#best(true);
    const ourAsk = this.#best(false);
    this.#openForMs += FIRST_STEP_MS;
    if (ourBid !== null && ourAsk !== null) this.#twoSidedMs += FIRST_STEP_MS;
    else if (ourBid !== null || ourAsk !== null) this.#oneSidedMs += FIRST_STEP_MS;
    if (!this.#samples.wants()) return;
    const { columns, timeMs: times } = this.#samples;
    times.push(timeMs);
    columns.bid.push(bidMicros);
    columns.ask.push(askMicros);
    columns.ourBid.push(ourBid);
    columns.ourAsk.push(ourAsk);
    columns.inventory.push(this.held.yesMicros - this.held.noMicros);
  }

  session(): MarketSession {
    const { source, conditionId, untilMs, prices } = this.#facts;
    this.#advance(Number.POSITIVE_INFINITY);
    const { columns, stepMs, timeMs } = this.#samples;
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
      series: {
        stepMs,
        timeMs,
        bidMicros: columns.bid,
        askMicros: columns.ask,
        ourBidMicros: columns.ourBid,
        ourAskMicros: columns.ourAsk,
        inventoryMicros: columns.inventory.map((value) => value ?? 0),
      },
      fills: this.#fills,
      conversions: this.#conversions,
      endYesMicros: this.held.yesMicros,
      endNoMicros: this.held.noMicros,
      endMarkMicros: prices.at(untilMs).middleMicros,
      quoting: this.#quoting(),
      coverage: source === null ? null : coverageOf(source),
    };
  }

  #quoting(): MarketSession['quoting'] {
    const orders = this.#orders;
    return {
      openForMs: this.#openForMs,
      twoSidedMs: this.#twoSidedMs,
      oneSidedMs: this.#oneSidedMs,
      ordersPlaced: orders.length,
      ordersCanceled: orders.filter(({ canceled }) => canceled).length,
      postedMicros: orders.reduce((sum, { amountMicros }) => sum + amountMicros, 0),
      joinedBehindMicros: null,
    };
  }

  #advance(timeMs: number): void {
    const ourMs = timeMs - this.#facts.offsetMs;
    for (
      let next = this.#orders[this.#begun];
      next !== undefined && next.fromMs <= ourMs;
      next = this.#orders[this.#begun]
    ) {
      this.#begun++;
      this.#resting.add(next);
    }
    for (const order of this.#resting) if (order.toMs !== null && order.toMs <= ourMs) this.#resting.delete(order);
    for (
      let next = this.#moves[this.#moved];
      next !== undefined && next.timeMs <= timeMs;
      next = this.#moves[this.#moved]
    ) {
      this.#moved++;
      if ('kind' in next) this.held.convert(next);
      else this.#filled(next);
    }
  }

  #filled(fill: FillRecord): void {
    this.held.fill(fill);
    const before = this.#filledMicros.get(fill.orderPubkey) ?? 0;
    this.#filledMicros.set(fill.orderPubkey, before + fill.amountMicros);
  }

  #best(isBid: boolean): number | null {
    let best: number | null = null;
    for (const order of this.#resting) {
      if (order.isBid !== isBid) continue;
      if (best === null || (isBid ? order.priceMicros > best : order.priceMicros < best)) best = order.priceMicros;
    }
    return best;
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
