/** Compares the complete lists of a reconciliation round with the ledger. */

import { add, formatDecimal, type Micros, micros, parseDecimal, sub, ZERO } from '../../shared/base/micros.js';
import type { AssetRow, ConversionRow, OrderRow, RedeemRow } from '../../shared/protocol/records.js';
import type { RoundList } from '../../shared/protocol/request-owner.js';
import { ORDER_STANDING } from '../../shared/protocol/states.js';
import type { Executor } from '../executor/executor.js';
import type { AdoptedOutcome, ConversionKind, LedgerReader, Notes } from '../ledger/contract.js';
import { CONVERSION_KINDS, StoredMemory } from '../ledger/tables.js';
import {
  compareShares,
  conversionDifference,
  type Difference,
  fillText,
  LONGEST_LAG_MS,
  type Moves,
  movedText,
  negate,
  orderDifference,
  orderText,
  outcomeKey,
  parseMarket,
  pastTime,
  readMoved,
  sharesInLedger,
  tradeDifference,
} from './differences.js';
import { IndependentFillCount } from './independent-fill-count.js';
import { ListCursor, PageWalk, type Reading } from './list-cursor.js';

type RecordedMove = ReturnType<IndependentFillCount['sumLacking']>[number];

/** Exchange's figure in a difference if the ledger has a booking that the exchange's complete list lacks. */
const NOTHING = 'nothing';

type OwnBooks = Parameters<typeof orderDifference>[1];

interface PendingChanges extends Pick<Executor, 'pendingConversion'> {
  restingOrders(): readonly Omit<ReturnType<Executor['restingOrders']>[number], 'intentId'>[];
  missingFills(): readonly Pick<
    ReturnType<Executor['missingFills']>[number],
    'orderPubkey' | 'marketConditionId' | 'missingMicros'
  >[];
}

/** Complete list of own resting orders. `startedMs`: request time of the list's first page, our clock, ms. */
export interface RestingOrders {
  readonly rows: readonly OrderRow[];
  readonly startedMs: number;
}

export class Comparison {
  readonly #ledger: LedgerReader;
  readonly #underWay: PendingChanges;
  readonly #books: OwnBooks;
  readonly #assets = new PageWalk<'account.assets'>((row) => row.token.symbol);
  readonly opening: OpeningShares;
  readonly #histories: ReturnType<typeof openListCursors>;
  readonly #secondReader: IndependentFillCount;
  #lately: Lately = { moves: new Map(), orders: new Set() };
  #undecided: ReadonlySet<string> = new Set();
  /** Shares by outcome at the newest comparison, at the exchange (`theirs`) and in the ledger (`ours`). */
  #held: { readonly theirs: ReadonlyMap<string, Micros>; readonly ours: ReadonlyMap<string, Micros> } | null = null;
  /** Count of failed or changed trades (`tradeTurns`) at the newest comparison; null before the first comparison. */
  #turns: number | null = null;
  /** By order pubkey: filled amount of the order when some of its fills were first found missing in the ledger. */
  #owed: ReadonlyMap<string, Micros> = new Map();

  /** @param ownTrades true if the exchange has a list of the account's own trades */
  constructor(ledger: LedgerReader, notes: Notes, underWay: PendingChanges, ownTrades: boolean) {
    this.#ledger = ledger;
    this.#underWay = underWay;
    this.#books = {
      isFilling: (pubkey) => this.#lately.orders.has(pubkey) || this.#owed.has(pubkey),
      order: (pubkey) => ledger.order(pubkey),
      fill: (pubkey) => ledger.fill(pubkey),
      conversion: (pubkey) => ledger.conversion(pubkey),
      isConverting: (kind, market, draftPubkey) => {
        const intent = underWay.pendingConversion(kind, market);
        return intent !== null && ledger.intent(intent)?.draftPubkey === draftPubkey;
      },
    };
    this.opening = new OpeningShares(ledger, notes);
    this.#histories = openListCursors(ledger, notes, this.#books, ownTrades);
    this.#secondReader = new IndependentFillCount(ledger, notes);
  }

  get lists(): ReadonlyMap<RoundList, Reading> {
    const { orders, trades, conversions } = this.#histories;
    const lists = new Map<RoundList, Reading>([['assets', this.#assets]]);
    for (const list of [orders, ...conversions.values()]) lists.set(list.name, list);
    return trades === null ? lists : lists.set('trades', trades).set('sums', this.#secondReader);
  }

  /**
   * Returns the differences that a reconciliation round finds. The round's lists must be complete, and all own fills in
   * the lists must be booked. The lists were requested at `begunMs`, so they may lack later bookings. Call
   * `differences` once per round, because each call advances the stored positions up to which the lists are compared.
   *
   * @param sumsDiffer true if a difference of fill sums is confirmed; the fill count then restarts after its acceptance
   */
  differences(restingOrders: RestingOrders, begunMs: number, sumsDiffer: boolean): readonly Difference[] {
    this.#turns = this.#ledger.tradeTurns();
    this.#lately = bookedSince(this.#ledger, begunMs - LONGEST_LAG_MS);
    const missing = this.#missing();
    const resting = this.#resting(restingOrders);
    const known = new Set(resting.map(({ subject }) => subject));
    const past = this.#cursors
      .flatMap((list) => list.settle())
      .filter(({ what, subject }) => what !== 'order' || !known.has(subject));
    const theirs = sharesAtExchange(this.#assets.rows);
    const opening = this.opening.readOpening(theirs);
    const positions = this.#ledger.positions();
    const isMoving = this.#movingMarkets();
    const shares = compareShares(theirs, positions, opening, isMoving, this.#lately.moves);
    this.#held = { theirs, ours: sharesInLedger(positions) };
    this.#undecided = shares.undecided;
    const found = [...resting, ...past, ...missing, ...shares.differing];
    return [...found, ...this.#secondReader.settle(found.length === 0 && !sumsDiffer)];
  }

  /** Returns true if the newest round could not check this difference, for example because shares were in flight. */
  isUndecided({ what, subject }: Pick<Difference, 'what' | 'subject'>): boolean {
    if (what === 'sum') return !this.#secondReader.hasCompared;
    return what === 'position' && this.#undecided.has(subject);
  }

  /** Makes later comparisons skip a difference that an operator accepts. Returns false for an outdated difference. */
  leaveOut(difference: Difference): boolean {
    const { what, subject, ledger, exchange } = difference;
    if (what === 'position') {
      const isMoving = this.#movingMarkets();
      if (this.#turns !== this.#ledger.tradeTurns() || isMoving(parseMarket(subject))) return false;
      // The difference is outdated if the ledger's shares have changed since the round.
      const held = sharesInLedger(this.#ledger.positions()).get(subject) ?? ZERO;
      const theirs = parseDecimal(exchange);
      if (this.isUndecided(difference) || theirs === null || formatDecimal(held) !== ledger) return false;
      this.opening.leaveOut(subject, sub(theirs, held));
    } else if (what === 'sum') this.#secondReader.forget();
    else if (what === 'list') this.#cursors.find(({ name }) => name === subject)?.forget();
    return true;
  }

  /**
   * Returns the bookings that the ledger lacks according to the newest round, or the reason why they are unknown.
   *
   * @param isLost returns true for an order whose missing fill the adoption does not wait for
   */
  planAdoption(isLost: (orderPubkey: string) => boolean): Adoption | string {
    if (this.#held === null) return 'ledger and exchange are not compared yet';
    if (this.#turns !== this.#ledger.tradeTurns()) return 'a trade has changed since the comparison';
    const isMoving = this.#movingMarkets(isLost);
    const { theirs, ours } = this.#held;
    const positions = this.#ledger.positions();
    const now = sharesInLedger(positions);
    const { undecided } = compareShares(theirs, positions, new Map(), isMoving, this.#lately.moves);
    const isKnown = (outcome: string) =>
      !undecided.has(outcome) && (now.get(outcome) ?? ZERO) === (ours.get(outcome) ?? ZERO);
    const conversions = [...this.#histories.conversions].flatMap(([kind, { differing }]) =>
      differing.filter(({ pubkey }) => !this.isBooked(pubkey)).flatMap((row) => movesOfConversion(kind, row)),
    );
    const unbooked = (this.#histories.trades?.differing ?? []).filter(
      ({ pubkey, state }) => state === 'done' && !this.isBooked(pubkey),
    );
    // Moves that the exchange has recorded and the ledger lacks. Other missing shares are booked at the market's mark.
    const recorded = [...this.#secondReader.sumLacking(unbooked), ...conversions];
    const plan: AdoptionOfOutcome[] = [];
    const outcomes = new Set([...theirs.keys(), ...now.keys(), ...recorded.map(({ outcome }) => outcome)]);
    for (const outcome of [...outcomes].sort()) {
      const [exchangeMicros, ledgerMicros] = [theirs.get(outcome) ?? ZERO, now.get(outcome) ?? ZERO];
      const moves = recorded.filter((move) => move.outcome === outcome);
      if (exchangeMicros === ledgerMicros && moves.length === 0) continue;
      if (!isKnown(outcome)) return `shares of ${outcome} are in flight`;
      // Purchases are booked before sales, because the bought shares may have been sold again.
      const inOrder = moves.toSorted((a, b) => Math.sign(b.sharesMicros) - Math.sign(a.sharesMicros));
      const explained = moves.reduce((sum, { sharesMicros }) => sum + sharesMicros, 0);
      const restMicros = micros(exchangeMicros - ledgerMicros - explained);
      const marketConditionId = parseMarket(outcome);
      const isYes = outcome === outcomeKey(marketConditionId, true);
      plan.push({ marketConditionId, isYes, recorded: inOrder, restMicros, ledgerMicros, exchangeMicros });
    }
    return plan;
  }

  /** True if the ledger has booked this trade or conversion. An adoption does not correct a booked record. */
  isBooked(pubkey: string): boolean {
    return this.#ledger.conversion(pubkey) !== null || this.#ledger.fill(pubkey) !== null;
  }

  /** True if an adoption leaves a difference: its record is booked with other figures, or a fill is still expected. */
  outlastsAdoption({ what, subject }: Pick<Difference, 'what' | 'subject'>): boolean {
    const [orderPubkey = '', ...upTo] = subject.split(' ');
    return this.isBooked(subject) || (what === 'fill' && upTo.length > 0 && this.isFillExpected(orderPubkey));
  }

  /** True if the order may still fill, or a trade of the order that was listed as unsettled may still settle. */
  isFillExpected(orderPubkey: string): boolean {
    const { trades } = this.#histories;
    const passed = (trades?.passed ?? []).filter(
      ({ pubkey }) => !this.isBooked(pubkey) && !this.#ledger.hadFailed(pubkey),
    );
    const unsettled = [...(trades?.rows ?? []).filter(({ state }) => !OVER.includes(state)), ...passed];
    const settles = unsettled.some(({ order }) => order.pubkey === orderPubkey);
    return settles || this.#ledger.order(orderPubkey)?.closedMs === null;
  }

  /** Restarts the comparison of all lists after an adoption. The ledger's shares then equal the exchange's. */
  onAdopted(): void {
    this.opening.onAdopted();
    this.#secondReader.onAdopted();
    for (const list of this.#cursors) list.forget((pubkey) => this.isBooked(pubkey));
  }

  get #cursors() {
    const { orders, trades, conversions } = this.#histories;
    return [orders, ...(trades === null ? [] : [trades]), ...conversions.values()];
  }

  #resting({ rows, startedMs }: RestingOrders): Difference[] {
    const found = rows.flatMap((row) => orderDifference(row, this.#books, startedMs) ?? []);
    const listed = new Set(rows.map(({ pubkey }) => pubkey));
    for (const { orderPubkey, createdMs, cancelPending } of this.#underWay.restingOrders()) {
      if (listed.has(orderPubkey) || cancelPending || createdMs > startedMs - LONGEST_LAG_MS) continue;
      const order = this.#ledger.order(orderPubkey);
      if (order === null) continue;
      const exchange = 'not among the resting orders';
      found.push({ what: 'order', subject: orderPubkey, ledger: orderText(order), exchange });
    }
    return found;
  }

  #missing(): Difference[] {
    const rows = this.#underWay.missingFills().map(({ orderPubkey, missingMicros }) => {
      const filled = this.#ledger.order(orderPubkey)?.filledMicros ?? missingMicros;
      const owed = this.#owed.get(orderPubkey);
      // If fills that were missing in an earlier round are booked now, the fills missing now are newer ones.
      const upTo = owed === undefined || owed <= sub(filled, missingMicros) ? filled : owed;
      return { orderPubkey, missingMicros, upTo };
    });
    this.#owed = new Map(rows.map(({ orderPubkey, upTo }) => [orderPubkey, upTo]));
    return rows.map(({ orderPubkey, missingMicros, upTo }) => ({
      what: 'fill',
      // The difference's subject contains the filled amount, so that a later missing fill is a new difference.
      subject: `${orderPubkey} up to ${formatDecimal(upTo)}`,
      ledger: `${formatDecimal(missingMicros)} shares not booked`,
      exchange: 'filled',
    }));
  }

  #movingMarkets(isLost: (orderPubkey: string) => boolean = () => false): (market: string) => boolean {
    const fills = this.#underWay.missingFills().filter(({ orderPubkey }) => !isLost(orderPubkey));
    const missing = new Set(fills.map(({ marketConditionId }) => marketConditionId));
    return (market) =>
      missing.has(market) || CONVERSION_KINDS.some((kind) => this.#underWay.pendingConversion(kind, market) !== null);
  }
}

const OVER = ['done', 'completed', 'failed', 'expired'];

type ConversionList = 'merges.list' | 'splits.list' | 'redeems.list';

/** Returns one cursor for each list of past records. @param ownTrades true if the exchange has a list of own trades */
function openListCursors(ledger: LedgerReader, notes: Notes, books: OwnBooks, ownTrades: boolean) {
  const conversions = (name: 'merges' | 'splits' | 'redeems', kind: ConversionKind) =>
    new ListCursor<ConversionList>(name, notes, {
      bornS: ({ created }) => created,
      isSettled: ({ state, pubkey, market_condition_id }) =>
        OVER.includes(state) && !books.isConverting(kind, market_condition_id, pubkey),
      compare: (row, listMs) => conversionDifference(kind, row, books, listMs),
      booked: {
        newestSeq: () => ledger.newestSeq('conversions'),
        after: (seq) => ledger.conversionsAfter(seq).filter(({ row }) => row.kind === kind),
        findInvented: (pubkey: string, listMs: number) => {
          const booked = ledger.conversion(pubkey);
          if (booked === null || booked.seenMs >= listMs - LONGEST_LAG_MS) return null;
          const { yesMicros: yes, noMicros: no, cashMicros: cash } = booked;
          return { what: booked.kind, subject: pubkey, ledger: movedText({ yes, no, cash }), exchange: NOTHING };
        },
      },
    });
  const orders = new ListCursor<'orders.list'>('orders', notes, {
    bornS: () => null,
    // The ledger's own orders count as final, because the executor polls them. Other unsigned drafts may still change.
    isSettled: ({ pubkey, status }) =>
      (status !== null && ORDER_STANDING[status].phase !== 'unsigned') ||
      (pubkey !== null && books.order(pubkey) !== null),
    compare: (row, listMs) => orderDifference(row, books, listMs),
    booked: null,
  });
  const trades = new ListCursor<'trades.list'>('trades', notes, {
    bornS: ({ timestamp }) => timestamp,
    isSettled: ({ state }) => state === 'done' || state === 'failed',
    compare: (row) => tradeDifference(row, books),
    booked: {
      newestSeq: () => ledger.newestSeq('fills'),
      // Trades that ever failed are skipped. They may settle later, when the list is no longer read that far back.
      after: (seq) => ledger.fillsAfter(seq).filter(({ row }) => !ledger.hadFailed(row.pubkey)),
      findInvented: (pubkey, _listMs, venueS) => {
        const fill = ledger.fill(pubkey);
        if (fill === null) return null;
        if (venueS !== null && pastTime(fill.timestampS, venueS) >= venueS - LONGEST_LAG_MS / 1000) return null;
        return { what: 'fill', subject: pubkey, ledger: fillText(fill), exchange: NOTHING };
      },
    },
  });
  return {
    orders,
    trades: ownTrades ? trades : null,
    conversions: new Map([
      ['merge', conversions('merges', 'merge')],
      ['split', conversions('splits', 'split')],
      ['redeem', conversions('redeems', 'redeem')],
    ] as const),
  };
}

/** Planned adoption of one outcome: its shares in the ledger and at the exchange, and the moves to book. */
interface AdoptionOfOutcome extends Omit<AdoptedOutcome, 'restWorthMicros'> {
  readonly ledgerMicros: Micros;
  readonly exchangeMicros: Micros;
}

export type Adoption = readonly AdoptionOfOutcome[];

/** Returns a conversion's changes of YES and of NO shares. If both change, each has half of the conversion's currency. */
function movesOfConversion(kind: ConversionKind, row: ConversionRow | RedeemRow): readonly RecordedMove[] {
  const moved = readMoved(kind, row);
  if (moved === null) return [];
  const spent = negate(moved.cash);
  const half = moved.no ? micros(moved.yes ? Math.trunc(spent / 2) : 0) : spent;
  const move = (isYes: boolean, given: Micros | null, spentMicros: Micros): RecordedMove => ({
    outcome: outcomeKey(row.market_condition_id, isYes),
    sharesMicros: negate(given ?? ZERO),
    spentMicros,
    feesMicros: ZERO,
  });
  return [move(true, moved.yes, half), move(false, moved.no, sub(spent, half))];
}

/** Shares that the comparison skips. If one of `failedTrades` settles later, the shares are compared again. */
interface LeftOut {
  readonly subject: string;
  readonly amount: number;
  readonly failedTrades: readonly string[];
}

/** Shares that the comparison skips: holdings from before this ledger, and accepted differences. */
class OpeningShares {
  readonly #ledger: LedgerReader;
  /** Shares held before this ledger, by outcome; null before the first comparison. */
  readonly #opening: StoredMemory<readonly (readonly [string, Micros])[] | null>;
  readonly #leftOut: StoredMemory<readonly LeftOut[]>;

  constructor(ledger: LedgerReader, notes: Notes) {
    this.#ledger = ledger;
    this.#opening = new StoredMemory(notes, 'opening_shares', null);
    this.#leftOut = new StoredMemory(notes, 'left_out_shares', []);
  }

  /** Returns the skipped shares by outcome. The first call stores `theirs` as opening shares if the ledger is empty. */
  readOpening(theirs: ReadonlyMap<string, Micros>): ReadonlyMap<string, Micros> {
    if (this.#opening.value === null) {
      const isFirst = this.#ledger.positions().length === 0 && this.#ledger.newestSeq('fills') === 0;
      this.#opening.value = isFirst ? [...theirs].filter(([, amount]) => amount !== 0) : [];
    }
    const opening = new Map(this.#opening.value);
    for (const { subject, amount } of this.#leftOutStill())
      opening.set(subject, add(opening.get(subject) ?? ZERO, micros(amount)));
    return opening;
  }

  /** Stores shares that the exchange has and the ledger lacks (negative: vice versa). Later comparisons skip them. */
  leaveOut(subject: string, amount: Micros): void {
    const failedTrades = this.#ledger
      .failedTrades()
      .filter(({ marketConditionId, isYes }) => outcomeKey(marketConditionId, isYes) === subject)
      .map(({ pubkey }) => pubkey);
    this.#leftOut.value = [...this.#leftOut.value, { subject, amount, failedTrades }];
  }

  /** See `Reconciler.takeRedeemed`. */
  takeRedeemed(marketConditionId: string): Adoption {
    const skipped = this.readOpening(new Map());
    return [true, false].flatMap((isYes) => {
      const subject = outcomeKey(marketConditionId, isYes);
      const ledgerMicros = this.#ledger.shares(marketConditionId, isYes);
      const restMicros = micros(Math.min(-ledgerMicros, skipped.get(subject) ?? ZERO));
      if (restMicros <= 0) return [];
      this.leaveOut(subject, negate(restMicros));
      const exchangeMicros = add(ledgerMicros, restMicros);
      return [{ marketConditionId, isYes, recorded: [], restMicros, ledgerMicros, exchangeMicros }];
    });
  }

  leavesOut(outcome: string): boolean {
    const amounts = this.#leftOut.value.filter(({ subject }) => subject === outcome);
    return amounts.reduce((sum, { amount }) => sum + amount, 0) !== 0;
  }

  /** Makes later comparisons include all shares again, because the ledger has adopted the exchange's shares. */
  onAdopted(): void {
    this.#opening.value = [];
    this.#leftOut.value = [];
  }

  /** Returns the accepted differences still skipped. Drops a difference after one of its failed trades settles. */
  #leftOutStill(): readonly LeftOut[] {
    const leftOut = this.#leftOut.value;
    if (leftOut.length === 0) return leftOut;
    const failed = new Set(this.#ledger.failedTrades().map(({ pubkey }) => pubkey));
    const still = leftOut.filter(({ failedTrades }) => failedTrades.every((pubkey) => failed.has(pubkey)));
    this.#leftOut.value = still;
    return still;
  }
}

/** Maximum number of recent fills and of conversions to read: more than can occur within `LONGEST_LAG_MS`. */
const MOST_MOVES = 100;

interface Lately {
  readonly moves: ReadonlyMap<string, Moves>;
  /** Pubkeys of the orders with recently booked fills. */
  readonly orders: ReadonlySet<string>;
}

function bookedSince(ledger: LedgerReader, sinceMs: number): Lately {
  const { fills, conversions } = ledger.bookedSince(sinceMs, MOST_MOVES);
  const moves = new Map<string, { fills: Micros[]; conversions: Micros[] }>();
  const of = (market: string, isYes: boolean) => {
    const outcome = outcomeKey(market, isYes);
    const known = moves.get(outcome) ?? { fills: [], conversions: [] };
    moves.set(outcome, known);
    return known;
  };
  for (const { marketConditionId, isYes, side, amountMicros } of fills)
    of(marketConditionId, isYes).fills.push(side === 'buy' ? amountMicros : sub(ZERO, amountMicros));
  for (const { marketConditionId, yesMicros, noMicros } of conversions) {
    of(marketConditionId, true).conversions.push(sub(ZERO, yesMicros));
    of(marketConditionId, false).conversions.push(sub(ZERO, noMicros));
  }
  return { moves, orders: new Set(fills.map(({ orderPubkey }) => orderPubkey)) };
}

function sharesAtExchange(rows: readonly AssetRow[]): ReadonlyMap<string, Micros> {
  const shares = rows.filter(({ asset_kind }) => asset_kind === 'share');
  return new Map(
    shares.map(({ position, amounts }) => [outcomeKey(position.market.condition_id, position.is_yes), amounts.total]),
  );
}
