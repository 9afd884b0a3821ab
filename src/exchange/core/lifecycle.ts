/**
 * The life of a market: draft → waiting_to_open → open ⇄ interrupted → answer_proposed → waiting_to_resolve → resolved or
 * canceled. The control may skip steps, never go back; the one way back is from an interruption. What is settled is final:
 * shares have been paid out.
 */

import type { MarketState } from '../../protocol/states.js';

const SETTLING = ['resolved', 'canceled'] as const;
const ENDING = ['answer_proposed', 'waiting_to_resolve', ...SETTLING] as const;

/** Where a market may go from each state. */
export const MARKET_MOVES: Readonly<Record<MarketState, readonly MarketState[]>> = {
  draft: ['waiting_to_open', 'open', ...ENDING],
  waiting_to_open: ['open', ...ENDING],
  open: ['interrupted', ...ENDING],
  interrupted: ['open', ...ENDING],
  answer_proposed: ['waiting_to_resolve', ...SETTLING],
  waiting_to_resolve: SETTLING,
  resolved: [],
  canceled: [],
};

/** Whether a market may be put into a state; the state that it is in already changes nothing, unless it is final. */
export const mayMove = (from: MarketState, to: MarketState): boolean =>
  MARKET_MOVES[from].includes(to) || (from === to && MARKET_MOVES[from].length > 0);
