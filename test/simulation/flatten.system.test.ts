import { expect, it } from 'vitest';
import { CALM } from './faults.js';
import { World } from './world.js';

const MINUTE_MS = 60_000;
/** In a minute each market refuses at most one sale in five seconds, and the one that was under way. */
const MOST_IN_ONE = 13;

it('flattening does not run against a market that is paused on the chain', () => {
  const world = new World(7, CALM);
  try {
    world.pass(3 * MINUTE_MS);
    const markets = world.exchange.markets();
    for (const market of markets) world.exchange.core.setMarketPaused(world.timeline.nowMs, market, true);
    world.command({ kind: 'flatten' });
    world.pass(MINUTE_MS);
    const refusals = world.tally.of('outcome: refused order_market_not_open');
    expect(refusals).toBeGreaterThan(0);
    expect(refusals).toBeLessThanOrEqual(MOST_IN_ONE * markets.length);
    expect(world.process?.trader.snapshot(world.ourMs).mode).toBe('flattening');
    for (const market of markets) world.exchange.core.setMarketPaused(world.timeline.nowMs, market, false);
    world.pass(2 * MINUTE_MS);
    expect(world.process?.trader.snapshot(world.ourMs).mode).toBe('paused');
    expect(world.invariants.violations).toEqual([]);
  } finally {
    world.close();
  }
});
