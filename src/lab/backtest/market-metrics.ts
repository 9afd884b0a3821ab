/** Measures one market of a backtest while it is played: fills, marks, samples, quotes. */

import type { AccountSlot, ObservedFill } from '../../exchange/core/contract.js';
import type { ExchangeCore } from '../../exchange/core/core.js';
import { ASK, BID } from '../../exchange/core/types.js';
import { settledValue } from '../../shared/protocol/outcome.js';
import type { ConversionRecord, FillRecord } from '../session/contract.js';
import { computeYesCost, Holdings, KEEP_NEAREST } from '../session/holdings.js';
import { MarketSamples } from '../session/samples.js';
import type { Played } from './contract.js';
import { LaterMarks, RestingOrders } from './resting-orders.js';

export interface PendingFill extends Omit<FillRecord, 'seenMs' | 'strategy' | 'marksAfterMicros'> {
  readonly tradePubkey: string;
  readonly marksAfterMicros: (number | null)[];
}

export class MarketMetrics {
  readonly played: Played;
  readonly resting = new RestingOrders();
  readonly conversions: ConversionRecord[] = [];
  readonly samples = new MarketSamples();
  readonly held = new Holdings(KEEP_NEAREST);
  ordersPlaced = 0;
  ordersCanceled = 0;
  postedMicros = 0;
  joinedBehindMicros = 0;
  /** Last YES mid without own orders; null before the first. */
  markMicros: number | null = null;
  readonly #core: ExchangeCore;
  readonly #fills = new LaterMarks<PendingFill>();

  constructor(core: ExchangeCore, played: Played) {
    this.#core = core;
    this.played = played;
  }

  get fills(): readonly PendingFill[] {
    return this.#fills.rows;
  }

  /** Present mid of the recorded book; the last one while a side is empty. */
  mark(): number | null {
    const bid = this.#core.catalog.market(this.played.index).bestRecorded(BID);
    const ask = this.#core.catalog.market(this.played.index).bestRecorded(ASK);
    if (bid !== null && ask !== null) this.markMicros = Math.floor((bid + ask) / 2);
    return this.markMicros;
  }

  onFill(fill: ObservedFill): void {
    const { timeMs, orderPubkey, tradePubkey, isYes, isBuy, priceMicros, amountMicros, feeMicros, isMaker } = fill;
    const resting = this.resting.order(orderPubkey);
    const pending: PendingFill = {
      timeMs,
      orderPubkey,
      tradePubkey,
      isYes,
      isBuy,
      priceMicros,
      amountMicros,
      feeMicros,
      isMaker,
      side: isYes === isBuy ? 'bid' : 'ask',
      cashMicros: isBuy ? -fill.costMicros : fill.costMicros,
      markMicros: this.mark() ?? priceMicros,
      marksAfterMicros: [],
      restedMs: isMaker ? (resting === undefined ? null : timeMs - resting.sinceMs) : 0,
      joinedBehindMicros: resting?.behindMicros ?? null,
      atCrossing: fill.atCrossing,
    };
    this.#fills.rows.push(pending);
    this.resting.onFill(orderPubkey, amountMicros, timeMs);
    this.held.move({ kind: 'fill', ...pending });
  }

  /** Sets merged or split since the last call: holdings at the exchange differ from bought minus sold. */
  findSets(account: AccountSlot, nowMs: number): void {
    const holding = this.#core.catalog.market(this.played.index).shares.read(account);
    const [yesGone, noGone] = [this.held.yesMicros - holding.yes, this.held.noMicros - holding.no];
    if (yesGone < 0 && noGone < 0) {
      const sets = Math.max(yesGone, noGone);
      this.onConversion('split', nowMs, sets, sets, sets);
    } else if (this.held.yesMicros !== 0 && this.held.noMicros !== 0 && yesGone > 0) {
      this.onConversion('merge', nowMs, yesGone, yesGone, yesGone);
    }
  }

  /** Books removed (or, negative, added) complete sets and redeemed shares. */
  onConversion(kind: ConversionRecord['kind'], timeMs: number, yes: number, no: number, cashMicros: number): void {
    const { markMicros } = this;
    const yesCostMicros = kind === 'split' ? computeYesCost(-yes, markMicros) : null;
    const conversion = { kind, timeMs, yesMicros: yes, noMicros: no, cashMicros, yesCostMicros, markMicros };
    this.conversions.push(conversion);
    this.held.move(conversion);
  }

  get nextMarkMs(): number {
    return Math.min(this.#fills.nextMs, this.resting.nextMarkMs);
  }

  /** Takes the due marks; the market was played up to this time. */
  takeMarks(nowMs: number): void {
    const mark = this.mark();
    this.#fills.take(nowMs, mark);
    this.resting.takeMarks(nowMs, mark);
  }

  /** The market has closed: nothing rests, and marks that are not due yet never will be. */
  onClose(nowMs: number): void {
    this.#fills.take(Number.POSITIVE_INFINITY, null);
    this.resting.onClose(nowMs);
  }

  sample(nowMs: number): void {
    const { index } = this.played;
    const core = this.#core;
    this.mark();
    const top = {
      bidMicros: core.catalog.market(index).bestRecorded(BID),
      askMicros: core.catalog.market(index).bestRecorded(ASK),
      ourBidMicros: core.catalog.market(index).bestReal(BID),
      ourAskMicros: core.catalog.market(index).bestReal(ASK),
    };
    this.samples.take(nowMs, top, this.held.netMicros);
  }

  /** Value of the holding: at the mark, or at the outcome once settled. Shares without any mark cannot exist. */
  get valueMicros(): number {
    const { closedMs, source } = this.played;
    const { outcome } = source.market;
    if (closedMs !== null && outcome !== null) return settledValue(outcome, this.held.yesMicros, this.held.noMicros);
    return this.held.worthMicros(this.markMicros ?? 0);
  }
}
