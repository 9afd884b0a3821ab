/** Compares a recorded live run with backtests of the same span, settings and market data. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { RunJournal } from '../../shell/journal/runs.js';
import type { BacktestPlan } from '../backtest/contract.js';
import { LatencyModel, readLatency, USUAL_LATENCY } from '../backtest/latency.js';
import { isSelected } from '../backtest/plan.js';
import { runBacktest } from '../backtest/run.js';
import { remadeTrader, startingLedger } from '../replay/replay.js';
import type { ReplayedTrader } from '../replay/run-settings.js';
import { type Analysis, analyse } from '../report/analysis/analyse.js';
import type { MarketAnalysis } from '../report/analysis/markets.js';
import { nameModel } from '../report/analysis/session-figures.js';
import { share, sum } from '../report/analysis/split.js';
import { formatQuantity } from '../report/figures.js';
import { readRecordedRun } from './read-recorded-run.js';

type ParitySide = ReturnType<typeof makeSide>;

/** Compares the first analysis (the live session) with the other analyses (one per fill model, over the same span). */
export function compare(all: readonly Analysis[], remarks: readonly string[]) {
  const names = all.map(nameModel);
  const sides = all.map((analysis, index) => makeSide(names[index] ?? '', analysis));
  return { sides, band: computeFillBand(sides), markets: compareMarkets(all, names), remarks };
}

/** `name`: `live` or the fill model. `peakInventoryMicros`: the largest |YES - NO| held in one market. */
const makeSide = (name: string, { trading, result, inventory, quoting, requests }: Analysis) => ({
  name,
  fills: trading.fills,
  sharesMicros: trading.boughtMicros + trading.soldMicros,
  resultMicros: result.resultMicros,
  spreadMicros: result.spreadMicros,
  driftMicros: result.driftMicros,
  feesMicros: result.feesMicros,
  peakInventoryMicros: inventory.peakMicros,
  twoSidedShare: quoting.twoSidedShare,
  oneSidedShare: quoting.oneSidedShare,
  ordersPlaced: trading.ordersPlaced,
  ordersCanceled: trading.ordersCanceled,
  publicRequests: requests?.public.count ?? null,
  signedRequests: requests?.signed.count ?? null,
});

function compareMarkets(all: readonly Analysis[], names: readonly string[]) {
  const ids = [...new Set(all.flatMap(({ markets }) => markets.map(({ conditionId }) => conditionId)))];
  return ids.map((conditionId) => {
    const found = all.map(({ markets }) => markets.find((market) => market.conditionId === conditionId));
    const sides = found.map((market, index) => marketSide(names[index] ?? '', market));
    const title = found.find((market) => market !== undefined)?.title ?? conditionId;
    return { conditionId, title, sides, band: computeFillBand(sides) };
  });
}

const marketSide = (name: string, market: MarketAnalysis | undefined) => ({
  name,
  fills: market?.fills ?? 0,
  sharesMicros: (market?.boughtMicros ?? 0) + (market?.soldMicros ?? 0),
  resultMicros: market?.result.resultMicros ?? 0,
  ordersPlaced: market?.ordersPlaced ?? 0,
});

/** Returns each model's error in traded shares, as a fraction of the live shares; null without live fills. */
function computeFillBand([live, ...models]: readonly Pick<ParitySide, 'name' | 'fills' | 'sharesMicros'>[]) {
  const [liveFills, liveSharesMicros] = [live?.fills ?? 0, live?.sharesMicros ?? 0];
  const errors = models.map(({ name, sharesMicros }) => ({
    name,
    sharesShare: share(sharesMicros - liveSharesMicros, liveSharesMicros),
  }));
  const shares = models.map(({ sharesMicros }) => sharesMicros);
  const [low, high] = [Math.min(...shares), Math.max(...shares)];
  const isAny = models.length > 0;
  return {
    liveFills,
    liveSharesMicros,
    errors,
    lowShare: isAny ? share(low - liveSharesMicros, liveSharesMicros) : null,
    highShare: isAny ? share(high - liveSharesMicros, liveSharesMicros) : null,
    holds: isAny && low <= liveSharesMicros && liveSharesMicros <= high,
  };
}

export interface ParityOptions {
  readonly trader: ReplayedTrader;
  /** True if `trader` is not the run's trader. Backtests then ignore the run's changes of configuration and fleet. */
  readonly isOther?: boolean;
  readonly fillModels: readonly string[];
  /** Latency of the backtests as in `--latency`; null: the round trips of the run. */
  readonly latency: string | null;
  readonly seed: number;
  readonly landingMs: number;
  readonly progress?: (share: number, what: string) => void;
}

/** Throws TwinbookError `recording_invalid` for a run without a book, `usage` for an unknown fill model. */
export async function runParity(run: RunJournal, options: ParityOptions) {
  const { fillModels, progress, trader, isOther = false } = options;
  progress?.(0, 'reading the journal');
  const liveRun = await readRecordedRun(run);
  const opening = readOpening(run, trader, liveRun.fromMs);
  liveRun.commands.unshift(...opening.commands);
  const { sources, session: live } = liveRun;
  if (sources.length === 0) {
    const hint = 'Choose a run whose trader read at least one order book.';
    throw new TwinbookError('recording_invalid', 'this run never read an order book', hint);
  }
  const data = [`market data from the polls of the run: ${eventsText(liveRun)}`];
  const sessions = [live];
  for (const [index, fillModel] of fillModels.entries()) {
    const tell = (part: number) => progress?.((index + part) / fillModels.length, fillModel);
    const plan = makePlan(liveRun, options, data, fillModel);
    const { session } = await runBacktest({ ...plan, progress: (done, all) => tell(all > 0 ? done / all : 0) });
    sessions.push(session);
  }
  const taken = live.markets.flatMap(({ fills }) => fills).filter(({ isMaker }) => isMaker === false).length;
  const isSelecting = sources.some(({ market }) => trader.strategies.some((strategy) => isSelected(strategy, market)));
  const remarks = [...REMARKS, ...liveRun.remarks, ...opening.remarks];
  if (taken > 0)
    remarks.push(
      `${formatQuantity(taken, 'live fill')} took shares from the book: backtests replay these trades as trades of other accounts.`,
    );
  if (isOther && !isSelecting)
    remarks.push(`No strategy selects any of the ${sources.length} markets that the run has read.`);
  const parity = compare(sessions.map(analyse), remarks);
  return { parity, liveRun, data, latency: makeLatency(liveRun, options).name };
}

const REMARKS = [
  'In the live run, other traders may have reacted to our orders; the recorded market does not react to our orders.',
  'Changes of a book between two polls of the run are unknown, and trade times are whole seconds.',
];

type LiveRun = Awaited<ReturnType<typeof readRecordedRun>>;

function eventsText({ sources }: LiveRun): string {
  const summaries = sources.flatMap(({ summary }) => summary ?? []);
  const levels = sum(summaries.map(({ events }) => events.level));
  const trades = sum(summaries.map(({ events }) => events.trade));
  const gaps = sum(summaries.map((summary) => summary.gaps.length));
  return `${levels} changes of levels, ${trades} trades, ${gaps} gaps in ${sources.length} markets`;
}

function makePlan(liveRun: LiveRun, options: ParityOptions, data: readonly string[], fillModel: string): BacktestPlan {
  const { runId: _, ...trader } = options.trader;
  return {
    title: liveRun.session.title,
    // The recorded markets are those that the run selected, because it read no other markets.
    trader,
    sources: liveRun.sources,
    fillModel,
    data,
    seed: options.seed,
    landingMs: options.landingMs,
    latency: makeLatency(liveRun, options),
    // Only the recorded operator commands may resume trading.
    afterHalt: 'end',
    fees: { makerRateMicros: 0, takerRateMicros: 0 },
    // Changes of the run's own files and fleet do not apply to another configuration.
    commands: liveRun.commands.filter(
      ({ command: { kind } }) => options.isOther !== true || (kind !== 'configure' && kind !== 'fleet'),
    ),
    feedValues: liveRun.feedValues,
  };
}

function makeLatency({ roundTrips }: LiveRun, { latency, seed }: ParityOptions): LatencyModel {
  const usual = roundTrips.roundTripsMs.length > 0 ? 'recorded' : USUAL_LATENCY;
  return new LatencyModel({ spec: readLatency(latency ?? usual), ...roundTrips }, seed);
}

/** Operator command that puts a backtest into the initial mode of a run. All other modes need no command. */
const OPENING: Readonly<Record<string, 'kill' | 'widen' | 'reduce-only' | 'pause'>> = {
  killed: 'kill',
  widened: 'widen',
  reducing: 'reduce-only',
  paused: 'pause',
  // The command that ends a pause also lifts a halt at a loss limit.
  halted: 'pause',
};

function readOpening(run: RunJournal, settings: ReplayedTrader, atMs: number) {
  const remarks: string[] = [];
  if (run.ledgerFile === null) {
    remarks.push('The state at the start of the run is unknown: there is no copy of its starting ledger.');
    return { commands: [], remarks };
  }
  const ledger = startingLedger(run);
  try {
    const { startedMs } = run.description;
    const sign = () => ({ ok: false, reason: 'a comparison with a backtest signs no order' }) as const;
    const made = { trader: settings, ledger, startedMs };
    const trader = remadeTrader(made, { sign, boundedCall: (call) => call() });
    const { mode, reason } = trader.snapshot(startedMs);
    const [held, underWay] = [ledger.positions().length, ledger.activeIntents().length];
    const begun = (what: string) => `The run began with ${what}, the backtest began with none`;
    if (held > 0) remarks.push(`${begun(formatQuantity(held, 'holding'))}; only later changes are compared.`);
    if (underWay > 0) remarks.push(`${begun(`${formatQuantity(underWay, 'order')} or conversions in progress`)}.`);
    const kind = OPENING[mode];
    return { commands: kind === undefined ? [] : [{ atMs, command: { kind, reason } }], remarks };
  } finally {
    ledger.close();
  }
}
