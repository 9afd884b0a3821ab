/**
 * A strategy of your own. It quotes one bid and one ask around a fair price from others' orders. The quotes are shifted
 * against the position (Guéant, Lehalle and Fernandez-Tapia), so that it is reduced sooner than it grows.
 *
 *     ./twinbook backtest -c examples/own-strategy.yaml --data data/sample
 *
 * Copy this file and own-strategy.yaml and change them. Add the YAML file under `strategies:` of a trader's file. The same
 * module runs live, on paper and in backtests. It imports only `twinbook/strategy`.
 */
import {
  defineStrategy,
  fairValue,
  gueantQuotes,
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
  order_shares: { kind: 'shares', min: '1', max: '1000', default: '10', help: 'Size of the order on each side.' },
  risk_aversion: {
    kind: 'number',
    unit: 'per currency',
    min: 0.0001,
    max: 10,
    default: 0.005,
    help: 'Risk aversion: a larger value shifts both quotes further per share held.',
  },
  thinning_per_price: {
    kind: 'number',
    unit: 'per price',
    min: 1,
    max: 1000,
    default: 40,
    help: 'Decay of the fill rate with distance from the fair price. At 40, the rate falls to a third within 0.027.',
  },
  fills_per_s: {
    kind: 'number',
    unit: 'fills per s',
    min: 0.001,
    max: 100,
    default: 0.2,
    help: 'Assumed rate of fills of an order at the fair price.',
  },
} as const;

const GUARDS = { maxBookAgeMs: 30_000, jumpPauseMs: 10_000, haltBeforeMs: 60_000 };
const FAIR = { dustMicros: micros(5 * ONE), imbalanceWeight: 0.5, tradeWeight: 0.25, maxSpread: 0.2 };

export default defineStrategy({
  name: 'inventory-maker',
  summary: 'One level on each side of a fair price, shifted against the position.',
  params,
  create: (values, market) => ({
    quote(view) {
      const blocked = whyNoQuotes(view, GUARDS);
      if (blocked !== null) return NO_QUOTES(blocked);
      const value = fairValue(view, FAIR);
      if (typeof value === 'string') return NO_QUOTES(value);
      const { half, skew } = distances(values, view);
      // Inventory is counted in orders, as in the paper.
      const centre = value.fair - skew * (view.inventory.netMicros / values.order_shares);
      return {
        fairMicros: micros(Math.round(value.fair * ONE)),
        bids: level('bid', centre - half, values, view, market),
        asks: level('ask', centre + half, values, view, market),
        keepWithinTicks: 1,
        keepWithinSizeFraction: 0.5,
        note: `around ${centre.toFixed(4)}, fair ${value.fair.toFixed(4)}`,
        factors: { fair_price: value.fair, centre_price: centre, half_spread_price: half },
      };
    },
  }),
});

type Values = ParamsOf<typeof params>;

/** Half-spread, and the shift of both quotes per order of inventory; both in price. */
function distances(values: Values, view: MarketView): { half: number; skew: number } {
  const gamma = values.risk_aversion * (values.order_shares / ONE);
  const { sigmaPricePerSqrtS: sigma } = view.estimates;
  return gueantQuotes({
    a: values.fills_per_s,
    k: values.thinning_per_price,
    gamma,
    xi: gamma,
    orderSize: 1,
    sigma,
  });
}

/** Makes one level that never trades at once, or none if the market's limits or the position limit allow none. */
function level(side: 'bid' | 'ask', wish: number, values: Values, view: MarketView, market: MarketFacts) {
  const limit = passiveLimit(view.others, side, market.tickMicros) / ONE;
  const price = side === 'bid' ? Math.min(wish, limit) : Math.max(wish, limit);
  const shares = Math.min(values.order_shares, positionRoom(side, view)) / ONE;
  return ladder({ side, price, stepTicks: 1, levels: 1, levelShares: shares, totalShares: shares }, market);
}
