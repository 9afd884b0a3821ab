/**
 * A live trader's session, from its ledger: the same record that a backtest gives, so that both are read alike. The
 * ledger holds no book: without a recording the middles are not known, and what depends on them is null, never 0.
 */

import { basename } from 'node:path';
import type { MarketOutcome } from '../../../shared/protocol/outcome.js';
import { isSettledMarket } from '../../../shared/protocol/states.js';
import type { LedgerReader } from '../../../trader/ledger/contract.js';
import type { MarketSeries, MarketSession, Refusal, SessionNotice, SessionRecord } from '../../session/contract.js';
import { MarketWalk, type WalkedMarket } from '../../session/market-walk.js';
import { MarketSamples } from '../../session/samples.js';
import { formatQuantity } from '../figures.js';
import { type AccountMarket, sampleAccount } from './account.js';
import type { LedgerSessionOptions } from './contract.js';
import { type LedgerRows, type MarketRows, onTheirClock, readRows } from './ledger-rows.js';
import { measureQuoting, toSessionOrders } from './quotes.js';
import { stepsOver } from './steps.js';
import { readFillRecord, readOutcome, toConversionRecord } from './trades.js';

/** Reads the whole ledger; beside a running trader too. */
export function sessionFromLedger(reader: LedgerReader, options: LedgerSessionOptions): SessionRecord {
  const { journals } = options;
  const read = readRows(reader, options.nowMs);
  const rows = journals === undefined ? read : onTheirClock(read, journals.offsetMs);
  const titles = eventTitles(rows, options);
  const markets = rows.markets.map((market) => accountMarket(market, rows, { ...options, titles }));
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

interface AccountOptions extends LedgerSessionOptions {
  readonly titles: ReadonlyMap<string, string>;
}

function accountMarket(rows: MarketRows, ledger: LedgerRows, options: AccountOptions): AccountMarket {
  const { conditionId, market } = rows;
  const prices = options.findPrices(conditionId);
  const quotes = toSessionOrders(rows.orders, ledger.toMs);
  const closeMs = Math.min(
    ledger.toMs,
    market?.resolutionS === null || market === null ? ledger.toMs : market.resolutionS * 1000,
  );
  const orders = new Map(rows.orders.map((order) => [order.pubkey, order]));
  const trading = { orders, intents: ledger.intents, prices, isOneClock: options.journals !== undefined, closeMs };
  const fills = rows.fills.map((fill) => readFillRecord(fill, trading));
  const conversions = rows.conversions.map((conversion) => toConversionRecord(conversion, prices));
  const trades = { fills, conversions };
  const session: MarketSession = {
    conditionId,
    title: market?.title ?? conditionId,
    eventTitle: options.titles.get(market?.eventConditionId ?? '') ?? market?.eventConditionId ?? '',
    category: prices?.category ?? '',
    tickMicros: null,
    openMs: null,
    closeMs: market === null || market.resolutionS === null ? null : market.resolutionS * 1000,
    outcome: readOutcome(rows.conversions) ?? settledOutcome(rows, prices?.outcome ?? null),
    makerFeeRateMicros: market?.makerFeeRateMicros ?? 0,
    series: sampleSeries({ orders: quotes, ...trades, prices }, ledger.toMs),
    ...trades,
    stoodCrossed: null,
    endYesMicros: rows.endYesMicros,
    endNoMicros: rows.endNoMicros,
    endMarkMicros: options.fairMicros.get(conditionId) ?? prices?.standing(closeMs) ?? null,
    quoting: measureQuoting(rows.orders, quotes, ledger.running, closeMs),
    coverage: prices?.coverage ?? null,
  };
  return { session, quotes, prices };
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
