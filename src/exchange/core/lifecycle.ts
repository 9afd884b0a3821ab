/**
 * The life of a market: draft → waiting_to_open → open ⇄ interrupted → answer_proposed → waiting_to_resolve → resolved or
 * canceled. By itself a market stays where it is; the control plays the venue's part and may put it into any state before
 * its settlement, also back: a proposed answer can be disputed. What is settled is final: shares are being paid out.
 */

import { isSettledMarket, type MarketState } from '../../shared/protocol/states.js';

/** Whether the control may put a market of one state into another; `resolved` needs an outcome and is no mere state. */
export const mayMove = (from: MarketState, to: MarketState): boolean => !isSettledMarket(from) && to !== 'resolved';
