/** Own orders, fills and conversions as in the answers of a run. */

import type { DataOf } from '../../shared/protocol/endpoints.js';
import type { ConversionRow, OrderRow, OwnTradeRow, RedeemRow } from '../../shared/protocol/records.js';
import type { AnyCall, Outcome } from '../../shared/protocol/seam.js';
import { isFinalOrder, ORDER_STANDING } from '../../shared/protocol/states.js';
import type { ConversionRecord } from '../session/contract.js';
import type { SessionOrder } from '../session/market-walk.js';

/** Our clock, ms, when a request left and when its answer arrived. */
export interface AnsweredAt {
  readonly sentMs: number;
  readonly seenMs: number;
}

/** Times on our clock, approximate. */
export interface RunOrder extends SessionOrder {
  readonly conditionId: string;
  toMs: number | null;
  isCanceled: boolean;
}

export interface RunFill {
  readonly row: OwnTradeRow;
  /** Our clock, ms, when it was first seen. */
  readonly seenMs: number;
}

export interface RunConversion {
  readonly kind: ConversionRecord['kind'];
  readonly conditionId: string;
  readonly yesMicros: number;
  readonly noMicros: number;
  readonly cashMicros: number;
  /** Our clock, ms. */
  readonly seenMs: number;
}

export class RunOrders {
  readonly orders = new Map<string, RunOrder>();
  /** By the trade's pubkey; only settled ones. */
  readonly fills = new Map<string, RunFill>();
  readonly conversions = new Map<string, RunConversion>();

  /** The shell answers with the data of the call's endpoint; TypeScript cannot relate them. */
  onAnswer(call: AnyCall, outcome: Outcome, at: AnsweredAt): void {
    if (outcome.kind !== 'answered') return;
    const data: unknown = outcome.data;
    switch (call.endpoint) {
      case 'orders.submit':
        return this.#onOrder(data as OrderRow, at, true);
      case 'orders.cancelSubmit':
      case 'orders.detail':
        return this.#onOrder(data as OrderRow, at, false);
      case 'orders.list':
        for (const row of data as DataOf<'orders.list'>) this.#onOrder(row, at, false);
        return;
      case 'trades.list':
        for (const row of data as DataOf<'trades.list'>) this.#onTrade(row, at);
        return;
      case 'merges.submit':
      case 'merges.detail':
        return this.#onSets('merge', data as ConversionRow, at);
      case 'splits.submit':
      case 'splits.detail':
        return this.#onSets('split', data as ConversionRow, at);
      case 'redeems.submit':
      case 'redeems.detail':
        return this.#onRedeem(data as RedeemRow, at);
      default:
        return;
    }
  }

  /** @param isNew the answer to its submit */
  #onOrder(row: OrderRow, at: AnsweredAt, isNew: boolean): void {
    const { pubkey, status, price, amount, market, outcome, side } = row;
    if (pubkey === null || price === null || amount === null || status === null) return;
    if (ORDER_STANDING[status].phase === 'unsigned') return;
    const known = this.orders.get(pubkey);
    const over = isFinalOrder(status);
    if (known !== undefined) {
      if (over) close(known, row, at);
      return;
    }
    // An order that had ended before this run saw it belongs to an earlier run.
    if (over && !isNew) return;
    const fromMs = isNew ? (at.sentMs + at.seenMs) / 2 : at.sentMs;
    const order: RunOrder = {
      pubkey,
      conditionId: market.condition_id,
      fromMs,
      toMs: null,
      isCanceled: false,
      amountMicros: amount,
      side: outcome.is_yes === (side === 'buy') ? 'bid' : 'ask',
      isBuy: side === 'buy',
      ownPriceMicros: price,
      priceMicros: outcome.is_yes ? price : 1_000_000 - price,
    };
    this.orders.set(pubkey, order);
    if (over) close(order, row, at);
  }

  #onTrade(row: OwnTradeRow, at: AnsweredAt): void {
    this.#onOrder(row.order, at, false);
    if (row.state === 'done' && !this.fills.has(row.pubkey)) this.fills.set(row.pubkey, { row, seenMs: at.seenMs });
  }

  /** Booked as in the ledger: once the record names the settled amount. */
  #onSets(kind: 'merge' | 'split', row: ConversionRow, at: AnsweredAt): void {
    const { pubkey, state, market_condition_id, onchain_amount } = row;
    if (state !== 'done' || onchain_amount === null || this.conversions.has(pubkey)) return;
    const sets = kind === 'merge' ? onchain_amount : -onchain_amount;
    const moved = { yesMicros: sets, noMicros: sets, cashMicros: sets };
    this.conversions.set(pubkey, { kind, conditionId: market_condition_id, ...moved, seenMs: at.seenMs });
  }

  #onRedeem(row: RedeemRow, at: AnsweredAt): void {
    const { pubkey, state, onchain_funds: cash, yes_shares, no_shares, market_condition_id } = row;
    if ((state !== 'done' && state !== 'completed') || cash === null || this.conversions.has(pubkey)) return;
    const moved = { yesMicros: yes_shares ?? 0, noMicros: no_shares ?? 0, cashMicros: cash };
    this.conversions.set(pubkey, { kind: 'redeem', conditionId: market_condition_id, ...moved, seenMs: at.seenMs });
  }
}

/** Between the request and its answer at the latest. */
function close(order: RunOrder, { status }: OrderRow, { sentMs, seenMs }: AnsweredAt): void {
  order.toMs ??= Math.max(order.fromMs, (sentMs + seenMs) / 2);
  order.isCanceled ||= status !== null && ORDER_STANDING[status].isCanceled;
}
