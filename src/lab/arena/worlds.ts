/**
 * One row per world. `challenge` is the public orderbook prediction market challenge (2026), bit for bit: its published
 * rules and golden values are in the tests. `toxic`, `thin` and `news` each change one rule, so that a strategy loses
 * what it gained by fitting the challenge.
 */

import { must, TwinbookError } from '../../shared/base/errors.js';
import { micros, ONE } from '../../shared/base/micros.js';
import { closest } from '../../shared/base/text.js';
import { StrategySandbox } from '../../trader/engine/quoting/strategy-sandbox.js';
import { type EventFacts, type EventView, makeWholeEventView } from '../../trader/market/view.js';
import {
  type ConditionName,
  type Conditions,
  FEED_CONDITIONS,
  type ShownStrategy,
  type SimulationResult,
  Tally,
  USUAL_CONDITIONS,
  type World,
} from './contract.js';
import { challengeScene, crowdScene, liarScene } from './scenes.js';
import {
  type Configuration,
  drawConfiguration,
  PythonRandom,
  STEP_MS,
  STEPS,
  seedOfMarket,
  type Truth,
} from './score.js';
import { ShownMaker } from './shown-maker.js';
import { Simulation, STARTING_CASH, simulate } from './simulation.js';
import { runTrader, type TraderRun } from './trader-run.js';

const FEWEST = 2;
const MOST = 10;

/**
 * The world of exclusive outcomes: one event with a market per outcome, each with all participants of the challenge.
 * The log-odds of an outcome move as a Brownian motion with jumps. The outcome's probability is its softmax share.
 */
export function playEvent(
  seed: number,
  judged: ShownStrategy,
  conditions: Conditions = USUAL_CONDITIONS,
): SimulationResult {
  const count = new PythonRandom(seed + 2 ** 33).randint(FEWEST, MOST);
  const { steps } = drawConfiguration(seed);
  const ids = Array.from({ length: count }, (_, outcome) => `outcome-${outcome + 1}`);
  const facts: EventFacts = { eventConditionId: 'event', outcomes: 'exhaustive', marketConditionIds: ids };
  const { module, params } = judged;
  // Sandbox of the whole event; null for a strategy that quotes single markets.
  const sandbox = module.scope === 'event' ? StrategySandbox.ofEvent(module, params, facts, (call) => call()) : null;
  const markets: Simulation<ShownMaker>[] = [];
  for (const [outcome, truth] of drawEvent(seed, count, steps).entries()) {
    const own = seedOfMarket(seed, outcome);
    const conditionId = must(ids[outcome], 'an outcome');
    // The other outcomes when one acts: earlier ones have acted in this step.
    const glance = (nowMs: number): EventView => ({
      eventConditionId: facts.eventConditionId,
      outcomes: 'exhaustive',
      markets: count,
      siblings: markets.filter((_, other) => other !== outcome).map(({ maker }) => maker.asSibling(nowMs)),
    });
    const maker = new ShownMaker(judged, own, conditions, { conditionId, glance, sandbox });
    markets.push(new Simulation(own, maker, drawConfiguration(own), truth));
  }
  const tally = new Tally(STARTING_CASH * count);
  for (let step = 0; step < steps; step++) {
    if (sandbox === null) for (const market of markets) market.step(step);
    else stepTogether(markets, sandbox, facts, step);
    tally.mark(markets.reduce((sum, { worth }) => sum + worth, 0));
  }
  const results = markets.map((market) => market.result());
  const sum = (name: (typeof SUMMED)[number]) => results.reduce((total, result) => total + result[name], 0);
  return {
    ...must(results[0], 'an outcome'),
    ...Object.fromEntries(SUMMED.map((name) => [name, sum(name)])),
    drawdown: tally.gains(0).drawdown,
    outcome: null,
    failure: results.find(({ failure }) => failure !== null)?.failure ?? null,
  };
}

const SUMMED = ['edge', 'uninformedEdge', 'informedEdge', 'fills', 'shares', 'actions', 'wealth', 'result'] as const;

/** The strategy sees all outcomes at the beginning of a step, and then acts in all of them. */
function stepTogether(
  markets: readonly Simulation<ShownMaker>[],
  sandbox: StrategySandbox,
  facts: EventFacts,
  step: number,
): void {
  const shown = markets.flatMap((market) => {
    const sight = market.show(step);
    return sight === null ? [] : [{ market, seen: market.maker.see(sight) }];
  });
  const views = shown.flatMap(({ seen: { view } }) => (view === null ? [] : [{ view, silentBecause: null }]));
  const { nowMs } = shown[0]?.seen ?? { nowMs: 0 };
  sandbox.askEvent(makeWholeEventView(nowMs, facts, views, facts.marketConditionIds));
  for (const { market, seen } of shown) market.play(() => market.maker.decide(seen));
}

/** Deviation of an outcome's log-odds per step: at 0.5 of two outcomes the probability moves as in the challenge. */
const DIFFUSION_SIGMA = 0.025;
/** Jumps of all log-odds per step, and their deviation. */
const JUMP_INTENSITY = 0.002;
const JUMP_SIGMA = 0.5;
const START_SIGMA = 0.75;

/**
 * Truths of the outcomes' markets; each has its own steps, and the last one reveals the winner. The winner's log-odds
 * drift upwards by the variance of their moves, which makes the softmax the true probability.
 */
export function drawEvent(seed: number, count: number, steps: number): readonly Truth[] {
  const random = new PythonRandom(seed);
  const logOdds = Array.from({ length: count }, () => random.gauss(0, START_SIGMA));
  const path = [softmax(logOdds)];
  let left = random.random();
  const drawn = softmax(logOdds).findIndex((probability) => {
    left -= probability;
    return left < 0;
  });
  const winner = drawn < 0 ? count - 1 : drawn;
  const move = (sigma: number): void => {
    for (let outcome = 0; outcome < count; outcome++)
      logOdds[outcome] = (logOdds[outcome] ?? 0) + random.gauss(outcome === winner ? sigma ** 2 : 0, sigma);
  };
  for (let step = 1; step < steps; step++) {
    move(DIFFUSION_SIGMA);
    for (let jumps = random.poisson(JUMP_INTENSITY); jumps > 0; jumps--) move(JUMP_SIGMA);
    path.push(softmax(logOdds));
  }
  path.push(logOdds.map((_, outcome) => Number(outcome === winner)));
  return logOdds.map((_, outcome) => {
    let step = 0;
    return {
      step: () => {
        step = Math.min(steps, step + 1);
      },
      get probability() {
        return path[step]?.[outcome] ?? 0;
      },
      isYes: outcome === winner,
    };
  });
}

function softmax(logOdds: readonly number[]): readonly number[] {
  const greatest = Math.max(...logOdds);
  const sum = logOdds.reduce((total, value) => total + Math.exp(value - greatest), 0);
  return logOdds.map((value) => Math.exp(value - greatest) / sum);
}

type Change = (config: Configuration, draws: PythonRandom) => Configuration;

/** Plays the challenge of this seed with a change. */
export function playChallenge(
  seed: number,
  judged: ShownStrategy,
  conditions = USUAL_CONDITIONS,
  change: Change = (config) => config,
): SimulationResult {
  const maker = new ShownMaker(judged, seed, conditions);
  // Separate from the published draws: the seed's market stays the same until the change.
  const config = change(drawConfiguration(seed), new PythonRandom(seed + 2 ** 33));
  return simulate(seed, maker, config);
}

const likeChallenge = (name: string, summary: string, change?: Change): World => ({
  name,
  summary,
  conditions: FEED_CONDITIONS,
  simulate: (seed, entrant, conditions) => playChallenge(seed, entrant, conditions, change),
});

/** The crowd has as many slots. */
const MARKETS = 4;

const polled = (
  name: string,
  summary: string,
  setting: Pick<TraderRun, 'lastsMs' | 'scene' | 'maxLossDayMicros'>,
  own: readonly ConditionName[] = [],
): World => ({
  name,
  summary,
  conditions: [...own, 'publicPerMinute', 'signedPerMinute', 'delayMs', ...FEED_CONDITIONS],
  simulate: (seed, entrant, conditions) => {
    const markets = own.includes('markets') ? conditions.markets : MARKETS;
    return runTrader({ seed, entrant, conditions, markets, ...setting });
  },
});

export const WORLDS: readonly World[] = [
  likeChallenge(
    'challenge',
    'the public challenge of 2026: jumps, an arbitrageur who comes first, uninformed takers, a static competitor',
  ),
  likeChallenge(
    'toxic',
    'the challenge with an arbitrageur who comes in a part of the steps only, from none to all of them',
    (config, draws) => ({ ...config, informedPart: draws.random() }),
  ),
  likeChallenge(
    'thin',
    'the challenge with a competitor on one side only: the other side of the book is empty',
    (config, draws) => ({ ...config, competitorSides: [draws.random() < 0.5 ? 'bid' : 'ask'] }),
  ),
  likeChallenge(
    'news',
    'the challenge with announcements: a jump at every 250th step, beside unannounced ones',
    (config) => ({ ...config, newsEverySteps: 250, newsSigma: 0.5 }),
  ),
  {
    name: 'event',
    summary: 'two to ten exclusive outcomes whose probabilities sum to one, a market of the challenge for each',
    conditions: FEED_CONDITIONS,
    simulate: playEvent,
  },
  polled(
    'rationed',
    'the challenge seen through polls by the whole trader: a budget of requests, a delay, several markets at once',
    { lastsMs: STEPS * STEP_MS, scene: challengeScene },
    ['markets'],
  ),
  polled(
    'crowd',
    'the simulated crowd of the paper exchange in four markets, traded by the whole trader through polls',
    { lastsMs: STEPS * STEP_MS, scene: crowdScene },
  ),
  polled(
    'liar',
    'one dishonest quoter in four markets without another maker, and a day limit of 50 for the whole trader',
    // The daily loss limit, currency, bounds what one counterparty can take.
    { lastsMs: 600_000, scene: liarScene, maxLossDayMicros: micros(50 * ONE) },
  ),
];

/** The world of this name; throws `usage` with the known names. */
export function worldNamed(name: string): World {
  const found = WORLDS.find((world) => world.name === name);
  if (found !== undefined) return found;
  const names = WORLDS.map((world) => world.name);
  const near = closest(name, names);
  const meant = near === null ? '' : `; did you mean '${near}'?`;
  throw new TwinbookError('usage', `no world '${name}'${meant}`, `Known are ${names.join(', ')}.`);
}

/** Throws `usage` if none of these worlds takes a number of markets. */
export function withMarkets(markets: number, worlds: readonly World[]): Conditions {
  if (worlds.some(({ conditions }) => conditions.includes('markets'))) return { ...USUAL_CONDITIONS, markets };
  const names = worlds.map(({ name }) => name).join(', ');
  throw new TwinbookError(
    'usage',
    `--markets changes nothing in ${names}`,
    'Leave it out, or ask for --world rationed.',
  );
}
