/** The wallet's holdings and orders, and their value. */

import type { Executor } from '../../executor/executor.js';
import type { Ledger } from '../../ledger/contract.js';
import { CONVERSION_KINDS } from '../../ledger/tables.js';
import type { EventRule } from '../../risk/event-rules.js';
import { CoreSets } from '../control/complete-sets.js';
import type { Markets } from '../markets.js';
import { heldIn, type OwnState, ownOrders, readOwnState } from './own-state.js';
import { type HoldingsWorth, Valuation } from './valuation.js';

export class Account {
  readonly valuation: Valuation;
  readonly coreSets: CoreSets;
  /** Number of fills booked by this run. */
  fills = 0;
  readonly #ledger: Ledger;
  readonly #executor: Executor;
  readonly #markets: Markets;
  readonly #events: readonly EventRule[];
  #own: OwnState | null = null;

  constructor(ledger: Ledger, executor: Executor, markets: Markets, events: readonly EventRule[]) {
    this.#ledger = ledger;
    this.#executor = executor;
    this.#markets = markets;
    this.#events = events;
    this.valuation = new Valuation(ledger);
    this.coreSets = new CoreSets(ledger);
  }

  /** Own state, cached; rebuilt after `invalidate`. */
  get own(): OwnState {
    this.#own ??= readOwnState(this.#ledger, this.#executor, this.#markets, this.#events);
    return this.#own;
  }

  invalidate(): void {
    this.#own = null;
  }

  get isStale(): boolean {
    return this.#own === null;
  }

  /**
   * Values the holdings at the newest marks; null while a held share has no mark.
   *
   * @param ageMs age of the process
   */
  value(ageMs: number): HoldingsWorth | null {
    // Observations of an excluded market are ignored.
    const isOut = (conditionId: string) => (this.#markets.get(conditionId)?.excludedBecause ?? null) !== null;
    return this.valuation.value(this.own, isOut, ageMs);
  }

  /** Takes in the newest price of each market. */
  readMarks(nowMs: number): void {
    for (const { conditionId, feed } of this.#markets.all)
      this.valuation.look(conditionId, feed.mark(nowMs, ownOrders(this.own, conditionId)), feed.others, nowMs);
  }

  /** True when the wallet has shares, orders or requests in flight in this market. */
  isOurs(conditionId: string): boolean {
    const held = heldIn(this.own, conditionId);
    if (held.yesMicros > 0 || held.noMicros > 0 || (this.own.orders.get(conditionId)?.length ?? 0) > 0) return true;
    return CONVERSION_KINDS.some((kind) => this.#executor.pendingConversion(kind, conditionId) !== null);
  }
}
