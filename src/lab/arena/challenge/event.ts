/** The world of exclusive outcomes: one event, a market for each outcome, in each of them everybody of the challenge. */

import type { EventView } from '../../../trader/market/view.js';
import { FEED_CONDITIONS, type SimulationResult, USUAL_CONDITIONS } from '../contract.js';
import { drawConfiguration } from './configuration.js';
import { EventTruth } from './event-truth.js';
import { PythonRandom } from './python-random.js';
import { ShownMaker } from './shown-maker.js';
import { Simulation, STARTING_CASH } from './simulation.js';
import type { StepWorld } from './step-world.js';

const FEWEST = 2;
const MOST = 10;
/** Between the seeds of two outcomes, as between two markets of `rationed`. */
const SEEDS_APART = 2 ** 34;

export const event: StepWorld = {
  name: 'event',
  summary: 'two to ten exclusive outcomes whose probabilities sum to one, a market of the challenge for each',
  conditions: FEED_CONDITIONS,
  simulate: (seed, judged, conditions = USUAL_CONDITIONS) => {
    const count = new PythonRandom(seed + 2 ** 33).randint(FEWEST, MOST);
    const { steps } = drawConfiguration(seed);
    const truth = new EventTruth(seed, count, steps);
    const makers: ShownMaker[] = [];
    const markets = Array.from({ length: count }, (_, outcome) => {
      const own = seed + outcome * SEEDS_APART;
      const maker = new ShownMaker(judged, own, conditions, (nowMs) => eventBeside(makers, outcome, nowMs));
      makers.push(maker);
      return { maker, simulation: new Simulation(own, drawConfiguration(own), truth.of(outcome)) };
    });
    let highest = STARTING_CASH * count;
    let drawdown = 0;
    for (let step = 0; step < steps; step++) {
      let worth = 0;
      for (const { maker, simulation } of markets) {
        simulation.step(step, maker);
        worth += simulation.worth;
      }
      highest = Math.max(highest, worth);
      drawdown = Math.max(drawdown, highest - worth);
    }
    return together(
      seed,
      markets.map(({ maker, simulation }) => {
        const result = simulation.result();
        return { ...result, failure: result.failure ?? maker.failure };
      }),
      drawdown,
    );
  },
};

/** The other outcomes as they stand when one of them acts: those before it have acted in this step. */
const eventBeside = (makers: readonly ShownMaker[], outcome: number, nowMs: number): EventView => ({
  eventConditionId: 'event',
  outcomes: 'exhaustive',
  markets: makers.length,
  siblings: makers.filter((_, other) => other !== outcome).map((maker) => maker.asSibling(nowMs)),
});

/** The sums over all outcomes; of failures the first. */
function together(seed: number, results: readonly SimulationResult[], drawdown: number): SimulationResult {
  const sum = (figure: (result: SimulationResult) => number): number =>
    results.reduce((total, result) => total + figure(result), 0);
  return {
    seed,
    edge: sum(({ edge }) => edge),
    uninformedEdge: sum(({ uninformedEdge }) => uninformedEdge),
    informedEdge: sum(({ informedEdge }) => informedEdge),
    fills: sum(({ fills }) => fills),
    shares: sum(({ shares }) => shares),
    actions: sum(({ actions }) => actions),
    requests: null,
    halts: 0,
    wealth: sum(({ wealth }) => wealth),
    result: sum(({ result }) => result),
    drawdown,
    outcome: null,
    failure: results.find(({ failure }) => failure !== null)?.failure ?? null,
  };
}
