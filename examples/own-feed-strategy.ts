/**
 * A strategy that quotes around the prices of a feed, such as a model, a person or another venue. Without a current value of
 * the feed it does not quote. It never falls back to the book's price.
 *
 *     ./twinbook strategies test examples/own-feed-strategy.yaml
 *
 * Copy this file and own-feed-strategy.yaml and change them. Add the YAML file under `strategies:` of a trader's file that
 * declares a feed of that name (docs/feeds.md). The module imports only `twinbook/strategy`.
 */
import {
  defineStrategy,
  type FeedView,
  ladder,
  type MarketFacts,
  type MarketView,
  micros,
  NO_QUOTES,
  ONE,
  type ParamsOf,
  passiveLimit,
  positionRoom,
  whyNoQuotes,
} from 'twinbook/strategy';

const params = {
  feed: { kind: 'feed', default: 'model', help: "Name of the feed in the trader's file that gives the value of YES." },
  order_shares: { kind: 'shares', min: '1', max: '1000', default: '10', help: 'Size of the order on each side.' },
  half_spread_ticks: {
    kind: 'integer',
    unit: 'ticks',
    min: 1,
    max: 100,
    default: 2,
    help: 'Distance of each quote from the price of the feed.',
  },
  skew_ticks: {
    kind: 'number',
    unit: 'ticks',
    min: 0,
    max: 100,
    default: 2,
    help: 'Shift of both quotes when the position is at its limit.',
  },
} as const;

const GUARDS = { maxBookAgeMs: 30_000, jumpPauseMs: 10_000, haltBeforeMs: 60_000 };

export default defineStrategy({
  name: 'feed-maker',
  summary: "One level on each side of a feed's price. Does not quote without a current value.",
  params,
  create: (values, market) => ({
    quote(view) {
      const blocked = whyNoQuotes(view, GUARDS);
      if (blocked !== null) return NO_QUOTES(blocked);
      const value = view.feeds[values.feed];
      if (value === undefined) return NO_QUOTES(`feed ${values.feed} has no current value for this market`);
      const fair = priceOf(value);
      const tick = market.tickMicros / ONE;
      const centre = fair - values.skew_ticks * tick * (view.inventory.netMicros / view.inventory.maxPositionMicros);
      const half = values.half_spread_ticks * tick;
      return {
        fairMicros: micros(Math.min(ONE - 1, Math.max(1, Math.round(fair * ONE)))),
        bids: level('bid', centre - half, values, view, market),
        asks: level('ask', centre + half, values, view, market),
        keepWithinTicks: 1,
        keepWithinSizeFraction: 0.5,
        // The quotes are canceled when the value expires, not only at the next poll of the book.
        ...(value.validUntilMs === null ? {} : { againMs: value.validUntilMs }),
        note: `around ${centre.toFixed(4)}, value of feed ${values.feed} ${fair.toFixed(4)}`,
        factors: { fair_price: fair, centre_price: centre, feed_age_s: value.ageMs / 1000 },
      };
    },
  }),
});

type Values = ParamsOf<typeof params>;

/** Probability from the feed, or the middle of its bid and ask. */
const priceOf = ({ p, bid, ask }: FeedView): number => p ?? ((bid ?? 0) + (ask ?? 1)) / 2;

/** Makes one level that never trades at once, or none if the market's limits, the position limit or the stance allow none. */
function level(side: 'bid' | 'ask', wish: number, values: Values, view: MarketView, market: MarketFacts) {
  const limit = passiveLimit(view.others, side, market.tickMicros) / ONE;
  const price = side === 'bid' ? Math.min(wish, limit) : Math.max(wish, limit);
  const shares = Math.min(values.order_shares, positionRoom(side, view)) / ONE;
  return ladder({ side, price, stepTicks: 1, levels: 1, levelShares: shares, totalShares: shares }, market);
}
