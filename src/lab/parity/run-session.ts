/**
 * The session of a live run in the very form of a backtest's, so that the same analysis says the same of both. It is read
 * off the answers that the run got, not off its ledger: what the run began with is left out, as a backtest begins with
 * nothing. Prices are the others', from the run's own polls.
 */

import type { RunDescription } from '../../shell/journal/contract.js';
import type { EventSource } from '../backtest/contract.js';
import type { Refusal, RequestUse, SessionRecord } from '../session/contract.js';
import { equityAt, lockedIn } from '../session/market-walk.js';
import { AccountSamples, FIRST_STEP_MS } from '../session/samples.js';
import { BestPrices } from './best-prices.js';
import { RunMarket } from './run-market.js';
import type { RunOrders } from './run-orders.js';

export interface RecordedSession {
  readonly description: RunDescription;
  readonly orders: RunOrders;
  readonly sources: readonly EventSource[];
  /** The exchange's clock minus ours, ms; rounded. */
  readonly offsetMs: number;
  /** The exchange's clock: the first moment, when the trader was told to stop, and the last one. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly toMs: number;
  readonly requests: RequestUse;
  readonly refusals: readonly Refusal[];
}

export async function readRunSession(liveRun: RecordedSession): Promise<SessionRecord> {
  const { description, fromMs, toMs, requests, refusals } = liveRun;
  const markets = await makeRunMarkets(liveRun);
  const account = sampleAccount(markets, liveRun);
  // Taken first: it brings the holdings to their end.
  const sessions = markets.map((market) => market.session());
  const { capitalMicros, version, configHash } = description;
  return {
    format: 1,
    kind: 'live',
    title: formatTitle(description),
    fromMs,
    toMs,
    capitalMicros,
    endCashMicros: markets.reduce<number>((sum, { walk }) => sum + walk.held.cashMicros, capitalMicros),
    markets: sessions,
    account: account.series,
    maxDrawdownMicros: account.maxDrawdownMicros,
    requests,
    halts: [],
    refusals,
    notices: [],
    assumptions: {
      version,
      configHash,
      seed: null,
      fillModel: null,
      postsOnly: null,
      latency: null,
      data: [`the journal of run ${description.runId}`],
      remarks: ['What the run began with, shares and open orders, is left out of these figures.'],
    },
  };
}

const formatTitle = ({ strategies, runId }: RunDescription): string =>
  `${strategies.map(({ name }) => name).join(', ')}: run ${runId}`;

async function makeRunMarkets({
  description,
  orders,
  sources,
  offsetMs,
  fromMs,
  untilMs,
}: RecordedSession): Promise<RunMarket[]> {
  // A list of own trades goes back beyond the start.
  const fills = [...orders.fills.values()].filter(({ row }) => row.timestamp * 1000 + 999 >= fromMs);
  const conversions = [...orders.conversions.values()];
  const getConditionId = ({ row }: (typeof fills)[number]) => row.order.market.condition_id;
  const seen = new Map(sources.map((source) => [source.market.conditionId, source]));
  const ids = new Set([
    ...seen.keys(),
    ...fills.map(getConditionId),
    ...conversions.map(({ conditionId }) => conditionId),
  ]);
  const [only, another] = description.strategies;
  const strategy = another === undefined ? (only?.name ?? '') : '';
  return Promise.all(
    [...ids].map(async (conditionId) => {
      const source = seen.get(conditionId) ?? null;
      return new RunMarket({
        conditionId,
        source,
        strategy,
        offsetMs,
        untilMs,
        prices: await BestPrices.of(source),
        orders: [...orders.orders.values()].filter((order) => order.conditionId === conditionId),
        fills: fills.filter((fill) => getConditionId(fill) === conditionId),
        conversions: conversions.filter((conversion) => conversion.conditionId === conditionId),
      });
    }),
  );
}

/** Goes through the run in equal steps: those of its ledger's report, which begin when it was started. */
function sampleAccount(
  markets: readonly RunMarket[],
  { description, offsetMs, fromMs, untilMs }: RecordedSession,
): AccountSamples {
  const account = new AccountSamples();
  const walks = markets.map(({ walk }) => walk);
  const sinceStepMs = (fromMs - description.startedMs - offsetMs) % FIRST_STEP_MS;
  for (let timeMs = fromMs - sinceStepMs; timeMs <= untilMs; timeMs += FIRST_STEP_MS) {
    for (const market of markets) market.sample(timeMs);
    account.take(timeMs, equityAt(timeMs, walks, description.capitalMicros), () => lockedIn(walks));
  }
  return account;
}
