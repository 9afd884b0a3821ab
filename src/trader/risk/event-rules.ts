/** Which outcomes of an event exclude each other: declared by the operator, since the venue does not report it. */

import { add, type Micros, maxMicros, sub, ZERO } from '../../shared/base/micros.js';
import type { EventOutcomes } from '../market/view.js';

export const EVENT_OUTCOMES = ['exclusive', 'exhaustive', 'nested'] as const satisfies readonly EventOutcomes[];

/** Which markets of an event may resolve YES together. */
export interface EventRule {
  readonly eventConditionId: string;
  readonly outcomes: EventOutcomes;
  /** Exhaustive event: all its markets. Nested: the widest first. Exclusive: may be empty. */
  readonly marketConditionIds: readonly string[];
}

/** Cost of one market of an event in either resolution if every adverse order fills; negative for a gain. */
export interface OutcomeLosses {
  readonly marketConditionId: string;
  readonly ifYesMicros: Micros;
  readonly ifNoMicros: Micros;
}

/**
 * Currency that an event loses at most, never negative. Of exclusive markets one resolves YES, or none does; of nested ones the
 * widest do, as many as it may be: what the others then bring is set off. Without a rule each market is taken at its own worst. A market that is canceled, which pays a half
 * for every share, is left out of account.
 */
export function worstEventLoss(markets: readonly OutcomeLosses[], rule: EventRule | null): Micros {
  if (rule === null) return markets.reduce((sum, market) => add(sum, worstAlone(market)), ZERO);
  if (rule.outcomes === 'nested') return worstNestedLoss(markets, rule);
  const none = markets.reduce((sum, { ifNoMicros }) => add(sum, ifNoMicros), ZERO);
  let worst = someOfOursMustWin(markets, rule) ? ZERO : none;
  for (const { ifYesMicros, ifNoMicros } of markets) worst = maxMicros(worst, add(sub(none, ifNoMicros), ifYesMicros));
  return maxMicros(worst, ZERO);
}

/** An undeclared market may resolve either way. */
function worstNestedLoss(markets: readonly OutcomeLosses[], { marketConditionIds }: EventRule): Micros {
  const byId = new Map(markets.map((market) => [market.marketConditionId, market]));
  const declared = marketConditionIds.flatMap((id) => byId.get(id) ?? []);
  const others = markets.filter(({ marketConditionId }) => !marketConditionIds.includes(marketConditionId));
  // None of them, then one more after the other.
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

/** A market without a position may win: for the account it is as if none had. */
function someOfOursMustWin(markets: readonly OutcomeLosses[], { outcomes, marketConditionIds }: EventRule): boolean {
  if (outcomes === 'exclusive') return false;
  const ours = new Set(markets.map(({ marketConditionId }) => marketConditionId));
  return ours.size === marketConditionIds.length && marketConditionIds.every((id) => ours.has(id));
}
