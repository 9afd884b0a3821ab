/**
 * Strategies beside a run that they have no part in: a trader of their own, made of the same code, sees through the run's
 * journal the markets that the run looks at, and trades on an exchange in this process. It has no key and no way to the
 * venue; the run does not know of it. On a journal that is being written it goes on with it, and ends with it.
 */

import { TwinbookError } from '../../shared/base/errors.js';
import type { RunJournal } from '../../shell/journal/contract.js';
import { followSteps, type WaitForMore } from '../../shell/journal/follow-run.js';
import type { BacktestPlan, EventSource, RunPicture } from '../backtest/contract.js';
import { latencyModel, readLatency, USUAL_LATENCY } from '../backtest/latency.js';
import { isSelected } from '../backtest/plan.js';
import { runBacktest } from '../backtest/run.js';
import { compare } from '../parity/comparison.js';
import type { LiveRun, Parity } from '../parity/contract.js';
import { readOpeningAccount } from '../parity/opening-account.js';
import { RunReading } from '../parity/read-recorded-run.js';
import type { ReplayedTrader } from '../replay/contract.js';
import { analyse } from '../report/analysis/analyse.js';
import type { Analysis } from '../report/analysis/contract.js';
import type { SessionRecord } from '../session/contract.js';
import { FIRST_LOOK_MS, LogDriver } from './log-driver.js';
import { BEHIND_MS, RunLog } from './run-log.js';

export interface ShadowOptions {
  /** With the strategies that are to be seen. */
  readonly trader: ReplayedTrader;
  /** Names of fill models, most pessimistic first; a trader for each. */
  readonly fillModels: readonly string[];
  /** As a user writes it; null: what the run's own requests took in its first seconds. */
  readonly latency: string | null;
  readonly seed: number;
  readonly landingMs: number;
  /** Whether to wait for more of the journal; see `followSteps`. */
  readonly more: WaitForMore;
  /** Given once each, before anything happens. */
  readonly onStart?: (model: string, look: () => RunPicture) => void;
}

export interface ShadowResult {
  readonly sides: Parity['sides'];
  readonly markets: Parity['markets'];
  readonly remarks: readonly string[];
  readonly liveRun: LiveRun;
  /** Live first, then the models. */
  readonly sessions: readonly SessionRecord[];
  readonly analyses: readonly Analysis[];
  readonly latency: string;
}

const REMARKS = [
  'A book is as new as the run’s own newest look at it, and what moved between two looks is not known.',
  'Live, our own orders were part of the book and others may have reacted to them; nobody reacts to those of a shadow.',
  'The shadow began with its capital and nothing else; a market that closed is valued at its last middle.',
];

/** Throws TwinbookError `recording_invalid` for a run that saw no market, `usage` for a model that is not known. */
export async function runShadow(run: RunJournal, options: ShadowOptions): Promise<ShadowResult> {
  const reading = new RunReading(run);
  const log = new RunLog(run, followSteps(run, options.more), (step) => reading.take(step));
  const beginMs = await readBeginning(log);
  const opening = readOpeningAccount(run, options.trader);
  const plans = options.fillModels.map((fillModel) => makePlan({ run, options, log, beginMs, fillModel }));
  const commands = opening.command === null ? [] : [{ atMs: beginMs, command: opening.command }];
  const outcomes = await Promise.all(plans.map((plan) => runBacktest({ ...plan, commands })));
  const liveRun = await reading.result();
  const remarks = [...REMARKS, ...opening.remarks, ...liveRun.remarks, ...selectionRemarks(log, options.trader)];
  const sessions = [liveRun.session, ...outcomes.map(({ session }) => session)];
  const analyses = sessions.map(analyse);
  const { sides, markets } = compare(analyses, remarks);
  return { sides, markets, remarks, liveRun, sessions, analyses, latency: plans[0]?.latency.name ?? '' };
}

/** When the first book was seen, by the exchange's clock; what a start looks at by itself has been read then. */
async function readBeginning(log: RunLog): Promise<number> {
  const firsts = () => log.markets.flatMap(({ firstMs }) => (firstMs === null ? [] : [firstMs]));
  while (firsts().length === 0 && !log.isOver) await log.readUntil(log.watermarkMs);
  if (firsts().length === 0) {
    const hint = 'A trader that was stopped before it read its first book leaves nothing to be seen.';
    throw new TwinbookError('recording_invalid', 'this run has seen no book of any market', hint);
  }
  const beginMs = Math.min(...firsts());
  await log.readUntil(beginMs + FIRST_LOOK_MS);
  return beginMs;
}

interface Planned {
  readonly run: RunJournal;
  readonly options: ShadowOptions;
  readonly log: RunLog;
  readonly beginMs: number;
  readonly fillModel: string;
}

function makePlan({ run, options, log, beginMs, fillModel }: Planned): BacktestPlan {
  const { runId: _, ...trader } = options.trader;
  const { seed, landingMs, latency, onStart } = options;
  const { roundTrips } = log;
  const usual = roundTrips.roundTripsMs.length > 0 ? 'recorded' : USUAL_LATENCY;
  const fees = { makerRateMicros: 0, takerRateMicros: 0 };
  const sources: EventSource[] = [];
  return {
    title: `${trader.strategies.map(({ name }) => name).join(', ')}: in the shadow of run ${run.description.runId}`,
    trader,
    sources,
    made: {
      drive: (core, _account, listener) => new LogDriver({ log, beginMs, fees, sources }, core, listener),
      onFill: () => undefined,
      feeds: log.feeds(),
      commands: log.commands,
    },
    fillModel,
    data: [`what run ${run.description.runId} saw, ${BEHIND_MS / 1000} s behind it`],
    seed,
    landingMs,
    latency: latencyModel(readLatency(latency ?? usual), roundTrips, seed),
    // The run's own person resumes it, or nobody does.
    afterHalt: 'end',
    fees,
    ...(onStart === undefined ? {} : { onStart: (look) => onStart(fillModel, look) }),
  };
}

function selectionRemarks({ markets }: RunLog, { strategies }: ReplayedTrader): readonly string[] {
  const isAny = markets.some(({ market }) => strategies.some((strategy) => isSelected(strategy, market)));
  return isAny ? [] : [`No strategy selects any of the ${markets.length} markets that the run looked at.`];
}
