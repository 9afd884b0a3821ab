/**
 * How far a backtest can be believed, measured on what really happened: a recorded run against backtests of the same
 * span, with the same settings, on the market that the run itself saw.
 *
 * It never calls two things the same that are not: what differs between a live market and a recorded one for other
 * reasons than the fill model is said beside the figures. The live side is read off the run's journal; neither its
 * ledger nor a trader is needed for that.
 */

import { TwinbookError } from '../../shared/base/errors.js';
import type { OperatorCommand } from '../../shared/protocol/seam.js';
import type { RunJournal } from '../../shell/journal/runs.js';
import type { Trader } from '../../trader/engine/trader.js';
import type { DraftSigner } from '../../trader/executor/contract.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import type { BacktestPlan, EventSource, LatencyModel } from '../backtest/contract.js';
import { latencyModel, readLatency, USUAL_LATENCY } from '../backtest/latency.js';
import { isSelected } from '../backtest/plan.js';
import { runBacktest } from '../backtest/run.js';
import { type ReplayedTrader, remadeTrader } from '../replay/replay.js';
import { startingLedger } from '../replay/replay-run.js';
import { analyse } from '../report/analysis/analyse.js';
import { formatQuantity } from '../report/figures.js';
import type { SessionRecord } from '../session/contract.js';
import { compare, type Parity } from './comparison.js';
import { type LiveRun, readRecordedRun } from './read-recorded-run.js';

export interface ParityOptions {
  /** As in the run, or another one to play over the run. */
  readonly trader: ReplayedTrader;
  /** The trader is another: it ignores the run's changes of configuration and fleet. Default: false. */
  readonly isOther?: boolean;
  /** Names of fill models, most pessimistic first. */
  readonly fillModels: readonly string[];
  /** As a user writes it; null: the run's own request times. */
  readonly latency: string | null;
  readonly seed: number;
  readonly landingMs: number;
  readonly progress?: (share: number, what: string) => void;
}

export interface ParityResult {
  readonly parity: Parity;
  readonly liveRun: LiveRun;
  /** Data played by the backtests, one line each, and their latency model. */
  readonly data: readonly string[];
  readonly latency: string;
}

/** Throws TwinbookError `recording_invalid` for a run without a market, `usage` for an unknown model. */
export async function runParity(run: RunJournal, options: ParityOptions): Promise<ParityResult> {
  const { fillModels, progress } = options;
  progress?.(0, 'reading the journal');
  const liveRun = applyOpening(await readRecordedRun(run), readOpeningAccount(run, options.trader));
  const { sources } = liveRun;
  if (sources.length === 0) {
    const hint = 'A trader that was stopped before it read its first book leaves nothing to compare.';
    throw new TwinbookError('recording_invalid', 'this run has seen no book of any market', hint);
  }
  const data = [`the polls of the run itself: ${eventsText(liveRun)}`];
  const sessions = [liveRun.session];
  for (const [index, fillModel] of fillModels.entries()) {
    const tell = (part: number) => progress?.((index + part) / fillModels.length, fillModel);
    const plan = makePlan(liveRun, options, data, fillModel);
    const { session } = await runBacktest({ ...plan, progress: (done, all) => tell(all > 0 ? done / all : 0) });
    sessions.push(session);
  }
  const remarks = [
    ...REMARKS,
    ...liveRun.remarks,
    ...remarksOn(liveRun.session),
    ...(options.isOther === true ? selectionRemarks(sources, options.trader) : []),
  ];
  const parity = compare(sessions.map(analyse), remarks);
  return { parity, liveRun, data, latency: makeLatency(liveRun, options).name };
}

function applyOpening(liveRun: LiveRun, { command, remarks }: OpeningAccount): LiveRun {
  const first = command === null ? [] : [{ atMs: liveRun.fromMs, command }];
  return { ...liveRun, commands: [...first, ...liveRun.commands], remarks: [...liveRun.remarks, ...remarks] };
}

/** Valid for every comparison of this kind. */
const REMARKS = [
  'Live, our own orders were part of the book and others may have reacted to them; the recorded market does not react.',
  'Between two looks of the run at a book its changes are not known, and trades are stamped with whole seconds.',
];

function remarksOn({ markets }: SessionRecord): string[] {
  const taken = markets.flatMap(({ fills }) => fills).filter(({ isMaker }) => isMaker === false).length;
  if (taken === 0) return [];
  return [`${formatQuantity(taken, 'live fill')} took from the book: those trades are played as somebody else's.`];
}

function selectionRemarks(sources: readonly EventSource[], { strategies }: ReplayedTrader): string[] {
  const isAny = sources.some(({ market }) => strategies.some((strategy) => isSelected(strategy, market)));
  return isAny ? [] : [`No strategy selects any of the ${sources.length} markets that the run looked at.`];
}

function eventsText({ sources }: LiveRun): string {
  const sum = (count: (source: EventSource) => number) => sources.reduce((total, source) => total + count(source), 0);
  const levels = sum(({ summary }) => summary?.events.level ?? 0);
  const trades = sum(({ summary }) => summary?.events.trade ?? 0);
  const gaps = sum(({ summary }) => summary?.gaps.length ?? 0);
  return `${levels} changes of levels, ${trades} trades, ${gaps} gaps in ${sources.length} markets`;
}

function makePlan(liveRun: LiveRun, options: ParityOptions, data: readonly string[], fillModel: string): BacktestPlan {
  const { runId: _, ...trader } = options.trader;
  return {
    title: liveRun.session.title,
    // Recordings lack markets of the catalog that were not read: the markets are those that it chose.
    trader,
    sources: liveRun.sources,
    fillModel,
    data,
    seed: options.seed,
    landingMs: options.landingMs,
    latency: makeLatency(liveRun, options),
    // Only the run's own operator resumes.
    afterHalt: 'end',
    fees: { makerRateMicros: 0, takerRateMicros: 0 },
    commands: liveRun.commands.filter(({ command }) => options.isOther !== true || !isOfRunAlone(command)),
    feedValues: liveRun.feedValues,
  };
}

/** Changes of the run's own files and fleet do not apply to another configuration. */
const isOfRunAlone = ({ kind }: OperatorCommand): boolean => kind === 'configure' || kind === 'fleet';

/** A new one for each run: it draws random numbers. */
function makeLatency({ roundTrips }: LiveRun, { latency, seed }: ParityOptions): LatencyModel {
  const usual = roundTrips.roundTripsMs.length > 0 ? 'recorded' : USUAL_LATENCY;
  return latencyModel(readLatency(latency ?? usual), roundTrips, seed);
}

/** Initial state of a run that its backtest lacks: an earlier command of the operator, shares, orders. */
interface OpeningAccount {
  /** Command that puts a backtest into the run's initial mode; null when not needed. */
  readonly command: OperatorCommand | null;
  readonly remarks: readonly string[];
}

function readOpeningAccount(run: RunJournal, settings: ReplayedTrader): OpeningAccount {
  if (run.ledgerFile === null) {
    return {
      command: null,
      remarks: ['What the run began with is not known: there is no copy of its starting ledger.'],
    };
  }
  const ledger = startingLedger(run);
  try {
    const { startedMs } = run.description;
    const signer: DraftSigner = { sign: () => ({ ok: false, reason: 'nothing is signed here' }) };
    const trader = remadeTrader({ trader: settings, ledger, startedMs, signer, boundedCall: (call) => call() });
    return { command: makeOpeningCommand(trader, startedMs), remarks: describeOpening(ledger) };
  } finally {
    ledger.close();
  }
}

function makeOpeningCommand(trader: Trader, startedMs: number): OperatorCommand | null {
  const { mode, reason } = trader.snapshot(startedMs);
  if (mode === 'killed') return { kind: 'kill', reason };
  if (mode === 'widened') return { kind: 'widen', reason };
  if (mode === 'reducing') return { kind: 'reduce-only', reason };
  // A halt at a loss limit is lifted by the same command as a pause.
  return mode === 'paused' || mode === 'halted' ? { kind: 'pause', reason } : null;
}

function describeOpening(ledger: Ledger): string[] {
  const held = ledger.positions().length;
  const underWay = ledger.activeIntents().length;
  const remarks: string[] = [];
  if (held > 0) {
    remarks.push(
      `The run began with ${formatQuantity(held, 'holding')}, the backtest with none; only what changed is compared.`,
    );
  }
  if (underWay > 0) {
    remarks.push(
      `The run began with ${formatQuantity(underWay, 'order')} or conversions under way, the backtest with none.`,
    );
  }
  return remarks;
}
