/** A choice by cached bounds equals the choice by every index. */

import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/shared/base/random.js';
import { LookWorth } from '../../../src/trader/scheduler/poll-plan.js';
import { type RestingQuote, type StaleMarket, staleIndex } from '../../../src/trader/scheduler/stale-index.js';
import { quote, staleMarket } from './world.js';

type Changing = { -readonly [Key in keyof StaleMarket]: StaleMarket[Key] };

function quotesAround(price: number, random: Random): readonly RestingQuote[] {
  const shares = 50 * Math.exp(random.normal());
  const away = 0.01 * (1 + random.below(4));
  return random.chance(0.3) ? [] : [quote('bid', price - away, shares), quote('ask', price + away, shares)];
}

function makeMarket(random: Random): Changing {
  const price = 0.1 + 0.8 * random.uniform();
  const sigmaPerSqrtS = 0.0004 * Math.exp(random.normal());
  return staleMarket({ price, sigmaPerSqrtS, jumpsPerS: 1 / 3600, quotes: quotesAround(price, random) });
}

/** New information between two decisions: about few markets. */
function change(markets: readonly Changing[], random: Random): void {
  const market = markets[random.below(markets.length)];
  if (market === undefined) return;
  const what = random.below(7);
  if (what === 0) market.takersPerS = random.uniform() / 30;
  else if (what === 1) market.sigmaPerSqrtS *= Math.exp(0.5 * random.normal());
  else if (what === 2) market.jumpsPerS = random.uniform() / 1800;
  else if (what === 3) market.quotes = quotesAround(market.price, random);
  else if (what === 4) market.quotes = market.quotes.map((quote) => ({ ...quote }));
  else if (what === 5) market.markMove = 0.05 * random.uniform();
  else market.price = 0.1 + 0.8 * random.uniform();
}

function chooseByAll(markets: readonly StaleMarket[], nowMs: number): number {
  const indices = markets.map((market) => (market.seenMs === null ? 0 : staleIndex(market, nowMs)));
  return indices.indexOf(Math.max(...indices));
}

function chooseByBounds(markets: readonly StaleMarket[], worths: readonly LookWorth[], nowMs: number): number {
  let chosen = -1;
  let best = Number.NEGATIVE_INFINITY;
  markets.forEach((market, place) => {
    const worth = worths[place]?.indexAbove(best, market, nowMs) ?? best;
    if (worth > best) {
      best = worth;
      chosen = place;
    }
  });
  return chosen;
}

describe('the worth of a look', () => {
  it.each([1, 2, 3, 4])('chooses by bounds what it would choose by every index: seed %i', (seed) => {
    const random = Random.fromSeed(seed, 'look worth');
    const markets = Array.from({ length: 60 }, () => makeMarket(random));
    const worths = markets.map(() => new LookWorth());
    for (let nowMs = 1000, i = 0; i < 500; i++) {
      // Sometimes our clock steps back.
      nowMs += random.chance(0.02) ? -5000 : 200 + random.below(2000);
      for (let changes = random.below(4); changes > 0; changes--) change(markets, random);
      const chosen = chooseByBounds(markets, worths, nowMs);
      expect(chosen).toBe(chooseByAll(markets, nowMs));
      const market = markets[chosen];
      if (market !== undefined) market.seenMs = random.chance(0.02) ? null : nowMs;
    }
  });

  it('is not reckoned anew where it cannot be the best and nothing was learned', () => {
    let reads = 0;
    // An index reads the side of every quote; a comparison of the same quotes does not.
    const get = (read: RestingQuote, key: string | symbol): unknown => {
      reads++;
      return Reflect.get(read, key);
    };
    const watched = [new Proxy(quote('bid', 0.49, 50), { get })];
    const market: StaleMarket = { ...makeMarket(Random.fromSeed(1, 'one')), price: 0.5, quotes: watched };
    const worth = new LookWorth();
    worth.indexAbove(Number.POSITIVE_INFINITY, market, 60_000);
    const after = reads;
    expect(after).toBeGreaterThan(0);
    for (let nowMs = 60_000; nowMs <= 66_000; nowMs += 500)
      expect(worth.indexAbove(Number.POSITIVE_INFINITY, market, nowMs)).toBe(Number.POSITIVE_INFINITY);
    expect(reads).toBe(after);
    expect(worth.indexAbove(0, market, 66_000)).toBe(staleIndex(market, 66_000));
  });
});
