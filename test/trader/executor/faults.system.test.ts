import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { times } from '../../support/effort.js';
import { differences, unsettled } from './agreement.js';
import { CALM, type Faults } from './network.js';
import { m, ONE } from './script.js';
import { DRAFT_LIFETIME_S, World, type WorldOptions } from './world.js';

const BEAT_MS = 400;
const FAULTY_MS = 45_000;
const MIDDLE_MS = 56 * BEAT_MS;
/** Time for one draft lifetime, the longest delay of a request, and some polls, ms. */
const CALM_MS = DRAFT_LIFETIME_S * 1000 + 25_000 + 20_000;

describe('with any faults and crashes, then calm', () => {
  const probability = (max: number) => fc.double({ min: 0, max, noNaN: true });
  const faults: fc.Arbitrary<Faults> = fc.record({
    unsent: probability(0.05),
    requestLost: probability(0.1),
    answerLost: probability(0.15),
    serverErrorBefore: probability(0.1),
    errorAfterEffect: probability(0.15),
    throttled: probability(0.1),
    signingDown: probability(0.1),
    deliveredTwice: probability(0.1),
    late: probability(0.1),
    listBehind: probability(0.2),
  });
  const options: fc.Arbitrary<WorldOptions> = fc.record({
    seed: fc.nat(1_000_000),
    faults,
    crash: probability(0.05),
    clockOffMs: fc.integer({ min: -40_000, max: 40_000 }),
    clockStepMs: fc.integer({ min: -30_000, max: 30_000 }),
  });

  it('each intent takes effect at most once, and ledger and exchange agree to the micro', () =>
    fc.assert(
      fc.property(options, (each) => {
        const story = live(each);
        expect(story.unsettled, JSON.stringify(each)).toEqual([]);
        expect(story.differences, JSON.stringify(each)).toEqual([]);
      }),
      { numRuns: times(8, 100) },
    ));

  it('a day full of everything really has fills, cancels, merges, redeems and crashes', () => {
    const all = { ...CALM, answerLost: 0.1, errorAfterEffect: 0.1, late: 0.05, requestLost: 0.05, throttled: 0.05 };
    const story = live({ seed: 7, faults: all, crash: 0.03, clockOffMs: 5_000, clockStepMs: -9_000 });
    expect(story).toMatchObject({ unsettled: [], differences: [] });
    expect(story.counts).toEqual({
      fills: expect.toSatisfy((count: number) => count > 20),
      canceled: expect.toSatisfy((count: number) => count > 5),
      conversions: expect.toSatisfy((count: number) => count > 1),
      crashes: expect.toSatisfy((count: number) => count > 3),
      troubles: [],
    });
  });
});

/** Trades at random under faults, waits until all orders have ended, and compares ledger and exchange. */
function live(options: WorldOptions) {
  const world = new World(options);
  try {
    for (let ms = 0; ms < FAULTY_MS; ms += BEAT_MS) {
      actAtRandom(world);
      if (ms === MIDDLE_MS) {
        resolveBeta(world);
        world.clockOffMs += options.clockStepMs;
      }
      world.beat();
      world.pass(BEAT_MS);
    }
    world.faulty = false;
    world.network.faults = CALM;
    for (let ms = 0; ms < CALM_MS; ms += BEAT_MS) {
      world.beat();
      world.pass(BEAT_MS);
    }
    const { ledger } = world;
    return {
      unsettled: unsettled(world),
      differences: differences(world),
      counts: {
        fills: ledger.fills({ limit: 1e6 }).length,
        canceled: ledger.orders({ limit: 1e6, statuses: ['canceled', 'partially_filled_canceled'] }).length,
        conversions: ledger.conversions().length,
        crashes: world.crashes,
        troubles: world.events.filter(({ kind }) => kind === 'trouble'),
      },
    };
  } finally {
    world.close();
  }
}

function resolveBeta(world: World): void {
  const [, beta = ''] = world.markets;
  world.core.at(world.network.nowMs).markets.resolve(beta, true);
}

/** Makes a random action of an engine or of the crowd. */
function actAtRandom(world: World): void {
  const { random, executor, ledger } = world;
  const market = world.markets[random.below(2)] ?? '';
  const price = (30 + random.below(40)) * 10_000;
  const open = world.core.catalog.market(world.marketIndex(market)).state === 'open';
  const crowdBuys = random.chance(0.5);
  world.crowdTakes(market, crowdBuys, crowdBuys ? 600_000 : 400_000, 1 + random.below(12));
  switch (random.below(5)) {
    case 0:
    case 1: {
      const isYes = random.chance(0.5);
      const sells = random.chance(0.4) && ledger.shares(market, isYes) > 5 * ONE;
      world.place(market, isYes, sells ? 'sell' : 'buy', price, 1 + random.below(20));
      break;
    }
    case 2: {
      const order = executor.restingOrders().find(({ cancelPending }) => !cancelPending);
      const placedIn = order === undefined ? null : ledger.order(order.orderPubkey)?.marketConditionId;
      if (order !== undefined) world.cancel(order.orderPubkey, placedIn ?? market);
      break;
    }
    case 3: {
      const sets = Math.min(ledger.shares(market, true), ledger.shares(market, false));
      const amount = sets - (sets % 10_000);
      if (amount > 0 && executor.pendingConversion('merge', market) === null) world.merge(market, m(amount));
      break;
    }
    default: {
      const held = ledger.shares(market, true) + ledger.shares(market, false);
      if (!open && held > 0 && executor.pendingConversion('redeem', market) === null) world.redeem(market);
    }
  }
}
