/** Computes the profit and loss of the whole ledger by day, market and strategy, and its course over time. */

import {
  add,
  complement,
  formatDecimal,
  type Micros,
  micros,
  minMicros,
  mul,
  ONE,
  sub,
  ZERO,
} from '../../../shared/base/micros.js';
import type { MarketStatus } from '../../../shared/protocol/trader-status.js';
import { clusteredMean } from '../../../shared/statistics/bootstrap.js';
import type { BookedFill, BookingRow, LedgerReader } from '../../../trader/ledger/contract.js';
import type { ViewQuery } from '../../dashboard/contract.js';
import { nowMs } from '../../runtime/clock.js';
import { formatEach, makeTitleLookup, moneyText, type ViewSources, yesPrice } from '../ledger-lists.js';
import { FINEST_S, type History, type MarketPoint } from '../store.js';

/** Times after a fill at which the price move is measured, s; 0 is the history point that contains the fill. */
const HORIZONS_S = [0, 5, 30, 60, 300] as const;
const LONGEST_MS = 300_000;
const FINEST_MS = FINEST_S * 1000;
/** Number of newest fills whose later price moves are measured. */
const MOST_FILLS = 500;

/** Measures the price moves after a fill. The measurements are final after the longest horizon. */
function judge(fill: BookedFill, history: Pick<History, 'closeUp'>, nowMs: number) {
  const { marketConditionId: market, isYes, side, priceMicros, amountMicros } = fill;
  // The earlier time is used: the exchange's clock may be ahead, or the trader may have seen the fill late.
  const timeMs = Math.min(fill.seenMs, fill.timestampS * 1000);
  const points = history.closeUp(market, { fromMs: timeMs, toMs: timeMs + LONGEST_MS });
  const isBid = (side === 'buy') === isYes;
  const price = yesPrice(isYes, priceMicros);
  return {
    market,
    side: isBid ? 'bid' : 'ask',
    sharesMicros: amountMicros,
    // Mid minus fill price at each horizon, per share, in YES space, positive if favourable; null if unknown.
    marks: HORIZONS_S.map((seconds) => {
      const middle = middleAt(points, timeMs + seconds * 1000);
      return middle === null ? null : (isBid ? 1 : -1) * (middle - price);
    }),
    isFinal: nowMs > timeMs + LONGEST_MS + 2 * FINEST_MS,
  };
}

type Judged = ReturnType<typeof judge>;

/** Measures price moves after own fills: fills from the ledger, prices from the console's history. */
export class MarkoutBook {
  readonly #history: Pick<History, 'closeUp'>;
  readonly #steadyMs: () => number;
  #judged = new Map<string, Judged>();

  constructor(history: Pick<History, 'closeUp'>, steadyMs: () => number = () => performance.now()) {
    this.#history = history;
    this.#steadyMs = steadyMs;
  }

  read(ledger: LedgerReader, nowMs: number) {
    const endMs = this.#steadyMs() + READING.ms;
    const before = this.#judged;
    this.#judged = new Map();
    for (const fill of ledger.fills({ limit: MOST_FILLS })) {
      const known = before.get(fill.pubkey);
      const isDone = known?.isFinal === true || this.#steadyMs() >= endMs;
      const judged = isDone ? known : judge(fill, this.#history, nowMs);
      if (judged !== undefined) this.#judged.set(fill.pubkey, judged);
    }
    const all = [...this.#judged.values()];
    return HORIZONS_S.flatMap((_, i) => SIDES.map((side) => summarize(all, i, side)));
  }
}

/** Rows of the table by our side in a fill. `bid`: we bought YES or sold NO. */
const SIDES = ['all', 'bid', 'ask'] as const;

/** Returns the mid of others' best prices at `timeMs`; null without a point, or if a side is empty. */
function middleAt(points: readonly MarketPoint[], timeMs: number): number | null {
  const point = points.find((one) => one.timeMs <= timeMs && timeMs < one.timeMs + FINEST_MS);
  if (point === undefined || point.bestBidMicros === null || point.bestAskMicros === null) return null;
  return (point.bestBidMicros + point.bestAskMicros) / 2;
}

/** Averages price moves, weighted by shares. The standard error is clustered by market: a market's fills correlate. */
function summarize(all: readonly Judged[], horizon: number, side: (typeof SIDES)[number]) {
  const judged = all.filter((one) => side === 'all' || one.side === side);
  const markets = new Map<string, { sum: number; weight: number }>();
  let [fills, drift] = [0, 0];
  for (const { market, sharesMicros, marks } of judged) {
    const mark = marks[horizon] ?? null;
    if (mark === null) continue;
    const cluster = markets.get(market) ?? { sum: 0, weight: 0 };
    markets.set(market, { sum: cluster.sum + sharesMicros * mark, weight: cluster.weight + sharesMicros });
    fills += 1;
    drift += sharesMicros * (mark - (marks[0] ?? mark));
  }
  const clusters = [...markets.values()];
  const mean = clusteredMean(clusters);
  const total = clusters.reduce((sum, cluster) => sum + cluster.sum, 0);
  const write = (micros: number | null) => (micros === null ? '' : formatDecimal(Math.round(micros) as Micros)); // The cast is safe after rounding.
  return {
    horizon_s: HORIZONS_S[horizon] ?? 0,
    side,
    fills,
    not_known: judged.length - fills,
    shares: write(clusters.reduce((sum, { weight }) => sum + weight, 0)),
    mean: write(mean?.mean ?? null),
    error: write(mean?.standardError ?? null),
    total: fills === 0 ? '' : write(total / ONE),
    /** Part of `total` from price moves after the fill, for fills whose mid at horizon 0 is known. */
    drift: fills === 0 ? '' : write(drift / ONE),
  };
}

/** `rows`: maximum rows of a query. `ms`: maximum time for reading the ledger in one call; the next call continues. */
export const READING = { rows: 500, ms: 40 } as const;

/** Sum over no bookings. `settledMicros`: realised profit from redeemed holdings (payout minus cost). */
const NOTHING = { fills: 0, turnoverMicros: ZERO, realisedMicros: ZERO, feesMicros: ZERO, settledMicros: ZERO };
type ResultSum = Readonly<typeof NOTHING>;

/** Sums profit, fees and turnover by day, market and strategy; reads every booking of the ledger once. */
export class ResultBook {
  readonly #steadyMs: () => number;
  readonly days = new Map<string, ResultSum>();
  readonly markets = new Map<string, ResultSum>();
  readonly dayMarkets = new Map<string, Map<string, ResultSum>>();
  readonly strategies = new Map<string, ResultSum>();
  #last = 0;
  #newest = 0;
  /** Identifies the ledger file and its reversed trades; a change means that all bookings must be read again. */
  #of = '';

  constructor(steadyMs: () => number = () => performance.now()) {
    this.#steadyMs = steadyMs;
  }

  /** Fraction of all bookings that has been read so far, 0 to 1. */
  get read(): number {
    return this.#newest === 0 ? 1 : this.#last / this.#newest;
  }

  readOn(ledger: Pick<LedgerReader, 'newestBooking' | 'tradeTurns' | 'bookingsAfter'>, opened: number): void {
    const endMs = this.#steadyMs() + READING.ms;
    this.#newest = ledger.newestBooking();
    const of = `${opened} ${ledger.tradeTurns()}`;
    if (of !== this.#of || this.#newest < this.#last) {
      this.#last = 0;
      for (const sums of [this.days, this.markets, this.dayMarkets, this.strategies]) sums.clear();
    }
    this.#of = of;
    while (this.#last < this.#newest) {
      const bookings = ledger.bookingsAfter(this.#last, READING.rows);
      for (const booking of bookings) this.#take(booking);
      this.#last = bookings.at(-1)?.id ?? this.#newest;
      if (this.#steadyMs() >= endMs) return;
    }
  }

  #take(booking: BookingRow): void {
    if (booking.kind === 'capital') return;
    const day = dayOf(booking.timeMs);
    const market = booking.marketConditionId ?? '';
    addTo(this.days, day, booking);
    addTo(this.markets, market, booking);
    const ofDay = this.dayMarkets.get(day) ?? new Map();
    addTo(ofDay, market, booking);
    this.dayMarkets.set(day, ofDay);
    addTo(this.strategies, booking.strategy ?? '', booking);
  }
}

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function addTo(sums: Map<string, ResultSum>, key: string, booking: BookingRow): void {
  const before = sums.get(key) ?? NOTHING;
  // A fill's cash is after fees; adding the fees gives price x shares.
  const paid = Math.abs(add(booking.cashMicros, booking.feesMicros));
  sums.set(key, {
    fills: before.fills + booking.fills,
    turnoverMicros: micros(before.turnoverMicros + booking.fills * paid),
    realisedMicros: add(before.realisedMicros, booking.realisedMicros),
    feesMicros: add(before.feesMicros, booking.feesMicros),
    settledMicros: booking.kind === 'redeem' ? add(before.settledMicros, booking.realisedMicros) : before.settledMicros,
  });
}

const DAY_MS = 86_400_000;
/** Maximum rows of the lists of days and of markets: the newest days and the largest markets are kept. */
const MOST_DAYS = 400;
const MOST_MARKETS = 500;

interface MoneySources extends ViewSources {
  readonly history: Pick<History, 'account'>;
  readonly book: ResultBook;
  readonly markouts: Pick<MarkoutBook, 'read'>;
}

type MoneyQuery = Pick<ViewQuery, 'spanMs' | 'atMs'>;

export const moneyView = (shown: MoneySources, query: MoneyQuery) =>
  shown.ledger.read((open) => sumMoney(open, shown, query));

function sumMoney(open: LedgerReader, shown: MoneySources, { spanMs, atMs }: MoneyQuery) {
  const { trader, ledger, book, history, markouts } = shown;
  book.readOn(open, ledger.opened);
  const marks = readMarks(trader.markets.values());
  const pnl = open.pnl(marks);
  const title = makeTitleLookup(trader, open);
  /** Selected UTC day, whose markets are listed; empty if no time is selected. */
  const day = atMs === null ? '' : dayOf(atMs);
  const points = history.account({ fromMs: nowMs() - (spanMs || DAY_MS), toMs: nowMs() });
  return {
    ...formatEach({
      capital: pnl.capitalMicros,
      cash: pnl.cashMicros,
      realised: pnl.realisedMicros,
      fees: pnl.feesMicros,
    }),
    equity: moneyText(trader.account?.equityMicros ?? null),
    result: pnl.unmarked.length > 0 ? '' : formatDecimal(pnl.totalMicros),
    unrealised: pnl.unmarked.length > 0 ? '' : formatDecimal(pnl.unrealisedMicros),
    unmarked: pnl.unmarked.length,
    read: book.read,
    settled: formatDecimal([...book.days.values()].reduce((sum, { settledMicros }) => add(sum, settledMicros), ZERO)),
    days: makeRows(book.days)
      .sort((a, b) => (a.key < b.key ? 1 : -1))
      .slice(0, MOST_DAYS),
    day,
    day_markets: makeRows(book.dayMarkets.get(day) ?? new Map())
      .map((row) => ({ ...row, title: title(row.key) }))
      .sort((a, b) => Number(a.net) - Number(b.net)),
    markets: marketRows(book, readHoldings(open, marks), title),
    strategies: makeRows(book.strategies).sort((a, b) => (a.key < b.key ? -1 : 1)),
    curve: {
      time: points.map(({ timeMs }) => timeMs),
      equity: points.map(({ equityMicros }) => equityMicros),
      result: points.map(({ resultMicros }) => resultMicros),
    },
    markouts: markouts.read(open, nowMs()),
  };
}

export function readMarks(markets: Iterable<MarketStatus>): ReadonlyMap<string, Micros> {
  const marks = new Map<string, Micros>();
  for (const { conditionId, markMicros } of markets) if (markMicros !== null) marks.set(conditionId, markMicros);
  return marks;
}

const makeRows = (sums: ReadonlyMap<string, ResultSum>) => Array.from(sums, ([key, sum]) => makeRow(key, sum));

/** Formats a sum of bookings. `realised` is computed at average cost, before fees; `net` is after fees. */
const makeRow = (key: string, { fills, turnoverMicros, realisedMicros, feesMicros, settledMicros }: ResultSum) => ({
  key,
  fills,
  ...formatEach({ turnover: turnoverMicros, realised: realisedMicros, fees: feesMicros, settled: settledMicros }),
  net: formatDecimal(sub(realisedMicros, feesMicros)),
});

export interface ValuedHolding {
  readonly yes: Micros;
  readonly no: Micros;
  readonly cost: Micros;
  /** Value at marks minus cost; null while a held outcome has no mark. */
  readonly unrealised: Micros | null;
}

/** Lists held markets first, then markets with the largest turnover. */
function marketRows(book: ResultBook, held: ReadonlyMap<string, ValuedHolding>, title: (id: string) => string) {
  const ids = [...new Set([...held.keys(), ...book.markets.keys()])].filter((id) => id !== '');
  const size = (id: string) => (held.has(id) ? Number.POSITIVE_INFINITY : (book.markets.get(id)?.turnoverMicros ?? 0));
  // For two held markets, the difference of sizes is NaN, so that their ids determine the order.
  const sorted = ids.sort((a, b) => size(b) - size(a) || (a < b ? -1 : 1)).slice(0, MOST_MARKETS);
  return sorted.map((id) => {
    const sum = book.markets.get(id) ?? NOTHING;
    const { yes, no, cost, unrealised } = held.get(id) ?? NONE;
    const sets = yes > 0 && no > 0 ? minMicros(yes, no) : ZERO;
    const net = sub(sum.realisedMicros, sum.feesMicros);
    return {
      ...makeRow(id, sum),
      ...formatEach({ yes, no, sets, cost }),
      unrealised: unrealised === null ? '' : formatDecimal(unrealised),
      // The result is unknown until all bookings of the market have been read.
      result: unrealised === null || book.read < 1 ? '' : formatDecimal(add(net, unrealised)),
      title: title(id),
    };
  });
}

export const NONE: ValuedHolding = { yes: ZERO, no: ZERO, cost: ZERO, unrealised: ZERO };

export function readHoldings(
  ledger: LedgerReader,
  marks: ReadonlyMap<string, Micros>,
): ReadonlyMap<string, ValuedHolding> {
  const held = new Map<string, ValuedHolding>();
  for (const { marketConditionId: id, isYes, sharesMicros, costMicros } of ledger.positions()) {
    const before = held.get(id) ?? NONE;
    const mark = marks.get(id);
    // The value is rounded down, as in the ledger's total.
    const value = mark === undefined ? null : mul(isYes ? mark : complement(mark), sharesMicros, 'floor');
    held.set(id, {
      yes: isYes ? sharesMicros : before.yes,
      no: isYes ? before.no : sharesMicros,
      cost: add(before.cost, costMicros),
      unrealised: value === null || before.unrealised === null ? null : add(before.unrealised, sub(value, costMicros)),
    });
  }
  return held;
}
