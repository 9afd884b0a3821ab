/** A flatten from its beginning to its end: of everything, which is a mode of its own, or of one market while all others go on. */

import { formatDecimal } from '../../../shared/base/decimal.js';
import type { MarketEntry } from '../markets.js';
import { heldIn } from '../own/own-state.js';
import { TraderStepContext } from '../quoting/step-context.js';
import { showTitle, type TraderState } from '../state.js';
import { flattenMarket, isFlat } from './flatten.js';
import { unclaimedBecause } from './fleet-bounds.js';

/** Sells what is held, market by market; ends the mode when nothing that could be sold is left. */
export function flattenAll(state: TraderState, nowMs: number): void {
  const context = new TraderStepContext(state, 'flattening', nowMs);
  let left = state.own.unsettled > 0;
  for (const entry of state.markets.all) {
    // It could not be sold: another wallet of the fleet may be the one who buys.
    if (unclaimedBecause(state, entry.conditionId) !== undefined) continue;
    if (isHeld(state, entry)) left = true;
    sellWhatIsHeld(state, entry, context);
  }
  if (left) return;
  state.modes.onFlat();
  const rest = restText(state, openMarkets(state));
  state.alert(nowMs, 'flattened', `nothing that could be sold is held any more; the trader is paused${rest}`);
}

/** Markets of ours; what another wallet of the fleet has is not sold here. */
const openMarkets = (state: TraderState): readonly string[] =>
  Array.from(state.markets.all, ({ conditionId }) => conditionId).filter(
    (conditionId) => unclaimedBecause(state, conditionId) === undefined,
  );

/** The same in the markets of which an operator said so, each for itself. What was sold is not sold again: then it is only paused. */
export function flattenMarkets(state: TraderState, nowMs: number): void {
  const { flattening } = state.pauses;
  if (flattening.length === 0) return;
  const context = new TraderStepContext(state, 'flattening', nowMs);
  for (const conditionId of flattening) {
    if (unclaimedBecause(state, conditionId) !== undefined) continue;
    const entry = state.markets.get(conditionId);
    if (entry !== undefined && (isHeld(state, entry) || isUnderWay(state, conditionId))) {
      sellWhatIsHeld(state, entry, context);
      continue;
    }
    state.pauses.endFlattening(conditionId);
    const title = `"${showTitle(state, conditionId)}"`;
    const rest = restText(state, [conditionId]);
    state.alert(nowMs, 'flattened', `nothing that could be sold is held in ${title} any more; it is paused${rest}`);
  }
}

function sellWhatIsHeld(state: TraderState, entry: MarketEntry, context: TraderStepContext): void {
  const mark = state.valuation.marks.get(entry.conditionId) ?? null;
  if (flattenMarket(entry, entry.feed.sight(context.nowMs), mark, context)) state.invalidateOwn();
}

/** Whether anything is held that may be sold, or of which that is not known. */
function isHeld({ own }: TraderState, { feed, conditionId }: MarketEntry): boolean {
  const { yesMicros, noMicros } = heldIn(own, conditionId);
  const { facts } = feed;
  return facts === null ? yesMicros > 0 || noMicros > 0 : !isFlat(yesMicros, noMicros, facts);
}

/** What stays, in words, each with a separator before it; empty when nothing does. */
function restText(state: TraderState, conditionIds: readonly string[]): string {
  const rests = conditionIds.flatMap((conditionId) => {
    const { yesMicros, noMicros } = heldIn(state.own, conditionId);
    const amounts = [
      [yesMicros, 'YES'],
      [noMicros, 'NO'],
    ] as const;
    return amounts
      .filter(([shares]) => shares > 0)
      .map(
        ([shares, name]) =>
          `; ${formatDecimal(shares)} ${name} are less than the smallest order and stay in "${showTitle(state, conditionId)}"`,
      );
  });
  return rests.join('');
}

/** Whether an order or a merge there may still change what is held. */
const isUnderWay = ({ own, executor }: TraderState, conditionId: string): boolean =>
  (own.orders.get(conditionId)?.length ?? 0) > 0 ||
  executor.pendingMerge(conditionId) !== null ||
  executor.pendingSplit(conditionId) !== null;
