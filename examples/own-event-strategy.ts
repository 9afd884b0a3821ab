/**
 * A strategy of your own that quotes all outcomes of an event together. It divides each outcome's mid by the sum of all mids,
 * so that the other books correct one that is out of date.
 *
 *     ./twinbook strategies test examples/own-event-strategy.yaml
 *
 * Copy this file and own-event-strategy.yaml and change them. Add the YAML file under `strategies:` of a trader's file, and
 * declare the event under `events:` there. The module imports only `twinbook/strategy`.
 */
import {
  defineStrategy,
  ladder,
  type MarketView,
  micros,
  NO_QUOTES,
  ONE,
  type ParamsOf,
  passiveLimit,
  positionRoom,
  type Quotes,
  whyNoQuotes,
} from 'twinbook/strategy';

const params = {
  half_spread_ticks: {
    kind: 'integer',
    unit: 'ticks',
    min: 1,
    max: 100,
    default: 3,
    help: 'Distance of each quote from the fair price.',
  },
  order_shares: { kind: 'shares', min: '1', max: '1000', default: '10', help: 'Size of the order on each side.' },
} as const;

const GUARDS = { maxBookAgeMs: 30_000, jumpPauseMs: 10_000, haltBeforeMs: 60_000 };

export default defineStrategy({
  name: 'outcomes-maker',
  summary: 'One level on each side of every outcome, around prices that sum to one.',
  scope: 'event',
  params,
  create: (values, event) => ({
    quote({ markets, unseen }) {
      const mids = markets.map(({ view }) => view.estimates.mid);
      const sum = mids.reduce<number>((all, mid) => all + (mid ?? 0), 0);
      const isWhole = event.outcomes === 'exhaustive' && unseen.length === 0 && !mids.includes(null);
      // `quote` must return one entry for each market in the view, and no other entries.
      const quotes = markets.map(({ view }, index): [string, Quotes] => {
        const mid = mids[index] ?? null;
        if (!isWhole || mid === null) return [view.market.conditionId, NO_QUOTES('not every outcome has a price')];
        return [view.market.conditionId, quoteAround(mid / sum, view, values)];
      });
      return Object.fromEntries(quotes);
    },
  }),
});

type Values = ParamsOf<typeof params>;

function quoteAround(fair: number, view: MarketView, values: Values): Quotes {
  const blocked = whyNoQuotes(view, GUARDS);
  if (blocked !== null) return NO_QUOTES(blocked);
  const half = (values.half_spread_ticks * view.market.tickMicros) / ONE;
  return {
    fairMicros: micros(Math.round(fair * ONE)),
    bids: level('bid', fair - half, values, view),
    asks: level('ask', fair + half, values, view),
    keepWithinTicks: 1,
    keepWithinSizeFraction: 0.5,
    note: `around ${fair.toFixed(4)}`,
    factors: { fair_price: fair, half_spread_price: half },
  };
}

/** Makes one level that never trades at once, or none if the market's limits or the position limit allow none. */
function level(side: 'bid' | 'ask', wish: number, values: Values, view: MarketView) {
  const limit = passiveLimit(view.others, side, view.market.tickMicros) / ONE;
  const price = side === 'bid' ? Math.min(wish, limit) : Math.max(wish, limit);
  const shares = Math.min(values.order_shares, positionRoom(side, view)) / ONE;
  return ladder({ side, price, stepTicks: 1, levels: 1, levelShares: shares, totalShares: shares }, view.market);
}
