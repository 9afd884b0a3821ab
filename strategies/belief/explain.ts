/** Texts and figures that explain the quotes. */

import { type MarketView, ONE } from '../../src/trader/strategy/strategy.js';
import type { Belief } from './belief.js';
import { HIGHEST_RATIO } from './newsvendor.js';
import { type Choice, type ChoiceInput, choiceAt, isWorthAnOrder, type Sums } from './quote-choice.js';

export function describeBelief(belief: Belief, sides: readonly string[]): string {
  const { mean, deviation } = belief.known.price();
  const outside = belief.outside === '' ? '' : `${belief.outside}; `;
  return `believed price ${mean.toFixed(4)} ± ${deviation.toFixed(4)}; ${outside}${belief.evidence}; ${sides.join('; ')}`;
}

/** Explains a side's price or missing order, with the value of a price one tick nearer to the mid. */
export function sideText(choice: Choice | null, side: 'bid' | 'ask', sums: Sums, input: ChoiceInput): string {
  if (choice === null) return `no ${side}: others' orders leave no free price`;
  const { price, prospect, ratio, demand, worth, shares } = choice;
  const terms = `loss ${figure(prospect.loss)}, gain ${figure(prospect.gain)}, takers ${figure(demand.takers)}, ratio ${ratio.toFixed(2)}`;
  if (!isWorthAnOrder(choice, input))
    return `no ${side}: at the best price, ${price.toFixed(3)}, ${whyNone(choice)} (${terms})`;
  const tick = input.view.market.tickMicros / ONE;
  const nearer = choiceAt(side, side === 'bid' ? price + tick : price - tick, 0, sums, input);
  return `${side} ${shares.toFixed(2)} at ${price.toFixed(3)} worth ${figure(worth)} (${terms}); a tick nearer ${figure(nearer.worth)}`;
}

function whyNone({ prospect, ratio, shares, worth }: Choice): string {
  if (prospect.gain <= 0) return 'uninformed takers would bring no gain';
  if (ratio >= 1) return 'informed takers would cost more than uninformed takers bring';
  if (ratio >= HIGHEST_RATIO) return 'informed takers would cost nearly as much as uninformed takers bring';
  if (worth > 0) return 'the expected gain of an order is below the cost of its requests';
  return shares <= 0
    ? 'the position limit, the currency or the queue ahead leaves no shares to offer'
    : 'an order would earn nothing';
}

/** Figures for `explain`: finite numbers by name; each name ends with the unit. */
export function makeFactors(
  belief: Belief,
  bid: Choice | null,
  ask: Choice | null,
  input: ChoiceInput,
  view: MarketView,
): Readonly<Record<string, number>> {
  const { mean, deviation } = belief.known.price();
  return {
    belief_mean_price: mean,
    belief_sd_price: deviation,
    low_wall_price: (view.others.bids[0]?.priceMicros ?? 0) / ONE,
    high_wall_price: (view.others.asks[0]?.priceMicros ?? ONE) / ONE,
    sigma_log_odds_per_sqrt_s: belief.sigma,
    jumps_per_s: belief.jumpRate,
    takers_per_s: belief.takers.rate,
    taker_sigma_log: belief.takers.sigma,
    quote_stands_s: input.seconds,
    order_absence_s: input.absentS,
    middle_confirmed_part: belief.middle.confirmed,
    middle_shift_log_odds: belief.middle.excess,
    inventory_shift_log_odds: input.shift - belief.middle.excess,
    cover_worth: input.cover.worthAfter('bid', 0, mean),
    ...(bid === null ? null : makeBidFactors(bid)),
    ...(ask === null ? null : makeAskFactors(ask)),
  };
}

// The names of both sides are literals: building them at every poll would take longer than computing the values.
const makeBidFactors = ({ price, shares, worth, prospect, demand, ratio }: Choice) => ({
  bid_price: price,
  bid_shares: shares,
  bid_worth: worth,
  bid_loss_price: prospect.loss,
  bid_gain_price: prospect.gain,
  bid_takers: demand.takers,
  bid_taker_log_shares: demand.logMean,
  bid_ahead_shares: demand.ahead,
  bid_critical_ratio: Math.min(1e6, ratio),
});

const makeAskFactors = ({ price, shares, worth, prospect, demand, ratio }: Choice) => ({
  ask_price: price,
  ask_shares: shares,
  ask_worth: worth,
  ask_loss_price: prospect.loss,
  ask_gain_price: prospect.gain,
  ask_takers: demand.takers,
  ask_taker_log_shares: demand.logMean,
  ask_ahead_shares: demand.ahead,
  ask_critical_ratio: Math.min(1e6, ratio),
});

/** The belief and the learned values, for `twinbook explain MARKET`. */
export function makeShown(belief: Belief): Readonly<Record<string, number | string | null>> {
  const { mean, deviation } = belief.known.price();
  const { takers, walls } = belief;
  return {
    believed_price: mean,
    deviation_price: deviation,
    low_wall_price: walls.low,
    high_wall_price: walls.high,
    takers_per_s: takers.rate,
    seller_shares: takers.meanAt('bid', mean),
    buyer_shares: takers.meanAt('ask', mean),
    taker_sigma_log: takers.sigma,
    jumps_per_s: belief.jumpRate,
    middle_confirmed_part: belief.middle.confirmed,
    informed_part: belief.informedPart,
    last_evidence: belief.evidence,
    known_from_elsewhere: belief.outside,
  };
}

const figure = (value: number): string => value.toPrecision(3);
