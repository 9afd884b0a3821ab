/**
 * Collects a round's lists and compares them with the ledger once all are complete. Works for a running trader, and
 * beside an idle ledger.
 */

import { formatDecimal } from '../../shared/base/decimal.js';
import { type Micros, sub, ZERO } from '../../shared/base/micros.js';
import type { OrderRow } from '../../shared/protocol/records.js';
import type { RoundList } from '../../shared/protocol/request-owner.js';
import type { Executor } from '../executor/executor.js';
import type { RestingOrder } from '../executor/reservations.js';
import type { MissingFills } from '../executor/trades.js';
import type { Ledger } from '../ledger/contract.js';
import { CONVERSION_KINDS } from '../ledger/tables.js';
import { type Adoption, moveOfFills, movesOfConversion, planAdoption, type RecordedMove } from './adoption.js';
import type { LeavingOut } from './confirmed-differences.js';
import {
  compareShares,
  type Difference,
  LONGEST_LAG_MS,
  type Moved,
  missingFill,
  type OwnBooks,
  orderDifference,
  outcomeKey,
  parseMarket,
  readMoved,
  sharesAtExchange,
  sharesInLedger,
  unlistedOrder,
} from './differences.js';
import { AssetsReading, bookedSince, type Lately, OpeningShares } from './held-shares.js';
import { IndependentFillCount } from './independent-fill-count.js';
import { openListCursors } from './reconciled-lists.js';
import type { Reading } from './round.js';

/** The comparison's reads of the ledger, and the notes with its progress. */
export type ComparedLedger = Pick<
  Ledger,
  'fillsAfter' | 'conversionsAfter' | 'newestSeq' | 'fill' | 'conversion' | 'order' | 'intent' | 'positions' | 'note'
> &
  Pick<Ledger, 'setNote' | 'hadFailed' | 'failedTrades' | 'tradeTurns'>;

/** Requests in flight, from the executor. */
export interface UnderWay extends Pick<Executor, 'pendingConversion'> {
  restingOrders(): readonly Pick<RestingOrder, 'orderPubkey' | 'createdMs' | 'cancelPending'>[];
  missingFills(): readonly Pick<MissingFills, 'orderPubkey' | 'marketConditionId' | 'missingMicros'>[];
}

/** Complete list of resting orders; its first page left at `startedMs`, our clock. */
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
  readonly #histories: ReturnType<typeof openListCursors>;
  readonly #secondReader: IndependentFillCount;
  #lately: Lately = { moves: new Map(), orders: new Set() };
  #undecided: ReadonlySet<string> = new Set();
  /** Shares by outcome at the newest comparison: the exchange's, and the ledger's. */
  #held: { readonly theirs: ReadonlyMap<string, Micros>; readonly ours: ReadonlyMap<string, Micros> } | null = null;
  /** Number of changed trades at the newest comparison. */
  #turns: number | null = null;
  /** Per order with missing fills: the filled amount when they were first missing. */
  #owed: ReadonlyMap<string, Micros> = new Map();

  /** @param ownTrades whether the venue lists them */
  constructor(ledger: ComparedLedger, underWay: UnderWay, ownTrades: boolean) {
    this.#ledger = ledger;
    this.#underWay = underWay;
    this.#books = makeBooks(ledger, underWay, (pubkey) => this.#lately.orders.has(pubkey) || this.#owed.has(pubkey));
    this.#opening = new OpeningShares(ledger);
    this.#histories = openListCursors(ledger, this.#books, ownTrades);
    this.#secondReader = new IndependentFillCount(ledger);
  }

  /** Lists to read in each round. */
  get lists(): ReadonlyMap<RoundList, Reading> {
    const { orders, trades, merges, splits, redeems } = this.#histories;
    const lists = new Map<RoundList, Reading>([['assets', this.#assets]]);
    lists.set('orders', orders).set('merges', merges).set('splits', splits).set('redeems', redeems);
    if (trades !== undefined) lists.set('trades', trades).set('sums', this.#secondReader);
    return lists;
  }

  /**
   * What differs, once the lists of a round are complete and all that they show of our fills is booked. They were begun at
   * `begunMs`; what has been booked since, or shortly before, they need not show. Each round's lists are compared once: then
   * their marks have moved on.
   *
   * @param sumsDiffer the sums are believed to differ: they are not begun anew before a person has taken note
   */
  differences(resting: RestingOrders, begunMs: number, sumsDiffer: boolean): readonly Difference[] {
    this.#turns = this.#ledger.tradeTurns();
    this.#lately = bookedSince(this.#ledger, begunMs - LONGEST_LAG_MS);
    const missing = this.#missing();
    const found = [...this.#records(resting), ...missing, ...this.#shares()];
    return [...found, ...this.#secondReader.settle(found.length === 0 && !sumsDiffer)];
  }

  /** The newest round could neither confirm nor clear this. */
  isUndecided({ what, subject }: Pick<Difference, 'what' | 'subject'>): boolean {
    if (what === 'sum') return !this.#secondReader.hasCompared;
    return what === 'position' && this.#undecided.has(subject);
  }

  /** An operator accepts it. */
  leaveOut(difference: Difference): LeavingOut {
    const { what, subject } = difference;
    if (what === 'position') return this.#leaveOutShares(difference);
    if (what === 'sum') this.#secondReader.forget();
    else if (what === 'list')
      Object.values(this.#histories)
        .find(({ name }) => name === subject)
        ?.forget();
    return 'left out';
  }

  /** True when the comparison skips this outcome's shares. */
  leavesOut(outcome: string): boolean {
    return this.#opening.leavesOut(outcome);
  }

  /**
   * What the ledger lacks by the newest round; a text says why that is unknown now.
   *
   * @param isConfirmed a fill whose absence is confirmed is no longer awaited
   */
  planAdoption(isConfirmed: (difference: Difference) => boolean): Adoption | string {
    if (this.#held === null) return 'ledger and exchange are not compared yet';
    if (this.#turns !== this.#ledger.tradeTurns()) return 'a trade has changed since they were compared';
    const missing = this.#missing();
    const isMoving = this.#movingMarkets(missing.length > 0 && missing.every(isConfirmed));
    const { theirs, ours } = this.#held;
    const positions = this.#ledger.positions();
    const now = sharesInLedger(positions);
    const { undecided } = compareShares(theirs, positions, new Map(), isMoving, this.#lately.moves);
    const isKnown = (outcome: string) =>
      !undecided.has(outcome) && (now.get(outcome) ?? ZERO) === (ours.get(outcome) ?? ZERO);
    return planAdoption({ theirs, ours: now, isKnown, recorded: this.#unbooked() });
  }

  /** The ledger holds what the exchange holds: all lists are compared from here on, without exceptions. */
  onAdopted(): void {
    this.#opening.onAdopted();
    this.#secondReader.onAdopted();
    for (const list of Object.values(this.#histories)) list.forget();
  }

  /** Recorded moves of shares and currency that the ledger lacks. */
  #unbooked(): readonly RecordedMove[] {
    const { merges, splits, redeems } = this.#histories;
    const moves = ({ market_condition_id: market }: { readonly market_condition_id: string }, moved: Moved | null) =>
      movesOfConversion(market, moved);
    const isUnbooked = ({ pubkey }: { readonly pubkey: string }) => this.#ledger.conversion(pubkey) === null;
    return [
      ...this.#secondReader.lacking.map(moveOfFills),
      ...merges.differing.filter(isUnbooked).flatMap((row) => moves(row, readMoved.merge(row))),
      ...splits.differing.filter(isUnbooked).flatMap((row) => moves(row, readMoved.split(row))),
      ...redeems.differing.filter(isUnbooked).flatMap((row) => moves(row, readMoved.redeem(row))),
    ];
  }

  /** Later moves by a changed trade or one in flight were not part of what the operator accepted. */
  #leaveOutShares(difference: Difference): LeavingOut {
    const { subject, ledger } = difference;
    const isMoving = this.#movingMarkets();
    if (this.#turns !== this.#ledger.tradeTurns() || isMoving(parseMarket(subject))) return 'outdated';
    // Found by an older round, or booked since.
    if (this.isUndecided(difference) || formatDecimal(this.#findShares(subject)) !== ledger) return 'outdated';
    return this.#opening.leaveOut(difference) ? 'left out' : 'outdated';
  }

  /** Differences in records: of resting orders, and of history. */
  #records(restingOrders: RestingOrders): Difference[] {
    const { orders, trades, merges, splits, redeems } = this.#histories;
    const resting = this.#resting(restingOrders);
    const known = new Set(resting.map(({ subject }) => subject));
    const past = orders.settle().filter(({ subject }) => !known.has(subject));
    const conversions = [...merges.settle(), ...splits.settle(), ...redeems.settle()];
    return [...resting, ...past, ...(trades?.settle() ?? []), ...conversions];
  }

  #resting({ rows, startedMs }: RestingOrders): Difference[] {
    const found = rows.flatMap((row) => orderDifference(row, this.#books, startedMs) ?? []);
    const listed = new Set(rows.map(({ pubkey }) => pubkey));
    for (const { orderPubkey, createdMs, cancelPending } of this.#underWay.restingOrders()) {
      if (listed.has(orderPubkey) || cancelPending || createdMs > startedMs - LONGEST_LAG_MS) continue;
      const order = this.#ledger.order(orderPubkey);
      if (order !== null) found.push(unlistedOrder(order));
    }
    return found;
  }

  #missing(): Difference[] {
    const rows = this.#underWay.missingFills().map(({ orderPubkey, missingMicros }) => {
      const filled = this.#ledger.order(orderPubkey)?.filledMicros ?? missingMicros;
      const owed = this.#owed.get(orderPubkey);
      // Fills missing in an earlier round have arrived; those missing now are newer.
      const upTo = owed === undefined || owed <= sub(filled, missingMicros) ? filled : owed;
      return { orderPubkey, missingMicros, upTo };
    });
    this.#owed = new Map(rows.map(({ orderPubkey, upTo }) => [orderPubkey, upTo]));
    return rows.map(({ orderPubkey, missingMicros, upTo }) => missingFill(orderPubkey, missingMicros, upTo));
  }

  #findShares(outcome: string): Micros {
    const held = this.#ledger
      .positions()
      .find(({ marketConditionId, isYes }) => outcomeKey(marketConditionId, isYes) === outcome);
    return held?.sharesMicros ?? ZERO;
  }

  /** Markets with shares in flight: an unbooked fill or a conversion. */
  #movingMarkets(areFillsLost = false): (market: string) => boolean {
    const fills = areFillsLost ? [] : this.#underWay.missingFills();
    const missing = new Set(fills.map(({ marketConditionId }) => marketConditionId));
    return (market) =>
      missing.has(market) || CONVERSION_KINDS.some((kind) => this.#underWay.pendingConversion(kind, market) !== null);
  }

  #shares(): readonly Difference[] {
    const theirs = sharesAtExchange(this.#assets.rows);
    const isMoving = this.#movingMarkets();
    const opening = this.#opening.readOpening(theirs);
    const positions = this.#ledger.positions();
    const shares = compareShares(theirs, positions, opening, isMoving, this.#lately.moves);
    this.#held = { theirs, ours: sharesInLedger(positions) };
    this.#undecided = shares.undecided;
    return shares.differing;
  }
}

const makeBooks = (
  ledger: ComparedLedger,
  underWay: UnderWay,
  isFilling: (orderPubkey: string) => boolean,
): OwnBooks => ({
  isFilling,
  order: (pubkey) => ledger.order(pubkey),
  fill: (pubkey) => ledger.fill(pubkey),
  conversion: (pubkey) => ledger.conversion(pubkey),
  isConverting: (kind, market, draftPubkey) => {
    const intent = underWay.pendingConversion(kind, market);
    return intent !== null && ledger.intent(intent)?.draftPubkey === draftPubkey;
  },
});
