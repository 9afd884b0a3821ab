/**
 * Worst loss of an event whose outcomes exclude or imply each other. The operator declares such events, because the
 * venue does not report them.
 */

import { add, type Micros, maxMicros, sub, ZERO } from '../../shared/base/micros.js';
import type { EventOutcomes } from '../market/view.js';

export const EVENT_OUTCOMES = ['exclusive', 'exhaustive', 'nested'] as const satisfies readonly EventOutcomes[];

/** Which markets of an event may resolve YES together. */
export interface EventRule {
  readonly eventConditionId: string;
  readonly outcomes: EventOutcomes;
  /** All markets of an exhaustive event; those of a nested event, widest first; may be empty for an exclusive event. */
  readonly marketConditionIds: readonly string[];
}

/** Loss of one market in either resolution if every adverse order fills; negative for a gain. */
export interface OutcomeLosses {
  readonly marketConditionId: string;
  readonly ifYesMicros: Micros;
  readonly ifNoMicros: Micros;
}

/**
 * Largest possible loss of an event, currency, 0 or more. Of exclusive markets at most one resolves YES; of nested
 * markets the widest ones do. Gains of other markets in the same outcome are set off. Without a rule each market counts
 * at its own worst. Canceled markets, which pay half per share, are not considered.
 */
export function worstEventLoss(markets: readonly OutcomeLosses[], rule: EventRule | null): Micros {
  if (rule === null) return markets.reduce((sum, market) => add(sum, worstAlone(market)), ZERO);
  if (rule.outcomes === 'nested') return worstNestedLoss(markets, rule);
  const none = markets.reduce((sum, { ifNoMicros }) => add(sum, ifNoMicros), ZERO);
  let worst = someOfOursMustWin(markets, rule) ? ZERO : none;
  for (const { ifYesMicros, ifNoMicros } of markets) worst = maxMicros(worst, add(sub(none, ifNoMicros), ifYesMicros));
  return maxMicros(worst, ZERO);
}

/** Worst loss of a nested event; an undeclared market may resolve either way. */
function worstNestedLoss(markets: readonly OutcomeLosses[], { marketConditionIds }: EventRule): Micros {
  const byId = new Map(markets.map((market) => [market.marketConditionId, market]));
  const declared = marketConditionIds.flatMap((id) => byId.get(id) ?? []);
  const others = markets.filter(({ marketConditionId }) => !marketConditionIds.includes(marketConditionId));
  // Start with no market resolving YES, then let one more after the other do so.
  let reached = declared.reduce((sum, { ifNoMicros }) => add(sum, ifNoMicros), ZERO);
  let worst = reached;
  for (const { ifYesMicros, ifNoMicros } of declared) {
    reached = add(sub(reached, ifNoMicros), ifYesMicros);
    worst = maxMicros(worst, reached);
  }
  return maxMicros(
    ZERO,
    others.reduce((sum, market) => add(sum, worstAlone(market)), worst),
  );
}

const worstAlone = ({ ifYesMicros, ifNoMicros }: OutcomeLosses): Micros =>
  maxMicros(maxMicros(ifYesMicros, ifNoMicros), ZERO);

/**
 * True when one of the account's markets must resolve YES. A market without a position may also win, which equals no
 * win for the account.
 */
function someOfOursMustWin(markets: readonly OutcomeLosses[], { outcomes, marketConditionIds }: EventRule): boolean {
  if (outcomes === 'exclusive') return false;
  const ours = new Set(markets.map(({ marketConditionId }) => marketConditionId));
  return ours.size === marketConditionIds.length && marketConditionIds.every((id) => ours.has(id));
}
