/**
 * The world of exclusive outcomes: one event with a market per outcome, each with all participants of the challenge. Each
 * outcome has log-odds that move as a Brownian motion with jumps; its probability is its softmax share. The winner's
 * log-odds drift upwards by the variance of their moves, which makes the softmax the true probability.
 */

import { must } from '../../../shared/base/errors.js';
import { StrategySandbox } from '../../../trader/engine/quoting/strategy-sandbox.js';
import { type EventFacts, type EventView, makeWholeEventView } from '../../../trader/market/view.js';
import { type Conditions, USUAL_CONDITIONS } from '../conditions.js';
import type { ShownStrategy, SimulationResult } from '../contract.js';
import { Tally } from '../tally.js';
import { PythonRandom } from './python-random.js';
import { drawConfiguration, seedOfMarket, type Truth } from './score.js';
import { ShownMaker } from './shown-maker.js';
import { Simulation, STARTING_CASH } from './simulation.js';

const FEWEST = 2;
const MOST = 10;

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
  // Null for a strategy that quotes each market alone.
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

/** Truths of the outcomes' markets; each has its own steps, and the last one reveals the winner. */
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
