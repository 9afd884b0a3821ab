/** Builds the session record of a live trader from its ledger and run journals, and splits its result into groups. */

import { basename } from 'node:path';
import { complement, micros } from '../../shared/base/micros.js';
import { inferOutcome, type MarketOutcome } from '../../shared/protocol/outcome.js';
import { isSettledMarket, ORDER_STANDING, ORDER_STATUSES } from '../../shared/protocol/states.js';
import type { LedgerReader, MarketRecord } from '../../trader/ledger/contract.js';
import type { ConversionRecord, MarketSession, RequestUse, SessionRecord } from '../session/contract.js';
import { foldSession, MarketWalk, type RecordedPrices, tradeTimeMs } from '../session/live-session.js';
import type { Span } from '../session/samples.js';
import type { Analysis } from './analysis/analyse.js';
import { eventOf, type MarketAnalysis } from './analysis/markets.js';
import { groupBy, type ResultSplit, sum, sumSplits } from './analysis/split.js';
import { computeVolume } from './analysis/trading.js';
import { formatQuantity } from './figures.js';

export const BREAKDOWNS = ['day', 'market', 'strategy', 'event'] as const;
type BreakdownBy = (typeof BREAKDOWNS)[number];

interface BreakdownRow
  extends Pick<MarketAnalysis, 'title' | 'fills' | 'boughtMicros' | 'soldMicros'>,
    Pick<ResultSplit, 'resultMicros' | 'feesMicros'> {
  /** Key of a group: a UTC day, a condition id, names of strategies, or an event title (an id follows equal titles). */
  readonly key: string;
  /** Equity at the end of the day if the group is a day; null for other groups. */
  readonly equityMicros: number | null;
  /** The group's result by source; null for a day, because the mids after a fill may belong to the next day. */
  readonly split: ResultSplit | null;
}

/** Returns the last known mid of a market at or before a time; null without a mid. */
type StandingPrice = (conditionId: string, timeMs: number) => number | null;

/** Splits the result by day, market, strategy or event. The rows add up to the whole result, to the micro. */
export function computeBreakdown(record: SessionRecord, analysis: Analysis, by: BreakdownBy, standing: StandingPrice) {
  if (by === 'day') return makeDayRows(record, analysis, standing);
  const sessions = new Map(record.markets.map((market) => [market.conditionId, market]));
  const keyOf = {
    market: ({ conditionId }: MarketAnalysis) => conditionId,
    event: eventOf,
    strategy: ({ conditionId }: MarketAnalysis) => nameStrategies(sessions.get(conditionId)),
  }[by];
  const groups = groupBy(analysis.markets, keyOf);
  const names = Array.from(groups, ([key, [market]]) => (by === 'event' && market?.eventTitle) || key);
  const rows = [...groups].map(([key, markets], nth): BreakdownRow => {
    const split = sumSplits(markets.map(({ result }) => result));
    const name = names[nth] ?? key;
    return {
      key: names.filter((one) => one === name).length > 1 ? `${name} (${key})` : name,
      title: by === 'market' ? (markets[0]?.title ?? '') : '',
      fills: sum(markets.map(({ fills }) => fills)),
      boughtMicros: sum(markets.map(({ boughtMicros }) => boughtMicros)),
      soldMicros: sum(markets.map(({ soldMicros }) => soldMicros)),
      resultMicros: split.resultMicros,
      feesMicros: split.feesMicros,
      equityMicros: null,
      split,
    };
  });
  return rows.sort((a, b) => b.resultMicros - a.resultMicros);
}

/** Names the strategies of a market. These strategies form one group, because they share the market's position. */
function nameStrategies(session: MarketSession | undefined): string {
  const names = [...new Set((session?.fills ?? []).map(({ strategy }) => strategy || 'the engine'))].sort();
  return names.length === 0 ? 'none' : names.join(' and ');
}

const DAY_MS = 86_400_000;

/**
 * Returns a row for each UTC day with trades or a changed result. Shares held at the end of a day are
 * valued at the last known mid; without a mid, at cost. The equity of the last day is the final equity of the analysis.
 */
function makeDayRows(record: SessionRecord, analysis: Analysis, standing: StandingPrice): readonly BreakdownRow[] {
  const walks = record.markets.map((market) => ({
    id: market.conditionId,
    walk: new MarketWalk({ ...market, orders: [], prices: null }),
  }));
  const allFills = record.markets.flatMap((market) => market.fills);
  const fills = groupBy(allFills, ({ timeMs }) => toDay(timeMs));
  const times = record.markets.flatMap((market) => [...market.fills, ...market.conversions].map((move) => move.timeMs));
  const first = toDay(times.reduce((a, b) => Math.min(a, b), record.fromMs));
  const last = toDay(times.reduce((a, b) => Math.max(a, b), record.toMs));
  const rows: BreakdownRow[] = [];
  let before = { resultMicros: 0, feesMicros: 0 };
  for (let day = first; day <= last; day++) {
    const endMs = (day + 1) * DAY_MS - 1;
    for (const { walk } of walks) walk.advance(endMs);
    const gains = walks.map(
      ({ id, walk: { held } }) => held.cashMicros + (held.worthMicros(standing(id, endMs)) ?? held.costMicros),
    );
    const resultMicros = day === last ? analysis.equity.resultMicros : sum(gains);
    const feesMicros = sum(walks.map(({ walk }) => walk.held.feesMicros));
    const later = (record.deposits ?? []).filter(({ timeMs }) => timeMs > endMs);
    const traded = fills.get(day) ?? [];
    if (traded.length > 0 || resultMicros !== before.resultMicros) {
      const { boughtMicros, soldMicros } = computeVolume(traded);
      rows.push({
        key: new Date(day * DAY_MS).toISOString().slice(0, 10),
        title: '',
        fills: traded.length,
        boughtMicros,
        soldMicros,
        resultMicros: micros(resultMicros - before.resultMicros),
        feesMicros: feesMicros - before.feesMicros,
        equityMicros: record.capitalMicros + resultMicros - sum(later.map(({ capitalMicros }) => capitalMicros)),
        split: null,
      });
    }
    before = { resultMicros, feesMicros };
  }
  return rows;
}

const toDay = (timeMs: number): number => Math.floor(timeMs / DAY_MS);

export interface LedgerSessionOptions {
  readonly title: string;
  readonly version: string;
  /** Present time if the trader still runs, Unix ms; null if the session ends at the newest time in the ledger. */
  readonly nowMs: number | null;
  /** YES prices from the running trader, by condition id. Held shares are valued at these prices, if present. */
  readonly fairMicros: ReadonlyMap<string, number>;
  /** Returns the recorded prices of a market; null without a recording. */
  readonly findPrices: (conditionId: string) => RecordedPrices | null;
  /** Facts from the run journals; if absent, only the ledger is used. */
  readonly journals?: JournalFacts;
}

export interface JournalFacts {
  /** Returns the exchange's clock minus the trader's clock, ms, in the run at the trader's time `ourMs`. */
  readonly offsetMs: (ourMs: number) => number;
  /** Use of the exchange's request budget; null if there is no journal. */
  readonly requests: RequestUse | null;
  /** Remarks for the report, one sentence each, for example about runs without a journal. */
  readonly remarks: readonly string[];
}

/** Reads all ledger rows, oldest first or grouped by market. `theirs` converts a time to the exchange's clock. */
function readRows(reader: LedgerReader, { nowMs, journals, findPrices }: LedgerSessionOptions) {
  const page = { limit: Number.MAX_SAFE_INTEGER };
  const intents = reader.intentSums();
  const statuses = ORDER_STATUSES.filter((status) => ORDER_STANDING[status].tookEffect);
  const orders = reader.orders({ ...page, statuses }).toReversed();
  const fills = reader.fills(page).toReversed();
  const others = reader.otherBookings();
  const runs = reader.runs(page.limit).toReversed();
  const theirs = (ourMs: number): number => Math.round(ourMs + (journals?.offsetMs(ourMs) ?? 0));
  const seen = [
    ...intents.lastMsByRun.values(),
    ...[...fills, ...others].map(({ seenMs }) => seenMs),
    ...runs.map(({ startedMs, stoppedMs }) => stoppedMs ?? startedMs),
  ];
  const moves = others.map(({ seenMs, ...booking }) => ({ ...booking, timeMs: theirs(seenMs) }));
  const conversions = moves.flatMap(({ kind, ...one }) =>
    kind === 'fill' || kind === 'capital' ? [] : [{ kind, ...one }],
  );
  const ids = new Set([...reader.tradedMarkets(), ...conversions.map(({ marketConditionId }) => marketConditionId)]);
  const endMs = nowMs ?? seen.reduce((latest, time) => Math.max(latest, time), 0);
  return {
    intents,
    runs,
    theirs,
    endMs,
    toMs: theirs(endMs),
    firstFillMs: fills.reduce((first, { timestampS }) => Math.min(first, timestampS * 1000), endMs),
    ids,
    titles: eventTitles(reader, ids, findPrices),
    orders: groupBy(orders, (row) => row.marketConditionId),
    fills: groupBy(fills, (row) => row.marketConditionId),
    conversions: groupBy(conversions, (row) => row.marketConditionId),
    deposits: moves.filter(({ capitalMicros }) => capitalMicros !== 0),
  };
}

type LedgerRows = ReturnType<typeof readRows>;

/** Builds the session record of the whole ledger, even while the trader runs. */
export function sessionFromLedger(reader: LedgerReader, options: LedgerSessionOptions): SessionRecord {
  const { nowMs, journals } = options;
  const rows = readRows(reader, options);
  const { intents, runs, ids, theirs, endMs, toMs, firstFillMs, deposits } = rows;
  const untouched = reader.markets().filter(({ conditionId }) => !ids.has(conditionId)).length;
  const last = runs.at(-1);
  return foldSession({
    title: options.title,
    fromMs: theirs(Math.min(runs[0]?.startedMs ?? endMs, firstFillMs)),
    toMs,
    capitalMicros: sum(deposits.map(({ capitalMicros }) => capitalMicros)),
    deposits,
    endCashMicros: reader.cash(),
    markets: [...ids].map((id) => listMarket(id, reader, rows, options)),
    running: computeSpans(rows, nowMs !== null).map(([from, to]) => [theirs(from), theirs(to)]),
    requests: journals?.requests ?? null,
    refusals: countRefusals(intents.refusals),
    notices: readNotices(reader, untouched, toMs),
    assumptions: {
      version: options.version,
      configHash: last?.configHash ?? 'none',
      data: [
        `${basename(reader.path)}: ${formatQuantity(runs.length, 'run')}, last by version ${last?.version ?? 'none'}`,
      ],
      remarks: [...REMARKS, ...(journals?.remarks ?? [])],
    },
  });
}

const REMARKS: readonly string[] = [
  'The exchange gives trade times in whole seconds, so markouts after a few seconds are rough.',
  'An order’s lifetime is from its stored draft until its final status was received, by the trader’s clock.',
  'A market’s quote uptime is measured from its first order.',
  'A ledger has refusals by the exchange, but not those by risk limits and guards.',
  'Shares that the wallet held before this ledger began are left out until they are adopted.',
];

/** Returns the time spans in which the trader ran. A killed run ends at the last change of its intents. */
function computeSpans({ runs, intents: { lastMsByRun }, endMs: toMs }: LedgerRows, isRunning: boolean) {
  return runs.map(({ id, startedMs, stoppedMs }, index): Span => {
    const next = runs[index + 1]?.startedMs ?? toMs;
    if (stoppedMs !== null) return [startedMs, stoppedMs];
    if (isRunning && index === runs.length - 1) return [startedMs, toMs];
    return [startedMs, Math.min(next, Math.max(startedMs, lastMsByRun.get(id) ?? startedMs))];
  });
}

/** Returns titles by event id, so that all markets of an event have one title, even without a recording or journal. */
const eventTitles = (reader: LedgerReader, ids: ReadonlySet<string>, findPrices: LedgerSessionOptions['findPrices']) =>
  new Map(
    [...ids].flatMap((id): readonly (readonly [string, string])[] => {
      const title = findPrices(id)?.eventTitle ?? '';
      const event = reader.market(id)?.eventConditionId ?? '';
      return event === '' || title === '' ? [] : [[event, title]];
    }),
  );

function listMarket(conditionId: string, reader: LedgerReader, rows: LedgerRows, options: LedgerSessionOptions) {
  const market = reader.market(conditionId);
  const prices = options.findPrices(conditionId);
  const conversions = rows.conversions.get(conditionId) ?? [];
  const closeMs = market === null || market.resolutionS === null ? null : market.resolutionS * 1000;
  return {
    conditionId,
    title: market?.title ?? (conditionId || 'adopted trades without shares'),
    eventConditionId: market?.eventConditionId ?? undefined,
    eventTitle: rows.titles.get(market?.eventConditionId ?? '') ?? market?.eventConditionId ?? '',
    closeMs,
    outcome: readOutcome(conversions) ?? settledOutcome(market, prices?.outcome ?? null),
    orders: (rows.orders.get(conditionId) ?? []).map((order) => ({
      pubkey: order.pubkey,
      amountMicros: order.amountMicros,
      side: order.isYes === (order.side === 'buy') ? ('bid' as const) : ('ask' as const),
      priceMicros: order.isYes ? order.priceMicros : complement(order.priceMicros),
      ownPriceMicros: order.priceMicros,
      isBuy: order.side === 'buy',
      // An order counts as open from its stored draft until its final status was received.
      fromMs: rows.theirs(order.createdMs),
      toMs: order.closedMs === null ? rows.toMs : rows.theirs(order.closedMs),
      isCanceled: ORDER_STANDING[order.status].isCanceled,
    })),
    trades: (rows.fills.get(conditionId) ?? []).map((fill) => {
      const seenMs = rows.theirs(fill.seenMs);
      return {
        // Without journals, the trade's time is the exchange's time of the trade, in whole seconds.
        timeMs: options.journals === undefined ? fill.timestampS * 1000 : tradeTimeMs(fill.timestampS, seenMs),
        seenMs,
        orderPubkey: fill.orderPubkey,
        strategy: rows.intents.strategies.get(fill.orderPubkey) ?? '',
        isYes: fill.isYes,
        isBuy: fill.side === 'buy',
        isMaker: fill.isMaker,
        ownPriceMicros: fill.priceMicros,
        amountMicros: fill.amountMicros,
        feeMicros: fill.feeMicros,
      };
    }),
    conversions,
    prices,
    lastMs: Math.min(rows.toMs, closeMs ?? rows.toMs),
    countedFromMs: null,
    fairMicros: options.fairMicros.get(conditionId) ?? null,
    endShares: { yesMicros: reader.shares(conditionId, true), noMicros: reader.shares(conditionId, false) },
  };
}

type Converted = Omit<ConversionRecord, 'markMicros'> & { readonly capitalMicros?: number };

/** Returns the outcome at which shares were redeemed; null if no redeem shows the outcome. */
export const readOutcome = (conversions: readonly Converted[]): MarketOutcome | null =>
  conversions
    .filter(({ kind, capitalMicros = 0 }) => kind === 'redeem' && capitalMicros === 0)
    .map(({ yesMicros, noMicros, cashMicros }) => inferOutcome(yesMicros, noMicros, cashMicros))
    .find((outcome) => outcome !== null) ?? null;

/** Returns a market's recorded outcome; null until the market is settled in the ledger. */
const settledOutcome = (market: MarketRecord | null, recorded: MarketOutcome | null): MarketOutcome | null =>
  market !== null && isSettledMarket(market.state) && (market.state === 'canceled') === (typeof recorded === 'number')
    ? recorded
    : null;

/** Counts refused intents by reason: the error slug at the start of the text, or the text without figures. */
function countRefusals(refusals: ReadonlyMap<string, number>): SessionRecord['refusals'] {
  const counts = new Map<string, number>();
  for (const [reason, count] of refusals) {
    const name = /^[a-z][a-z0-9_-]*(?=:)/.exec(reason)?.[0] ?? reason.replace(/\d+/g, '#');
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  const counted = Array.from(counts, ([name, count]) => ({ by: 'exchange' as const, name, count }));
  return counted.sort((a, b) => b.count - a.count);
}

/** Maximum number of notices in a report; the newest ones are kept. */
const MOST_NOTICES = 200;

function readNotices(reader: LedgerReader, marketsUntouched: number, toMs: number): SessionRecord['notices'] {
  const events = reader.events(MOST_NOTICES).toReversed();
  const notices = events.map(({ timeMs, severity, kind, text }): SessionRecord['notices'][number] => {
    // The ledger stores operator commands with a high severity, but they are not alarms.
    return { timeMs, severity: kind === 'command' ? 'info' : severity, text: `${kind}: ${text}` };
  });
  if (marketsUntouched === 0) return notices;
  const text = `${formatQuantity(marketsUntouched, 'market')} in which the trader never had an order or shares ${marketsUntouched === 1 ? 'is' : 'are'} left out.`;
  return [...notices, { timeMs: toMs, severity: 'info', text }];
}
