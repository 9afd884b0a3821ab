/** What one market of a backtest has brought, measured while it is played: fills, marks, samples, quotes. */

import type { AccountSlot, ObservedFill } from '../../exchange/core/contract.js';
import type { ExchangeCore } from '../../exchange/core/core.js';
import { ASK, BID } from '../../exchange/core/types.js';
import type { ConversionRecord, FillRecord } from '../session/contract.js';
import { MARKOUT_HORIZONS_MS } from '../session/contract.js';
import { FIRST_STEP_MS, Samples } from '../session/samples.js';
import type { Played } from './replay-driver.js';

/** A fill whose later marks are still to come. */
export interface PendingFill extends Omit<FillRecord, 'seenMs' | 'strategy' | 'marksAfterMicros'> {
  readonly tradePubkey: string;
  readonly marksAfterMicros: (number | null)[];
}

export class MarketMetrics {
  readonly played: Played;
  readonly fills: PendingFill[] = [];
  readonly conversions: ConversionRecord[] = [];
  readonly samples = new Samples(['bid', 'ask', 'ourBid', 'ourAsk', 'inventory']);
  /** Time in play, ms, by samples. */
  openForMs = 0;
  twoSidedMs = 0;
  oneSidedMs = 0;
  ordersPlaced = 0;
  ordersCanceled = 0;
  postedMicros = 0;
  joinedBehindMicros = 0;
  yesMicros = 0;
  noMicros = 0;
  /** What the shares held have cost on average, fees apart. */
  yesCostMicros = 0;
  noCostMicros = 0;
  /** Last YES middle without our own orders; null before the first. */
  markMicros: number | null = null;
  readonly #core: ExchangeCore;
  /** By horizon: how many of `fills` have their mark. */
  readonly #marked = MARKOUT_HORIZONS_MS.map(() => 0);

  constructor(core: ExchangeCore, played: Played) {
    this.#core = core;
    this.played = played;
  }

  /** The middle of the recorded book now; where a side is empty, the last one. */
  mark(): number | null {
    const bid = this.#core.bestRecorded(this.played.index, BID);
    const ask = this.#core.bestRecorded(this.played.index, ASK);
    if (bid !== null && ask !== null) this.markMicros = Math.floor((bid + ask) / 2);
    return this.markMicros;
  }

  filled(fill: ObservedFill, restedMs: number | null, joinedBehindMicros: number | null): void {
    const { timeMs, orderPubkey, tradePubkey, isYes, isBuy, priceMicros, amountMicros, feeMicros, isMaker } = fill;
    this.fills.push({
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
      restedMs: isMaker ? restedMs : 0,
      joinedBehindMicros,
    });
    this.#hold(isYes, isBuy ? amountMicros : -amountMicros, fill.costMicros);
  }

  /** Complete sets that have become currency since the last look: the exchange holds less than was bought and sold. */
  findMerges(account: AccountSlot, nowMs: number): void {
    if (this.yesMicros === 0 || this.noMicros === 0) return;
    const merged = this.yesMicros - this.#core.holdingOf(account, this.played.index).yes;
    if (merged > 0) this.converted('merge', nowMs, merged, merged, merged);
  }

  /** Complete sets or shares of a settled market are gone. */
  converted(kind: ConversionRecord['kind'], timeMs: number, yes: number, no: number, cashMicros: number): void {
    // Shares come from fills alone, and those had marks.
    const markMicros = this.markMicros;
    this.conversions.push({ kind, timeMs, yesMicros: yes, noMicros: no, cashMicros, markMicros });
    if (yes > 0) this.#hold(true, -yes, 0);
    if (no > 0) this.#hold(false, -no, 0);
  }

  #hold(isYes: boolean, change: number, costMicros: number): void {
    const held = isYes ? this.yesMicros : this.noMicros;
    const cost = isYes ? this.yesCostMicros : this.noCostMicros;
    const after = change > 0 || held === 0 ? cost + costMicros : Math.round((cost * (held + change)) / held);
    if (isYes) {
      this.yesMicros = held + change;
      this.yesCostMicros = after;
    } else {
      this.noMicros = held + change;
      this.noCostMicros = after;
    }
  }

  /** When the next later mark of a fill is due; Infinity when none is. */
  get nextMarkMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (let h = 0; h < MARKOUT_HORIZONS_MS.length; h++) {
      const fill = this.fills[this.#marked[h] ?? 0];
      if (fill !== undefined) nextMs = Math.min(nextMs, fill.timeMs + (MARKOUT_HORIZONS_MS[h] ?? 0));
    }
    return nextMs;
  }

  /** Takes the marks that are due; the market has been played up to this moment. */
  takeMarks(nowMs: number): void {
    const mark = this.mark();
    this.#eachDue(nowMs, mark);
  }

  /** The market has closed: marks that are not due yet will never be. */
  endMarks(): void {
    this.#eachDue(Number.POSITIVE_INFINITY, null);
  }

  #eachDue(untilMs: number, mark: number | null): void {
    for (const [h, horizonMs] of MARKOUT_HORIZONS_MS.entries()) {
      let at = this.#marked[h] ?? 0;
      for (let fill = this.fills[at]; fill !== undefined && fill.timeMs + horizonMs <= untilMs; fill = this.fills[at]) {
        fill.marksAfterMicros[h] = mark;
        at++;
      }
      this.#marked[h] = at;
    }
  }

  /** Once each `FIRST_STEP_MS` while it is open. */
  sample(nowMs: number): void {
    const { index } = this.played;
    const core = this.#core;
    const bid = core.bestRecorded(index, BID);
    const ask = core.bestRecorded(index, ASK);
    if (bid !== null && ask !== null) this.markMicros = Math.floor((bid + ask) / 2);
    const ourBid = core.bestReal(index, BID);
    const ourAsk = core.bestReal(index, ASK);
    this.openForMs += FIRST_STEP_MS;
    if (ourBid !== null && ourAsk !== null) this.twoSidedMs += FIRST_STEP_MS;
    else if (ourBid !== null || ourAsk !== null) this.oneSidedMs += FIRST_STEP_MS;
    if (!this.samples.wants()) return;
    const { columns, timeMs } = this.samples;
    timeMs.push(nowMs);
    columns.bid.push(bid);
    columns.ask.push(ask);
    columns.ourBid.push(ourBid);
    columns.ourAsk.push(ourAsk);
    columns.inventory.push(this.yesMicros - this.noMicros);
  }

  /** What is held: at the mark, and once it is settled at its outcome. Shares without any mark do not exist. */
  get valueMicros(): number {
    const { closedMs, source } = this.played;
    const { outcome } = source.market;
    if (closedMs !== null && outcome !== null) return outcome ? this.yesMicros : this.noMicros;
    const mark = this.markMicros ?? 0;
    return Math.floor((this.yesMicros * mark + this.noMicros * (1_000_000 - mark)) / 1_000_000);
  }
}
