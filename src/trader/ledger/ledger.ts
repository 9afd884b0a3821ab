/**
 * The trader's ledger: intents with drafts and signatures, orders, fills, conversions, and balanced postings of all
 * moved money. All state that must survive a crash is written to the ledger before it takes effect.
 *
 * Guarantees: no commit is lost (WAL with synchronous FULL), only one process writes (it holds a lock), no trade is
 * booked twice (pubkeys are unique), and no write follows a failed write.
 */

import { assert, must } from '../../shared/base/errors.js';
import { type Micros, sub, ZERO } from '../../shared/base/micros.js';
import { checkFolder, Database, openLedgerFile } from './database.js';
import { type LockHolder, lockWriter, type WriterLock } from './lock.js';
import {
  adoptionPostings,
  balance,
  capitalPostings,
  conversionPostings,
  feePostings,
  fillPostings,
  undoingPostings,
} from './postings.js';
import { FEE_REF, LedgerReader, PRUNED_NOTE, REF_SEPARATOR, TRADE_TURNS_NOTE } from './reads.js';
import {
  type AdoptedOutcome,
  type BookedConversion,
  type BookedFill,
  CONVERSIONS,
  FILLS,
  FINAL_INTENT_STATES,
  type HeldPosition,
  INTENTS,
  type IntentRow,
  isFinalIntent,
  MARKETS,
  type MarketRecord,
  type OperatorEvent,
  ORDERS,
  type OrderRecord,
  type RunRow,
  STRATEGY_STATES,
  type StrategyStateRow,
} from './tables.js';

/** Writes the changeable fields of an intent into its row. Call this method only inside a transaction. */
const updateIntent = INTENTS.updater('id', [
  'state',
  'draftPubkey',
  'message',
  'expiresAtS',
  'signature',
  'submitCount',
  'updatedMs',
  'lastReason',
]);

/** Writes the changeable fields of an order into its row. Call this method only inside a transaction. */
const updateOrder = ORDERS.updater('pubkey', ['status', 'filledMicros', 'closedMs']);

/** Result of booking a trade. `fee_paid`: only a missing fee was booked. `differs`: the booking has other terms. */
type FillBooking = 'booked' | 'fee_paid' | 'repeated' | 'differs';

/** Result of recording a failed trade. `noted`: the trade had no booking. `unbooked`: its booking was reversed. */
type FailureNote = 'noted' | 'unbooked' | 'repeated';

/** New values of an intent's fields. Absent fields stay unchanged. */
type IntentChange = Pick<IntentRow, 'state' | 'updatedMs'> &
  Partial<Pick<IntentRow, 'draftPubkey' | 'message' | 'expiresAtS' | 'signature' | 'submitCount' | 'lastReason'>>;

/** New values of an order's fields, from the exchange's answers. */
type OrderChange = Pick<OrderRecord, 'status' | 'filledMicros' | 'closedMs'>;

/** Opens the ledger for writing as `holder`. Throws ledger_locked, ledger_newer, ledger_broken or file_unreadable. */
export function openLedger(path: string, holder: LockHolder): Ledger {
  checkFolder(path);
  // The lock is acquired before the file is opened, because opening creates tables.
  const lock = lockWriter(path, holder);
  try {
    const { database, checkFile } = openLedgerFile(path);
    return new Ledger(database, lock, checkFile);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Opens a temporary ledger. A replay passes a ledger file as `content`. Throws ledger_newer or ledger_broken. */
export const openMemoryLedger = (content: Uint8Array | null = null): Ledger => new Ledger(Database.inMemory(content));

/** Opens the ledger for reading, whether or not a trader is running. */
export function openReadOnly(path: string): LedgerReader {
  return new LedgerReader(Database.openReadOnly(path));
}

/** The ledger's writer. Every write must run inside `transaction`. After LedgerBroken, all later calls fail too. */
export class Ledger extends LedgerReader {
  readonly #lock: WriterLock | null;
  /** Throws LedgerBroken if the ledger's file was removed or replaced, because later writes would be lost. */
  readonly checkFile: () => void;
  readonly #known = new ReadCache();
  /** Cache of rows that a backtest has not written to their tables yet; null outside of backtests. */
  readonly #late: ReturnType<typeof openWriteCache> | null;

  constructor(db: Database, lock: WriterLock | null = null, checkFile: () => void = () => undefined) {
    super(db);
    this.#lock = lock;
    this.checkFile = checkFile;
    this.#late = db.isVirtual ? openWriteCache(db) : null;
    db.onUndone = () => this.#known.drop();
  }

  override intent(id: string): IntentRow | null {
    return this.#known.intents.get(id) ?? this.#late?.intents.unwritten.get(id) ?? super.intent(id);
  }

  protected override writeLate(): void {
    const late = this.#late;
    if (late === null || late.intents.unwritten.size + late.orders.unwritten.size === 0) return;
    if (!this.db.isWriting) return this.transaction(() => this.writeLate());
    late.intents.writeAll();
    late.orders.writeAll();
  }

  override order(pubkey: string): OrderRecord | null {
    const known = this.#known.orders.get(pubkey);
    if (known !== undefined) return known;
    const order = this.#late?.orders.unwritten.get(pubkey) ?? super.order(pubkey);
    this.#known.keepOrder(pubkey, order);
    return order;
  }

  override positions(): readonly HeldPosition[] {
    this.#known.positions ??= super.positions();
    return this.#known.positions;
  }

  override market(conditionId: string): MarketRecord | null {
    const { markets } = this.#known;
    return markets.get(conditionId) ?? readThrough(markets, conditionId, () => super.market(conditionId));
  }

  override note(key: string): string | null {
    const { notes } = this.#known;
    // Each engine step reads notes several times, so a cached note is returned without creating a closure.
    return notes.get(key) ?? readThrough(notes, key, () => super.note(key));
  }

  protected override balance(account: string): Micros {
    const { balances } = this.#known;
    return balances.get(account) ?? readThrough(balances, account, () => super.balance(account));
  }

  /** Runs `work` in one synchronous transaction, which must not be nested. An error rolls back and is rethrown. */
  transaction<T>(work: () => T): T {
    return this.db.transaction(work);
  }

  /** Checkpoints the log while the trader is idle, see `Database.rest`. Call `rest` only outside of `transaction`. */
  rest(writes?: number): boolean {
    return this.db.rest(writes);
  }

  get backupSource(): Database['source'] {
    return this.db.source;
  }

  override close(): void {
    super.close();
    this.#lock?.release();
  }

  startRun(run: Omit<RunRow, 'stoppedMs' | 'note'>): void {
    const sql = 'INSERT INTO runs (id, version, config_hash, started_ms) VALUES (?, ?, ?, ?)';
    this.db.run(sql, run.id, run.version, run.configHash, run.startedMs);
  }

  stopRun(id: string, stoppedMs: number, note: string): void {
    const changed = this.db.run('UPDATE runs SET stopped_ms = ?, note = ? WHERE id = ?', stoppedMs, note, id);
    assert(changed === 1, `no run ${id}`);
  }

  /** Books the difference between this capital and the capital booked so far. */
  setCapital(capital: Micros, nowMs: number): void {
    const added = sub(capital, sub(ZERO, this.balance('capital')));
    if (added === 0) return;
    this.#book('capital', `${this.#countBookings('capital') + 1}`, nowMs, balance(capitalPostings(added)));
  }

  /** Books shares that the exchange shows but the ledger lacks, with the operator's reason. */
  adopt(outcome: AdoptedOutcome, reason: string, nowMs: number): void {
    const ref = `${this.#countBookings('adopt') + 1}: ${reason.slice(0, LONGEST_TEXT)}`;
    const held = this.holding(outcome.marketConditionId, outcome.isYes);
    this.#book('adopt', ref, nowMs, adoptionPostings(outcome, held));
  }

  #countBookings(kind: 'capital' | 'adopt'): number {
    return this.db.get<{ n: number }>('SELECT count(*) AS n FROM transactions WHERE kind = ?', kind)?.n ?? 0;
  }

  addIntent(intent: IntentRow): void {
    if (this.#late === null) INTENTS.insert(this.db, intent);
    else this.#late.intents.add(intent.id, intent);
    this.#rememberIntent(intent);
  }

  changeIntent(id: string, change: IntentChange): IntentRow {
    const after = { ...must(this.intent(id), `intent ${id}`), ...change };
    if (this.#late === null) updateIntent(this.db, after);
    else this.#late.intents.change(id, after);
    this.#rememberIntent(after);
    return after;
  }

  addOrder(order: OrderRecord): void {
    if (this.#late === null) ORDERS.insert(this.db, order);
    else this.#late.orders.add(order.pubkey, order);
    this.#known.orders.delete(order.pubkey);
  }

  changeOrder(pubkey: string, change: OrderChange): OrderRecord {
    const after = { ...must(this.order(pubkey), `order ${pubkey}`), ...change };
    if (this.#late === null) updateOrder(this.db, after);
    else this.#late.orders.change(pubkey, after);
    this.#known.keepOrder(pubkey, after);
    return after;
  }

  /** Books a trade of an order, once per trade pubkey. If the trade was recorded as failed, that record is deleted. */
  bookFill(fill: BookedFill): FillBooking {
    const known = this.fill(fill.pubkey);
    if (known !== null) return this.#bookAgain(known, fill);
    this.#forgetOrder(fill.orderPubkey);
    // If no fill was ever removed, the row's sequence number is null, so SQLite chooses the next one.
    const place = this.note(FILL_PLACES_NOTE) === null ? null : this.#newestFillPlace() + 1;
    FILLS.insert(this.db, fill, place);
    this.db.run('UPDATE orders SET booked = booked + ? WHERE pubkey = ?', fill.amountMicros, fill.orderPubkey);
    const ref = this.#forgetFailures(fill) ? this.#freeRef(fill.pubkey) : fill.pubkey;
    const held = this.holding(fill.marketConditionId, fill.isYes);
    this.#book('fill', ref, fill.seenMs, fillPostings(fill, held));
    return 'booked';
  }

  /** Processes a repeated record of a booked trade. Books its fee if the fee was missing before. */
  #bookAgain(booked: BookedFill, { feeMicros, ...told }: BookedFill): FillBooking {
    if (!isSameTrade(booked, { ...told, feeMicros })) return 'differs';
    if (booked.feeMicros !== null || feeMicros === null || feeMicros === 0) return 'repeated';
    this.db.run('UPDATE fills SET fee = ? WHERE pubkey = ?', feeMicros, told.pubkey);
    // Readers that keep sums over fills have added this fill without its fee, so they must sum again.
    this.#countTurn();
    this.#book('fill', `${this.#freeRef(told.pubkey)}${FEE_REF}`, told.seenMs, feePostings(feeMicros));
    return 'fee_paid';
  }

  /** Deletes the failure of a trade that is now booked; if it has none, its order's ended wait (`endWait`). */
  #forgetFailures({ pubkey, orderPubkey }: BookedFill): boolean {
    const sql = 'SELECT pubkey, order_pubkey, amount FROM failed_trades WHERE';
    const find = (where: string, key: string) =>
      this.db.all<{ pubkey: string; order_pubkey: string; amount: number }>(`${sql} ${where}`, key);
    const own = find('pubkey = ?', pubkey);
    const failed = own.length > 0 ? own : find("order_pubkey = ? AND pubkey GLOB order_pubkey || '@*'", orderPubkey);
    for (const { pubkey: each, order_pubkey: order, amount } of failed) {
      this.db.run('DELETE FROM failed_trades WHERE pubkey = ?', each);
      this.#forgetOrder(order);
      this.db.run('UPDATE orders SET failed = failed - ? WHERE pubkey = ?', amount, order);
      this.#countTurn();
    }
    return failed.length > 0;
  }

  /** Adds a failed trade to its order's failed amount, once per trade pubkey. Reverses the trade's booking, if any. */
  noteFailedTrade(tradePubkey: string, orderPubkey: string, amount: Micros, nowMs: number): FailureNote {
    this.#forgetOrder(orderPubkey);
    const sql = 'INSERT INTO failed_trades VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
    if (this.db.run(sql, tradePubkey, orderPubkey, amount, nowMs) === 0) return 'repeated';
    this.db.run('UPDATE orders SET failed = failed + ? WHERE pubkey = ?', amount, orderPubkey);
    this.#countTurn();
    const fill = this.fill(tradePubkey);
    if (fill === null) return 'noted';
    // The fill's postings stay, and reversing postings are added. A removed fill's sequence number is never
    // used again, because readers continue after the last number that they have read.
    this.setNote(FILL_PLACES_NOTE, `${this.#newestFillPlace()}`);
    this.db.run('DELETE FROM fills WHERE pubkey = ?', tradePubkey);
    this.#forgetOrder(fill.orderPubkey);
    this.db.run('UPDATE orders SET booked = booked - ? WHERE pubkey = ?', fill.amountMicros, fill.orderPubkey);
    const held = this.holding(fill.marketConditionId, fill.isYes);
    this.#book('fill', this.#freeRef(tradePubkey), nowMs, undoingPostings(fill, held));
    return 'unbooked';
  }

  #countTurn(): void {
    this.setNote(TRADE_TURNS_NOTE, `${this.tradeTurns() + 1}`);
  }

  /** Returns the highest sequence number that any fill ever had, including removed fills. */
  #newestFillPlace(): number {
    return Math.max(Number(this.note(FILL_PLACES_NOTE) ?? 0), this.newestSeq('fills'));
  }

  /** Returns the reference of a trade's next transaction: the pubkey; after the first transaction, also a number. */
  #freeRef(pubkey: string): string {
    const sql = "SELECT count(*) AS n FROM transactions WHERE kind = 'fill' AND (ref = ? OR (ref > ? AND ref < ?))";
    // The range ends at the character after the separator, so it contains all references with a number.
    const after = String.fromCharCode(REF_SEPARATOR.charCodeAt(0) + 1);
    const before = this.db.get<{ n: number }>(sql, pubkey, `${pubkey}${REF_SEPARATOR}`, `${pubkey}${after}`);
    const count = before?.n ?? 0;
    return count === 0 ? pubkey : `${pubkey}${REF_SEPARATOR}${count + 1}`;
  }

  /** Books a conversion once per pubkey. Returns false for a conversion that is already booked. */
  bookConversion(conversion: BookedConversion): boolean {
    const { pubkey, intentId, kind, marketConditionId: market, seenMs } = conversion;
    this.#late?.intents.write(intentId);
    if (this.conversion(pubkey) !== null) return false;
    CONVERSIONS.insert(this.db, conversion);
    const postings = conversionPostings(conversion, this.holding(market, true), this.holding(market, false));
    this.#book(kind, pubkey, seenMs, postings);
    return true;
  }

  saveMarket(market: MarketRecord): void {
    this.#known.markets.delete(market.conditionId);
    MARKETS.upsert(this.db, market);
  }

  saveStrategyState(saved: StrategyStateRow): void {
    STRATEGY_STATES.upsert(this.db, saved);
  }

  /** Marks a strategy's saved state as unusable. The row stays in the table, but reads of saved states skip it. */
  setStrategyStateAside(strategy: string, marketConditionId: string, version: number): void {
    const sql = `UPDATE OR REPLACE strategy_states SET version = -version
      WHERE market = ? AND strategy = ? AND version = ?`;
    this.db.run(sql, marketConditionId, strategy, version);
  }

  forgetStrategyStates(marketConditionId: string): void {
    this.db.run('DELETE FROM strategy_states WHERE market = ?', marketConditionId);
  }

  setNote(key: string, value: string): void {
    const sql = 'INSERT INTO notes VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
    // A backtest keeps notes only in memory.
    if (this.db.isVirtual) this.db.postpone();
    else this.db.run(sql, key, value);
    this.#known.notes.set(key, value);
  }

  /** Stores an event. `subject` is an order's pubkey or an intent id. Pruning the subject also deletes the event. */
  addEvent({ timeMs, severity, kind, text }: OperatorEvent, subject: string | null = null): void {
    const sql = 'INSERT INTO events (time_ms, severity, kind, text, subject) VALUES (?, ?, ?, ?, ?)';
    this.db.run(sql, timeMs, severity, kind, text.slice(0, LONGEST_TEXT), subject);
  }

  /** Stores an irregular record of the exchange. Returns false if one of this kind and pubkey is already stored. */
  noteOddity(kind: string, pubkey: string, text: string, nowMs: number): boolean {
    const sql = 'INSERT INTO oddities VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
    return this.db.run(sql, kind, pubkey, text.slice(0, LONGEST_TEXT), nowMs) === 1;
  }

  /**
   * Deletes ended intents without bookings, with their orders and events. Returns the number of deleted `rows`.
   *
   * @param after sequence number of the last checked intent; at most `most` later intents are checked
   * @param limits an intent is deleted only if it ended before `beforeMs` (our clock, ms), and at least `lagMs` before
   *   the oldest order in `marked` was created; without a marked order, nothing is deleted
   * @param keeps returns true if the intent or order with this id or pubkey must stay
   */
  prunePage(
    after: number,
    most: number,
    { beforeMs, marked, lagMs }: { beforeMs: number; marked: readonly string[]; lagMs: number },
    keeps: (name: string) => boolean,
  ) {
    const { db } = this;
    const mark = db.get<{ seq: number | null; createdMs: number | null }>(MARK, JSON.stringify(marked));
    const last = db.get<{ seq: number | null }>(LAST, after, most)?.seq ?? null;
    if (mark?.seq == null || mark.createdMs === null) return { rows: 0, after: null, untilMs: null };
    const untilMs = Math.min(beforeMs, mark.createdMs - lagMs);
    if (last === null) return { rows: 0, after: null, untilMs };
    const limits = [after, last, untilMs, untilMs, mark.seq];
    let rows = 0;
    for (const { seq, id, pubkey } of db.all<{ seq: number; id: string; pubkey: string | null }>(PRUNABLE, ...limits)) {
      if (keeps(id) || (pubkey !== null && keeps(pubkey))) continue;
      rows += db.run('DELETE FROM events WHERE subject IN (?, ?)', id, pubkey ?? id);
      if (pubkey !== null) {
        rows += db.run('DELETE FROM orders WHERE pubkey = ?', pubkey);
        this.#known.orders.delete(pubkey);
      }
      rows += db.run('DELETE FROM intents WHERE seq = ?', seq);
    }
    if (rows > 0 && untilMs > (this.prunedBefore() ?? 0)) this.setNote(PRUNED_NOTE, `${untilMs}`);
    return { rows, after: last, untilMs };
  }

  givePagesBack(pages: number) {
    return this.db.shrink(pages);
  }

  #book(kind: string, ref: string, timeMs: number, postings: readonly ReturnType<typeof balance>[number][]): void {
    const id = this.db.insert('INSERT INTO transactions (kind, ref, time_ms) VALUES (?, ?, ?)', kind, ref, timeMs);
    for (const { account, asset, amountMicros } of postings) {
      this.db.run('INSERT INTO postings VALUES (?, ?, ?, ?)', id, account, asset, amountMicros);
      const sql = 'INSERT INTO balances VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount';
      this.db.run(sql, account, asset, amountMicros);
      this.#known.balances.delete(account);
    }
    this.#known.positions = null;
  }

  /** Removes an order from the caches. Call before SQL changes the order's row or adds a row that refers to it. */
  #forgetOrder(pubkey: string): void {
    this.#late?.orders.write(pubkey);
    this.#known.orders.delete(pubkey);
  }

  #rememberIntent(intent: IntentRow): void {
    if (isFinalIntent(intent.state)) this.#known.intents.delete(intent.id);
    else this.#known.intents.set(intent.id, intent);
  }
}

/** Key of the note that stores the highest sequence number of a fill at the last removal of a fill. */
const FILL_PLACES_NOTE = 'fill_places';

/** Maximum number of characters of a stored text. Texts may quote long records of the exchange. */
const LONGEST_TEXT = 2_000;

/** Returns true if a repeated record equals the booked trade, apart from times and missing fields. */
const isSameTrade = (booked: BookedFill, told: BookedFill): boolean =>
  TERMS.every((field) => booked[field] === told[field]) &&
  LATE_FIELDS.every((field) => told[field] === null || booked[field] === null || told[field] === booked[field]);
const LATE_FIELDS = ['feeMicros', 'isMaker'] as const;
const TERMS = ['orderPubkey', 'marketConditionId', 'isYes', 'side', 'priceMicros', 'amountMicros'] as const;

const FINAL = FINAL_INTENT_STATES.map((state) => `'${state}'`).join(', ');

/** SQL query for the oldest marked order. The next comparison of order lists will end at this order. */
const MARK = `SELECT min(seq) AS seq, min(created_ms) AS createdMs FROM orders
  WHERE pubkey IN (SELECT value FROM json_each(?))`;

const LAST = 'SELECT max(seq) AS seq FROM (SELECT seq FROM intents WHERE seq > ? ORDER BY seq LIMIT ?)';

const PRUNABLE = `SELECT i.seq, i.id, o.pubkey FROM intents AS i LEFT JOIN orders AS o ON o.intent_id = i.id
  WHERE i.seq > ? AND i.seq <= ? AND i.state IN (${FINAL}) AND i.updated_ms < ?
    AND (o.seq IS NULL OR (o.closed_ms < ? AND o.seq < ? AND o.filled = 0 AND o.booked = 0 AND o.failed = 0
      AND NOT EXISTS (SELECT 1 FROM fills WHERE order_pubkey = o.pubkey)
      AND NOT EXISTS (SELECT 1 FROM failed_trades WHERE order_pubkey = o.pubkey)))
    AND NOT EXISTS (SELECT 1 FROM conversions WHERE intent_id = i.id)`;

// The caches below contain rows of the only writer. A rollback or a failed operation clears the read cache.

interface LateTable<Row> {
  /** Returns true if the row will rarely change again. */
  isOver(row: Row): boolean;
  /** Inserts a row with the sequence number `place`. */
  insert(row: Row, place: number): unknown;
  update(row: Row): void;
}

/** Number of cached rows at which rows of ended intents and orders are written. A cached row takes about 1 kB. */
const MOST_WAITING = 256;

/**
 * Rows of a backtest's ledger that are not in their table yet. An intent changes four times within seconds, so caching
 * saves most writes. A cached row is written when another row references it, its table is read, or the cache is full.
 * All methods must be called inside a transaction.
 */
class LateRows<Row> {
  readonly #db: Database;
  readonly #table: LateTable<Row>;
  /** Cached rows that differ from their table, by key. */
  readonly unwritten = new Map<string, Row>();
  /** Sequence numbers of cached rows that are not inserted yet, by key. */
  readonly #places = new Map<string, number>();
  #newestPlace = 0;
  #most = MOST_WAITING;

  constructor(db: Database, table: LateTable<Row>) {
    this.#db = db;
    this.#table = table;
  }

  add(key: string, row: Row): void {
    if (this.unwritten.size >= this.#most) {
      for (const [each, waiting] of [...this.unwritten]) if (this.#table.isOver(waiting)) this.write(each);
      // The next limit is twice the number of remaining rows, so that scans of all cached rows stay rare.
      this.#most = Math.max(MOST_WAITING, 2 * this.unwritten.size);
    }
    this.#places.set(key, ++this.#newestPlace);
    this.change(key, row);
  }

  change(key: string, row: Row): void {
    this.#db.postpone();
    this.unwritten.set(key, row);
  }

  write(key: string): void {
    const row = this.unwritten.get(key);
    if (row === undefined) return;
    this.unwritten.delete(key);
    const place = this.#places.get(key);
    if (place === undefined) return this.#table.update(row);
    this.#places.delete(key);
    this.#table.insert(row, place);
  }

  writeAll(): void {
    for (const key of [...this.unwritten.keys()]) this.write(key);
  }
}

function openWriteCache(db: Database) {
  const intents = new LateRows<IntentRow>(db, {
    isOver: ({ state }) => isFinalIntent(state),
    insert: (intent, place) => INTENTS.insert(db, intent, place),
    update: (intent) => updateIntent(db, intent),
  });
  const orders = new LateRows<OrderRecord>(db, {
    isOver: ({ closedMs }) => closedMs !== null,
    insert: (order, place) => {
      // An order's row references its intent's row, so the intent is inserted first.
      intents.write(order.intentId);
      ORDERS.insert(db, order, place);
    },
    update: (order) => updateOrder(db, order),
  });
  return { intents, orders };
}

/** Cache of rows that the single writer has read or written; a rollback clears it. */
class ReadCache {
  /** Intents that are not final, by id. */
  readonly intents = new Map<string, IntentRow>();
  /** Orders by pubkey; null if the ledger has no such order. */
  readonly orders = new Map<string, OrderRecord | null>();
  /** Balances by account; every outcome ever held has three accounts. */
  readonly balances = new Map<string, Micros>();
  /** Markets by condition id; null if the ledger has no such market. */
  readonly markets = new Map<string, MarketRecord | null>();
  readonly notes = new Map<string, string | null>();
  positions: readonly HeldPosition[] | null = null;

  /** Caches an order. A full cache of orders is cleared, because most orders are never read again. */
  keepOrder(pubkey: string, order: OrderRecord | null): void {
    if (this.orders.size >= MOST_ORDERS) this.orders.clear();
    this.orders.set(pubkey, order);
  }

  drop(): void {
    for (const rows of [this.intents, this.orders, this.balances, this.markets, this.notes]) rows.clear();
    this.positions = null;
  }
}

/** Maximum number of cached orders. Fewer orders than this rest at the same time. */
const MOST_ORDERS = 1_000;

function readThrough<K, V>(known: Map<K, V>, key: K, read: () => V): V {
  const value = known.get(key);
  if (value !== undefined) return value;
  const fresh = read();
  known.set(key, fresh);
  return fresh;
}
