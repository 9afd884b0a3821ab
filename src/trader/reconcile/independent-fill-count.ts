/**
 * Counts own fills a second time, independently. The first count (`engine/own/own-lists.ts`, `executor/orders.ts`)
 * books each trade once by pubkey. If that count loses a page or confuses two trades, the ledger cannot show the error.
 * This reader shares no code and no state with it. The reader walks the list in other pages from its own mark. It sums
 * trades, shares, value and fees by market, outcome and side. Every round compares these sums with those of the ledger.
 *
 * It books nothing. Trades younger than half a minute wait for the next round on both sides, because lists lag.
 */

import { must } from '../../shared/base/errors.js';
import { formatDecimal, type Micros, micros, mul } from '../../shared/base/micros.js';
import type { OwnTradeRow } from '../../shared/protocol/records.js';
import type { PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';
import type { BookedFill, LedgerReader, Notes } from '../ledger/contract.js';
import { StoredMemory } from '../ledger/tables.js';
import { type Difference, outcomeKey, type RecordedMove } from './differences.js';
import type { WalkStep } from './list-cursor.js';

/** Rows per page; differs from the first reader's hundred, so that pages end elsewhere. */
export const SECOND_READER_ROWS = 70;
/** Age that a trade needs to be compared, s, exchange clock. */
const YOUNG_S = 30;
/** Time in which a trade may still appear late in a list, s. */
const LATE_S = 120;
const MOST_PAGES = 250;

/** Sums over trades of one market, outcome and side. Amounts in micros. */
interface Sums {
  count: number;
  amount: number;
  /** Sum of price x amount, each product rounded down. */
  worth: number;
  fees: number;
}

type SumsByKey = Readonly<Record<string, Sums>>;

interface Memory {
  /** Mark: pubkeys of the newest trades counted in `exchange`; the walk ends at one of these trades. */
  readonly met: readonly string[];
  /** Place up to which ledger fills are counted in `ledger`. */
  readonly seq: number;
  /** Number of changed trades in the ledger when the count began. */
  readonly turns: number;
  readonly exchange: SumsByKey;
  readonly ledger: SumsByKey;
}

export class IndependentFillCount {
  readonly #ledger: LedgerReader;
  /** Sums and marks; null before the first count. */
  readonly #memory: StoredMemory<Memory | null>;
  /** Missing fills that an operator has left out. */
  readonly #leftOut: StoredMemory<SumsByKey>;
  #rows: OwnTradeRow[] = [];
  #cursors: string[] = [];
  #venueS: number | null = null;
  /** Time of the trade at which the walk met its mark, exchange clock, s; null without one. */
  #metS: number | null = null;
  #isDone = false;
  /** True when the newest round compared its sums. */
  hasCompared = false;
  /** Fills that the ledger lacks in the newest comparison, by market, outcome and side, of any age. */
  #lacking: SumsByKey = {};

  constructor(ledger: LedgerReader, notes: Notes) {
    this.#ledger = ledger;
    this.#memory = new StoredMemory(notes, 'second_reader', null);
    this.#leftOut = new StoredMemory(notes, 'second_reader_left_out', {});
  }

  begin(): void {
    this.#rows = [];
    this.#cursors = [];
    this.#venueS = null;
    this.#metS = null;
    this.#isDone = false;
  }

  onReport({ request, outcome, venueTimeMs, nowMs }: RequestResult): WalkStep {
    if (outcome.kind !== 'answered') return { kind: 'void', reason: 'a page of the second reader was lost' };
    // The answer has the data type of the request's endpoint.
    const page = outcome.data as readonly OwnTradeRow[];
    if (venueTimeMs !== null) this.#venueS ??= Math.floor(venueTimeMs / 1000);
    const memory = this.#memory.value;
    for (const row of page) {
      if (this.#rows.some(({ pubkey }) => pubkey === row.pubkey))
        return { kind: 'void', reason: 'a trade appears twice' };
      if (memory?.met.includes(row.pubkey) === true) {
        this.#metS = row.timestamp;
        return this.#finish();
      }
      this.#rows.push(row);
    }
    const { nextCursor: cursor } = outcome;
    // The first walk only sets the start.
    if (cursor === null || memory === null) return this.#finish();
    if (this.#cursors.includes(cursor)) return { kind: 'void', reason: 'a cursor of the second reader repeats' };
    if (this.#cursors.push(cursor) >= MOST_PAGES)
      return { kind: 'void', reason: 'the second reader exceeds its maximum of pages' };
    return { kind: 'page', next: nextPage(request, cursor, nowMs) };
  }

  #finish(): WalkStep {
    this.#isDone = true;
    return { kind: 'page', next: null };
  }

  /**
   * Compares the sums after a complete walk.
   *
   * @param agreed no difference is open, and none can be caused by missing fills
   */
  settle(agreed: boolean): readonly Difference[] {
    const memory = this.#memory.value;
    this.hasCompared = false;
    if (!this.#isDone || this.#venueS === null) return [];
    // A changed trade may be counted on one side and lie behind the other side's mark, so the count restarts.
    if (memory === null || memory.turns !== this.#ledger.tradeTurns()) {
      if (agreed) this.#open(memory);
      return [];
    }
    this.hasCompared = true;
    const oldS = this.#venueS - YOUNG_S;
    const trades = this.#rows.filter(({ state }) => state === 'done');
    const fills = this.#ledger.fillsAfter(memory.seq).map(({ row }) => row);
    this.#lacking = agreed ? {} : sumUp(addUp(memory.exchange, trades), addUp(memory.ledger, fills), -1);
    const oldTrades = trades.filter(({ timestamp }) => timestamp <= oldS);
    const oldFills = fills.filter(({ timestampS }) => timestampS <= oldS);
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

  /** Restarts the count after an operator has accepted its difference. Missing fills stay listed until adopted. */
  forget(): void {
    this.#leftOut.value = sumUp(this.#leftOut.value, this.#lacking);
    this.#lacking = {};
    this.#memory.value = null;
  }

  /** Fills that the exchange lists and the ledger lacks, including those left out by an operator. */
  get lacking(): readonly RecordedMove[] {
    return Object.entries(sumUp(this.#leftOut.value, this.#lacking)).map(([key, { amount, worth, fees }]) => {
      const sign = key.endsWith(' buy') ? 1 : -1;
      const outcome = key.slice(0, key.lastIndexOf(' '));
      const [sharesMicros, spentMicros] = [micros(sign * amount), micros(sign * worth)];
      return { outcome, sharesMicros, spentMicros, feesMicros: micros(fees) };
    });
  }

  /** Restarts the count after an adoption: the ledger now holds all listed fills. */
  onAdopted(): void {
    this.#lacking = {};
    this.#leftOut.value = {};
    this.#memory.value = null;
  }

  /** Starts a count: listed trades count as booked, and booked ones that will be listed later count on both sides. */
  #open(memory: Memory | null): void {
    const shown = new Set([...this.#rows.map(({ pubkey }) => pubkey), ...(memory?.met ?? [])]);
    const lateS = this.#lateFromS(memory !== null);
    const seq = this.#ledger.newestSeq('fills');
    const late = this.#ledger
      .fillsAfter(Math.max(0, seq - SECOND_READER_ROWS))
      .map(({ row }) => row)
      .filter(({ pubkey, timestampS }) => timestampS >= lateS && !shown.has(pubkey));
    const turns = this.#ledger.tradeTurns();
    const met = [...shown].slice(0, SECOND_READER_ROWS);
    this.#memory.value = { met, seq, turns, exchange: {}, ledger: addUp({}, late) };
  }

  /** Exchange time, s, from which an unlisted trade counts as late; an older one lies behind the mark. */
  #lateFromS(hasMark: boolean): number {
    // The walk saw the whole list down to its mark, so a missing trade of any age will appear later.
    if (hasMark) return this.#metS ?? Number.NEGATIVE_INFINITY;
    // The first walk reads one page.
    const pageS = this.#rows.at(-1)?.timestamp ?? 0;
    return Math.max(must(this.#venueS, 'time of the look') - LATE_S, pageS) + 1;
  }

  /** Moves both marks up to old trades, and drops sums that agree. */
  #remember(memory: Memory, differing: ReadonlySet<string>): void {
    const beforeS = must(this.#venueS, 'time of the look') - LATE_S;
    const rows = this.#rows.slice(
      this.#rows.findLastIndex((row) => row.timestamp > beforeS || (row.state !== 'done' && row.state !== 'failed')) +
        1,
    );
    const fills = this.#ledger.fillsAfter(memory.seq);
    const young = fills.findIndex(({ row }) => row.timestampS > beforeS);
    const old = young < 0 ? fills : fills.slice(0, young);
    const done = rows.filter(({ state }) => state === 'done');
    const exchange = addUp(memory.exchange, done);
    const booked = old.map(({ row }) => row);
    const ledger = addUp(memory.ledger, booked);
    for (const key of Object.keys(exchange)) {
      if (differing.has(key) || text(exchange[key]) !== text(ledger[key])) continue;
      delete exchange[key];
      delete ledger[key];
    }
    const met = [...rows.map(({ pubkey }) => pubkey), ...memory.met].slice(0, SECOND_READER_ROWS);
    this.#memory.value = { ...memory, met, seq: old.at(-1)?.seq ?? memory.seq, exchange, ledger };
  }
}

function nextPage(request: PlannedRequest, cursor: string, nowMs: number): PlannedRequest {
  const query = { limit: SECOND_READER_ROWS, cursor };
  return {
    ...request,
    latestMs: nowMs + 10_000,
    call: { endpoint: 'trades.list', params: {}, query, body: undefined },
  };
}

/** Adds trades or fills to sums by market, outcome and side; `before` does not change. */
function addUp(before: SumsByKey, trades: readonly (OwnTradeRow | BookedFill)[]): Record<string, Sums> {
  const sums: Record<string, Sums> = structuredClone({ ...before });
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

const NO_SUMS: Sums = { count: 0, amount: 0, worth: 0, fees: 0 };

/** Adds `sign` times the second sums to the first, by key; empty sums are dropped. */
function sumUp(first: SumsByKey, second: SumsByKey, sign = 1): Record<string, Sums> {
  const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  const sums = keys.map((key) => {
    const [a, b] = [first[key] ?? NO_SUMS, second[key] ?? NO_SUMS];
    const sum = (name: keyof Sums) => a[name] + sign * b[name];
    return [key, { count: sum('count'), amount: sum('amount'), worth: sum('worth'), fees: sum('fees') }] as const;
  });
  return Object.fromEntries(sums.filter(([, { count, amount }]) => count !== 0 || amount !== 0));
}

/** Sums as text; each is within integer range, because it sums traded amounts. */
function text(sums: Sums | undefined): string {
  if (sums === undefined) return '0 fills';
  const showMicros = (value: number) => formatDecimal(value as Micros);
  return `${sums.count} fills, ${showMicros(sums.amount)} shares for ${showMicros(sums.worth)}, fees ${showMicros(sums.fees)}`;
}
