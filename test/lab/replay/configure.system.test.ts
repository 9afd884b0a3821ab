/** Configuration changes of a running trader: accepted changes, kept state, and the same in a replay. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { must } from '../../../src/shared/base/errors.js';
import { micros } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';
import { configHistory, type LiveSettings } from '../../../src/trader/engine/control/commands.js';
import { CALM, drawFaults } from '../../simulation/faults.js';
import { STANDARD, traderSettings } from '../../simulation/setting.js';
import { World } from '../../simulation/world.js';
import { MemoryDiary, replayed } from './diary.js';

const SETTINGS = traderSettings('any');

const live = (changes: Partial<LiveSettings> = {}): LiveSettings => {
  const { capitalMicros, risk, merge, economics, strategies } = SETTINGS;
  return {
    capitalMicros,
    risk,
    merge,
    economics,
    strategies: strategies.map(({ module: _module, moduleKey = '', ...strategy }) => ({ ...strategy, moduleKey })),
    ...changes,
  };
};

/** The settings with other code for the first strategy. */
const withCode = (moduleKey: string): LiveSettings => {
  const [first, ...others] = live().strategies;
  return live({ strategies: [{ ...must(first, 'a strategy'), moduleKey }, ...others] });
};

let hashes = 0;
const command = (settings: LiveSettings) =>
  ({
    kind: 'configure',
    hash: `hash-${++hashes}`,
    config: JSON.stringify({ settings }),
    copy: 'a hash',
    changes: ['something'],
    by: 'operator',
    reason: 'a test',
  }) as const;

/** Changes a world that has traded for half a minute. */
function lived(run: (world: World) => void): void {
  const world = new World(4, CALM, new MemoryDiary());
  onTestFinished(() => world.close());
  world.pass(30_000);
  run(world);
  expect(world.invariants.violations).toEqual([]);
}

const runningIn = ({ process }: World) => must(process, 'a running trader');
const snapshot = (world: World) => runningIn(world).trader.snapshot(world.timeline.nowMs);
const quoted = (world: World, strategy: string) =>
  snapshot(world).markets.filter(({ strategies }) => strategies.includes(strategy));
const working = (world: World) =>
  runningIn(world)
    .ledger.orders({ limit: 1000 })
    .filter(({ closedMs }) => closedMs === null);
const history = (world: World) => configHistory(runningIn(world).ledger);

describe('a running trader that is configured', () => {
  it('quotes by new parameters, recorded with every order from then on', () =>
    lived((world) => {
      const strategies = live().strategies.map((one) => ({ ...one, params: { ...one.params, half_spread_ticks: 9 } }));
      const told = command(live({ strategies }));
      world.command(told);
      world.pass(20_000);
      const intents = runningIn(world).ledger.intents({ limit: 1000 });
      const after = intents.filter(({ configHash }) => configHash === told.hash);
      expect(after.length).toBeGreaterThan(3);
      const [market] = quoted(world, 'crowd-maker');
      expect(Number(market?.askMicros) - Number(market?.bidMicros)).toBeGreaterThanOrEqual(2 * 9 * 10_000);
      const { hash, by, reason, copy, changes } = told;
      expect(history(world).at(-1)).toMatchObject({ hash, by, reason, copy, changes });
    }));

  it('pulls what breaks tighter limits', () =>
    lived((world) => {
      const limit = micros(4_000_000);
      const tighter = { ...STANDARD.limits, maxOrderSharesMicros: limit };
      expect(working(world).some(({ amountMicros }) => amountMicros > limit)).toBe(true);
      const strategies = live().strategies.map((strategy) => ({ ...strategy, risk: tighter }));
      world.command(command(live({ risk: tighter, strategies })));
      world.pass(10_000);
      expect(working(world).filter(({ amountMicros }) => amountMicros > limit)).toEqual([]);
    }));

  it('leaves markets that a strategy is not to quote any more, and strategies that are gone', () =>
    lived((world) => {
      expect(quoted(world, 'second-maker').length).toBeGreaterThan(0);
      const first = must(live().strategies[0], 'a strategy');
      world.command(command(live({ strategies: [{ ...first, markets: { ...first.markets, max: 1 } }] })));
      world.pass(10_000);
      expect(quoted(world, 'second-maker')).toEqual([]);
      expect(quoted(world, 'crowd-maker')).toHaveLength(1);
      const [market] = quoted(world, 'crowd-maker');
      const places = working(world).map(({ marketConditionId }) => marketConditionId);
      expect([...new Set(places)]).toEqual([market?.conditionId]);
      world.command(command(live()));
      world.pass(10_000);
      expect(quoted(world, 'second-maker').length).toBeGreaterThan(0);
    }));

  it('lifts no halt, pause or kill, and keeps what it has learnt', () =>
    lived((world) => {
      world.command({ kind: 'pause', reason: 'a person wants it' });
      world.pass(5_000);
      const before = snapshot(world);
      world.command(command(live({ risk: { ...STANDARD.limits, maxLossDayMicros: micros(950_000_000) } })));
      world.pass(1_000);
      expect(snapshot(world)).toMatchObject({ mode: 'paused', reason: 'a person wants it' });
      expect(snapshot(world).fills).toBe(before.fills);
      world.command({ kind: 'kill', reason: 'enough' });
      world.command(command(live()));
      expect(snapshot(world).mode).toBe('killed');
    }));

  it('takes nothing at all when the code of a strategy is not there', () =>
    lived((world) => {
      world.command(command(withCode('nobody knows it')));
      world.pass(2_000);
      expect(history(world)).toEqual([]);
      expect(quoted(world, 'crowd-maker').length).toBeGreaterThan(0);
      expect(runningIn(world).ledger.eventCount('command_refused')).toBe(1);
    }));

  it('stops a strategy in its markets whose new code throws, and goes on with other code after that', () =>
    lived((world) => {
      world.command(command(withCode('broken')));
      world.pass(5_000);
      expect(runningIn(world).ledger.eventCount('strategy_failed')).toBeGreaterThan(0);
      const failed = quoted(world, 'crowd-maker').map(({ note }) => note);
      expect(failed.some((note) => note.includes('it is broken'))).toBe(true);
      world.command(command(withCode('plain')));
      world.pass(10_000);
      expect(JSON.stringify(quoted(world, 'crowd-maker'))).not.toContain('it is broken');
    }));
});

it.each([11, 12, 13])(
  'seed %i: changes at any moment of a hostile life are repeated request by request',
  async (seed) => {
    const diary = new MemoryDiary();
    const random = Random.fromSeed(seed, 'changes');
    const world = new World(seed, drawFaults(Random.fromSeed(seed, 'faults')), diary);
    onTestFinished(() => world.close());
    for (let change = 0; change < 8; change++) {
      world.pass(1_000 + random.below(8_000));
      world.command(command(anyChange(random)));
    }
    world.pass(5_000);
    expect(world.invariants.violations).toEqual([]);
    const commands = diary.runs.flatMap(({ steps }) => steps.filter(({ observation: { kind } }) => kind === 'command'));
    expect(commands.length).toBeGreaterThan(5);
    for (const run of diary.runs)
      expect(await replayed(run)).toMatchObject({ difference: null, repeatedSteps: run.steps.length });
  },
);

function anyChange(random: Random): LiveSettings {
  const limits = { ...STANDARD.limits, maxOrderSharesMicros: micros(1_000_000 * (4 + random.below(40))) };
  const strategies = live().strategies.filter(() => random.chance(0.9));
  return live({
    risk: limits,
    strategies: strategies.map((strategy) => ({
      ...strategy,
      risk: limits,
      moduleKey: random.chance(0.3) ? 'plain' : strategy.moduleKey,
      params: { ...strategy.params, half_spread_ticks: 1 + random.below(6) },
      markets: { ...strategy.markets, max: 1 + random.below(4) },
    })),
  });
}
