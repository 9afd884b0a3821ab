/** The belief of belief-maker, its newsvendor, and its quotes. */

import { describe, expect, it, test, vi } from 'vitest';
import { showMarkets } from '../../src/lab/strategy-checks/shown-markets.js';
import { ZERO } from '../../src/shared/base/micros.js';
import {
  type BookSide,
  logit,
  type MarketView,
  micros,
  normalCdf,
  normalDensity,
  ONE,
  type QuoteLevel,
} from '../../src/trader/strategy/strategy.js';
import { Absence } from '../../strategies/belief/absence.js';
import { Cover } from '../../strategies/belief/cover.js';
import { Grid, locatePrice, POINTS, PRICES } from '../../strategies/belief/grid.js';
import { computeWorth, criticalRatio, offer } from '../../strategies/belief/newsvendor.js';
import { isWorthAnOrder, Sums } from '../../strategies/belief/quote-choice.js';
import { expectedFill, Takers } from '../../strategies/belief/takers.js';
import beliefMaker from '../../strategies/belief-maker.js';
import { near } from '../shared/statistics/fixtures.js';
import { book, m } from '../trader/market/fixtures.js';
import { FACTS, ownOrder, paramsFor, stacked, VIEW, viewOf } from '../trader/strategy/fixtures.js';

const SIGMA = 1.2;
/** For a lognormal size with mean 9. */
const LOG_MEAN = Math.log(9) - SIGMA ** 2 / 2;
const demand = { takers: 0.125, logMean: LOG_MEAN, sigma: SIGMA, ahead: 0, rare: 0.1 };
const prospect = (loss: number) => ({ loss, gain: 0.02 });

describe('the newsvendor', () => {
  it.each([
    [0.002, 0.8, 1.5956466816],
    [0.0005, 0.2, 12.0271916553],
    [0.001, 0.4, 5.9372205388],
    [0.0022, 0.88, 0],
    [0.003, 1.2, 0],
  ])('offers at a loss of %d: ratio %d, %d shares', (loss, ratio, shares) => {
    expect(criticalRatio(prospect(loss), demand.takers)).toBeCloseTo(ratio, 12);
    expect(offer(prospect(loss), demand, 1e9)).toBeCloseTo(shares, 8);
  });

  it('takes off what stands before it, and never offers more than it may', () => {
    expect(offer(prospect(0.0005), { ...demand, ahead: 10 }, 1e9)).toBeCloseTo(2.0271916553, 8);
    expect(offer(prospect(0.0005), { ...demand, ahead: 50 }, 1e9)).toBe(0);
    expect([offer(prospect(0.0005), demand, 3), offer(prospect(-0.0001), demand, 700)]).toEqual([3, 700]);
  });

  it('offers rarer sizes the more takers were seen, but none that fewer than one in two hundred want', () => {
    const takers = new Takers(9);
    expect(takers.rareAt('bid')).toBe(0.1);
    const visit = { probability: 1, shares: 9, price: 0.5, isLeast: false, wasFirst: true, wasBehind: false };
    for (let i = 0; i < 5; i++) takers.observeTaker('bid', visit);
    expect(takers.rareAt('bid')).toBeCloseTo(1 / 15, 12);
    for (let i = 0; i < 250; i++) takers.observeTaker('bid', visit);
    expect([takers.rareAt('bid'), takers.rareAt('ask')]).toEqual([0.005, 0.1]);
    const sure = prospect(0.00001);
    expect(offer(sure, { ...demand, rare: 0.05 }, 1e9)).toBeCloseTo(Math.exp(LOG_MEAN + SIGMA * 1.644853627), 6);
    expect(offer(sure, demand, 1e9)).toBeCloseTo(Math.exp(LOG_MEAN + SIGMA * 1.2815515655), 6);
  });

  it('sends no order that brings less than its two requests, and leaves one that rests while it brings anything', () => {
    const isWorth = (worth: number, orders: readonly { side: BookSide }[]): boolean =>
      isWorthAnOrder({ side: 'bid', worth }, { view: { orders }, requestPrice: 0.0005 });
    expect([0.0011, 0.001, 0.0009, -0.1].map((worth) => isWorth(worth, []))).toEqual([true, false, false, false]);
    expect([0.0009, 0].map((worth) => isWorth(worth, [{ side: 'bid' }]))).toEqual([true, false]);
    expect(isWorth(0.0009, [{ side: 'ask' }])).toBe(false);
  });

  it('knows what of an offer is filled, and is worth most at its own size', () => {
    expect(expectedFill(9, LOG_MEAN, SIGMA)).toBeCloseTo(4.9365561195, 9);
    expect(expectedFill(20, LOG_MEAN, SIGMA)).toBeCloseTo(6.7919298927, 9);
    const best = offer(prospect(0.0005), demand, 1e9);
    const worth = (shares: number) => computeWorth(prospect(0.0005), demand, shares);
    for (const factor of [0.5, 0.9, 1.1, 2]) expect(worth(best)).toBeGreaterThan(worth(best * factor));
  });
});

describe('probes', () => {
  const quoted = (orders: MarketView['orders'], requestPrice = VIEW.pace.requestPrice) =>
    beliefMaker.create(paramsFor(beliefMaker), FACTS).quote({ ...VIEW, orders, pace: { ...VIEW.pace, requestPrice } });
  const atRest = (side: BookSide, levels: readonly QuoteLevel[]) =>
    levels.map(({ amountMicros: remainingMicros, ...level }) => ownOrder({ ...level, side, remainingMicros }));
  const first = quoted([]);
  const real = [...atRest('bid', first.bids), ...atRest('ask', first.asks)];
  const { bids, asks } = quoted(real);
  const probes = [...atRest('bid', bids), ...atRest('ask', asks)].filter(({ isProbe }) => isProbe === true);

  it('wait until the orders rest, are of the smallest size inside them, and stay where no new one pays', () => {
    expect([...first.bids, ...first.asks].some(({ isProbe }) => isProbe)).toBe(false);
    expect(probes).toMatchObject([{ remainingMicros: FACTS.minAmountMicros }]);
    expect([0, 1].map((i) => (probes[0]?.priceMicros ?? 0) > (real[i]?.priceMicros ?? 0))).toEqual([true, false]);
    for (const orders of [real, [...real, ...probes]])
      expect(quoted(orders, 0.05).note.includes('probes sent: 1')).toBe(orders.length > real.length);
  });

  it('examine a bounded number of prices where the tick is fine and the book empty', () => {
    const below = vi.spyOn(Grid.prototype, 'below');
    const market = { ...FACTS, tickMicros: micros(1), minPriceMicros: micros(1), maxPriceMicros: micros(999_999) };
    beliefMaker.create(paramsFor(beliefMaker), market).quote(viewOf(book([], []), { market }));
    expect(below.mock.calls.length).toBeLessThan(12_000);
    below.mockRestore();
  });
});

describe('the time until an order stands', () => {
  const order = (acceptedMs: number | null) => ownOrder({ priceMicros: m(0.4), acceptedMs });
  const at = (nowMs: number, orders: MarketView['orders'] = []) => ({ ...VIEW, nowMs, orders });

  it('is learned from orders that were wanted, over those that stood at once', () => {
    const absence = new Absence();
    expect(absence.perOrderS).toBe(0);
    absence.want('bid', true, at(1000));
    absence.want('bid', true, at(2000));
    absence.see(at(3000, [order(null)]));
    expect(absence.perOrderS).toBe(0);
    absence.see(at(4500, [order(4000)]));
    // Three seconds of one order, none of the first one.
    expect(absence.perOrderS).toBe(1.5);
    absence.want('bid', true, at(4500, [order(4000)]));
    absence.see(at(9000, [order(4000)]));
    expect(absence.perOrderS).toBe(1.5);
  });

  it('does not count while nothing is wanted, nor where the clock was set back', () => {
    const absence = new Absence();
    absence.want('bid', true, at(1000));
    absence.want('bid', false, at(2000));
    absence.see(at(9000, [order(9000)]));
    absence.want('bid', true, at(9000));
    absence.see(at(5000, [order(5000)]));
    expect(absence.perOrderS).toBe(0);
  });
});

describe('the grid', () => {
  it('holds a normal belief between hard walls', () => {
    const grid = new Grid();
    grid.weighByLogOdds(0.2, 0.3);
    grid.weigh(0.48, 0, 1);
    grid.weigh(0.56, 1, 0);
    grid.normalise();
    const { mean, deviation } = grid.price();
    // A point of the grid is 0.006 wide here.
    expect(Math.abs(mean - 0.5228169381)).toBeLessThan(1e-4);
    expect(Math.abs(deviation - 0.0225752884)).toBeLessThan(1e-4);
  });

  it('holds a normal belief between soft walls', () => {
    const grid = new Grid();
    grid.weighByLogOdds(0.2, 0.3);
    const [low, high] = [locatePrice(0.48), locatePrice(0.56)];
    const soft = (_: number, index: number) => normalCdf((index - low) / 4) * normalCdf((high - index) / 4);
    grid.weighBy(new Float64Array(POINTS).map(soft), 1);
    grid.normalise();
    expect(Object.values(grid.price())).toEqual(near([0.5252281768, 0.0310993862], 7));
  });

  it('says of a normal price what a bid loses to the informed and gains from the uninformed', () => {
    const [mean, deviation] = [0.52, 0.0180277564];
    const grid = new Grid();
    // A density in price, times the slope, is one in log-odds.
    for (let i = 0; i < POINTS; i++) {
      const price = PRICES[i] ?? 0;
      grid.mass[i] = normalDensity((price - mean) / deviation) * price * (1 - price);
    }
    grid.normalise();
    const sums = new Sums();
    sums.fill(grid, 0);
    for (const [bid, loss, gain] of [
      [0.5, 0.0012142377, 0.0212142377],
      [0.51, 0.0032709796, 0.0132709796],
    ] as const) {
      const { mass, sum } = sums.below(bid, 0);
      const [lost, gained] = [bid * mass - sum, sums.mean - sum - bid * (1 - mass)];
      expect(Math.abs(lost - loss)).toBeLessThan(5e-5);
      expect(Math.abs(gained - gain)).toBeLessThan(5e-5);
      // On any grid, their difference is the distance to the mean.
      expect(gained - lost).toBeCloseTo(mean - bid, 6);
    }
  });

  it('lets time pass without changing the expected price, at any distance from the middle', () => {
    for (const price of [0.03, 0.3, 0.5, 0.9]) {
      const grid = new Grid();
      grid.weighByLogOdds(logit(price), 0.1);
      grid.normalise();
      const before = grid.price();
      for (let i = 0; i < 20; i++) grid.move(0.03, 0, 0, 0);
      const after = grid.price();
      expect(after.mean).toBeCloseTo(before.mean, 3);
      expect(after.deviation).toBeGreaterThan(before.deviation);
    }
  });

  it.each([0.01, 0.99])('expects that a jump at %d goes to the middle, and of all moves nothing', (price) => {
    const grid = new Grid();
    grid.weighByLogOdds(logit(price), 0.1);
    grid.normalise();
    const { mean } = grid.price();
    const outer = price < 0.5 ? mean : 1 - mean;
    // A jump in a hundred polls, which turns 0.01 into 0.05 on average.
    grid.move(0.1, 0.01, 3, 4);
    grid.normalise();
    const beyond = price < 0.5 ? grid.sum() - grid.below(0.2) : grid.below(0.8);
    // A normal jump of 0.05 on average exceeds 0.2 in a nineteenth of the cases; one that reverts, in one of 180.
    expect(beyond).toBeGreaterThan(0.01 / 22);
    expect(beyond).toBeLessThan(0.01 / 17);
    expect(Math.abs(grid.price().mean - mean)).toBeLessThan(0.02 * outer);
  });

  it('says when evidence contradicts all that it held for possible', () => {
    const grid = new Grid();
    grid.fillUniform(0.4, 0.6);
    grid.weighBy(new Float64Array(POINTS), 1);
    expect(grid.normalise()).toBe(false);
  });
});

const VISIT = { probability: 1, isLeast: false, wasFirst: true, wasBehind: false };

describe('takers', () => {
  it('are learned: rate from fills and time, sizes from fills in whole and in part', () => {
    const takers = new Takers(10);
    const rate = takers.rate;
    takers.addExposure(1000);
    expect(takers.rate).toBeLessThan(rate / 10);
    for (let i = 0; i < 50; i++) takers.observeTaker('ask', { ...VISIT, shares: 40, price: 0.5, isLeast: i % 2 === 0 });
    expect(takers.rate).toBeGreaterThan(0.04);
    expect(Math.exp(takers.logMeanAt('ask', 0.5))).toBeGreaterThan(38);
    // The other side has no data: its prior is this side's estimate, until its own takers are seen.
    expect(Math.exp(takers.logMeanAt('bid', 0.5))).toBeGreaterThan(15);
    for (let i = 0; i < 20; i++) takers.observeTaker('bid', { ...VISIT, shares: 5, price: 0.5 });
    expect(Math.exp(takers.logMeanAt('bid', 0.5))).toBeLessThan(10);
    expect(Math.exp(takers.logMeanAt('ask', 0.5))).toBeGreaterThan(38);
  });

  it('take little of what chance alone makes of the sides for a difference between them', () => {
    const takers = new Takers(10);
    for (let i = 0; i < 5; i++) {
      takers.observeTaker('ask', { ...VISIT, shares: 14, price: 0.5 });
      takers.observeTaker('bid', { ...VISIT, shares: 7, price: 0.5 });
    }
    const difference = takers.logMeanAt('ask', 0.5) - takers.logMeanAt('bid', 0.5);
    expect(difference).toBeGreaterThan(0);
    expect(difference).toBeLessThan(Math.log(2) / 2);
  });

  it('tell from what was seen at several prices whether sizes are shares or currency', () => {
    const takers = new Takers(10);
    for (let i = 0; i < 40; i++) {
      const price = i % 2 === 0 ? 0.5 : 0.05;
      takers.observeTaker('ask', { ...VISIT, shares: 5 / price, price });
    }
    expect(Math.exp(takers.logMeanAt('ask', 0.02))).toBeCloseTo(250, -1.5);
  });

  it('show how far their sizes lie apart, of both sides together and over any price', () => {
    const seen = (factor: number, visits: number): Takers => {
      const takers = new Takers(10);
      for (let i = 0; i < visits; i++) {
        const shares = 10 * factor ** (i % 4 < 2 ? 1 : -1);
        takers.observeTaker(i % 2 === 0 ? 'bid' : 'ask', { ...VISIT, shares, price: 0.5 });
      }
      return takers;
    };
    expect(seen(1, 0).sigma).toBe(SIGMA);
    expect(seen(1.2, 2).sigma).toBeGreaterThan(1);
    expect(seen(1.2, 200).sigma).toBeLessThan(0.6);
    expect(seen(Math.exp(0.8), 200).sigma).toBeCloseTo(0.82, 1);
    // Never above the prior: large takers may be the informed ones.
    expect(seen(Math.exp(3), 200).sigma).toBe(SIGMA);
    // The more equal the sizes are, the smaller the offer for the rarest one.
    expect(seen(1.2, 200).probabilityAbove('bid', 60, 0.5)).toBeLessThan(0.01);
  });

  it('who want more than was there tell nothing of how far sizes lie apart that was not believed before', () => {
    const takers = new Takers(10);
    for (let i = 0; i < 50; i++) takers.observeTaker('ask', { ...VISIT, shares: 0.01, price: 0.5, isLeast: true });
    expect(takers.sigma).toBeCloseTo(SIGMA, 2);
  });
});

describe('cover', () => {
  const at = (bids: [number, number][], asks: [number, number][], leftMs: number) => {
    const inventory = { ...VIEW.inventory, yesMicros: ZERO, noMicros: ZERO };
    return { ...VIEW, inventory, others: book(bids, asks), timeToResolutionMs: leftMs };
  };
  /** At a few cents a taker with a fixed budget wants many shares; `ofNo` takers buy NO as the others buy YES. */
  const buyersOfMany = (ofNo = false): Takers => {
    const takers = new Takers(10);
    for (const side of ['bid', 'ask'] as const)
      for (let i = 0; i < 30; i++) {
        const price = i % 2 === 0 ? 0.3 : 0.02;
        takers.observeTaker(side, { ...VISIT, shares: 5 / price, price: ofNo ? 1 - price : price });
      }
    takers.addExposure(500);
    return takers;
  };

  it('keeps currency back from uncovered sales to buy the next cover with, and none where all can be paid for', () => {
    const cover = new Cover(3600);
    const view = at([[0.01, 5000]], [[0.04, 100]], 2_000_000);
    cover.update(view, buyersOfMany(), 0.013, 100);
    const reserve = cover.reserve('ask');
    // Some hundred shares at two cents.
    expect(reserve).toBeGreaterThan(5);
    expect(reserve).toBeLessThan(50);
    expect(cover.reserve('bid')).toBe(0);
    cover.update(view, buyersOfMany(), 0.013, 1_000_000);
    expect(cover.reserve('ask')).toBe(0);
  });

  it('goes by the price that is expected where a share is traded', () => {
    // A sale at 0.01 is a tick inside of others: at 0.002 it yields 0.008, which also is the immediate cost of a share.
    const cover = new Cover(3600);
    cover.update(at([], [[0.02, 100]], 600_000), buyersOfMany(), 0.015, 100);
    expect(cover.worthAfter('bid', 0, 0.002)).toBeLessThanOrEqual(0.008);
    // At 0.018 it is at 0.02 and yields 0.002.
    expect(cover.worthAfter('bid', 0, 0.018)).toBeLessThan(cover.worthAfter('bid', 0, 0.002));
  });

  it('is bought the less at once the more each share adds to the risk', () => {
    const cover = new Cover(3600);
    cover.update(at([[0.01, 5000]], [[0.04, 100]], 900_000), buyersOfMany(), 0.015, 100);
    const shares = (risk: number): number => cover.sharesWorth('bid', { cost: 0.001, most: 3000, mean: 0.015, risk });
    expect(shares(0)).toBeGreaterThan(250);
    expect(shares(1 / 2000)).toBeLessThan(0.8 * shares(0));
    expect(shares(1 / 2000)).toBeGreaterThan(50);
    expect(shares(1)).toBeLessThan(2);
  });

  it('counts the less on what will be wanted the fewer takers were seen', () => {
    const seen = buyersOfMany();
    const unseen = new Takers(10);
    expect(seen.logMeanDeviation('ask', 0.02)).toBeLessThan(0.5);
    expect(unseen.logMeanDeviation('ask', 0.02)).toBeGreaterThan(1);
  });

  it('counts on nobody who sells at the lowest price, where others stand first', () => {
    const worthWith = (ahead: number): number => {
      const cover = new Cover(3600);
      cover.update(at([[0.01, ahead]], [[0.04, 100]], 600_000), buyersOfMany(), 0.013, 500);
      return cover.worthAfter('bid', 0, 0.013);
    };
    expect(worthWith(5000)).toBeGreaterThan(1.3 * worthWith(0.01));
  });

  it('is of NO at 0.97 what it is of YES at 0.03', () => {
    const [yes, no] = [new Cover(3600), new Cover(3600)];
    yes.update(at([[0.01, 50]], [[0.05, 100]], 900_000), buyersOfMany(), 0.0312, 300);
    no.update(at([[0.95, 100]], [[0.99, 50]], 900_000), buyersOfMany(true), 0.9688, 300);
    for (const more of [0, 40, 400]) {
      expect(yes.worthAfter('bid', more, 0.0312)).toBeGreaterThan(0);
      expect(no.worthAfter('ask', more, 0.9688)).toBeCloseTo(yes.worthAfter('bid', more, 0.0312), 9);
      expect(no.worthAfter('bid', more, 0.9688)).toBeCloseTo(-no.worthAfter('ask', -more, 0.9688), 9);
    }
    expect(no.reserve('bid')).toBeCloseTo(yes.reserve('ask'), 9);
  });
});

/** A new poll of a book, without trades or own orders. */
function seeing(bids: [number, number][], asks: [number, number][]): MarketView {
  const seen = book(bids, asks);
  const health = { ...VIEW.health, bookAgeMs: 0, tradesAgeMs: null };
  return { ...VIEW, health, trades: [], orders: [], others: seen, book: seen };
}

describe('the maker', () => {
  const fresh = () => beliefMaker.create(paramsFor(beliefMaker), FACTS);
  /** Returns the fair price of one maker at each time, with these best prices of others. */
  const following = () => {
    const maker = fresh();
    return (nowMs: number, bid: number, ask: number): number =>
      maker.quote({ ...seeing([[bid, 100]], [[ask, 100]]), nowMs }).fairMicros ?? 0;
  };

  it('quotes the mirror where YES and NO are exchanged', () => {
    const { markets, mirrored } = showMarkets(1, 5, 40);
    const quotesOf = ({ facts, looks }: ReturnType<typeof showMarkets>['markets'][number]) => {
      const maker = beliefMaker.create(paramsFor(beliefMaker), facts);
      return looks.map(({ view, events }) => {
        for (const event of events) maker.observe?.(event);
        return maker.quote(view);
      });
    };
    const nearly = (shares: number) =>
      expect.toSatisfy((twin: number) => Math.abs(twin - shares) < 0.01 * shares + 0.011 * ONE);
    for (const [index, market] of markets.entries()) {
      const mirror = mirrored?.[index];
      // A price includes fees, which differ in the mirrored market.
      if (mirror === undefined || market.facts.makerFeeRateMicros > 0) continue;
      const turned = quotesOf(mirror);
      for (const [look, { bids, asks }] of quotesOf(market).entries())
        for (const [own, twin] of [[bids, turned[look]?.asks] as const, [asks, turned[look]?.bids] as const])
          expect(twin?.map(({ priceMicros, amountMicros }) => [ONE - priceMicros, amountMicros])).toEqual(
            own.map(({ priceMicros, amountMicros }) => [priceMicros, nearly(amountMicros)]),
          );
    }
  });

  /** Wanted share of the resting order's amount at its price; `acceptedMs` is the time until an order is accepted. */
  const partWanted = (restingPart: number, acceptedMs: number) => {
    const view = seeing([[0.44, 100]], [[0.56, 100]]);
    const maker = fresh();
    const [wanted] = maker.quote({ ...view, nowMs: 1000 }).bids;
    const remainingMicros = micros(Math.round(restingPart * (wanted?.amountMicros ?? 0)));
    const priceMicros = wanted?.priceMicros ?? m(0.5);
    const resting = ownOrder({ priceMicros, remainingMicros, submittedMs: 900, acceptedMs });
    const [bid] = maker.quote({ ...view, nowMs: 9000, orders: [resting] }).bids;
    expect(bid?.priceMicros).toBe(resting.priceMicros);
    return (bid?.amountMicros ?? 0) / remainingMicros;
  };

  it('leaves more at rest than it wants where a new order would take long to stand, and not where it stands at once', () => {
    expect(partWanted(4, 9000)).toBeCloseTo(1, 6);
    expect(partWanted(4, 1000)).toBeLessThan(0.75);
  });

  it('adds to what rests where orders stand at once; where they take long only to what is next to nothing', () => {
    expect(partWanted(0.5, 1000)).toBeGreaterThan(1.25);
    expect(partWanted(0.5, 9000)).toBeCloseTo(1, 2);
    expect(partWanted(0.02, 9000)).toBeGreaterThan(1.25);
  });

  it('says what it believes, what decided each side, and why not a tick nearer', () => {
    const others = book([[0.44, 100]], [[0.56, 100]]);
    const quotes = fresh().quote({ ...VIEW, others, book: others });
    expect([quotes.bids.length, quotes.asks.length]).toEqual([1, 1]);
    expect(quotes.note).toMatch(
      /^believed price 0\.5\d+ ± 0\.0\d+; .*bid .* worth .*loss .*gain .*takers .*a tick nearer/,
    );
    expect(quotes.factors).toMatchObject({ low_wall_price: 0.44, high_wall_price: 0.56 });
    const names = ['belief_mean_price', 'belief_sd_price', 'takers_per_s', 'bid_loss_price', 'ask_critical_ratio'];
    for (const name of names) expect(quotes.factors[name]).toBeTypeOf('number');
  });

  it('is silent, and says why, where the informed cost more than the uninformed bring', () => {
    const tight = book([[0.49, 1000]], [[0.5, 1000]]);
    const quotes = fresh().quote({ ...VIEW, others: tight, book: tight });
    expect([quotes.bids, quotes.asks]).toEqual([[], []]);
    // It also does not quote behind others, where an order fills only when the price has reached it.
    expect(quotes.note).toMatch(/no bid: at the best price, 0\.490, .*; no ask: at the best price, 0\.500, /);
  });

  it('takes a side of the book that was swept for news of the price, not for a new fair price', () => {
    const fairAt = following();
    fairAt(1000, 0.46, 0.54);
    expect(fairAt(2000, 0.46, 0.54)).toBeLessThan(m(0.51));
    // The middle moved by only one cent.
    expect(fairAt(3000, 0.46, 0.56)).toBeGreaterThan(m(0.52));
  });

  it.each([
    [0.53, 0.55, 0.48, 0.49],
    [0.45, 0.47, 0.51, 0.52],
  ])('follows others through what it believed, however soon it looks again: %d/%d, then %d/%d', (...prices) => {
    const fairAt = following();
    const [bid, ask, laterBid, laterAsk] = prices;
    for (let nowMs = 1000; nowMs < 10_000; nowMs += 1000) fairAt(nowMs, bid, ask);
    const after = fairAt(9200, laterBid, laterAsk);
    expect(after).toBeGreaterThan(m(laterBid - 0.005));
    expect(after).toBeLessThan(m(laterAsk + 0.005));
  });

  describe('with an order of its own', () => {
    const others = book([[0.4, 100]], [[0.6, 100]]);
    const order = ownOrder({ priceMicros: m(0.52), remainingMicros: m(500) });
    const withOurs = stacked(book([[0.52, 500]], []), others);
    const view = { ...seeing([[0.4, 100]], [[0.6, 100]]), book: withOurs, orders: [order] };
    const fill = { kind: 'fill', nowMs: 2000, side: 'bid', priceMicros: m(0.52), isMaker: true } as const;

    it('believes that it still stands, and that it is gone', () => {
      const [stood, gone] = [fresh(), fresh()];
      for (const maker of [stood, gone]) maker.quote({ ...view, nowMs: 1000 });
      expect(stood.quote({ ...view, nowMs: 2000 }).fairMicros).toBeGreaterThan(m(0.53));
      gone.observe?.({ ...fill, amountMicros: m(500) });
      expect(gone.quote({ ...view, nowMs: 2000, book: others, orders: [] }).fairMicros).toBeLessThan(m(0.5));
    });

    const fairAfter = (second: Partial<MarketView>): number => {
      const maker = fresh();
      maker.quote({ ...view, nowMs: 1000 });
      return maker.quote({ ...view, nowMs: 2000, ...second }).fairMicros ?? 0;
    };
    const unmoved = fairAfter({ book: others, orders: [] });

    it('does not take it for one that nobody wanted when the book does not show it any more', () => {
      expect(fairAfter({})).toBeGreaterThan(unmoved + 20_000);
      expect(Math.abs(fairAfter({ book: others }) - unmoved)).toBeLessThan(1000);
    });

    it('learns little from one that has hardly stood, and nothing from one that the book cannot show yet', () => {
      const accepted = (acceptedMs: number) => fairAfter({ orders: [{ ...order, acceptedMs }] });
      expect(accepted(1950)).toBeLessThan(unmoved + 10_000);
      expect(accepted(1950)).toBeGreaterThan(unmoved);
      expect(Math.abs(accepted(2001) - unmoved)).toBeLessThan(1000);
    });

    it('expects takers again after a long time in which no order of ours was first', () => {
      const maker = fresh();
      const rateAt = (seconds: number, seen: Partial<MarketView> = {}): number =>
        maker.quote({ ...view, nowMs: 1000 * seconds, ...seen }).factors?.['takers_per_s'] ?? 0;
      const atFirst = rateAt(1);
      for (let seconds = 2; seconds < 100; seconds++) rateAt(seconds);
      expect(rateAt(100)).toBeLessThan(atFirst / 2);
      rateAt(101, { book: others, orders: [] });
      expect(rateAt(1300, { book: others, orders: [] })).toBeGreaterThan(0.9 * atFirst);
    });

    it('takes a fill for one of an uninformed taker only where the book still shows the rest', () => {
      const evidence = (seen: Partial<MarketView>): string => {
        const maker = fresh();
        maker.quote({ ...view, nowMs: 1000 });
        const left = { ...order, remainingMicros: m(400) };
        maker.observe?.({ ...fill, amountMicros: m(100) });
        return maker.quote({ ...view, nowMs: 2000, orders: [left], ...seen }).note;
      };
      expect(evidence({})).toContain('our bid at 0.520 was filled in part');
      expect(evidence({ book: others })).toContain('our bid at 0.520 was filled completely');
    });
  });

  it('looks further ahead, not for more takers, where the exchange needs longer to change a quote', () => {
    const view = seeing([[0.4, 100]], [[0.6, 100]]);
    const quotedAfter = (acceptedMs: number) => {
      const maker = fresh();
      let quotes = maker.quote({ ...view, nowMs: 1000 });
      // Too far from the price to contain information about it.
      const orders = [ownOrder({ priceMicros: m(0.05), remainingMicros: m(500), acceptedMs })];
      for (let nowMs = 2000; nowMs < 60_000; nowMs += 1000) quotes = maker.quote({ ...view, nowMs, orders });
      return quotes.factors;
    };
    const [quick, slow] = [quotedAfter(0), quotedAfter(1000)];
    expect(slow['quote_stands_s']).toBe(quick['quote_stands_s']);
    expect(slow['bid_price']).toBe(quick['bid_price']);
    expect(slow['bid_loss_price']).toBeGreaterThan(1.1 * (quick['bid_loss_price'] ?? 0));
  });

  it('begins anew when the clock was set back, and does not quote on what it believed before', () => {
    const fairAt = following();
    for (let nowMs = 700_000; nowMs < 720_000; nowMs += 1000) expect(fairAt(nowMs, 0.28, 0.32)).toBeLessThan(m(0.35));
    // A clock set back by ten minutes, and a moved market.
    for (let nowMs = 120_000; nowMs < 125_000; nowMs += 1000)
      expect(fairAt(nowMs, 0.58, 0.62)).toBeGreaterThan(m(0.55));
  });

  it('pays for cover of later sales where they need more than it has, not where it will be back long before', () => {
    // Takers at a few cents want many shares, and each uncovered share locks nearly one of currency.
    const seen = seeing([[0.01, 100]], [[0.05, 100]]);
    const inventory = { ...VIEW.inventory, availableFundsMicros: micros(200 * ONE) };
    const priceAfter = (timeToResolutionMs: number): number => {
      const maker = fresh();
      let price = 0;
      for (let nowMs = 1000; nowMs < 60_000; nowMs += 1000) {
        const { factors } = maker.quote({ ...seen, nowMs, inventory, timeToResolutionMs });
        price = factors['cover_worth'] ?? Number.NaN;
      }
      return price;
    };
    expect(priceAfter(3_000_000)).toBeGreaterThan(0.001);
    expect(priceAfter(11_000)).toBeLessThan(priceAfter(3_000_000) / 2);
    expect(priceAfter(4 * 86_400_000)).toBe(0);
  });

  test.each([
    ['no belief', { shown: {} }],
    ['mass that is not there', changed((belief) => ({ ...belief, grid: { low: 3, mass: '' } }))],
    ['mass that is not 1', changed((belief) => ({ ...belief, grid: { low: 3, mass: 'AAAAAAAA8D8AAAAAAADwPw==' } }))],
    [
      'takers of other sizes',
      changed(({ takers, ...belief }) => ({ ...belief, takers: { ...Object(takers), sizes: { bid: [], ask: [] } } })),
    ],
  ])('does not go on from %s', (_name, saved) => {
    expect(() => beliefMaker.create(paramsFor(beliefMaker), FACTS, saved)).toThrow();
  });
});

/** A quoter's saved state after its first poll, with this change. */
function changed(change: (belief: Readonly<Record<string, unknown>>) => unknown): unknown {
  const maker = beliefMaker.create(paramsFor(beliefMaker), FACTS);
  maker.quote(VIEW);
  const saved = Object(maker.save?.());
  return { ...saved, belief: change(saved.belief) };
}
