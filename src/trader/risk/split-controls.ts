/** Controls before currency is split into complete sets. Those shared with orders are the same functions. */

import { ONE } from '../../shared/base/micros.js';
import {
  type Control,
  checkHalt,
  dayLoss,
  drawdown,
  fillBurst,
  flag,
  insaneLimit,
  marketOpen,
  timeToResolution,
  whole,
} from './controls.js';
import type { RiskFacts } from './facts.js';
import { atLeast, atMost } from './figures.js';
import type { Breach, SplitIntent } from './intent.js';

/** Controls of a split: it binds currency, so every control that blocks orders blocks it too. */
export const SPLIT_CONTROLS: readonly SplitControl[] = [
  { number: 14, name: 'sane_input', check: saneSplit },
  { number: 8, name: 'halted', check: checkHalt },
  { number: 8, name: 'max_loss_day', check: dayLoss },
  { number: 8, name: 'max_drawdown', check: drawdown },
  { number: 11, name: 'max_fills', check: fillBurst },
  { number: 15, name: 'market_open', check: marketOpen },
  { number: 15, name: 'min_time_to_resolution_s', check: timeToResolution },
  { number: 17, name: 'reduce_only', check: addsNothing },
  { number: 21, name: 'max_core_sets', check: coreSets },
  { number: 19, name: 'available_cash', check: splitCash },
];

interface SplitControl extends Pick<Control, 'number' | 'name'> {
  readonly check: (split: SplitIntent, facts: RiskFacts) => Breach | null;
}

function saneSplit(split: SplitIntent, { sight, limits, cashMicros }: RiskFacts): Breach | null {
  if (sight === null || sight.market.conditionId !== split.marketConditionId) {
    return flag('the view of this market is missing');
  }
  return (
    insaneLimit(limits) ??
    whole('the sets to split', split.amountMicros, 'shares') ??
    atLeast('the sets to split', split.amountMicros, 1, 'shares') ??
    whole('the YES price of the split', split.yesPriceMicros, 'price') ??
    atLeast('the YES price of the split', split.yesPriceMicros, 1, 'price') ??
    atMost('the YES price of the split', split.yesPriceMicros, ONE - 1, 'price') ??
    whole('the available currency', cashMicros, 'currency')
  );
}

function addsNothing(_: unknown, { stance, stanceReason }: RiskFacts): Breach | null {
  if (stance === 'normal' || stance === 'widen') return null;
  return flag(`only what reduces may pass, ${stance} (${stanceReason}), and a split binds currency`);
}

function coreSets(split: SplitIntent, { exposure, limits }: RiskFacts): Breach | null {
  const sets = exposure.setsMicros(split.marketConditionId) + split.amountMicros;
  return atMost('the complete sets of this market with the split', sets, limits.maxCoreSetsMicros, 'shares');
}

function splitCash(split: SplitIntent, { exposure, cashMicros }: RiskFacts): Breach | null {
  const needed = exposure.reservedCashMicros + split.amountMicros;
  return atMost('currency needed by this split, other splits and all working buys', needed, cashMicros, 'currency');
}
