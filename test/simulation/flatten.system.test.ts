import { expect, it, onTestFinished } from 'vitest';
import { m } from '../trader/risk/states.js';
import { CALM } from './faults.js';
import { STANDARD } from './setting.js';
import { World } from './world.js';

const MINUTE_MS = 60_000;
/** In a minute each market rejects at most one sale per five seconds, and the one in flight. */
const MOST_IN_ONE = 13;

it('flattening shows its refused sales, and does not run against a market that is paused on the chain', () => {
  const world = new World(7, CALM);
  onTestFinished(() => world.close());
  world.pass(3 * MINUTE_MS);
  const markets = world.exchange.markets();
  for (const market of markets) world.exchange.core.at(world.timeline.nowMs).markets.setPaused(market, true);
  world.command({ kind: 'flatten' });
  world.pass(MINUTE_MS);
  const refusals = world.tally.of('outcome: refused order_market_not_open');
  expect(refusals).toBeGreaterThan(0);
  expect(refusals).toBeLessThanOrEqual(MOST_IN_ONE * markets.length);
  const { mode, markets: shown = [] } = world.process?.trader.snapshot(world.ourMs) ?? {};
  expect(mode).toBe('flattening');
  expect(shown.flatMap((market) => market.refusals).map(({ name }) => name)).toContain('price_collar_fair');
  for (const market of markets) world.exchange.core.at(world.timeline.nowMs).markets.setPaused(market, false);
  world.pass(2 * MINUTE_MS);
  expect(world.process?.trader.snapshot(world.ourMs).mode).toBe('paused');
  expect(world.invariants.violations).toEqual([]);
});

it('one market is flattened while the others are quoted, over a crash in the middle, and nothing is sold twice', () => {
  const setting = { ...STANDARD };
  const world = new World(7, CALM, null, 'given', setting);
  const snapshot = () => world.process?.trader.snapshot(world.ourMs);
  const findMarket = (id: string) => snapshot()?.markets.find(({ conditionId }) => conditionId === id);
  const sales = (id: string) =>
    (world.process?.ledger.intents({ kind: 'place', marketConditionId: id, limit: 1_000 }) ?? []).filter(
      ({ strategy }) => strategy === 'flatten',
    ).length;
  onTestFinished(() => world.close());
  world.pass(3 * MINUTE_MS);
  const most = [...(snapshot()?.markets ?? [])].sort(
    (a, b) => Math.abs(b.yesMicros - b.noMicros) - Math.abs(a.yesMicros - a.noMicros),
  );
  const conditionId = most[0]?.conditionId ?? '';
  const before = findMarket(conditionId);
  expect(Math.abs((before?.yesMicros ?? 0) - (before?.noMicros ?? 0))).toBeGreaterThan(5_000_000);
  // The holding is larger than one order may be.
  setting.limits = { ...STANDARD.limits, maxOrderSharesMicros: m(4_000_000), maxOrderNotionalMicros: m(3_000_000) };
  world.kill();
  world.pass(MINUTE_MS);
  world.command({ kind: 'flatten-market', marketConditionId: conditionId });
  for (let waited = 0; waited < MINUTE_MS && sales(conditionId) === 0; waited += 100) world.pass(100);
  world.kill();
  world.pass(2 * MINUTE_MS);
  const flat = findMarket(conditionId);
  expect([flat?.yesMicros, flat?.noMicros].map((held) => (held ?? 0) < 1_000_000)).toEqual([true, true]);
  const sold = sales(conditionId);
  world.pass(2 * MINUTE_MS);
  expect([sales(conditionId), findMarket(conditionId)?.orders.length]).toEqual([sold, 0]);
  expect([snapshot()?.mode, findMarket(conditionId)?.note]).toEqual(['quoting', expect.stringContaining('flattened')]);
  expect(snapshot()?.markets.some(({ orders }) => orders.length > 0)).toBe(true);
  expect(world.process?.ledger.eventCount('flattened')).toBe(1);
  expect(world.invariants.violations).toEqual([]);
});
