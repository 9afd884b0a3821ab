/** Results: of the whole ledger, by day, market and strategy, and over time. */

import { add, complement, formatDecimal, type Micros, minMicros, mul, sub, ZERO } from '../../../shared/base/micros.js';
import type { LedgerReader, PnlRow } from '../../../trader/ledger/contract.js';
import { moneyText } from '../page-market.js';
import type { History } from '../store/history.js';
import type { TraderState } from '../trader-state.js';
import type { MarkoutRow } from './markout-book.js';
import { dayOf, NOTHING, type ResultBook, type ResultSum } from './result-book.js';
import { makeTitleLookup } from './texts.js';

const DAY_MS = 86_400_000;
/** Maximum rows of a growing list: the newest, or the largest. */
const MOST_DAYS = 400;
const MOST_MARKETS = 500;

export interface MoneySources {
  readonly trader: TraderState;
  readonly ledger: LedgerReader;
  readonly book: ResultBook;
  readonly history: Pick<History, 'account'>;
  readonly nowMs: number;
  /** Span of the curve, ms. */
  readonly spanMs: number;
  /** A moment of the UTC day whose markets are listed, Unix ms; null for none. */
  readonly dayMs: number | null;
}

export function moneyView({ trader, ledger, book, history, nowMs, spanMs, dayMs }: MoneySources) {
  const pnl = ledger.pnl(readMarks(trader));
  const title = makeTitleLookup(trader, ledger);
  const day = dayMs === null ? '' : dayOf(dayMs);
  const points = history.account({ fromMs: nowMs - (spanMs || DAY_MS), toMs: nowMs });
  return {
    ...formatWhole(pnl, trader),
    read: book.read,
    settled: formatDecimal([...book.days.values()].reduce((sum, { settledMicros }) => add(sum, settledMicros), ZERO)),
    days: makeRows(book.days)
      .sort((a, b) => (a.key < b.key ? 1 : -1))
      .slice(0, MOST_DAYS),
    day,
    /** The largest loss first. */
    day_markets: makeRows(book.dayMarkets.get(day) ?? new Map())
      .map((row) => ({ ...row, title: title(row.key) }))
      .sort((a, b) => Number(a.net) - Number(b.net)),
    markets: marketRows(book, readHoldings(ledger, trader), title),
    strategies: makeRows(book.strategies).sort((a, b) => (a.key < b.key ? -1 : 1)),
    curve: {
      time: points.map(({ timeMs }) => timeMs),
      equity: points.map(({ equityMicros }) => equityMicros),
      result: points.map(({ resultMicros }) => resultMicros),
    },
  };
}

export type MoneyView = ReturnType<typeof moneyView> & { readonly markouts: readonly MarkoutRow[] };

/** The trader's present marks, YES prices. */
function readMarks({ markets }: TraderState): ReadonlyMap<string, Micros> {
  const marks = new Map<string, Micros>();
  for (const { conditionId, markMicros } of markets.values())
    if (markMicros !== null) marks.set(conditionId, markMicros);
  return marks;
}

const formatWhole = (pnl: PnlRow, { account }: TraderState) => ({
  capital: formatDecimal(pnl.capitalMicros),
  cash: formatDecimal(pnl.cashMicros),
  equity: moneyText(account?.equityMicros ?? null),
  result: pnl.unmarked.length > 0 ? '' : formatDecimal(pnl.totalMicros),
  realised: formatDecimal(pnl.realisedMicros),
  fees: formatDecimal(pnl.feesMicros),
  unrealised: pnl.unmarked.length > 0 ? '' : formatDecimal(pnl.unrealisedMicros),
  unmarked: pnl.unmarked.length,
});

const makeRows = (sums: ReadonlyMap<string, ResultSum>) => Array.from(sums, ([key, sum]) => makeRow(key, sum));

/** Bookings: at average cost, without fees. */
const makeRow = (key: string, { fills, turnoverMicros, realisedMicros, feesMicros, settledMicros }: ResultSum) => ({
  key,
  fills,
  turnover: formatDecimal(turnoverMicros),
  realised: formatDecimal(realisedMicros),
  fees: formatDecimal(feesMicros),
  settled: formatDecimal(settledMicros),
  net: formatDecimal(sub(realisedMicros, feesMicros)),
});

export type MoneyRow = ReturnType<typeof makeRow>;

/** Figures of one market. */
export interface Held {
  readonly yes: Micros;
  readonly no: Micros;
  readonly cost: Micros;
  /** Null without a mark. */
  readonly unrealised: Micros | null;
}

/** Held markets first, then the largest results. */
function marketRows(book: ResultBook, held: ReadonlyMap<string, Held>, title: (id: string) => string) {
  const ids = [...new Set([...held.keys(), ...book.markets.keys()])].filter((id) => id !== '');
  const size = (id: string) => (held.has(id) ? Number.POSITIVE_INFINITY : (book.markets.get(id)?.turnoverMicros ?? 0));
  return (
    ids
      // For two held markets the difference is NaN, and their identifiers decide.
      .sort((a, b) => size(b) - size(a) || (a < b ? -1 : 1))
      .slice(0, MOST_MARKETS)
      .map((id) => ({ ...marketRow(id, book.markets.get(id) ?? NOTHING, held.get(id) ?? NONE), title: title(id) }))
  );
}

const NONE: Held = { yes: ZERO, no: ZERO, cost: ZERO, unrealised: ZERO };

export function readHoldings(ledger: LedgerReader, trader: TraderState): ReadonlyMap<string, Held> {
  const marks = readMarks(trader);
  const held = new Map<string, Held>();
  for (const { marketConditionId: id, isYes, sharesMicros, costMicros } of ledger.positions()) {
    const before = held.get(id) ?? NONE;
    const mark = marks.get(id);
    // Rounded like the ledger's total.
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

function marketRow(id: string, sum: ResultSum, { yes, no, cost, unrealised }: Held) {
  const sets = yes > 0 && no > 0 ? minMicros(yes, no) : ZERO;
  const net = sub(sum.realisedMicros, sum.feesMicros);
  return {
    ...makeRow(id, sum),
    yes: formatDecimal(yes),
    no: formatDecimal(no),
    sets: formatDecimal(sets),
    cost: formatDecimal(cost),
    unrealised: unrealised === null ? '' : formatDecimal(unrealised),
    result: unrealised === null ? '' : formatDecimal(add(net, unrealised)),
  };
}
