/** Information of belief-maker outside its own book: the user's feed, and the other outcomes of its event. */

import { describe, expect, it } from 'vitest';
import { logit, type MarketView, ONE, type SiblingView, sigmoid } from '../../src/trader/strategy/strategy.js';
import { Grid } from '../../strategies/belief/grid.js';
import { weighByOutside, whyNoFeed } from '../../strategies/belief/outside.js';
import beliefMaker from '../../strategies/belief-maker.js';
import { book, m } from '../trader/market/fixtures.js';
import { FACTS, feedOf, paramsFor, VIEW } from '../trader/strategy/fixtures.js';

const RULES = { feed: 'model', model_sd_log_odds: 0.1, max_gap_sds: 4 };
const NO_FEED = { ...RULES, feed: '' };
const BOOK = book([[0.44, 100]], [[0.56, 100]]);
const SEEN: MarketView = { ...VIEW, others: BOOK, book: BOOK };

const says = (p: number, validUntilMs: number | null = null): MarketView['feeds'] => ({
  model: feedOf({ p, atMs: VIEW.nowMs, ageMs: 0, validUntilMs }),
});

const sibling = (bid: number | null, ask: number | null, parts: Partial<SiblingView> = {}): SiblingView => ({
  conditionId: 'other',
  ...{ bid, ask, mid: bid === null || ask === null ? null : (bid + ask) / 2 },
  ...{ bookAgeMs: 0, sigmaLogOddsPerSqrtS: 0.001, sinceJumpMs: null, isSound: true },
  ...{ netMicros: m(0), ownBidMicros: null, ownAskMicros: null },
  ...parts,
});

type Outcomes = NonNullable<MarketView['event']>['outcomes'];

function withSiblings(outcomes: Outcomes, siblings: readonly SiblingView[], markets: number | null): MarketView {
  return { ...SEEN, event: { eventConditionId: 'event', outcomes, markets, siblings } };
}

/** The belief's price before and after, and its deviation after, in price. */
function weighed(view: MarketView, rules: typeof RULES, at = 0.5, deviation = 0.3) {
  const grid = new Grid();
  grid.weighByLogOdds(logit(at), deviation);
  grid.normalise();
  const before = grid.price();
  const words = weighByOutside(grid, view, rules);
  grid.normalise();
  return { before, after: grid.price(), words };
}

describe('a feed beside the book', () => {
  it('is blended with the belief in log-odds, each by its precision', () => {
    const grid = new Grid();
    grid.weighByLogOdds(logit(0.55), 0.15);
    weighByOutside(grid, { ...SEEN, feeds: says(0.6) }, RULES);
    grid.normalise();
    // The blend of fair-maker: log-odds .3424514427 ± .0832050294; the mean price of a normal belief there.
    const spread = [-2, -1, 0, 1, 2].map((z) => sigmoid(0.3424514427 + 0.0832050294 * z));
    const weights = [1, 4, 6, 4, 1].map((weight) => weight / 16);
    const mean = spread.reduce((sum, price, index) => sum + price * (weights[index] ?? 0), 0);
    expect(grid.price().mean).toBeCloseTo(mean, 5);
    expect(grid.price().deviation).toBeCloseTo(0.0832050294 * 0.5847858845 * (1 - 0.5847858845), 4);
  });

  it('counts once, however often it is looked at while it says the same', () => {
    const maker = beliefMaker.create(paramsFor(beliefMaker, { feed: 'model' }), FACTS);
    const at = { ...SEEN, health: { ...VIEW.health, bookAgeMs: 0 }, feeds: says(0.53) };
    const prices = Array.from({ length: 60 }, (_, s) => maker.quote({ ...at, nowMs: at.nowMs + s * 1000 }).fairMicros);
    const [first, last] = [prices[1] ?? 0, prices.at(-1) ?? 0];
    expect(first / ONE).toBeGreaterThan(0.51);
    expect(Math.abs(last - first) / ONE).toBeLessThan(0.005);
  });

  it('that says nothing current leaves nothing to quote, whatever the book shows', () => {
    const maker = beliefMaker.create(paramsFor(beliefMaker, { feed: 'model' }), FACTS);
    const quotes = maker.quote(SEEN);
    expect([quotes.bids, quotes.asks]).toEqual([[], []]);
    expect(quotes.note).toBe('feed model has no current value for this market');
    expect(maker.quote({ ...SEEN, nowMs: VIEW.nowMs + 1000, feeds: says(0.5) }).bids).toHaveLength(1);
  });

  it('that is too far from the book is believed by nobody', () => {
    expect(whyNoFeed({ ...SEEN, feeds: says(0.93) }, RULES)).toMatch(
      /^feed model and book are \d+\.\d standard deviations apart, at most 4 are accepted$/,
    );
    expect([whyNoFeed({ ...SEEN, feeds: says(0.52) }, RULES), whyNoFeed(SEEN, NO_FEED)]).toEqual([null, null]);
  });

  it('asks to be looked at when its value ends', () => {
    const maker = beliefMaker.create(paramsFor(beliefMaker, { feed: 'model' }), FACTS);
    expect(maker.quote({ ...SEEN, feeds: says(0.5, VIEW.nowMs + 700) }).againMs).toBe(VIEW.nowMs + 700);
    expect(maker.quote({ ...SEEN, nowMs: VIEW.nowMs + 1000, feeds: says(0.5) }).againMs).toBeUndefined();
  });
});

describe('the other outcomes of an event', () => {
  const one = [sibling(0.28, 0.3)];
  const two = [...one, sibling(0.19, 0.21)];

  it('of an exhaustive one leave this one the rest of one', () => {
    const { after, words } = weighed(withSiblings('exhaustive', two, 3), NO_FEED);
    expect(after.mean).toBeCloseTo(0.51, 2);
    expect(after.deviation).toBeLessThan(0.012);
    expect(words).toBe('the other outcomes imply a price of 0.5100');
  });

  it.each([
    ['one of an exhaustive event has no price', withSiblings('exhaustive', [...one, sibling(0.2, null)], 3)],
    ['one of an exhaustive event is not looked at', withSiblings('exhaustive', one, 3)],
    ['one has a broken book', withSiblings('exhaustive', [...one, sibling(0.2, 0.22, { isSound: false })], 3)],
    ['nothing is declared of the event', withSiblings(null, two, null)],
    ['outcomes are nested', withSiblings('nested', two, 3)],
  ])('say nothing where %s', (_, view) => {
    const { before, after, words } = weighed(view, NO_FEED);
    expect(after.mean).toBeCloseTo(before.mean, 9);
    expect(words).toBe('');
  });

  it('of an exclusive one leave it at most the rest: a lower belief stays, a higher one falls', () => {
    const view = withSiblings('exclusive', two, null);
    const low = weighed(view, NO_FEED, 0.3, 0.1);
    expect(low.after.mean).toBeCloseTo(low.before.mean, 4);
    const high = weighed(view, NO_FEED, 0.6, 0.3);
    expect(high.after.mean).toBeLessThan(0.52);
    expect(high.words).toBe('the other outcomes imply a price of at most 0.5100');
  });

  it('whose books are old or wild say less', () => {
    const old = two.map((each) => ({ ...each, bookAgeMs: 30_000, sigmaLogOddsPerSqrtS: 0.02 }));
    const fresh = weighed(withSiblings('exhaustive', two, 3), NO_FEED, 0.4, 0.1);
    expect(weighed(withSiblings('exhaustive', old, 3), NO_FEED, 0.4, 0.1).after.mean).toBeLessThan(fresh.after.mean);
  });
});
