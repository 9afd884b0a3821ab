import { createHash } from 'node:crypto';
import { fillModel } from '../../exchange/core/matching/fill-model.js';
import type { RecordedMarket, Recording } from '../../recording/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { LatencyModel } from '../backtest/latency.js';
import { makePlan } from '../backtest/plan.js';
import { streamRecording } from '../backtest/replay-driver.js';
import { eventOf } from '../report/analysis/markets.js';
import { groupBy } from '../report/analysis/split.js';
import type {
  Search,
  SweepAssumptions,
  SweepCandidate,
  SweepPlan,
  SweepSubject,
  SweepWatcher,
  SweptEvent,
  Task,
  TaskOutcome,
} from './contract.js';
import { hashValue, identityOf, type SweepIdentity, timeZone } from './search.js';

const USUAL_FOLDS = 4;

/** Minimum number of events per fold, if the user does not choose the number of folds. */
const LEAST_EVENTS_PER_FOLD = 2;

/** `hash`: SHA-256 of the market's description and events, lower-case hex; independent of the files' location. */
type PlannedMarket = Awaited<ReturnType<typeof planData>>['markets'][number];

/** Decodes a recording only if its manifest lacks span, size or hash. Throws `recording_invalid` if all are empty. */
export async function planData(recordings: readonly Recording[], progress: (done: number) => void = () => undefined) {
  const markets = [];
  const empty: RecordedMarket[] = [];
  for (const [index, recording] of recordings.entries()) {
    const { market } = recording;
    const { firstMs, lastMs, events, hash } = toldBy(recording) ?? (await readOne(recording));
    const { source: _place, ...described } = market;
    if (firstMs === null || lastMs === null) empty.push(market);
    else markets.push({ market, firstMs, lastMs, events, hash: hashValue({ described, hash }) });
    progress(index + 1);
  }
  if (markets.length === 0) {
    const hint = '`twinbook data stats` shows what the recordings contain.';
    throw new TwinbookError('recording_invalid', 'these recordings contain no event', hint);
  }
  return { markets, hash: hashValue(markets.map(({ hash }) => hash)), empty };
}

function toldBy({ fingerprint, summary }: Recording) {
  if (fingerprint === undefined || summary === undefined) return null;
  const { level, trade, clear, end } = summary.events;
  // A backtest adds the close of a market if the recording has no close.
  const events = level + trade + clear + Math.max(1, end);
  return { events, firstMs: summary.firstMs, lastMs: summary.lastMs, hash: fingerprint };
}

const COLUMNS = ['timeMs', 'amountMicros', 'priceMicros', 'kind', 'side'] as const;

/** Reads a whole recording. The hash covers all events, column by column, regardless of chunk sizes. */
async function readOne(recording: Recording): Promise<NonNullable<ReturnType<typeof toldBy>>> {
  const hashes = COLUMNS.map((name) => ({ name, hash: createHash('sha256') }));
  let events = 0;
  let firstMs: number | null = null;
  let lastMs: number | null = null;
  for await (const chunk of recording.chunks()) {
    if (chunk.length === 0) continue;
    events += chunk.length;
    firstMs ??= chunk.timeMs[0] ?? null;
    lastMs = chunk.timeMs[chunk.length - 1] ?? null;
    for (const { name, hash } of hashes) hash.update(chunk[name].subarray(0, chunk.length));
  }
  return { events, firstMs, lastMs, hash: hashValue(hashes.map(({ hash }) => hash.digest('hex'))) };
}

/** Divides the events, sorted by start, into folds of about equal size. Throws `usage` for more folds than events. */
export function assignFolds(markets: readonly PlannedMarket[], wish: number | null): readonly SweptEvent[] {
  const events = groupEvents(markets);
  const folds = wish ?? Math.max(1, Math.min(USUAL_FOLDS, Math.floor(events.length / LEAST_EVENTS_PER_FOLD)));
  if (folds > events.length) {
    const hint = 'Every fold needs at least one whole event. Omit --folds to get as many folds as possible.';
    throw new TwinbookError('usage', `cannot divide ${events.length} events into ${folds} folds`, hint);
  }
  return events.map((event, index) => ({ ...event, fold: Math.floor((index * folds) / events.length) }));
}

export const foldCount = (events: readonly SweptEvent[]): number => (events.at(-1)?.fold ?? 0) + 1;

export const eventsIn = (events: readonly SweptEvent[], fold: number): readonly SweptEvent[] =>
  events.filter((event) => event.fold === fold);

function groupEvents(markets: readonly PlannedMarket[]): readonly Omit<SweptEvent, 'fold'>[] {
  const byEvent = groupBy(markets, ({ market }) => eventOf(market));
  const events = [...byEvent].map(([event, together]) => ({
    title: together[0]?.market.eventTitle || event,
    conditionIds: together.map(({ market }) => market.conditionId),
    fromMs: Math.min(...together.map(({ firstMs }) => firstMs)),
    toMs: Math.max(...together.map(({ lastMs }) => lastMs)),
    played: together.reduce((sum, { events: count }) => sum + count, 0),
  }));
  return events.sort((a, b) => a.fromMs - b.fromMs || (a.title < b.title ? -1 : 1));
}

/** Returns indexes of events of earlier folds: `learned` end at least `embargoMs` before `fold`, `purged` do not. */
export function trainingFor(events: readonly SweptEvent[], fold: number, embargoMs: number) {
  const beginsMs = Math.min(...eventsIn(events, fold).map(({ fromMs }) => fromMs));
  const [learned, purged]: [number[], number[]] = [[], []];
  events.forEach((event, index) => {
    if (event.fold < fold) (event.toMs + embargoMs <= beginsMs ? learned : purged).push(index);
  });
  return { learned, purged };
}

export interface SweepFacts {
  readonly subject: SweepSubject;
  readonly identity: SweepIdentity;
  readonly title: string;
  readonly search: Search;
  readonly events: readonly SweptEvent[];
  readonly assumptions: SweepAssumptions;
  readonly data: Pick<Awaited<ReturnType<typeof planData>>, 'markets' | 'empty'>;
}

type PlannedSweep = Awaited<ReturnType<typeof planSweep>>;

/** Plans a sweep. Before any read, throws for an unknown fill model, or if no strategy selects a market. */
export async function planSweep(plan: SweepPlan, progress: (done: number, all: number) => void = () => undefined) {
  const { search, fillModels, embargoMs, config, latency, seed, landingMs, fees, allMarkets } = plan;
  for (const name of fillModels) fillModel(name);
  const sources = plan.recordings.map((recording) => streamRecording(recording));
  const model = new LatencyModel(latency, seed);
  const options = { fillModel: fillModels[0] ?? '', latency: model, seed, landingMs, fees, allMarkets };
  // `makePlan` selects the strategies' markets. The title and data lines of its plan describe the whole sweep.
  const whole = makePlan(config, sources, options);
  const selected = new Set(whole.sources.map(({ market }) => market.conditionId));
  const recordings = plan.recordings.filter(({ market }) => selected.has(market.conditionId));
  const data = await planData(recordings, (done) => progress(done, recordings.length));
  const events = assignFolds(data.markets, plan.folds);
  const assumptions: SweepAssumptions = {
    version: whole.trader.version,
    configHash: config.configHash,
    dataHash: data.hash,
    seed,
    fillModels,
    embargoMs,
    latency: model.name,
    folds: foldCount(events),
    data: whole.data,
  };
  const identity = makeIdentity(plan, assumptions);
  const facts: SweepFacts = { subject: 'recordings', identity, title: whole.title, search, events, assumptions, data };
  return { plan, recordings, data, facts };
}

function makeIdentity(plan: SweepPlan, assumptions: SweepAssumptions): SweepIdentity {
  const { search, landingMs, fees, allMarkets, feeCurve = null, feedData } = plan;
  return identityOf(assumptions, search, latencyText(plan), {
    landingMs,
    fees,
    allMarkets,
    ...(feeCurve === null ? {} : { feeCurve }),
    ...(plan.config.strategies.some(({ quoteHours }) => quoteHours !== null) ? { timeZone: timeZone() } : {}),
    ...(feedData === undefined || feedData.values.length === 0 ? {} : { feeds: hashValue(feedData).slice(0, 16) }),
  });
}

function latencyText({ latency, seed }: SweepPlan): string {
  const { spec, roundTripsMs, byKind } = latency;
  const { name } = new LatencyModel(latency, seed);
  if (spec.kind === 'constant') return name;
  const hash = hashValue(byKind === undefined ? roundTripsMs : { roundTripsMs, byKind }).slice(0, 16);
  return `${name} of ${roundTripsMs.length} round trips, ${hash}`;
}

/** Returns all backtests, sorted by configuration: a stopped sweep then has all results of the first configurations. */
export const listTasks = (candidates: readonly SweepCandidate[], folds: number, fillModels: readonly string[]) =>
  candidates.flatMap((candidate) =>
    Array.from({ length: folds }, (_, fold) => fillModels.map((fillModel) => ({ candidate, fold, fillModel }))).flat(),
  );

export interface TaskWork {
  readonly tasks: readonly Task[];
  readonly known: (task: Task) => TaskOutcome | undefined;
  /** Stores the outcome of a backtest; called once per task. An error that the callback throws ends the sweep. */
  readonly done: (task: Task, outcome: TaskOutcome) => void;
}

export type EngineWork = PlannedSweep & TaskWork & { readonly watcher: SweepWatcher };

/** Resolves with true when every task has ended, with false if the sweep was stopped earlier. */
export type SweepEngine = (work: EngineWork) => Promise<boolean>;

export const NOTHING_PLAYED = { failed: 0, events: 0, eventsPerS: null, leftMs: null } as const;
