/** The rows of `twinbook top`: each market's result, from the ledger, and its present state, from the trader. */

import { add, complement, type Micros, mul, sub, ZERO } from '../../shared/base/micros.js';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import { describeQuoting, type MarketStatus } from '../../shared/protocol/trader-status.js';
import type { TraderState } from '../../shell/console/trader-state.js';
import type { ResultBook } from '../../shell/console/views/result-book.js';
import { storedMarks } from '../../trader/engine/own/valuation.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';

/** A shown market. Amounts and prices are micros; null is unknown. */
export interface TopRow {
  readonly id: string;
  readonly title: string;
  /** Realised minus fees, plus holdings at their mark. */
  readonly resultMicros: number | null;
  readonly fills: number;
  /** YES minus NO, shares. */
  readonly netMicros: number;
  readonly orders: number;
  /** Others' best prices, YES space. */
  readonly bidMicros: number | null;
  readonly askMicros: number | null;
  /** Our best prices. */
  readonly ourBidMicros: number | null;
  readonly ourAskMicros: number | null;
  /** Age of its newest book; null without a trader. */
  readonly ageMs: number | null;
  /** `quoting`, or why not. */
  readonly state: string;
}

/** Facts of the last ledger read. */
export interface LedgerFacts {
  readonly titles: ReadonlyMap<string, string>;
  readonly holdings: ReadonlyMap<string, Holding>;
  readonly openOrders: ReadonlyMap<string, number>;
  /** At the last marks stored by the trader. */
  readonly marks: ReadonlyMap<string, Micros>;
  readonly cashMicros: number;
}

interface Holding {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  readonly costMicros: Micros;
}

const NOTHING: Holding = { yesMicros: ZERO, noMicros: ZERO, costMicros: ZERO };

/** Reads changed facts; bookings go into the book. */
export function readFacts(ledger: LedgerReader): LedgerFacts {
  const holdings = new Map<string, Holding>();
  for (const { marketConditionId: id, isYes, sharesMicros, costMicros } of ledger.positions()) {
    const before = holdings.get(id) ?? NOTHING;
    holdings.set(id, {
      yesMicros: isYes ? sharesMicros : before.yesMicros,
      noMicros: isYes ? before.noMicros : sharesMicros,
      costMicros: add(before.costMicros, costMicros),
    });
  }
  const openOrders = new Map<string, number>();
  for (const { marketConditionId: id } of ledger.orders({ statuses: RESTING_STATUSES, limit: MOST_ORDERS }))
    openOrders.set(id, (openOrders.get(id) ?? 0) + 1);
  const titles = new Map(ledger.markets().map(({ conditionId, title }) => [conditionId, title]));
  return { titles, holdings, openOrders, marks: storedMarks(ledger), cashMicros: ledger.cash() };
}

const MOST_ORDERS = 10_000;

/** Tracked markets, and those with bookings. */
export function makeRows(trader: TraderState, facts: LedgerFacts, book: ResultBook): readonly TopRow[] {
  const ids = new Set([...trader.markets.keys(), ...facts.holdings.keys(), ...book.markets.keys()]);
  ids.delete('');
  return [...ids].map((id) => makeRow(id, trader, facts, book));
}

function makeRow(id: string, trader: TraderState, facts: LedgerFacts, book: ResultBook): TopRow {
  const told = trader.markets.get(id);
  const sum = book.markets.get(id);
  const held = facts.holdings.get(id) ?? NOTHING;
  const gained = measureGain(held, told?.markMicros ?? facts.marks.get(id) ?? null);
  const booked = sum === undefined ? ZERO : sub(sum.realisedMicros, sum.feesMicros);
  return {
    id,
    title: told?.title ?? facts.titles.get(id) ?? id,
    resultMicros: gained === null ? null : add(booked, gained),
    fills: sum?.fills ?? 0,
    netMicros: sub(held.yesMicros, held.noMicros),
    orders: told?.orders.length ?? facts.openOrders.get(id) ?? 0,
    bidMicros: told?.bestBidMicros ?? null,
    askMicros: told?.bestAskMicros ?? null,
    ourBidMicros: told?.bidMicros ?? null,
    ourAskMicros: told?.askMicros ?? null,
    ageMs: measureAge(told, trader),
    state: told === undefined ? '' : describeQuoting(told),
  };
}

/** Null for a holding of unknown value. */
function measureGain({ yesMicros, noMicros, costMicros }: Holding, mark: Micros | null): Micros | null {
  if (yesMicros === 0 && noMicros === 0) return ZERO;
  if (mark === null) return null;
  // Rounded like the ledger's total.
  const value = add(mul(mark, yesMicros, 'floor'), mul(complement(mark), noMicros, 'floor'));
  return sub(value, costMicros);
}

/** By the trader's clock, plus the time since its report. */
function measureAge(told: MarketStatus | undefined, { frameMs, silentMs }: TraderState): number | null {
  if (told === undefined || told.bookSeenMs === null || frameMs === null) return null;
  return Math.max(0, frameMs - told.bookSeenMs) + (silentMs ?? 0);
}
