/** Measures a backtest at the exchange, at the time of each event, even if the trader sees the event later. */

import { type AccountSlot, ASK, BID, type ObservedFill } from '../../exchange/core/contract.js';
import type { ExchangeCore } from '../../exchange/core/core.js';
import type { DataOf } from '../../shared/protocol/endpoints.js';
import { settledValue } from '../../shared/protocol/outcome.js';
import type { AnyCall, Outcome } from '../../shared/protocol/seam.js';
import { type ConversionRecord, type FillRecord, MARKOUT_HORIZONS_MS } from '../session/contract.js';
import { computeYesCost, Holdings, KEEP_NEAREST } from '../session/holdings.js';
import { AccountSamples, FIRST_STEP_MS, MarketSamples } from '../session/samples.js';
import type { Played } from './contract.js';

class MarkedFills {
  readonly rows: PendingFill[] = [];
  readonly #marked = MARKOUT_HORIZONS_MS.map(() => 0);

  get nextMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (let h = 0; h < MARKOUT_HORIZONS_MS.length; h++) {
      const row = this.rows[this.#marked[h] ?? 0];
      if (row !== undefined) nextMs = Math.min(nextMs, row.timeMs + (MARKOUT_HORIZONS_MS[h] ?? 0));
    }
    return nextMs;
  }

  take(untilMs: number, mark: number | null): void {
    for (const [h, horizonMs] of MARKOUT_HORIZONS_MS.entries()) {
      let at = this.#marked[h] ?? 0;
      for (let row = this.rows[at]; row !== undefined && row.timeMs + horizonMs <= untilMs; row = this.rows[at]) {
        row.marksAfterMicros[h] = mark;
        at++;
      }
      this.#marked[h] = at;
    }
  }
}

/** Maximum number of samples of all ended markets together, about 10 MB. */
const MOST_SAMPLES = 200_000;

export class Metrics {
  readonly markets = new Map<number, MarketMetrics>();
  readonly account = new AccountSamples();
  readonly #core: ExchangeCore;
  readonly #account: AccountSlot;
  readonly #open = new Set<MarketMetrics>();
  readonly #over: MarketMetrics[] = [];
  #samples = 0;
  readonly #holding = new Set<MarketMetrics>();
  #nextSampleMs = Number.NEGATIVE_INFINITY;
  #nextMarkMs = Number.POSITIVE_INFINITY;

  constructor(core: ExchangeCore, account: AccountSlot) {
    this.#core = core;
    this.#account = account;
  }

  get nextMs(): number {
    return Math.min(this.#nextMarkMs, this.#open.size > 0 ? this.#nextSampleMs : Number.POSITIVE_INFINITY);
  }

  onOpen(played: Played): void {
    const market = new MarketMetrics(this.#core, played);
    this.markets.set(played.index, market);
    this.#open.add(market);
    if (this.#open.size === 1) this.#nextSampleMs = played.openedMs;
  }

  /** Records the last mid before the close: samples may be a second old, and a closed market has no mid. */
  ending({ index }: Played): void {
    this.markets.get(index)?.mark();
  }

  onClose(played: Played, nowMs: number): void {
    const market = this.markets.get(played.index);
    if (market === undefined) return;
    market.findSets(this.#account, nowMs);
    market.fills.take(Number.POSITIVE_INFINITY, null);
    this.#open.delete(market);
    this.#planMarks();
    this.#bound(market);
    // No later sample exists, so the equity is recorded here: the drawdown must include the settlement.
    this.account.see(this.#equityMicros);
  }

  #bound(closed: MarketMetrics): void {
    this.#over.push(closed);
    this.#samples += closed.samples.length;
    while (this.#samples > Math.max(MOST_SAMPLES, this.#over.length)) {
      const finest = Math.min(...this.#over.map(({ samples }) => samples.stepMs));
      for (const { samples } of this.#over) if (samples.stepMs === finest) samples.thinOut();
      this.#samples = this.#over.reduce((sum, { samples }) => sum + samples.length, 0);
    }
  }

  /** Ends the run; the last sample is the final equity. Open markets keep their figures; later mids are unknown. */
  onEnd(nowMs: number): void {
    for (const { played } of [...this.#open]) {
      this.ending(played);
      this.onClose(played, nowMs);
    }
    this.account.end(nowMs, this.#equityMicros, this.#lockedMicros);
  }

  onFill(fill: ObservedFill): void {
    const market = this.markets.get(fill.market);
    if (market === undefined) return;
    this.#holding.add(market);
    market.onFill(fill);
    this.#nextMarkMs = Math.min(this.#nextMarkMs, market.fills.nextMs);
  }

  onAnswer(call: AnyCall, outcome: Outcome, nowMs: number): void {
    if (outcome.kind !== 'answered') return;
    // These casts are safe, because the data is the answer to this call.
    const { data } = outcome;
    if (call.endpoint === 'orders.submit') this.#onSubmit(call.params.pubkey, data as DataOf<'orders.submit'>, nowMs);
    if (call.endpoint === 'orders.cancelSubmit') {
      const market = this.#findMarket((data as DataOf<'orders.cancelSubmit'>).market.condition_id);
      market?.joined.delete(call.params.pubkey);
      if (market !== undefined) market.ordersCanceled++;
    }
    if (call.endpoint === 'redeems.submit') this.#onRedeem(data as DataOf<'redeems.submit'>, nowMs);
  }

  #onRedeem(row: DataOf<'redeems.submit'>, nowMs: number): void {
    const { yes_shares: yes, no_shares: no, onchain_funds: cash } = row;
    if ((row.state !== 'done' && row.state !== 'completed') || cash === null) return;
    this.#findMarket(row.market_condition_id)?.onConversion('redeem', nowMs, yes ?? 0, no ?? 0, cash);
  }

  #onSubmit(pubkey: string, order: DataOf<'orders.submit'>, nowMs: number): void {
    const market = this.#findMarket(order.market.condition_id);
    const behind = this.#core.orders.ahead(this.#account, pubkey);
    if (market === undefined || behind === null) return;
    market.joined.set(pubkey, { sinceMs: nowMs, behindMicros: behind });
    market.ordersPlaced++;
    market.postedMicros += order.remaining_amount ?? 0;
    market.joinedBehindMicros += behind;
  }

  #findMarket(conditionId: string): MarketMetrics | undefined {
    const index = this.#core.catalog.findIndex(conditionId);
    return index === null ? undefined : this.markets.get(index);
  }

  look(nowMs: number): void {
    if (nowMs >= this.#nextMarkMs) {
      for (const market of this.#open) if (market.fills.nextMs <= nowMs) market.fills.take(nowMs, market.mark());
      this.#planMarks();
    }
    if (nowMs < this.#nextSampleMs) return;
    for (const market of this.#open) {
      market.findSets(this.#account, nowMs);
      market.sample(nowMs);
    }
    this.#sampleAccount(nowMs);
    this.#nextSampleMs = nowMs + FIRST_STEP_MS;
  }

  #planMarks(): void {
    this.#nextMarkMs = Number.POSITIVE_INFINITY;
    for (const { fills } of this.#open) this.#nextMarkMs = Math.min(this.#nextMarkMs, fills.nextMs);
  }

  get #equityMicros(): number | null {
    let equity: number = this.#core.funds.read(this.#account).total;
    for (const { valueMicros } of this.#holding) {
      if (valueMicros === null) return null;
      equity += valueMicros;
    }
    return equity;
  }

  get #lockedMicros(): number {
    let locked: number = this.#core.funds.read(this.#account).locked;
    for (const { held } of this.#holding) locked += held.costMicros;
    return locked;
  }

  #sampleAccount(nowMs: number): void {
    for (const market of this.#holding)
      if (market.held.yesMicros === 0 && market.held.noMicros === 0) this.#holding.delete(market);
    this.account.take(nowMs, this.#equityMicros, () => this.#lockedMicros);
  }
}

export interface PendingFill extends Omit<FillRecord, 'seenMs' | 'strategy' | 'marksAfterMicros'> {
  readonly tradePubkey: string;
  readonly marksAfterMicros: (number | null)[];
}

export class MarketMetrics {
  readonly played: Played;
  /** The trader's open orders: start time of each, and the recorded shares ahead of it. */
  readonly joined = new Map<string, { readonly sinceMs: number; readonly behindMicros: number }>();
  readonly conversions: ConversionRecord[] = [];
  readonly samples = new MarketSamples();
  readonly held = new Holdings(KEEP_NEAREST);
  ordersPlaced = 0;
  ordersCanceled = 0;
  postedMicros = 0;
  joinedBehindMicros = 0;
  markMicros: number | null = null;
  readonly #core: ExchangeCore;
  readonly fills = new MarkedFills();

  constructor(core: ExchangeCore, played: Played) {
    this.#core = core;
    this.played = played;
  }

  /** Updates and returns the recorded book's mid; returns the last known mid while a side of the book is empty. */
  mark(): number | null {
    const book = this.#core.catalog.market(this.played.index);
    const [bid, ask] = [book.bestRecorded(BID), book.bestRecorded(ASK)];
    if (bid !== null && ask !== null) this.markMicros = Math.floor((bid + ask) / 2);
    return this.markMicros;
  }

  onFill({ account: _, market: _market, costMicros, ...traded }: ObservedFill): void {
    const { timeMs, orderPubkey, isYes, isBuy, priceMicros, isMaker } = traded;
    const resting = this.joined.get(orderPubkey);
    const pending: PendingFill = {
      ...traded,
      side: isYes === isBuy ? 'bid' : 'ask',
      cashMicros: isBuy ? -costMicros : costMicros,
      markMicros: this.mark() ?? priceMicros,
      marksAfterMicros: [],
      restedMs: isMaker ? (resting === undefined ? null : timeMs - resting.sinceMs) : 0,
      joinedBehindMicros: resting?.behindMicros ?? null,
    };
    this.fills.rows.push(pending);
    this.held.move({ kind: 'fill', ...pending });
  }

  /** Finds merges and splits since the last call by comparing the exchange's shares with the shares counted here. */
  findSets(account: AccountSlot, nowMs: number): void {
    const holding = this.#core.catalog.market(this.played.index).shares.read(account);
    const [yesGone, noGone] = [this.held.yesMicros - holding.yes, this.held.noMicros - holding.no];
    if (yesGone < 0 && noGone < 0) {
      const sets = Math.max(yesGone, noGone);
      this.onConversion('split', nowMs, sets, sets, sets);
    } else if (this.held.yesMicros !== 0 && this.held.noMicros !== 0 && yesGone > 0)
      this.onConversion('merge', nowMs, yesGone, yesGone, yesGone);
  }

  /** Records a merge, split or redeem. Share amounts are positive for removed shares and negative for added shares. */
  onConversion(kind: ConversionRecord['kind'], timeMs: number, yes: number, no: number, cashMicros: number): void {
    const { markMicros } = this;
    const yesCostMicros = kind === 'split' ? computeYesCost(-yes, markMicros) : null;
    const conversion = { kind, timeMs, yesMicros: yes, noMicros: no, cashMicros, yesCostMicros, markMicros };
    this.conversions.push(conversion);
    this.held.move(conversion);
  }

  sample(nowMs: number): void {
    const book = this.#core.catalog.market(this.played.index);
    this.mark();
    const top = {
      bidMicros: book.bestRecorded(BID),
      askMicros: book.bestRecorded(ASK),
      ourBidMicros: book.bestReal(BID),
      ourAskMicros: book.bestReal(ASK),
    };
    this.samples.take(nowMs, top, this.held.netMicros);
  }

  /** Value of the held shares at the last mid (null before the first mid), or at the outcome after the settlement. */
  get valueMicros(): number | null {
    const { closedMs, source } = this.played;
    const { outcome } = source.market;
    if (closedMs !== null && outcome !== null) return settledValue(outcome, this.held.yesMicros, this.held.noMicros);
    return this.held.worthMicros(this.markMicros);
  }
}
