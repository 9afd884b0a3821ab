/**
 * Counts own fills a second time, independently. The first reader (`engine/own/own-lists.ts`, `executor/orders.ts`)
 * books each trade once by pubkey. If it misses a page or confuses two trades, the ledger cannot show the error. The
 * second reader shares neither code nor state with the first one, and reads the list in pages of another size. It sums
 * trades, shares, value and fees by market, outcome and side. Each round compares these sums with the ledger's. Trades
 * younger than half a minute are compared in the next round, because lists lag.
 */

import { must } from '../../shared/base/errors.js';
import { formatDecimal, type Micros, micros, mul } from '../../shared/base/micros.js';
import type { OwnTradeRow } from '../../shared/protocol/records.js';
import type { RequestResult } from '../../shared/protocol/seam.js';
import type { AdoptedMove, BookedFill, LedgerReader, Notes } from '../ledger/contract.js';
import { StoredMemory } from '../ledger/tables.js';
import { type Difference, isStuck, outcomeKey, pastTime } from './differences.js';
import type { Reading } from './list-cursor.js';

/** Change of one outcome's shares that the exchange has recorded and the ledger lacks. */
interface RecordedMove extends AdoptedMove {
  readonly outcome: string;
}

/** Rows per page of this second reader. The first reader uses 100, so the pages end at different rows. */
export const SECOND_READER_ROWS = 70;
/** Minimum age of a compared trade, s, exchange clock. */
const YOUNG_S = 30;
/** Maximum delay between a trade and its first appearance in the list, s. */
const LATE_S = 120;
const MOST_PAGES = 250;
/** Maximum number of stuck trades that are stored. */
const MOST_PASSED = 200;

/** Sums over the trades of one market, outcome and side. The amounts are in Micros. */
interface TradeSums {
  count: number;
  amount: number;
  /** Sum of price x amount of the trades, each product rounded down. */
  worth: number;
  fees: number;
}

type SumsByKey = Readonly<Record<string, TradeSums>>;

interface CountMemory {
  /** Pubkeys of the newest trades that are already counted. A read of the list ends at one of these trades. */
  readonly met: readonly string[];
  /** Sequence number of the newest booked fill in the sums `ledger`. */
  readonly seq: number;
  /** The ledger's count of failed or changed trades (`tradeTurns`) when this fill count began. */
  readonly turns: number;
  readonly exchange: SumsByKey;
  readonly ledger: SumsByKey;
}

export class IndependentFillCount {
  readonly #ledger: LedgerReader;
  /** Stored sums of the fill count, and its positions in list and ledger; null before the first count. */
  readonly #memory: StoredMemory<CountMemory | null>;
  /** Sums of fills that the ledger lacks and whose difference an operator has accepted. */
  readonly #leftOut: StoredMemory<SumsByKey>;
  /** Pubkeys of trades that were unsettled for so long that the count passed them. Their bookings are not counted. */
  readonly #passed: StoredMemory<readonly string[]>;
  #rows: OwnTradeRow[] = [];
  #cursors: string[] = [];
  #venueS: number | null = null;
  /** Time of the known trade at which the newest read stopped, exchange clock, s; null if the read found none. */
  #metS: number | null = null;
  #isDone = false;
  /** True if the newest round compared the fill sums. */
  hasCompared = false;
  /** Sums of the fills that the ledger lacked in the newest comparison, young trades included. */
  #lacking: SumsByKey = {};

  constructor(ledger: LedgerReader, notes: Notes) {
    this.#ledger = ledger;
    this.#memory = new StoredMemory(notes, 'second_reader', null);
    this.#leftOut = new StoredMemory(notes, 'second_reader_left_out', {});
    this.#passed = new StoredMemory(notes, 'second_reader_passed', []);
  }

  begin(): void {
    this.#rows = [];
    this.#cursors = [];
    this.#venueS = null;
    this.#metS = null;
    this.#isDone = false;
  }

  onReport({ request, outcome, venueTimeMs, nowMs }: RequestResult): ReturnType<Reading['onReport']> {
    if (outcome.kind !== 'answered') return { kind: 'void', reason: 'a page of own trades could not be read' };
    // The cast is safe, because all requests of this reader list own trades.
    const page = outcome.data as readonly OwnTradeRow[];
    if (venueTimeMs !== null) this.#venueS ??= Math.floor(venueTimeMs / 1000);
    const memory = this.#memory.value;
    for (const row of page) {
      if (this.#rows.some(({ pubkey }) => pubkey === row.pubkey))
        return { kind: 'void', reason: 'a trade appears twice in the list of own trades' };
      if (memory?.met.includes(row.pubkey) === true) {
        this.#metS = pastTime(row.timestamp, this.#venueS ?? Number.POSITIVE_INFINITY);
        return this.#finish();
      }
      this.#rows.push(row);
    }
    const { nextCursor: cursor } = outcome;
    // The first read only determines where the fill count begins, so it needs only one page.
    if (cursor === null || memory === null) return this.#finish();
    if (this.#cursors.includes(cursor)) return { kind: 'void', reason: 'the list of own trades repeats a page cursor' };
    if (this.#cursors.push(cursor) >= MOST_PAGES)
      return { kind: 'void', reason: 'the list of own trades has more pages than the independent fill count may read' };
    const query = { limit: SECOND_READER_ROWS, cursor };
    const call = { endpoint: 'trades.list', params: {}, query, body: undefined } as const;
    return { kind: 'page', next: { ...request, latestMs: nowMs + 10_000, call } };
  }

  #finish(): ReturnType<Reading['onReport']> {
    this.#isDone = true;
    return { kind: 'page', next: null };
  }

  /** Compares the sums of fills. @param agreed false if other differences exist, or a `sum` difference is confirmed */
  settle(agreed: boolean): readonly Difference[] {
    const memory = this.#memory.value;
    this.hasCompared = false;
    if (!this.#isDone || this.#venueS === null) return [];
    // Ledger and exchange may count a failed or changed trade at different times, so the count restarts after it.
    if (memory === null || memory.turns !== this.#ledger.tradeTurns()) {
      if (agreed) this.#open(memory);
      return [];
    }
    this.hasCompared = true;
    const venueS = this.#venueS;
    const isOld = (timeS: number) => pastTime(timeS, venueS) <= venueS - YOUNG_S;
    // The ledger replaces an impossible time, so a booked trade's age is computed from its booked time.
    const readTime = ({ pubkey, timestamp }: OwnTradeRow) => this.#ledger.fill(pubkey)?.timestampS ?? timestamp;
    const passed = this.#passed.value;
    const counted = this.#rows.filter(({ pubkey }) => !passed.includes(pubkey));
    this.#rows = counted.map((row) => ({ ...row, timestamp: readTime(row) }));
    const trades = this.#rows.filter(({ state }) => state === 'done');
    const fills = this.#fillsAfter(memory.seq).map(({ row }) => row);
    this.#lacking = agreed ? {} : sumUp(addUp(memory.exchange, trades), addUp(memory.ledger, fills), -1);
    const oldTrades = trades.filter(({ timestamp }) => isOld(timestamp));
    const oldFills = fills.filter(({ timestampS }) => isOld(timestampS));
    const [exchange, ledger] = [addUp(memory.exchange, oldTrades), addUp(memory.ledger, oldFills)];
    const keys = [...new Set([...Object.keys(exchange), ...Object.keys(ledger)])].sort();
    const differing = keys.filter((key) => text(exchange[key]) !== text(ledger[key]));
    this.#remember(memory, new Set(differing));
    return differing.map((subject) => ({
      what: 'sum',
      subject,
      ledger: text(ledger[subject]),
      exchange: text(exchange[subject]),
    }));
  }

  /** Restarts the fill count after an operator accepted its difference. Stores the missing fills for an adoption. */
  forget(): void {
    this.#leftOut.value = sumUp(this.#leftOut.value, this.#lacking);
    this.#lacking = {};
    this.#memory.value = null;
  }

  /**
   * Returns the sums of fills that the exchange lists and the ledger lacks, accepted differences included. If the
   * newest round compared no sums, the sums of the settled trades in `unbooked` replace sums that count fewer trades.
   */
  sumLacking(unbooked: readonly OwnTradeRow[]): readonly RecordedMove[] {
    const sums = sumUp(this.#leftOut.value, this.#lacking);
    if (!this.hasCompared)
      for (const [key, listed] of Object.entries(addUp({}, unbooked)))
        if (listed.count > (sums[key]?.count ?? 0)) sums[key] = listed;
    return Object.entries(sums).map(([key, { amount, worth, fees }]) => {
      const sign = key.endsWith(' buy') ? 1 : -1;
      const outcome = key.slice(0, key.lastIndexOf(' '));
      const [sharesMicros, spentMicros] = [micros(sign * amount), micros(sign * worth)];
      return { outcome, sharesMicros, spentMicros, feesMicros: micros(fees) };
    });
  }

  /** Restarts the fill count after an adoption, because the ledger then holds all listed fills. */
  onAdopted(): void {
    this.forget();
    this.#leftOut.value = {};
  }

  /** Starts a fill count after the listed settled trades. Booked trades that are not among these are included. */
  #open(memory: CountMemory | null): void {
    const venueS = must(this.#venueS, 'time of the look');
    const passed = this.#passStuck(this.#rows);
    const changing = this.#rows.findLastIndex((row) => isUnsettled(row) && !passed.includes(row.pubkey));
    const counted = this.#rows.slice(changing + 1);
    const changingRow = this.#rows[changing];
    // A first count needs a counted trade from an earlier second, where the next reads end.
    const endS = counted.at(-1)?.timestamp ?? Number.POSITIVE_INFINITY;
    const hasEnd = memory !== null || changingRow === undefined || endS < changingRow.timestamp;
    if (!hasEnd || changing >= SECOND_READER_ROWS) return;
    const shown = new Set([...counted.map(({ pubkey }) => pubkey), ...(memory?.met ?? [])]);
    // Booked trades since `lateS` (exchange clock, s) that this list lacks must appear in a later list. `lateS` is the
    // time of the counted trade where the read ended; for a first read, its page's oldest row, or at most `LATE_S` ago.
    const firstS = Math.max(venueS - LATE_S, pastTime(this.#rows.at(-1)?.timestamp ?? 0, venueS)) + 1;
    const readS = memory === null ? firstS : (this.#metS ?? Number.NEGATIVE_INFINITY);
    const lateS = changingRow === undefined ? readS : Math.min(readS, pastTime(changingRow.timestamp, venueS));
    const seq = this.#ledger.newestSeq('fills');
    const late = this.#fillsAfter(Math.max(0, seq - SECOND_READER_ROWS))
      .map(({ row }) => row)
      .filter(({ pubkey, timestampS }) => timestampS >= lateS && !shown.has(pubkey));
    const turns = this.#ledger.tradeTurns();
    const met = [...shown].slice(0, SECOND_READER_ROWS);
    this.#memory.value = { met, seq, turns, exchange: {}, ledger: addUp({}, late) };
  }

  /** Adds the stuck trades among these rows to the passed ones. Returns all passed trades. */
  #passStuck(rows: readonly OwnTradeRow[]): readonly string[] {
    const stuck = rows.filter((row) => this.#isPassable(row));
    if (stuck.length > 0) {
      const passed = new Set([...stuck.map(({ pubkey }) => pubkey), ...this.#passed.value]);
      this.#passed.value = [...passed].slice(0, MOST_PASSED);
    }
    return this.#passed.value;
  }

  /** Returns true for a stuck trade. A booked trade holds the count, because the sums already include its booking. */
  #isPassable(row: OwnTradeRow): boolean {
    return isUnsettled(row) && isStuck(row.timestamp, this.#venueS) && this.#ledger.fill(row.pubkey) === null;
  }

  /** Returns the counted fills with sequence numbers above `seq`, oldest first. */
  #fillsAfter(seq: number) {
    const passed = this.#passed.value;
    return this.#ledger.fillsAfter(seq).filter(({ row }) => !passed.includes(row.pubkey));
  }

  /** Advances the stored list and ledger positions to the newest trades that can no longer change. Drops equal sums. */
  #remember(memory: CountMemory, differing: ReadonlySet<string>): void {
    const venueS = must(this.#venueS, 'time of the look');
    const isYoung = (timeS: number) => pastTime(timeS, venueS) > venueS - LATE_S;
    const mayChange = (row: OwnTradeRow) => isYoung(row.timestamp) || (isUnsettled(row) && !this.#isPassable(row));
    const rows = this.#rows.slice(this.#rows.findLastIndex(mayChange) + 1);
    this.#passStuck(rows);
    const fills = this.#fillsAfter(memory.seq);
    const young = fills.findIndex(({ row }) => isYoung(row.timestampS));
    const old = young < 0 ? fills : fills.slice(0, young);
    const done = rows.filter(({ state }) => state === 'done');
    const booked = old.map(({ row }) => row);
    const [exchange, ledger] = [addUp(memory.exchange, done), addUp(memory.ledger, booked)];
    for (const key of Object.keys(exchange)) {
      if (differing.has(key) || text(exchange[key]) !== text(ledger[key])) continue;
      delete exchange[key];
      delete ledger[key];
    }
    const met = [...rows.map(({ pubkey }) => pubkey), ...memory.met].slice(0, SECOND_READER_ROWS);
    this.#memory.value = { ...memory, met, seq: old.at(-1)?.seq ?? memory.seq, exchange, ledger };
  }
}

const isUnsettled = ({ state }: OwnTradeRow): boolean => !['done', 'failed'].includes(state);

/** Adds trades or fills to sums by market, outcome and side. Returns new sums. */
function addUp(before: SumsByKey, trades: readonly (OwnTradeRow | BookedFill)[]): Record<string, TradeSums> {
  const sums: Record<string, TradeSums> = structuredClone({ ...before });
  for (const trade of trades) {
    const isRow = 'order' in trade;
    const market = isRow ? (trade.market_condition_id ?? trade.order.market.condition_id) : trade.marketConditionId;
    const [isYes, { side }] = isRow ? [trade.order.outcome.is_yes, trade.order] : [trade.isYes, trade];
    const [price, amount, fee] = isRow
      ? [trade.price, trade.amount, trade.fee]
      : [trade.priceMicros, trade.amountMicros, trade.feeMicros];
    const key = `${outcomeKey(market, isYes)} ${side}`;
    const of = sums[key] ?? { count: 0, amount: 0, worth: 0, fees: 0 };
    of.count += 1;
    of.amount += amount;
    of.worth += mul(price, amount, 'floor');
    of.fees += fee ?? 0;
    sums[key] = of;
  }
  return sums;
}

const NO_SUMS: TradeSums = { count: 0, amount: 0, worth: 0, fees: 0 };

/** Adds `sign` times the second sums to the first sums, by key. Sums of zero are dropped. */
function sumUp(first: SumsByKey, second: SumsByKey, sign = 1): Record<string, TradeSums> {
  const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  const sums = keys.map((key) => {
    const [a, b] = [first[key] ?? NO_SUMS, second[key] ?? NO_SUMS];
    const sum = (name: keyof TradeSums) => a[name] + sign * b[name];
    return [key, { count: sum('count'), amount: sum('amount'), worth: sum('worth'), fees: sum('fees') }] as const;
  });
  return Object.fromEntries(sums.filter(([, { count, amount }]) => count !== 0 || amount !== 0));
}

/** Returns the sums of fills as text. The sums are safe integers, because they are sums of traded amounts. */
function text(sums: TradeSums | undefined): string {
  if (sums === undefined) return '0 fills';
  const showMicros = (value: number) => formatDecimal(value as Micros);
  return `${sums.count} fills, ${showMicros(sums.amount)} shares for ${showMicros(sums.worth)}, fees ${showMicros(sums.fees)}`;
}
