/** The rows of `twinbook top`: each market with what it has brought, from the ledger, and what the trader is doing there now, as it tells. */

import { add, complement, type Micros, mul, sub, ZERO } from '../../shared/base/micros.js';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import type { TraderState } from '../../shell/console/trader-state.js';
import type { ResultBook } from '../../shell/console/views/result-book.js';
import type { MarketFigures } from '../../shell/control/telemetry/lines.js';
import { storedMarks } from '../../trader/engine/own/valuation.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';

/** A market as it is shown. Amounts and prices are Micros; null is not known. */
export interface TopRow {
  readonly id: string;
  readonly title: string;
  /** Realised minus fees, and what is held at its mark. */
  readonly resultMicros: number | null;
  readonly fills: number;
  /** YES minus NO, shares. */
  readonly netMicros: number;
  readonly orders: number;
  /** The others' best prices, YES space. */
  readonly bidMicros: number | null;
  readonly askMicros: number | null;
  /** Our best prices. */
  readonly ourBidMicros: number | null;
  readonly ourAskMicros: number | null;
  /** Of the newest look at its book; null without a trader that tells. */
  readonly ageMs: number | null;
  /** `quoting`, or why not. */
  readonly state: string;
}

/** What was read of the ledger last. */
export interface LedgerFacts {
  readonly titles: ReadonlyMap<string, string>;
  readonly holdings: ReadonlyMap<string, Holding>;
  readonly openOrders: ReadonlyMap<string, number>;
  /** At the last marks that the trader has kept. */
  readonly marks: ReadonlyMap<string, Micros>;
  readonly cashMicros: number;
}

interface Holding {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  readonly costMicros: Micros;
}

const NOTHING: Holding = { yesMicros: ZERO, noMicros: ZERO, costMicros: ZERO };

/** Reads what changes; bookings go into the book. */
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

/** Markets that the trader looks at, and those that have moved money. */
export function makeRows(trader: TraderState, facts: LedgerFacts, book: ResultBook): readonly TopRow[] {
  const ids = new Set([...trader.markets.keys(), ...facts.holdings.keys(), ...book.markets.keys()]);
  ids.delete('');
  return [...ids].map((id) => makeRow(id, trader, facts, book));
}

function makeRow(id: string, trader: TraderState, facts: LedgerFacts, book: ResultBook): TopRow {
  const told = trader.markets.get(id);
  const sum = book.markets.get(id);
  const held = facts.holdings.get(id) ?? NOTHING;
  const gained = measureGain(held, (told?.mark_micros ?? facts.marks.get(id) ?? null) as Micros | null); // as the trader told it
  const booked = sum === undefined ? ZERO : sub(sum.realisedMicros, sum.feesMicros);
  return {
    id,
    title: told?.title ?? facts.titles.get(id) ?? id,
    resultMicros: gained === null ? null : add(booked, gained),
    fills: sum?.fills ?? 0,
    netMicros: sub(held.yesMicros, held.noMicros),
    orders: told?.orders.length ?? facts.openOrders.get(id) ?? 0,
    bidMicros: told?.best_bid_micros ?? null,
    askMicros: told?.best_ask_micros ?? null,
    ourBidMicros: findBest(told, 'bid'),
    ourAskMicros: findBest(told, 'ask'),
    ageMs: measureAge(told, trader),
    state: told === undefined ? '' : told.state,
  };
}

/** Null where something is held and nobody says what it is worth. */
function measureGain({ yesMicros, noMicros, costMicros }: Holding, mark: Micros | null): Micros | null {
  if (yesMicros === 0 && noMicros === 0) return ZERO;
  if (mark === null) return null;
  // Rounded as the ledger rounds its whole result.
  const value = add(mul(mark, yesMicros, 'floor'), mul(complement(mark), noMicros, 'floor'));
  return sub(value, costMicros);
}

/** In YES space, in which telemetry has all prices. */
function findBest(told: MarketFigures | undefined, side: 'bid' | 'ask'): number | null {
  const prices = (told?.orders ?? []).filter((order) => order.side === side).map((order) => order.price_micros);
  if (prices.length === 0) return null;
  return side === 'bid' ? Math.max(...prices) : Math.min(...prices);
}

/** By the trader's clock, and what has passed since it told. */
function measureAge(told: MarketFigures | undefined, { frameMs, silentMs }: TraderState): number | null {
  if (told === undefined || told.book_seen === null || frameMs === null) return null;
  return Math.max(0, frameMs - told.book_seen) + (silentMs ?? 0);
}
