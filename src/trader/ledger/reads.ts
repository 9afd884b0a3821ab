import { must } from '../../shared/base/errors.js';
import { add, complement, type Micros, micros, mul, sub, ZERO } from '../../shared/base/micros.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import type { Database } from './database.js';
import { basisAccount, type fillPostings, sharesAccount } from './postings.js';
import type { Booked, LedgerTable } from './table.js';
import {
  type BookedConversion,
  type BookedFill,
  type BookingRow,
  CONVERSIONS,
  FILLS,
  type HeldPosition,
  INTENTS,
  type IntentKind,
  type IntentRow,
  type IntentState,
  MARKETS,
  type MarketRecord,
  type OperatorEvent,
  ORDERS,
  type OrderRecord,
  placeTerms,
  RUNS,
  type RunRow,
  STRATEGY_STATES,
  type StoredDraftRow,
  type StrategyStateRow,
} from './tables.js';

interface ListSelection {
  /** Maximum number of rows to list, newest first; default 100. */
  readonly limit?: number;
  readonly marketConditionId?: string;
}

/** Character between a trade's pubkey and a number in a transaction's reference. Pubkeys never contain it. */
export const REF_SEPARATOR = '~';
/** Suffix in the reference of a transaction that books only a fee. */
export const FEE_REF = 'fee';
/** SQL expression for the trade's pubkey in a transaction's `ref`. */
const TRADE_OF_REF = `substr(ref, 1, instr(ref || '${REF_SEPARATOR}', '${REF_SEPARATOR}') - 1)`;

const PAGE = 100;
/** Key of the note with the sum of three counts: failed trades, later bookings of such trades, fees booked later. */
export const TRADE_TURNS_NOTE = 'trade_turns';

/** Key of the note with the pruning limit, our clock, ms. Intents without bookings that ended earlier were deleted. */
export const PRUNED_NOTE = 'pruned_before';

/** SQL condition of unfinished rows. It equals the condition of a partial index, so SQLite uses that index. */
export const ACTIVE_INTENTS = "WHERE state NOT IN ('done', 'refused', 'failed', 'expired') ORDER BY seq";
export const UNSETTLED_ORDERS = 'WHERE closed_ms IS NULL OR filled > booked + failed ORDER BY seq';
const FAILED_TRADES = `SELECT failed_trades.pubkey, orders.market, orders.is_yes FROM failed_trades
  JOIN orders ON orders.pubkey = failed_trades.order_pubkey`;

const MARKET_OF_SHARES = "replace(replace(substr(p.account, 8), '/YES', ''), '/NO', '')";

/** SQL query for bookings. All joins use table keys, so a longer history does not slow the query. */
export const BOOKINGS_AFTER = `SELECT t.id, t.kind, t.time_ms AS timeMs, i.strategy,
    coalesce(max(CASE WHEN p.account GLOB 'shares/*' THEN ${MARKET_OF_SHARES} END),
      o.market, c.market) AS marketConditionId,
    -- A reversal moves shares against the side of its order. A booking of only a fee moves no shares.
    CASE t.kind WHEN 'fill' THEN CASE coalesce(f.side, o.side) WHEN 'buy' THEN 1 ELSE -1 END
      * sign(sum(CASE WHEN p.account GLOB 'shares/*' THEN p.amount ELSE 0 END)) ELSE 0 END AS fills,
    sum(CASE p.account WHEN 'cash' THEN p.amount ELSE 0 END) AS cashMicros,
    -- A gain is negative in double-entry bookkeeping.
    sum(CASE p.account WHEN 'realised' THEN -p.amount ELSE 0 END) AS realisedMicros,
    sum(CASE p.account WHEN 'fees' THEN p.amount ELSE 0 END) AS feesMicros
  FROM (SELECT * FROM transactions WHERE id > ? ORDER BY id LIMIT ?) AS t
  LEFT JOIN postings AS p ON p.transaction_id = t.id
  LEFT JOIN fills AS f ON t.kind = 'fill' AND f.pubkey = ${TRADE_OF_REF}
  LEFT JOIN failed_trades AS x ON t.kind = 'fill' AND x.pubkey = ${TRADE_OF_REF}
  LEFT JOIN orders AS o ON o.pubkey = coalesce(f.order_pubkey, x.order_pubkey)
  LEFT JOIN conversions AS c ON t.kind <> 'fill' AND c.pubkey = t.ref
  LEFT JOIN intents AS i ON i.id = coalesce(o.intent_id, c.intent_id)
  GROUP BY t.id ORDER BY t.id`;

type OtherBooking = Omit<BookedConversion, 'pubkey' | 'intentId' | 'kind'> &
  Pick<BookingRow, 'kind'> &
  Record<'feeMicros' | 'capitalMicros', Micros>;

const sumOf = (condition: string) => `sum(CASE WHEN p.account ${condition} THEN p.amount ELSE 0 END)`;
const OTHER_BOOKINGS = `SELECT t.kind, t.time_ms AS seenMs, c.yes_cost AS yesCostMicros,
    coalesce(max(CASE WHEN p.account GLOB 'shares/*' THEN ${MARKET_OF_SHARES} END), '') AS marketConditionId,
    -${sumOf("GLOB 'shares/*/YES'")} AS yesMicros, -${sumOf("GLOB 'shares/*/NO'")} AS noMicros,
    ${sumOf("IN ('cash', 'fees', 'adopted')")} AS cashMicros, ${sumOf("= 'fees'")} AS feeMicros,
    -${sumOf("IN ('capital', 'adopted')")} AS capitalMicros
  FROM transactions AS t JOIN postings AS p ON p.transaction_id = t.id LEFT JOIN conversions AS c ON c.pubkey = t.ref
  WHERE t.kind <> 'fill' GROUP BY t.id ORDER BY t.id`;

/** Reads a ledger, with or without a running trader. */
export class LedgerReader {
  protected readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  get path(): string {
    return this.db.path;
  }

  intent(id: string): IntentRow | null {
    return INTENTS.find(this.db, 'id', id);
  }

  intents(
    page: ListSelection & { readonly states?: readonly IntentState[]; readonly kind?: IntentKind } = {},
  ): IntentRow[] {
    this.writeLate();
    return this.#list(INTENTS, page, { state: page.states, kind: page.kind });
  }

  /** Sums all intents: strategies by pubkey of a filled order, time of the newest change by run, refusals by reason. */
  intentSums() {
    this.writeLate();
    const read = <V>(sql: string): ReadonlyMap<string, V> =>
      new Map(this.db.all<{ key: string; value: V }>(sql).map(({ key, value }) => [key, value]));
    return {
      strategies: read<string>(`SELECT o.pubkey AS key, strategy AS value FROM orders AS o
        JOIN intents AS i ON i.id = intent_id WHERE booked > 0`),
      lastMsByRun: read<number>('SELECT run_id AS key, max(updated_ms) AS value FROM intents GROUP BY run_id'),
      refusals: read<number>(`SELECT last_reason AS key, count(*) AS value FROM intents
        WHERE state IN ('refused', 'failed') GROUP BY last_reason ORDER BY min(seq)`),
    };
  }

  /** Returns the markets in which the trader ever had an order or shares. */
  tradedMarkets(): ReadonlySet<string> {
    this.writeLate();
    const sql = `SELECT DISTINCT market FROM orders UNION SELECT ${MARKET_OF_SHARES} FROM balances AS p
      WHERE account > 'shares/' AND account < 'shares0'`;
    return new Set(this.db.all<{ market: string }>(sql).map(({ market }) => market));
  }

  /** Returns the draft of an intent; null if the intent is unknown or has no draft. */
  storedDraft(intentId: string): StoredDraftRow | null {
    const intent = this.intent(intentId);
    if (intent === null || intent.draftPubkey === null || intent.message === null) return null;
    const { marketConditionId, draftPubkey, message } = intent;
    return { intentId, marketConditionId, draftPubkey, message, terms: toDraftTerms(intent) };
  }

  order(pubkey: string): OrderRecord | null {
    return ORDERS.find(this.db, 'pubkey', pubkey);
  }

  orders(page: ListSelection & { readonly statuses?: readonly string[] } = {}): OrderRecord[] {
    this.writeLate();
    return this.#list(ORDERS, page, { status: page.statuses });
  }

  fills(page: ListSelection & { readonly orderPubkey?: string } = {}): BookedFill[] {
    return this.#list(FILLS, page, { order_pubkey: page.orderPubkey });
  }

  conversions(page: ListSelection = {}): BookedConversion[] {
    return this.#list(CONVERSIONS, page);
  }

  fill(pubkey: string): BookedFill | null {
    return FILLS.find(this.db, 'pubkey', pubkey);
  }

  conversion(pubkey: string): BookedConversion | null {
    return CONVERSIONS.find(this.db, 'pubkey', pubkey);
  }

  /** Returns the fills with sequence numbers above `seq`, oldest first. Earlier rows do not make the query slower. */
  fillsAfter(seq: number, limit?: number): readonly Booked<BookedFill>[] {
    return FILLS.listAfter(this.db, seq, limit);
  }

  conversionsAfter(seq: number): readonly Booked<BookedConversion>[] {
    return CONVERSIONS.listAfter(this.db, seq);
  }

  /** Returns all bookings except fills, oldest first. Adopted value counts as paid, and as added capital. */
  otherBookings(): OtherBooking[] {
    return this.db.all<OtherBooking>(OTHER_BOOKINGS);
  }

  /** Returns those of the newest `most` fills and conversions that were booked at `sinceMs` or later, newest first. */
  bookedSince(sinceMs: number, most: number) {
    const rest = (of: string) => `WHERE seq > (SELECT max(seq) FROM ${of}) - ? AND seen_ms >= ? ORDER BY seq DESC`;
    return {
      fills: FILLS.list(this.db, rest('fills'), most, sinceMs),
      conversions: CONVERSIONS.list(this.db, rest('conversions'), most, sinceMs),
    };
  }

  /** Returns the sequence number of the table's newest row; 0 if the table is empty. */
  newestSeq(of: 'fills' | 'conversions'): number {
    return this.db.get<{ seq: number | null }>(`SELECT max(seq) AS seq FROM ${of}`)?.seq ?? 0;
  }

  /** Returns up to `limit` bookings with ids above `id`, oldest first. The sums over all bookings equal `pnl`. */
  bookingsAfter(id: number, limit: number): BookingRow[] {
    this.writeLate();
    return this.db.all<BookingRow>(BOOKINGS_AFTER, id, limit);
  }

  /** Returns the id of the newest booking; 0 if there is no booking. */
  newestBooking(): number {
    return this.db.get<{ id: number | null }>('SELECT max(id) AS id FROM transactions')?.id ?? 0;
  }

  /** Returns true if the exchange has ever reported this trade as failed, even if it reported a settlement later. */
  hadFailed(tradePubkey: string): boolean {
    const sql = `SELECT 1 AS n FROM oddities WHERE kind IN ('failed_trade', 'settled_trade_failed') AND pubkey = ?`;
    return this.db.get<{ n: number }>(sql, tradePubkey) !== undefined;
  }

  /** Returns the trades that the exchange last reported as failed. */
  failedTrades() {
    this.writeLate();
    const rows = this.db.all<{ pubkey: string; market: string; is_yes: number }>(FAILED_TRADES);
    return rows.map(({ pubkey, market, is_yes }) => ({ pubkey, marketConditionId: market, isYes: is_yes === 1 }));
  }

  /** Returns a number that grows with each failed trade, later booking of such a trade, and fee booked later. */
  tradeTurns(): number {
    return Number(this.note(TRADE_TURNS_NOTE) ?? 0);
  }

  /** Returns all intents that have not ended. */
  activeIntents(): IntentRow[] {
    this.writeLate();
    return INTENTS.list(this.db, ACTIVE_INTENTS);
  }

  /** Returns the orders that may still fill, or whose fills are not all booked. */
  unsettledOrders(): OrderRecord[] {
    this.writeLate();
    return ORDERS.list(this.db, UNSETTLED_ORDERS);
  }

  restingOrders(): OrderRecord[] {
    return this.unsettledOrders().filter(({ status }) => RESTING_STATUSES.includes(status));
  }

  /** Returns all holdings that are not zero. */
  positions(): readonly HeldPosition[] {
    const held = this.db.all<{ account: string; amount: number }>(
      "SELECT account, amount FROM balances WHERE amount <> 0 AND account > 'shares/' AND account < 'shares0'",
    );
    return held.map(({ account, amount }) => {
      const name = account.slice('shares/'.length);
      const isYes = name.endsWith('/YES');
      const marketConditionId = name.slice(0, name.lastIndexOf('/'));
      const costMicros = this.balance(basisAccount(marketConditionId, isYes));
      return { marketConditionId, isYes, sharesMicros: micros(amount), costMicros };
    });
  }

  /** Returns the number of held shares of one outcome; ZERO if none are held. */
  shares(marketConditionId: string, isYes: boolean): Micros {
    return this.balance(sharesAccount(marketConditionId, isYes));
  }

  cash(): Micros {
    return this.balance('cash');
  }

  /** Returns the value that adopted shares without a recorded cost had when they were adopted. */
  adopted(): Micros {
    return sub(ZERO, this.balance('adopted'));
  }

  /** Returns the account's capital, cash and result. `marks` contains the current YES price of each market. */
  pnl(marks: ReadonlyMap<string, Micros>) {
    let unrealisedMicros = ZERO;
    const unmarked = new Set<string>();
    for (const { marketConditionId, isYes, sharesMicros, costMicros } of this.positions()) {
      const mark = marks.get(marketConditionId);
      if (mark === undefined) {
        unmarked.add(marketConditionId);
        continue;
      }
      // A mark is an estimate, so its value is rounded down.
      const value = mul(isYes ? mark : complement(mark), sharesMicros, 'floor');
      unrealisedMicros = add(unrealisedMicros, sub(value, costMicros));
    }
    const realisedMicros = sub(ZERO, this.balance('realised'));
    const feesMicros = this.balance('fees');
    return {
      capitalMicros: sub(ZERO, this.balance('capital')),
      cashMicros: this.cash(),
      /** Realised result before fees, at average cost, in currency. */
      realisedMicros,
      /** Fees paid, as a positive number. */
      feesMicros,
      /** Unrealised result: value of shares at their marks minus their cost; 0 for positions without a mark. */
      unrealisedMicros,
      totalMicros: add(sub(realisedMicros, feesMicros), unrealisedMicros),
      /** Condition ids of markets in which shares are held, but which have no mark. */
      unmarked: [...unmarked].sort(),
    };
  }

  market(conditionId: string): MarketRecord | null {
    return MARKETS.find(this.db, 'conditionId', conditionId);
  }

  markets(): MarketRecord[] {
    return MARKETS.list(this.db, 'ORDER BY title, condition_id');
  }

  events(limit = PAGE): OperatorEvent[] {
    const sql = 'SELECT time_ms AS timeMs, severity, kind, text FROM events ORDER BY id DESC LIMIT ?';
    return this.db.all<OperatorEvent>(sql, limit);
  }

  /** Returns the 100 oldest events with ids above `id`, oldest first. */
  eventsAfter(id: number): (OperatorEvent & { readonly id: number })[] {
    const sql = 'SELECT id, time_ms AS timeMs, severity, kind, text FROM events WHERE id > ? ORDER BY id LIMIT ?';
    return this.db.all<OperatorEvent & { readonly id: number }>(sql, id, PAGE);
  }

  /** Returns the highest id of the events before a time (our clock, ms); 0 without such events. */
  newestEventId(beforeMs = Number.MAX_SAFE_INTEGER): number {
    return this.db.get<{ id: number }>('SELECT max(id) AS id FROM events WHERE time_ms < ?', beforeMs)?.id ?? 0;
  }

  /** Returns the number of stored events of this kind, over all runs. */
  /** Returns the number of fills booked at `sinceMs` (our clock, ms) or later. */
  fillCount(sinceMs: number): number {
    return this.db.get<{ n: number }>('SELECT count(*) AS n FROM fills WHERE seen_ms >= ?', sinceMs)?.n ?? 0;
  }

  eventCount(kind: string): number {
    return this.db.get<{ count: number }>('SELECT count(*) AS count FROM events WHERE kind = ?', kind)?.count ?? 0;
  }

  runs(limit = PAGE): RunRow[] {
    return RUNS.list(this.db, 'ORDER BY rowid DESC LIMIT ?', limit);
  }

  /** Returns a strategy's newest saved state in a market, preferably of this version; null if none is saved. */
  strategyState(strategy: string, marketConditionId: string, version: number): StrategyStateRow | null {
    const found = `WHERE version > 0 AND market = ? AND strategy = ?
      ORDER BY version = ? DESC, saved_ms DESC LIMIT 1`;
    return STRATEGY_STATES.list(this.db, found, marketConditionId, strategy, version)[0] ?? null;
  }

  /** Returns the newest saved state of every strategy in every market. */
  strategyStates(): StrategyStateRow[] {
    const rows = STRATEGY_STATES.list(this.db, 'WHERE version > 0 ORDER BY market, strategy, saved_ms, version');
    // Rows are read oldest first, so the newest row of a strategy and market replaces older rows in the map.
    return [...new Map(rows.map((row) => [`${row.marketConditionId} ${row.strategy}`, row])).values()];
  }

  /** Returns the time (our clock, ms) up to which ended intents without bookings were pruned; null if never. */
  prunedBefore(): number | null {
    const note = this.note(PRUNED_NOTE);
    return note === null ? null : Number(note);
  }

  /** Returns a note (a small stored value) by its key, for example the last kill; null if the note does not exist. */
  note(key: string): string | null {
    return this.db.get<{ value: string }>('SELECT value FROM notes WHERE key = ?', key)?.value ?? null;
  }

  /** Returns contradictions inside the ledger, for example between postings and balances; empty if consistent. */
  verify(): string[] {
    this.writeLate();
    return CHECKS.flatMap(({ sql, says }) =>
      this.db
        .all<{ name: string; found: number; wanted: number }>(sql)
        .map(({ name, found, wanted }) => `${says} ${name}: ${found} instead of ${wanted}`),
    );
  }

  /** Reads all pages of the ledger's file and returns SQLite's integrity report; empty for an intact file. */
  checkPages(): string[] {
    const rows = this.db.all<{ integrity_check: string }>('PRAGMA integrity_check');
    return rows.map(({ integrity_check }) => integrity_check).filter((text) => text !== 'ok');
  }

  close(): void {
    this.db.close();
  }

  /** Writes cached rows to their tables. Queries for several rows call `writeLate` first. */
  protected writeLate(): void {
    return;
  }

  protected balance(account: string): Micros {
    return micros(
      this.db.get<{ amount: number }>('SELECT amount FROM balances WHERE account = ?', account)?.amount ?? 0,
    );
  }

  protected holding(marketConditionId: string, isYes: boolean): Parameters<typeof fillPostings>[1] {
    return {
      sharesMicros: this.shares(marketConditionId, isYes),
      costMicros: this.balance(basisAccount(marketConditionId, isYes)),
    };
  }

  /** Returns the table's rows that have the given values in the given columns; undefined selects any value. */
  #list<Row>(
    table: LedgerTable<Row>,
    { marketConditionId: market, limit = PAGE }: ListSelection,
    more: WantedColumns = {},
  ): Row[] {
    const wanted = Object.entries({ market, ...more }).flatMap(([column, values]) =>
      values === undefined ? [] : [{ column, values: [values].flat() }],
    );
    const conditions = wanted.map(({ column, values }) => `${column} IN (${values.map(() => '?').join(', ')})`);
    const where = `WHERE ${['TRUE', ...conditions].join(' AND ')} ORDER BY seq DESC LIMIT ?`;
    return table.list(this.db, where, ...wanted.flatMap(({ values }) => values), limit);
  }
}

function toDraftTerms(intent: IntentRow): DraftTerms {
  switch (intent.kind) {
    case 'place': {
      const { isYes, side, priceMicros: price, amountMicros: amount } = placeTerms(intent);
      return { action: 'place-order', isYes, side, type: 'limit', price, amount };
    }
    case 'cancel':
      return { action: 'cancel-order', orderPubkey: must(intent.orderPubkey, `order of ${intent.id}`) };
    case 'merge':
      return { action: 'merge-shares', amount: must(intent.amountMicros, `amount of ${intent.id}`) };
    case 'split':
      return { action: 'split-shares', amount: must(intent.amountMicros, `amount of ${intent.id}`) };
    case 'redeem':
      return {
        action: 'redeem-shares',
        yes: must(intent.redeemYesMicros, `YES shares of ${intent.id}`),
        no: must(intent.redeemNoMicros, `NO shares of ${intent.id}`),
      };
  }
}

type WantedColumns = Readonly<Record<string, string | readonly string[] | undefined>>;

const CHECKS: readonly { readonly says: string; readonly sql: string }[] = [
  {
    says: 'postings do not sum to zero in transaction',
    sql: `SELECT transaction_id || ' ' || asset AS name, sum(amount) AS found, 0 AS wanted
          FROM postings GROUP BY transaction_id, asset HAVING sum(amount) <> 0`,
  },
  {
    says: 'balance of',
    sql: `SELECT account AS name, balances.amount AS found, coalesce(summed.amount, 0) AS wanted
          FROM balances LEFT JOIN (SELECT account, sum(amount) AS amount FROM postings GROUP BY account) AS summed
          USING (account) WHERE balances.amount <> coalesce(summed.amount, 0)`,
  },
  {
    says: 'no balance for postings of',
    sql: `SELECT account AS name, 0 AS found, sum(amount) AS wanted FROM postings
          WHERE account NOT IN (SELECT account FROM balances) GROUP BY account`,
  },
  {
    says: 'fills booked for order',
    sql: `SELECT orders.pubkey AS name, booked AS found, coalesce(sum(fills.amount), 0) AS wanted
          FROM orders LEFT JOIN fills ON fills.order_pubkey = orders.pubkey
          GROUP BY orders.pubkey HAVING booked <> coalesce(sum(fills.amount), 0)`,
  },
  {
    says: 'failed trades of order',
    sql: `SELECT orders.pubkey AS name, failed AS found, coalesce(sum(failed_trades.amount), 0) AS wanted
          FROM orders LEFT JOIN failed_trades ON failed_trades.order_pubkey = orders.pubkey
          GROUP BY orders.pubkey HAVING failed <> coalesce(sum(failed_trades.amount), 0)`,
  },
  {
    says: 'first transaction of fill',
    sql: `SELECT pubkey AS name, 0 AS found, 1 AS wanted FROM fills
          WHERE pubkey NOT IN (SELECT ref FROM transactions WHERE kind = 'fill')`,
  },
  {
    // Bookings and reversals of a trade alternate, so it is booked if their count is odd. Fee-only rows do not count.
    says: 'unreversed transactions of fill',
    sql: `SELECT trade AS name, booked % 2 AS found, fills.pubkey IS NOT NULL AS wanted
          FROM (SELECT ${TRADE_OF_REF} AS trade, count(*) AS booked FROM transactions
                WHERE kind = 'fill' AND ref NOT GLOB '*${REF_SEPARATOR}*${FEE_REF}' GROUP BY trade)
          LEFT JOIN fills ON fills.pubkey = trade
          WHERE booked % 2 <> (fills.pubkey IS NOT NULL)`,
  },
  {
    says: 'conversions of transaction',
    sql: `SELECT ref AS name, 0 AS found, 1 AS wanted FROM transactions
          WHERE kind IN ('merge', 'split', 'redeem') AND ref NOT IN (SELECT pubkey FROM conversions)`,
  },
];
