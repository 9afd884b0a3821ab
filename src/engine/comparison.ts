/**
 * The lists of a round, and what they say against the ledger once all are complete. It works for a running trader, and
 * beside a ledger that nobody writes to.
 */

import type { LiveOrder, MissingFills, OrderExecutor } from '../executor/contract.js';
import type { Ledger } from '../ledger/contract.js';
import type { OrderRow } from '../protocol/records.js';
import {
  type Difference,
  missingFill,
  type OwnBooks,
  orderDifference,
  shareDifferences,
  sharesAtExchange,
  unlistedOrder,
} from './differences.js';
import { AssetsReading, movesSince, OpeningShares } from './held-shares.js';
import { historiesOf } from './histories.js';
import type { Reading, RoundList } from './round.js';
import { SecondReader } from './second-reader.js';

/** How far a list may lag, ms: what has happened since then it need not show. */
const LONGEST_LAG_MS = 10_000;

/** What a comparison reads of the ledger, and the notes in which it keeps how far it has come. */
export type ComparedLedger = Pick<
  Ledger,
  'fillsAfter' | 'conversionsAfter' | 'newestSeq' | 'fill' | 'conversion' | 'order' | 'intent' | 'positions' | 'note'
> &
  Pick<Ledger, 'setNote'>;

/** What is under way; the executor knows. */
export interface UnderWay extends Pick<OrderExecutor, 'pendingMerge' | 'pendingRedeem'> {
  liveOrders(): readonly Pick<LiveOrder, 'orderPubkey' | 'createdMs' | 'cancelPending'>[];
  missingFills(): readonly Pick<MissingFills, 'orderPubkey' | 'marketConditionId' | 'missingMicros'>[];
}

/** A complete list of the orders that rest; its first page left at `startedMs`, our clock. */
export interface RestingOrders {
  readonly rows: readonly OrderRow[];
  readonly startedMs: number;
}

export class Comparison {
  readonly #ledger: ComparedLedger;
  readonly #underWay: UnderWay;
  readonly #books: OwnBooks;
  readonly #assets = new AssetsReading();
  readonly #opening: OpeningShares;
  readonly #histories: ReturnType<typeof historiesOf>;
  readonly #secondReader: SecondReader;

  /** @param ownTrades whether the venue lists them */
  constructor(ledger: ComparedLedger, underWay: UnderWay, ownTrades: boolean) {
    this.#ledger = ledger;
    this.#underWay = underWay;
    this.#books = booksOf(ledger, underWay);
    this.#opening = new OpeningShares(ledger);
    this.#histories = historiesOf(ledger, this.#books, ownTrades);
    this.#secondReader = new SecondReader(ledger);
  }

  /** To be read anew for each round. */
  get lists(): ReadonlyMap<RoundList, Reading> {
    const { orders, trades, merges, splits, redeems } = this.#histories;
    const lists = new Map<RoundList, Reading>([['assets', this.#assets]]);
    lists.set('orders', orders).set('merges', merges).set('splits', splits).set('redeems', redeems);
    if (trades !== undefined) lists.set('trades', trades).set('sums', this.#secondReader);
    return lists;
  }

  /**
   * What differs, once the lists of a round are complete and nothing of ours has moved since `begunMs`, when they were begun.
   * Each round's lists are compared once: then their marks have moved on.
   */
  differences(resting: RestingOrders, begunMs: number): readonly Difference[] {
    const found = [...this.#records(resting), ...this.#shares(begunMs)];
    return [...found, ...this.#secondReader.settle(found.length === 0)];
  }

  /** A person has taken note of it. False where nobody here can leave it out, and its figures have to be remembered. */
  leaveOut(difference: Difference): boolean {
    const { what, subject } = difference;
    if (what === 'position') this.#opening.leaveOut(difference);
    else if (what === 'sum') this.#secondReader.forget();
    else if (what === 'list')
      Object.values(this.#histories)
        .find(({ name }) => name === subject)
        ?.forget();
    else return false;
    return true;
  }

  /** What differs in records: of orders that rest, of fills that are missing, of all that has happened. */
  #records(restingOrders: RestingOrders): Difference[] {
    const { orders, trades, merges, splits, redeems } = this.#histories;
    const resting = this.#resting(restingOrders);
    const known = new Set(resting.map(({ subject }) => subject));
    const past = orders.settle().filter(({ subject }) => !known.has(subject));
    const missing = this.#underWay.missingFills().map((row) => missingFill(row.orderPubkey, row.missingMicros));
    const conversions = [...merges.settle(), ...splits.settle(), ...redeems.settle()];
    return [...resting, ...past, ...missing, ...(trades?.settle() ?? []), ...conversions];
  }

  #resting({ rows, startedMs }: RestingOrders): Difference[] {
    const found = rows.flatMap((row) => orderDifference(row, this.#books, startedMs) ?? []);
    const listed = new Set(rows.map(({ pubkey }) => pubkey));
    for (const { orderPubkey, createdMs, cancelPending } of this.#underWay.liveOrders()) {
      if (listed.has(orderPubkey) || cancelPending || createdMs > startedMs - LONGEST_LAG_MS) continue;
      const order = this.#ledger.order(orderPubkey);
      if (order !== null) found.push(unlistedOrder(order));
    }
    return found;
  }

  #shares(begunMs: number): Difference[] {
    const theirs = sharesAtExchange(this.#assets.rows);
    const missing = new Set(this.#underWay.missingFills().map(({ marketConditionId }) => marketConditionId));
    const isMoving = (market: string) =>
      missing.has(market) ||
      this.#underWay.pendingMerge(market) !== null ||
      this.#underWay.pendingRedeem(market) !== null;
    const lately = movesSince(this.#ledger, begunMs - LONGEST_LAG_MS);
    return shareDifferences(theirs, this.#ledger.positions(), this.#opening.over(theirs), isMoving, lately);
  }
}

const booksOf = (ledger: ComparedLedger, underWay: UnderWay): OwnBooks => ({
  order: (pubkey) => ledger.order(pubkey),
  fill: (pubkey) => ledger.fill(pubkey),
  conversion: (pubkey) => ledger.conversion(pubkey),
  isConverting: (kind, market, draftPubkey) => {
    const intent = kind === 'merge' ? underWay.pendingMerge(market) : underWay.pendingRedeem(market);
    return intent !== null && ledger.intent(intent)?.draftPubkey === draftPubkey;
  },
});
