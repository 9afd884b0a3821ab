/** Changes of the capital while the trader runs, on the whole exchange. */

import { expect, it, onTestFinished } from 'vitest';
import { micros, mul } from '../../../src/shared/base/micros.js';
import type { LiveSettings } from '../../../src/trader/engine/control/commands.js';
import { CALM } from '../../simulation/faults.js';
import { traderSettings } from '../../simulation/setting.js';
import { World } from '../../simulation/world.js';
import { m, ONE } from '../risk/states.js';

const { capitalMicros, risk, merge, economics, strategies } = traderSettings('any');
const MAX_LOSS = { maxLossDayMicros: m(50 * ONE), maxDrawdownMicros: m(100 * ONE) };

function begin(): { readonly world: World; readonly setCapital: (capital: number, limits?: object) => void } {
  const world = new World(4, CALM);
  onTestFinished(() => world.close());
  let changes = 0;
  const setCapital = (capital: number, limits: object = {}) => {
    const changed = { ...risk, ...limits };
    const settings: LiveSettings = {
      capitalMicros: micros(capital),
      risk: changed,
      merge,
      economics,
      strategies: strategies.map(({ module: _, ...strategy }) => ({ moduleKey: '', ...strategy, risk: changed })),
    };
    const rest = { copy: '', changes: [], by: 'operator', reason: 'a test' } as const;
    world.command({ kind: 'configure', hash: `${changes++}`, config: JSON.stringify({ settings }), ...rest });
  };
  return { world, setCapital };
}

it.each([1.1, 0.8, 0.96])('%f of the capital is neither a gain nor a loss', (part) => {
  const { world, setCapital } = begin();
  setCapital(capitalMicros, MAX_LOSS);
  world.pass(30_000);
  const before = world.process?.trader.account(world.ourMs);
  setCapital(capitalMicros * part, MAX_LOSS);
  // The check of the simulation expects a constant capital.
  world.invariants.violations.length = 0;
  for (let seconds = 0; seconds < 5; seconds++) {
    world.pass(1_000);
    const { mode, losses } = world.process?.trader.account(world.ourMs) ?? {};
    expect(mode).toBe(before?.mode);
    expect(losses?.drawdownMicros).toBeLessThan(10 * ONE);
  }
});

it('a lower capital cancels orders whose reserves exceed the remaining cash', () => {
  const { world, setCapital } = begin();
  world.pass(30_000);
  const reserved = () =>
    (world.process?.ledger.orders({ limit: 1000 }) ?? [])
      .filter(({ closedMs, side }) => closedMs === null && side === 'buy')
      .reduce((sum, order) => sum + mul(order.priceMicros, micros(order.amountMicros - order.filledMicros), 'ceil'), 0);
  const cash = () => world.process?.ledger.cash() ?? 0;
  const spent = capitalMicros - cash();
  expect(reserved()).toBeGreaterThan(20 * ONE);
  setCapital(spent + reserved() / 2, { maxLossDayMicros: m(90_000 * ONE), maxDrawdownMicros: m(90_000 * ONE) });
  world.pass(10_000);
  expect(reserved()).toBeLessThanOrEqual(cash());
});
