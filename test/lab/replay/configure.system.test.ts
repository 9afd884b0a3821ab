/** Configuration changes of a running trader: accepted changes, kept state, and the same in a replay. */

import { describe, expect, it } from 'vitest';
import { replay } from '../../../src/lab/replay/replay.js';
import { micros } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';
import type { LiveSettings, LiveStrategy } from '../../../src/trader/engine/control/commands.js';
import { type ConfigEntry, configHistory } from '../../../src/trader/engine/control/commands.js';
import { openMemoryLedger } from '../../../src/trader/ledger/ledger.js';
import { CALM, drawFaults } from '../../simulation/faults.js';
import { STANDARD, traderSettings } from '../../simulation/setting.js';
import { World } from '../../simulation/world.js';
import { MemoryDiary } from './diary.js';

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

/** The settings with changes to the strategy of this name. */
const withStrategy = (name: string, changes: Partial<LiveStrategy>): LiveSettings => ({
  ...live(),
  strategies: live().strategies.map((strategy) => (strategy.name === name ? { ...strategy, ...changes } : strategy)),
});

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
  try {
    world.pass(30_000);
    run(world);
    expect(world.invariants.violations).toEqual([]);
  } finally {
    world.close();
  }
}

const snapshot = (world: World) => {
  const found = world.process?.trader.snapshot(world.timeline.nowMs);
  if (found === undefined) throw new Error('there is a trader');
  return found;
};
const quoted = (world: World, strategy: string) =>
  snapshot(world).markets.filter(({ strategies }) => strategies.includes(strategy));
const orders = (world: World) => world.process?.ledger.orders({ limit: 1000 }) ?? [];
const working = (world: World) => orders(world).filter(({ closedMs }) => closedMs === null);
const history = (world: World): readonly ConfigEntry[] =>
  world.process === null ? [] : configHistory(world.process.ledger);

describe('a running trader that is configured', () => {
  it('quotes by new parameters, recorded with every order from then on', () => {
    lived((world) => {
      const strategies = live().strategies.map((one) => ({ ...one, params: { ...one.params, half_spread_ticks: 9 } }));
      const told = command(live({ strategies }));
      world.command(told);
      world.pass(20_000);
      const intents = world.process?.ledger.intents({ limit: 1000 }) ?? [];
      const after = intents.filter(({ configHash }) => configHash === told.hash);
      expect(after.length).toBeGreaterThan(3);
      const [market] = quoted(world, 'crowd-maker');
      const spread = Number(market?.askMicros) - Number(market?.bidMicros);
      expect(spread).toBeGreaterThanOrEqual(2 * 9 * 10_000);
      expect(history(world).at(-1)).toMatchObject({
        hash: told.hash,
        by: 'operator',
        reason: 'a test',
        copy: 'a hash',
        changes: ['something'],
      });
    });
  });

  it('pulls what breaks tighter limits', () => {
    lived((world) => {
      const limit = micros(4_000_000);
      const tighter = { ...STANDARD.limits, maxOrderSharesMicros: limit };
      expect(working(world).some(({ amountMicros }) => amountMicros > limit)).toBe(true);
      const strategies = live().strategies.map((strategy) => ({ ...strategy, risk: tighter }));
      world.command(command(live({ risk: tighter, strategies })));
      world.pass(10_000);
      expect(working(world).filter(({ amountMicros }) => amountMicros > limit)).toEqual([]);
    });
  });

  it('leaves markets that a strategy is not to quote any more, and strategies that are gone', () => {
    lived((world) => {
      expect(quoted(world, 'second-maker').length).toBeGreaterThan(0);
      const [first] = live().strategies;
      if (first === undefined) throw new Error('there is one');
      world.command(command(live({ strategies: [{ ...first, markets: { ...first.markets, max: 1 } }] })));
      world.pass(10_000);
      expect(quoted(world, 'second-maker')).toEqual([]);
      expect(quoted(world, 'crowd-maker')).toHaveLength(1);
      const [market] = quoted(world, 'crowd-maker');
      expect(working(world).map(({ marketConditionId }) => marketConditionId)).not.toContain('second');
      expect(new Set(working(world).map(({ marketConditionId }) => marketConditionId))).toEqual(
        new Set([market?.conditionId]),
      );
      world.command(command(live()));
      world.pass(10_000);
      expect(quoted(world, 'second-maker').length).toBeGreaterThan(0);
    });
  });

  it('lifts no halt, pause or kill, and keeps what it has learnt', () => {
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
    });
  });

  it('takes nothing at all when the code of a strategy is not there', () => {
    lived((world) => {
      world.command(command(withStrategy('crowd-maker', { moduleKey: 'nobody knows it' })));
      world.pass(2_000);
      expect(history(world)).toEqual([]);
      expect(quoted(world, 'crowd-maker').length).toBeGreaterThan(0);
      expect(world.process?.ledger.eventCount('command_refused')).toBe(1);
    });
  });

  it('stops a strategy in its markets whose new code throws, and goes on with other code after that', () => {
    lived((world) => {
      world.command(command(withStrategy('crowd-maker', { moduleKey: 'broken' })));
      world.pass(5_000);
      expect(world.process?.ledger.eventCount('strategy_failed')).toBeGreaterThan(0);
      const failed = quoted(world, 'crowd-maker').map(({ note }) => note);
      expect(failed.some((note) => note.includes('it is broken'))).toBe(true);
      world.command(command(withStrategy('crowd-maker', { moduleKey: 'plain' })));
      world.pass(10_000);
      expect(
        quoted(world, 'crowd-maker')
          .map(({ note }) => note)
          .join(),
      ).not.toContain('it is broken');
    });
  });
});

it.each([11, 12, 13])(
  'seed %i: changes at any moment of a hostile life are repeated request by request',
  async (seed) => {
    const diary = new MemoryDiary();
    const random = Random.fromSeed(seed, 'changes');
    const world = new World(seed, drawFaults(Random.fromSeed(seed, 'faults')), diary);
    try {
      for (let change = 0; change < 8; change++) {
        world.pass(1_000 + random.below(8_000));
        world.command(command(anyChange(random)));
      }
      world.pass(5_000);
      expect(world.invariants.violations).toEqual([]);
    } finally {
      world.close();
    }
    const commands = diary.runs.flatMap(({ steps }) => steps.filter(({ observation: { kind } }) => kind === 'command'));
    expect(commands.length).toBeGreaterThan(5);
    for (const { runId, ledger, startedMs, steps } of diary.runs) {
      const copy = openMemoryLedger(ledger);
      const result = await replay({
        trader: traderSettings(runId),
        startedMs,
        strategyLimitMs: 250,
        ledger: copy,
        steps,
      });
      copy.close();
      expect(result.difference).toBeNull();
      expect(result.repeatedSteps).toBe(steps.length);
    }
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
