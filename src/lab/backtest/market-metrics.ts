/** What one market of a backtest has brought, measured while it is played: fills, marks, samples, quotes. */

import type { AccountSlot, ObservedFill } from '../../exchange/core/contract.js';
import type { ExchangeCore } from '../../exchange/core/core.js';
import { ASK, BID } from '../../exchange/core/types.js';
import type { ConversionRecord, FillRecord } from '../session/contract.js';
import { MARKOUT_HORIZONS_MS } from '../session/contract.js';
import { Holdings, KEEP_NEAREST } from '../session/holdings.js';
import { MarketSamples } from '../session/samples.js';
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
  readonly samples = new MarketSamples();
  readonly held = new Holdings(KEEP_NEAREST);
  ordersPlaced = 0;
  ordersCanceled = 0;
  postedMicros = 0;
  joinedBehindMicros = 0;
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
      restedMs: isMaker ? restedMs : 0,
      joinedBehindMicros,
    };
    this.fills.push(pending);
    this.held.move({ kind: 'fill', ...pending });
  }

  /** Complete sets that have become currency since the last look: the exchange holds less than was bought and sold. */
  findMerges(account: AccountSlot, nowMs: number): void {
    if (this.held.yesMicros === 0 || this.held.noMicros === 0) return;
    const merged = this.held.yesMicros - this.#core.holdingOf(account, this.played.index).yes;
    if (merged > 0) this.converted('merge', nowMs, merged, merged, merged);
  }

  /** Complete sets or shares of a settled market are gone. */
  converted(kind: ConversionRecord['kind'], timeMs: number, yes: number, no: number, cashMicros: number): void {
    // Shares come from fills alone, and those had marks.
    const conversion = { kind, timeMs, yesMicros: yes, noMicros: no, cashMicros, markMicros: this.markMicros };
    this.conversions.push(conversion);
    this.held.move(conversion);
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
    this.mark();
    const top = {
      bidMicros: core.bestRecorded(index, BID),
      askMicros: core.bestRecorded(index, ASK),
      ourBidMicros: core.bestReal(index, BID),
      ourAskMicros: core.bestReal(index, ASK),
    };
    this.samples.take(nowMs, top, this.held.netMicros);
  }

  /** What is held: at the mark, and once it is settled at its outcome. Shares without any mark do not exist. */
  get valueMicros(): number {
    const { closedMs, source } = this.played;
    const { outcome } = source.market;
    if (closedMs !== null && outcome !== null) return outcome ? this.held.yesMicros : this.held.noMicros;
    return this.held.worthMicros(this.markMicros ?? 0);
  }
}
