/** All that a ledger knows of each market, oldest first. */

import type {
  BookedConversion,
  BookedFill,
  IntentRow,
  LedgerReader,
  OrderRecord,
  RunRow,
} from '../../../trader/ledger/contract.js';
import type { Span } from './spans.js';

const ALL = Number.MAX_SAFE_INTEGER;

export type LedgerRows = ReturnType<typeof readRows>;
export type MarketRows = LedgerRows['markets'][number];

/** `marketsUntouched`: markets that the trader only looked at. `running`: when it ran. */
export function readRows(reader: LedgerReader, nowMs: number | null) {
  const page = { limit: ALL };
  const intents = oldestFirst(reader.intents(page));
  const orders = oldestFirst(reader.orders(page));
  const fills = oldestFirst(reader.fills(page));
  const conversions = oldestFirst(reader.conversions(page));
  const held = reader.positions();
  const ids = new Set([...orders, ...fills, ...conversions, ...held].map((row) => row.marketConditionId));
  const [ordersOf, fillsOf, conversionsOf] = [byMarket(orders), byMarket(fills), byMarket(conversions)];
  const runs = oldestFirst(reader.runs(ALL));
  const seenMs = lastSeen(intents, fills, conversions, runs);
  const toMs = nowMs ?? seenMs;
  const firstFillMs = fills.reduce((first, { timestampS }) => Math.min(first, timestampS * 1000), toMs);
  const fromMs = Math.min(runs[0]?.startedMs ?? toMs, firstFillMs);
  return {
    markets: [...ids].map((conditionId) => ({
      conditionId,
      market: reader.market(conditionId),
      fills: (fillsOf.get(conditionId) ?? []).sort((a, b) => a.timestampS - b.timestampS),
      conversions: conversionsOf.get(conditionId) ?? [],
      orders: ordersOf.get(conditionId) ?? [],
      endYesMicros: reader.shares(conditionId, true),
      endNoMicros: reader.shares(conditionId, false),
    })),
    intents: new Map(intents.map((intent) => [intent.id, intent])),
    runs,
    marketsUntouched: reader.markets().filter(({ conditionId }) => !ids.has(conditionId)).length,
    fromMs,
    toMs,
    running: computeSpans(runs, intents, toMs, nowMs !== null),
  };
}

const oldestFirst = <T>(rows: readonly T[]): T[] => [...rows].reverse();

/** Each group in the order of its rows. */
export function groupBy<T, Key>(rows: readonly T[], keyOf: (row: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

const byMarket = <T extends { readonly marketConditionId: string }>(rows: readonly T[]): Map<string, T[]> =>
  groupBy(rows, (row) => row.marketConditionId);

function lastSeen(
  intents: readonly IntentRow[],
  fills: readonly BookedFill[],
  conversions: readonly BookedConversion[],
  runs: readonly RunRow[],
): number {
  const times = [
    ...intents.map(({ updatedMs }) => updatedMs),
    ...fills.map(({ seenMs }) => seenMs),
    ...conversions.map(({ seenMs }) => seenMs),
    ...runs.map(({ startedMs, stoppedMs }) => stoppedMs ?? startedMs),
  ];
  return times.reduce((latest, time) => Math.max(latest, time), 0);
}

/** A run that was killed wrote no end: it lasted at least until the last of its intents changed. */
function computeSpans(
  runs: readonly RunRow[],
  intents: readonly IntentRow[],
  toMs: number,
  isRunning: boolean,
): readonly Span[] {
  const lastMsByRun = new Map<string, number>();
  for (const { runId, updatedMs } of intents) lastMsByRun.set(runId, Math.max(lastMsByRun.get(runId) ?? 0, updatedMs));
  return runs.map(({ id, startedMs, stoppedMs }, index): Span => {
    const next = runs[index + 1]?.startedMs ?? toMs;
    if (stoppedMs !== null) return [startedMs, stoppedMs];
    if (isRunning && index === runs.length - 1) return [startedMs, toMs];
    return [startedMs, Math.min(next, Math.max(startedMs, lastMsByRun.get(id) ?? startedMs))];
  });
}

/** The same, with what our own clock said put onto the exchange's, whose prices it is compared with. */
export function onTheirClock(rows: LedgerRows, offsetMs: (ourMs: number) => number): LedgerRows {
  const theirs = (ourMs: number): number => Math.round(ourMs + offsetMs(ourMs));
  const shiftSeen = <T extends { readonly seenMs: number }>(row: T): T => ({ ...row, seenMs: theirs(row.seenMs) });
  const order = (row: OrderRecord): OrderRecord => ({
    ...row,
    createdMs: theirs(row.createdMs),
    closedMs: row.closedMs === null ? null : theirs(row.closedMs),
  });
  return {
    ...rows,
    markets: rows.markets.map((market) => ({
      ...market,
      fills: market.fills.map(shiftSeen),
      conversions: market.conversions.map(shiftSeen),
      orders: market.orders.map(order),
    })),
    fromMs: theirs(rows.fromMs),
    toMs: theirs(rows.toMs),
    running: rows.running.map(([fromMs, toMs]): Span => [theirs(fromMs), theirs(toMs)]),
  };
}
