/**
 * The exchange's reports about our trades where they differ from the facts: a matched trade may fail and later settle,
 * a settled one may fail for a while, and a dishonest exchange reports fills that were never signed. Its last report
 * about a trade is correct, except for lies, which stay.
 */

import type { z } from 'zod';
import type { ObservedFill } from '../../src/exchange/core/contract.js';
import type { Random } from '../../src/shared/base/random.js';
import type { DataOf } from '../../src/shared/protocol/endpoints.js';
import type { ownTradeRow } from '../../src/shared/protocol/records.js';
import type { Tally } from './faults.js';

/** In the service's format. */
export type WireTrade = z.input<typeof ownTradeRow>;
type State = DataOf<'trades.list'>[number]['state'];

interface Step {
  readonly state: State;
  readonly untilMs: number;
}

interface Telling {
  steps: readonly Step[];
  newest: State | null;
}

/** A trade reported as failed. */
export interface FailedTrade {
  readonly pubkey: string;
  readonly orderPubkey: string;
  readonly market: string;
  /** Millionths of a share. */
  readonly amount: number;
  /** It was reported as settled before. */
  hadSettled: boolean;
}

/** States reported for a trade before its final settlement. */
const PLANS: readonly (readonly State[])[] = [
  ['in_process', 'failed'],
  ['failed'],
  ['done', 'failed'],
  ['in_process', 'done', 'failed', 'done', 'failed'],
];
const LONGEST_STEP_MS = 40_000;
/** Beyond this position on a page a trade must have its final state: rows after the first page are not read again. */
const FIRST_ROWS = 7;
const ONE = 1_000_000;
/** Beyond any order here. */
const MORE_SHARES = 100 * ONE;

export class ToldTrades {
  /** Probability that a trade changes its state. */
  fail = 0;
  /** Probability that a trade is reported with another price, amount or fee than signed. */
  lie = 0;
  /** Called when a settled trade is reported as failed. */
  onTakenBack: () => void = () => undefined;
  readonly failed = new Map<string, FailedTrade>();
  readonly lies = new Set<string>();
  readonly #told = new Map<string, Telling>();
  readonly #fills: Map<string, ObservedFill>;
  readonly #random: Random;
  readonly #tally: Tally;

  /** @param fills of ours, by trade; a lie replaces its fill, because the ledger must hold the reported one */
  constructor(fills: Map<string, ObservedFill>, random: Random, tally: Tally) {
    this.#fills = fills;
    this.#random = random;
    this.#tally = tally;
  }

  /** A page in the service's format. */
  page(rows: readonly WireTrade[], isFirst: boolean, nowMs: number): readonly WireTrade[] {
    return rows.map((row, index) => this.#row(row, isFirst && index < FIRST_ROWS, nowMs));
  }

  #row(row: WireTrade, mayTurn: boolean, nowMs: number): WireTrade {
    let telling = this.#told.get(row.pubkey);
    if (telling === undefined) {
      telling = { steps: mayTurn ? this.#draw(nowMs) : [], newest: null };
      this.#told.set(row.pubkey, telling);
      if (mayTurn && this.#random.chance(this.lie)) this.#invent(row);
    }
    if (!mayTurn || this.fail === 0) telling.steps = [];
    const state = telling.steps.find(({ untilMs }) => nowMs < untilMs)?.state ?? row.state;
    if (state !== telling.newest) this.#turned(row, telling.newest, state);
    telling.newest = state;
    return { ...row, ...this.#lieOf(row), state };
  }

  #draw(nowMs: number): readonly Step[] {
    if (!this.#random.chance(this.fail)) return [];
    let untilMs = nowMs;
    return (PLANS[this.#random.below(PLANS.length)] ?? []).map((state) => {
      untilMs += 1 + this.#random.below(LONGEST_STEP_MS);
      return { state, untilMs };
    });
  }

  #turned(row: WireTrade, before: State | null, state: State): void {
    if (before === 'failed' && state === 'done') this.#tally.add('fault: failed trade settled');
    if (state !== 'failed') return;
    const hadSettled = before === 'done';
    this.#tally.add(hadSettled ? 'fault: settled trade failed' : 'fault: trade failed');
    const known = this.failed.get(row.pubkey);
    if (known === undefined) {
      const { pubkey, order, market_condition_id, amount } = row;
      const [orderPubkey, market] = [order.pubkey ?? '', market_condition_id ?? ''];
      this.failed.set(pubkey, { pubkey, orderPubkey, market, amount: Math.round(Number(amount) * ONE), hadSettled });
    } else if (hadSettled) known.hadSettled = true;
    if (hadSettled) this.onTakenBack();
  }

  /** Another price, amount or fee than signed, to our disadvantage. */
  #invent({ pubkey }: WireTrade): void {
    const fill = this.#fills.get(pubkey);
    if (fill === undefined) return;
    const { isYes, isBuy } = fill;
    const own = isYes ? fill.priceMicros : ONE - fill.priceMicros;
    const told = { own, amount: fill.amountMicros, fee: fill.feeMicros };
    switch (this.#random.below(3)) {
      case 0:
        told.own = isBuy ? 990_000 : 10_000;
        break;
      case 1:
        told.amount += MORE_SHARES;
        break;
      default:
        told.fee += 25 * ONE;
    }
    const priceMicros = isYes ? told.own : ONE - told.own;
    const yes = Math.floor((priceMicros * told.amount) / ONE);
    const costMicros = isYes ? yes : told.amount - yes;
    this.#fills.set(pubkey, { ...fill, priceMicros, costMicros, amountMicros: told.amount, feeMicros: told.fee });
    this.lies.add(pubkey);
    this.#tally.add('fault: fill told otherwise than signed');
  }

  #lieOf({ pubkey }: WireTrade): Partial<WireTrade> {
    const fill = this.lies.has(pubkey) ? this.#fills.get(pubkey) : undefined;
    if (fill === undefined) return {};
    const { isYes, priceMicros, amountMicros, feeMicros } = fill;
    const text = (micros: number) => (micros / ONE).toFixed(6);
    return { price: text(isYes ? priceMicros : ONE - priceMicros), amount: text(amountMicros), fee: text(feeMicros) };
  }
}
