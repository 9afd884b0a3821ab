import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Result } from '../../../src/exchange/core/contract.js';
import { Random } from '../../../src/shared/base/random.js';
import { times } from '../../support/effort.js';
import { MarginDrawer } from '../core/margin/drawer.js';
import { checkConservation } from './compare.js';

const RUNS = Number(process.env['TWINBOOK_MODEL_RUNS'] ?? times(2_000, 20_000)) / 50;
const BOOK = 'a-book';
const STEPS = 150;

/** Draws actions of the same accounts on a market with a book, between their margin calls. */
class Spot {
  readonly #drawer: MarginDrawer;
  readonly #random: Random;
  done = 0;

  constructor(drawer: MarginDrawer, seed: number) {
    this.#drawer = drawer;
    this.#random = Random.fromSeed(seed, 'spot');
    drawer.do('markets.create', { condition_id: BOOK, config: { kind: 'orderbook', amount_precision: 4 } });
  }

  step(): void {
    const random = this.#random;
    const account = 1 + random.below(this.#drawer.accounts.length);
    const units = 1 + random.below(900);
    if (random.chance(0.2)) return this.#complete('conversions', ['split'], account, BOOK, String(units));
    if (random.chance(0.1)) return this.#complete('conversions', ['merge'], account, BOOK, String(units));
    if (random.chance(0.05)) return this.#complete('redeems', [], account, BOOK);
    const side = random.chance(0.7) ? 'buy' : 'sell';
    const price = (40 + random.below(20)) * 10_000;
    this.#complete('orders', [], account, {
      market_condition_id: BOOK,
      is_yes: random.chance(0.5),
      side,
      order_type: 'limit',
      price,
      amount: units * 1_000_000 + 100 * random.below(1000),
    });
  }

  /** Drafts and mostly submits; an unsubmitted draft keeps its lock, if any, until it expires. */
  #complete(
    part: 'conversions' | 'orders' | 'redeems',
    kind: readonly string[],
    account: number,
    ...args: readonly unknown[]
  ): void {
    // The answer of these mutators; the type of `do` covers all of them.
    const drafted = this.#drawer.do(`${part}.draft`, ...kind, account, ...args) as Result<{ readonly pubkey: string }>;
    if (!drafted.ok || this.#random.chance(0.1)) return;
    this.#drawer.do(`${part}.submit`, ...kind, account, drafted.value.pubkey, true);
    this.done += 1;
  }
}

it('books and margin together create and lose nothing for accounts that trade on both', () => {
  let done = 0;
  let held = 0;
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const drawer = new MarginDrawer(seed);
      const spot = new Spot(drawer, seed);
      const all = [0, ...drawer.accounts];
      for (let step = 0; step < STEPS; step++) {
        if (step % 2 === 0) drawer.step();
        else spot.step();
        checkConservation(drawer.core, all, [0]);
        if (drawer.core.margin.held > 0) held += 1;
      }
      done += spot.done;
    }),
    { numRuns: RUNS },
  );
  expect(done).toBeGreaterThan(RUNS * 10);
  expect(held).toBeGreaterThan((RUNS * STEPS) / 10);
});
