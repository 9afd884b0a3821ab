/**
 * What stale quotes lose with the trader's own plan of polls and its own estimators, on virtual time: as a part of what going
 * round with as many looks loses, and of what the same plan loses that knows every true volatility. Each figure is the mean
 * over seeds of the ratio on that seed's world.
 */

import { micros, ONE } from '../../src/shared/base/micros.js';
import { PollPlan } from '../../src/trader/scheduler/poll-plan.js';
import { type Bench, type BenchRow, rate, sized } from './bench.js';
import { FACTS, goRound, SETTINGS, STEP_MS, type Watched, watch } from './polling/watch.js';
import { makeWorld, TICK, type TrueMarket, WORLDS, type WorldKind } from './polling/world.js';

const SEEDS = 20;
/**
 * A jump in one of sixty markets decides a world's ratio, and one ratio has a deviation of 0.2: only with so many seeds is the error of
 * the mean smaller than its distance from what is demanded (0.70). The first twenty are those of the other worlds.
 */
const SEEDS_OF: Readonly<Partial<Record<keyof typeof WORLDS, number>>> = { B: 200 };
const MANY = 500;

interface Played {
  readonly plan: Watched;
  readonly round: Watched;
  readonly oracle: Watched;
  readonly afterFills: Watched;
}

function play(kind: WorldKind, seed: number): Played {
  const world = makeWorld(kind, seed);
  const plan = watch(world);
  return {
    plan,
    round: goRound(world, plan.looks),
    oracle: watch(world, { knowsTruth: true }),
    afterFills: watch(world, { looksAfterFills: true }),
  };
}

function measure(name: string, kind: WorldKind, seeds: number): readonly BenchRow[] {
  const played = Array.from({ length: seeds }, (_, i) => play(kind, i + 1));
  const longestS = Math.max(...played.map(({ plan }) => plan.longestGapS));
  return [
    ratio(`polling ${name} of round-robin`, played, ({ plan, round }) => plan.loss / round.loss),
    ratio(`polling ${name} of oracle`, played, ({ plan, oracle }) => plan.loss / oracle.loss),
    ratio(
      `polling ${name} of round-robin, looks after fills`,
      played,
      ({ afterFills, round }) => afterFills.loss / round.loss,
    ),
    { name: `polling ${name} longest gap`, figure: longestS, unit: 's', spread: `${seeds} seeds` },
  ];
}

/** Times between two reads of the venue's marks, s: the shortest, and that of rounds of reconciliation. */
const MARKS_EVERY_S = [5, 60];

/** What is left where the venue says what holdings are worth, with looks after fills. */
function measureMarks(name: string, kind: WorldKind, seeds: number): readonly BenchRow[] {
  const worlds = Array.from({ length: seeds }, (_, i) => makeWorld(kind, i + 1));
  return MARKS_EVERY_S.map((marksEveryS) => {
    const played = worlds.map((world) => {
      const plan = watch(world, { looksAfterFills: true, marksEveryS });
      return { plan, round: goRound(world, plan.looks) };
    });
    const what = `polling ${name} of round-robin, looks after fills, marks each ${marksEveryS} s`;
    return ratio(what, played, ({ plan, round }) => plan.loss / round.loss);
  });
}

function ratio<T>(name: string, played: readonly T[], of: (one: T) => number): BenchRow {
  const figures = played.map(of);
  const mean = figures.reduce((a, b) => a + b, 0) / figures.length;
  const variance = figures.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, figures.length - 1);
  return {
    name,
    figure: mean,
    unit: 'of its loss',
    spread: `±${Math.sqrt(variance / figures.length).toFixed(2)} (SE)`,
  };
}

/** What the plan takes for one more look among so many markets in which orders rest. */
function decide(): BenchRow {
  const decisions = sized(4000, 20);
  const name = `polling one decision among ${MANY} markets`;
  return rate(name, 'ms of processor time', 5, () => timeDecisions(decisions));
}

function timeDecisions(decisions: number): number {
  const markets = makeWorld({ ...WORLDS.B, markets: MANY }, 1).map(makeResting);
  const byId = new Map(markets.map((market) => [market.marketConditionId, market]));
  const plan = new PollPlan(SETTINGS);
  let nowMs = 0;
  const step = () => {
    nowMs += STEP_MS;
    let made = 0;
    for (const { owner } of plan.takeDue(nowMs, { ...FACTS, markets })) {
      if (owner.kind !== 'poll') continue;
      const { target } = owner;
      if ('marketConditionId' in target) made++;
      const market = 'marketConditionId' in target ? byId.get(target.marketConditionId) : undefined;
      if (target.kind === 'book' && market !== undefined) market.seenMs = nowMs;
      if (target.kind === 'details')
        for (const { marketConditionId } of markets) plan.onSeen({ kind: 'detail', marketConditionId }, nowMs);
      plan.onReport(target, 'ok', nowMs);
    }
    return made;
  };
  // Until each was seen some times.
  for (let warm = sized(4 * MANY, 10); warm > 0; ) warm -= Math.max(step(), 1 / 4);
  // Processor time: on a busy machine the clock says little of the code.
  const before = process.cpuUsage();
  let made = 0;
  while (made < decisions) made += step();
  return process.cpuUsage(before).user / 1000 / made;
}

/** Two orders around its price, as it is at the start. */
function makeResting({ id, shares, distance, prices, sigmas }: TrueMarket) {
  const price = prices[0] ?? 0.5;
  const order = (side: 'bid' | 'ask', away: number) => ({
    side,
    priceMicros: micros(Math.round((price + away) * ONE)),
    remainingMicros: micros(Math.round(shares * ONE)),
  });
  return {
    marketConditionId: id,
    isOver: false,
    seenMs: null as number | null,
    price,
    usualDistance: TICK,
    sigmaPerSqrtS: (sigmas[0] ?? 0) * price * (1 - price),
    jumpsPerS: 1 / 3600,
    takersPerS: 1 / 60,
    quotes: [order('bid', -distance), order('ask', distance)],
  };
}

async function run(): Promise<readonly BenchRow[]> {
  const names = Object.keys(WORLDS) as (keyof typeof WORLDS)[];
  const rows = names.flatMap((name) => measure(name, WORLDS[name], sized(SEEDS_OF[name] ?? SEEDS, 1)));
  const marked = names.flatMap((name) => measureMarks(name, WORLDS[name], sized(SEEDS, 1)));
  return [...rows, ...marked, decide()];
}

export const bench: Bench = { title: 'polling: what stale quotes lose', run };
