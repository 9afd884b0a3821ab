/**
 * The world of exclusive outcomes: one event with a market per outcome, each with all participants of the challenge.
 */

import { must } from '../../../shared/base/errors.js';
import { StrategySandbox } from '../../../trader/engine/quoting/strategy-sandbox.js';
import { type EventFacts, type EventView, makeWholeEventView } from '../../../trader/market/view.js';
import { type Conditions, USUAL_CONDITIONS } from '../conditions.js';
import type { ShownStrategy, SimulationResult } from '../contract.js';
import { drawConfiguration } from './configuration.js';
import { EventTruth } from './event-truth.js';
import { PythonRandom } from './python-random.js';
import { ShownMaker } from './shown-maker.js';
import { Simulation, STARTING_CASH } from './simulation.js';

const FEWEST = 2;
const MOST = 10;
/** Distance of the seeds of two outcomes, as between two markets of `rationed`. */
const SEEDS_APART = 2 ** 34;

export function playEvent(
  seed: number,
  judged: ShownStrategy,
  conditions: Conditions = USUAL_CONDITIONS,
): SimulationResult {
  const count = new PythonRandom(seed + 2 ** 33).randint(FEWEST, MOST);
  const { steps } = drawConfiguration(seed);
  const truth = new EventTruth(seed, count, steps);
  const makers: ShownMaker[] = [];
  const facts = makeEventFacts(count);
  const sandbox = openEvent(judged, facts);
  const markets = Array.from({ length: count }, (_, outcome) => {
    const own = seed + outcome * SEEDS_APART;
    const glanceEvent = (nowMs: number) => eventBeside(makers, outcome, nowMs);
    const maker = new ShownMaker(judged, own, conditions, { conditionId: nameOutcome(outcome), glanceEvent, sandbox });
    makers.push(maker);
    return { maker, simulation: new Simulation(own, drawConfiguration(own), truth.of(outcome)) };
  });
  let highest = STARTING_CASH * count;
  let drawdown = 0;
  for (let step = 0; step < steps; step++) {
    if (sandbox === null) for (const { maker, simulation } of markets) simulation.step(step, maker);
    else stepTogether(markets, sandbox, facts, step);
    const worth = markets.reduce((sum, { simulation }) => sum + simulation.worth, 0);
    highest = Math.max(highest, worth);
    drawdown = Math.max(drawdown, highest - worth);
  }
  return together(
    markets.map(({ maker, simulation }) => {
      const result = simulation.result();
      return { ...result, failure: result.failure ?? maker.failure };
    }),
    drawdown,
  );
}

const nameOutcome = (outcome: number): string => `outcome-${outcome + 1}`;

const EVENT_ID = 'event';

const makeEventFacts = (count: number): EventFacts => ({
  eventConditionId: EVENT_ID,
  outcomes: 'exhaustive',
  marketConditionIds: Array.from({ length: count }, (_, outcome) => nameOutcome(outcome)),
});

/** Null for a strategy that quotes each market alone. */
function openEvent({ module, params }: ShownStrategy, facts: EventFacts): StrategySandbox | null {
  return module.scope === 'event' ? StrategySandbox.ofEvent(module, params, facts, (call) => call()) : null;
}

interface OutcomeMarket {
  readonly maker: ShownMaker;
  readonly simulation: Simulation;
}

/** The strategy sees all outcomes at the beginning of a step, and then acts in all of them. */
function stepTogether(
  markets: readonly OutcomeMarket[],
  sandbox: StrategySandbox,
  facts: EventFacts,
  step: number,
): void {
  const shown = markets.flatMap(({ maker, simulation }) => {
    const sight = simulation.show(step);
    return sight === null ? [] : [{ maker, simulation, seen: maker.see(sight) }];
  });
  const views = shown.flatMap(({ seen: { view } }) => (view === null ? [] : [{ view, silentBecause: null }]));
  const { nowMs } = shown[0]?.seen ?? { nowMs: 0 };
  sandbox.askEvent(makeWholeEventView(nowMs, facts, views, facts.marketConditionIds));
  for (const { maker, simulation, seen } of shown) simulation.play(() => maker.decide(seen));
}

/** The other outcomes when one acts: earlier ones have acted in this step. */
const eventBeside = (makers: readonly ShownMaker[], outcome: number, nowMs: number): EventView => ({
  eventConditionId: EVENT_ID,
  outcomes: 'exhaustive',
  markets: makers.length,
  siblings: makers.filter((_, other) => other !== outcome).map((maker) => maker.asSibling(nowMs)),
});

const SUMMED = ['edge', 'uninformedEdge', 'informedEdge', 'fills', 'shares', 'actions', 'wealth', 'result'] as const;

/** Sums over all outcomes, and the first failure. */
function together(results: readonly SimulationResult[], drawdown: number): SimulationResult {
  const sums: { -readonly [Name in keyof SimulationResult]: SimulationResult[Name] } = {
    ...must(results[0], 'an outcome'),
    drawdown,
    outcome: null,
  };
  for (const name of SUMMED) sums[name] = results.reduce((total, result) => total + result[name], 0);
  sums.failure = results.find(({ failure }) => failure !== null)?.failure ?? null;
  return sums;
}
