/**
 * A live trader's session, from its ledger: the same record that a backtest gives, so that both are read alike. The
 * ledger holds no book: without a recording the middles are not known, and what depends on them is null, never 0.
 */

import { basename } from 'node:path';
import type { FeeSchedule } from '../../../shared/base/fees.js';
import { complement } from '../../../shared/base/micros.js';
import { inferOutcome, type MarketOutcome } from '../../../shared/protocol/outcome.js';
import { isSettledMarket, ORDER_STANDING } from '../../../shared/protocol/states.js';
import type { BookedConversion, BookedFill, LedgerReader, OrderRecord } from '../../../trader/ledger/contract.js';
import type {
  ConversionRecord,
  FillRecord,
  MarketSeries,
  MarketSession,
  QuotingFigures,
  Refusal,
  RequestUse,
  SessionNotice,
  SessionRecord,
} from '../../session/contract.js';
import {
  equityAt,
  lockedIn,
  MarketWalk,
  type RecordedPrices,
  type SessionOrder,
  type WalkedMarket,
} from '../../session/market-walk.js';
import { listMoves, sharesMoved } from '../../session/moves.js';
import { BEFORE_TRADE_MS, type ReportedTrade, toFillRecord, tradeTimeMs } from '../../session/own-trade.js';
import { AccountSamples, MarketSamples } from '../../session/samples.js';
import { formatQuantity } from '../figures.js';
import { type LedgerRows, type MarketRows, onTheirClock, readRows } from './ledger-rows.js';
import { common, mergeSpans, type Span, stepsOver, stepsWithin, sumSpans } from './spans.js';

/** What is told from outside of the ledger. */
export interface LedgerSessionOptions {
  readonly title: string;
  /** Of the running program; the ledger names those that wrote it. */
  readonly version: string;
  /** Unix ms: the end of the session while the trader runs; null when it does not: then the last thing that was seen. */
  readonly nowMs: number | null;
  /** YES prices of the running trader; what is held is valued at them first of all. */
  readonly fairMicros: ReadonlyMap<string, number>;
  /** What a recording knows of a market; null where there is none. */
  readonly findPrices: (conditionId: string) => RecordedPrices | null;
  /** What the venue's fees are a part of, by its profile; absent: not known. */
  readonly feeSchedule?: FeeSchedule;
  /** What the journals of its runs add; without them the ledger stands alone. */
  readonly journals?: JournalFacts;
}

/** What the journals of a ledger's runs know and the ledger does not. */
export interface JournalFacts {
  /** The exchange's clock minus ours, ms, in the run of this moment of our clock. */
  readonly offsetMs: (ourMs: number) => number;
  /** Null without any journal. */
  readonly requests: RequestUse | null;
  /** A sentence each: runs without a journal, and what else a reader must know. */
  readonly remarks: readonly string[];
}

/** Reads the whole ledger; beside a running trader too. */
export function sessionFromLedger(reader: LedgerReader, options: LedgerSessionOptions): SessionRecord {
  const { journals } = options;
  const read = readRows(reader, options.nowMs);
  const rows = journals === undefined ? read : onTheirClock(read, journals.offsetMs);
  const titles = eventTitles(rows, options);
  const markets = rows.markets.map((market) => readMarket(market, rows, titles, options));
  const { capitalMicros } = reader.pnl(new Map());
  const account = sampleAccount(markets, capitalMicros, rows.running);
  return {
    format: 1,
    kind: 'live',
    title: options.title,
    fromMs: rows.fromMs,
    toMs: rows.toMs,
    capitalMicros,
    endCashMicros: reader.cash(),
    markets: markets.map(({ session }) => session),
    account: account.series,
    maxDrawdownMicros: account.maxDrawdownMicros,
    requests: journals?.requests ?? null,
    halts: [],
    refusals: countRefusals(rows),
    notices: readNotices(reader, rows),
    assumptions: {
      version: options.version,
      configHash: rows.runs.at(-1)?.configHash ?? 'none',
      seed: null,
      fillModel: null,
      postsOnly: null,
      latency: null,
      ...(options.feeSchedule === undefined ? {} : { feeSchedule: options.feeSchedule }),
      data: [
        `${basename(reader.path)}: ${formatQuantity(rows.runs.length, 'run')}, last by version ${rows.runs.at(-1)?.version ?? 'none'}`,
      ],
      remarks: [...REMARKS, ...(journals?.remarks ?? [])],
    },
  };
}

const REMARKS: readonly string[] = [
  'The exchange times trades to the second, so that markouts after a few seconds are rough.',
  'Orders count from when their draft was stored until their end was seen, on our own clock.',
  'A market’s quote uptime counts from its first order on.',
  'What risk limits and guards refused is not in a ledger; what the exchange refused is.',
  'Shares that the wallet held before this ledger began are left out.',
];

/** By event: one name for all markets of it, also for those that no recording and no journal knows. */
const eventTitles = ({ markets }: LedgerRows, { findPrices }: LedgerSessionOptions): ReadonlyMap<string, string> =>
  new Map(
    markets.flatMap(({ conditionId, market }): readonly (readonly [string, string])[] => {
      const title = findPrices(conditionId)?.eventTitle ?? '';
      const event = market?.eventConditionId ?? '';
      return event === '' || title === '' ? [] : [[event, title]];
    }),
  );

/** Its record, and what its walk needs. */
type LedgerMarket = ReturnType<typeof readMarket>;

function readMarket(
  rows: MarketRows,
  ledger: LedgerRows,
  titles: ReadonlyMap<string, string>,
  options: LedgerSessionOptions,
) {
  const { conditionId, market } = rows;
  const prices = options.findPrices(conditionId);
  const orders = toSessionOrders(rows.orders, ledger.toMs);
  const closedMs = market === null || market.resolutionS === null ? null : market.resolutionS * 1000;
  const closeMs = Math.min(ledger.toMs, closedMs ?? ledger.toMs);
  // Without journals the second that the exchange names has to do for the time of a trade.
  const isOneClock = options.journals !== undefined;
  const byPubkey = new Map(rows.orders.map((order) => [order.pubkey, order]));
  const fills = rows.fills.map((fill) => {
    const order = byPubkey.get(fill.orderPubkey) ?? null;
    const strategy = ledger.intents.get(order?.intentId ?? '')?.strategy ?? '';
    const timeMs = isOneClock ? tradeTimeMs(fill.timestampS, fill.seenMs) : fill.timestampS * 1000;
    return readFill(fill, { timeMs, strategy, restingFromMs: order?.createdMs ?? null }, closeMs, prices);
  });
  const conversions = rows.conversions.map((conversion) => readConversion(conversion, prices));
  const walked: WalkedMarket = { orders, fills, conversions, prices };
  const session: MarketSession = {
    conditionId,
    title: market?.title ?? conditionId,
    eventTitle: titles.get(market?.eventConditionId ?? '') ?? market?.eventConditionId ?? '',
    category: prices?.category ?? '',
    tickMicros: null,
    openMs: null,
    closeMs: closedMs,
    outcome: readOutcome(rows.conversions) ?? settledOutcome(rows, prices?.outcome ?? null),
    makerFeeRateMicros: market?.makerFeeRateMicros ?? 0,
    series: sampleSeries(walked, ledger.toMs),
    fills,
    conversions,
    stoodCrossed: null,
    endYesMicros: rows.endYesMicros,
    endNoMicros: rows.endNoMicros,
    endMarkMicros: options.fairMicros.get(conditionId) ?? prices?.standing(closeMs) ?? null,
    quoting: measureQuoting(rows.orders, orders, ledger.running, closeMs),
    coverage: prices?.coverage ?? null,
  };
  return { session, walked };
}

type OfOrder = Pick<ReportedTrade, 'timeMs' | 'strategy' | 'restingFromMs'>;

/** After `closeMs` there is no middle any more. */
function readFill(row: BookedFill, ofOrder: OfOrder, closeMs: number, prices: RecordedPrices | null): FillRecord {
  const markAt = (timeMs: number): number | null => prices?.at(timeMs).middleMicros ?? null;
  const trade = {
    ...ofOrder,
    seenMs: row.seenMs,
    orderPubkey: row.orderPubkey,
    isYes: row.isYes,
    isBuy: row.side === 'buy',
    isMaker: row.isMaker,
    ownPriceMicros: row.priceMicros,
    amountMicros: row.amountMicros,
    feeMicros: row.feeMicros,
  };
  const markMicros = markAt(trade.timeMs - BEFORE_TRADE_MS);
  return toFillRecord(trade, markMicros, (timeMs) => (timeMs > closeMs ? null : markAt(timeMs)));
}

const readConversion = (row: BookedConversion, prices: RecordedPrices | null): ConversionRecord => ({
  kind: row.kind,
  timeMs: row.seenMs,
  yesMicros: row.yesMicros,
  noMicros: row.noMicros,
  cashMicros: row.cashMicros,
  yesCostMicros: row.yesCostMicros,
  markMicros: prices?.at(row.seenMs).middleMicros ?? null,
});

/** The outcome that redemptions paid for, unless as many shares of both were redeemed. */
function readOutcome(conversions: readonly BookedConversion[]): MarketOutcome | null {
  for (const { kind, yesMicros, noMicros, cashMicros } of conversions) {
    const outcome = kind === 'redeem' ? inferOutcome(yesMicros, noMicros, cashMicros) : null;
    if (outcome !== null) return outcome;
  }
  return null;
}

/** A recording may know how a market ended; before it ended here, that is the future. */
const settledOutcome = ({ market }: MarketRows, recorded: MarketOutcome | null): MarketOutcome | null =>
  market !== null && isSettledMarket(market.state) && (market.state === 'canceled') === (typeof recorded === 'number')
    ? recorded
    : null;

function sampleSeries(market: WalkedMarket, endMs: number): MarketSeries {
  const { orders, fills, conversions } = market;
  const times = [
    ...orders.map(({ fromMs, toMs }) => [fromMs, toMs ?? endMs]),
    ...[...fills, ...conversions].map(({ timeMs }) => [timeMs]),
  ].flat();
  const [first, last] = times.reduce(([low, high], time) => [Math.min(low, time), Math.max(high, time)], [endMs, 0]);
  const steps = stepsOver(first, last);
  const samples = new MarketSamples(steps.stepMs);
  const walk = new MarketWalk(market);
  for (const timeMs of steps.timeMs) {
    walk.advance(timeMs);
    samples.take(timeMs, walk.top(timeMs), walk.held.netMicros);
  }
  return samples.series;
}

/** When our orders stood, as far as the ledger tells: from its draft's row until a final status was seen. */
const toSessionOrders = (orders: readonly OrderRecord[], toMs: number): readonly SessionOrder[] =>
  orders
    .filter(({ status }) => ORDER_STANDING[status].tookEffect)
    .map((order) => ({
      pubkey: order.pubkey,
      side: order.isYes === (order.side === 'buy') ? 'bid' : 'ask',
      priceMicros: order.isYes ? order.priceMicros : complement(order.priceMicros),
      ownPriceMicros: order.priceMicros,
      isBuy: order.side === 'buy',
      amountMicros: order.amountMicros,
      fromMs: order.createdMs,
      toMs: order.closedMs ?? toMs,
    }));

/** The market counts from its first quote until it closed, while the trader ran. */
function measureQuoting(
  orders: readonly OrderRecord[],
  quotes: readonly SessionOrder[],
  running: readonly Span[],
  closeMs: number,
): QuotingFigures {
  const firstMs = quotes.reduce((first, { fromMs }) => Math.min(first, fromMs), closeMs);
  const open = common(mergeSpans(running), [[firstMs, closeMs]]);
  const standing = (side: SessionOrder['side']): readonly Span[] =>
    common(
      mergeSpans(quotes.filter((quote) => quote.side === side).map(({ fromMs, toMs }) => [fromMs, toMs ?? closeMs])),
      open,
    );
  const [bids, asks] = [standing('bid'), standing('ask')];
  const twoSidedMs = sumSpans(common(bids, asks));
  return {
    openForMs: sumSpans(open),
    twoSidedMs,
    oneSidedMs: sumSpans(bids) + sumSpans(asks) - 2 * twoSidedMs,
    haltedMs: null,
    ordersPlaced: quotes.length,
    ordersCanceled: orders.filter(({ status }) => ORDER_STANDING[status].isCanceled).length,
    postedMicros: quotes.reduce((total, { amountMicros }) => total + amountMicros, 0),
    joinedBehindMicros: null,
  };
}

/** A day of seconds. More would take longer than reading the journals does; a longer life is looked at as often, wider apart. */
const MOST_LOOKS = 86_400;

/**
 * While the trader ran: nobody knows what its shares were worth between two runs. Every look counts for the deepest fall, as
 * in a backtest; what is kept of them is thinned out.
 */
function sampleAccount(
  markets: readonly LedgerMarket[],
  capitalMicros: number,
  running: readonly Span[],
): AccountSamples {
  const steps = stepsWithin(running, MOST_LOOKS);
  const account = new AccountSamples(steps.stepMs);
  const walks = markets.map(({ walked }) => new MarketWalk(walked));
  for (const timeMs of steps.timeMs) {
    for (const walk of walks) walk.advance(timeMs);
    account.take(timeMs, equityAt(timeMs, walks, capitalMicros), () => lockedIn(walks));
  }
  // Shares whose worth was not known may have come and gone between two steps.
  if (markets.some(({ walked }) => walked.prices === null && everHeld(walked))) account.see(null);
  return account;
}

/** Shares whose worth depends on a price. */
function everHeld(market: WalkedMarket): boolean {
  let net = 0;
  return listMoves(market).some((move) => {
    const { yes, no } = sharesMoved(move);
    net += yes - no;
    return net !== 0;
  });
}

/** The reason of a refused intent begins with the service's slug. */
function countRefusals({ intents }: LedgerRows): readonly Refusal[] {
  const counts = new Map<string, number>();
  for (const { state, lastReason } of intents.values()) {
    if (state !== 'refused' && state !== 'failed') continue;
    const name = /^[a-z][a-z0-9_-]*(?=:)/.exec(lastReason)?.[0] ?? lastReason.replace(/\d+/g, '#');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .map(([name, count]): Refusal => ({ by: 'exchange', name, count }))
    .sort((a, b) => b.count - a.count);
}

/** The newest so many; a report is not a log. */
const MOST_NOTICES = 200;

function readNotices(reader: LedgerReader, { marketsUntouched, toMs }: LedgerRows): readonly SessionNotice[] {
  const events = [...reader.events(MOST_NOTICES)].reverse();
  const notices = events.map(({ timeMs, severity, kind, text }): SessionNotice => {
    // What an operator asked for is kept as loudly as trouble, and is none.
    return { timeMs, severity: kind === 'command' ? 'info' : severity, text: `${kind}: ${text}` };
  });
  if (marketsUntouched === 0) return notices;
  const text = `${formatQuantity(marketsUntouched, 'market')} that the trader saw and never had an order in ${marketsUntouched === 1 ? 'is' : 'are'} left out.`;
  return [...notices, { timeMs: toMs, severity: 'info', text }];
}
