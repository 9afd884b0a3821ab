/** The call of each poll. */

import type { PollTarget } from '../../shared/protocol/request-owner.js';
import type { AnyCall, Lane } from '../../shared/protocol/seam.js';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import { BAR_S, CANDLES_S } from '../market/candle-prior.js';

/** Rows per page of trades, own trades and own orders: the service's maximum, so that a busy market needs one page. */
export const ROWS = 100;
const ASSET_ROWS = 200;

/** @param nowMs our clock: price bars are requested up to the last complete one */
export function pollCall(target: PollTarget, bookDepth: number, nowMs: number): AnyCall {
  switch (target.kind) {
    case 'book':
      return {
        endpoint: 'markets.book',
        params: { condition_id: target.marketConditionId },
        query: { depth: bookDepth, is_yes: true },
        body: undefined,
      };
    case 'trades':
      return {
        endpoint: 'markets.trades',
        params: { condition_id: target.marketConditionId },
        query: { limit: ROWS },
        body: undefined,
      };
    case 'detail':
      return {
        endpoint: 'markets.detail',
        params: { condition_id: target.marketConditionId },
        query: {},
        body: undefined,
      };
    case 'candles': {
      const end_time = BAR_S * Math.floor(nowMs / 1000 / BAR_S);
      return {
        endpoint: 'markets.candles',
        params: { condition_id: target.marketConditionId },
        query: { start_time: end_time - CANDLES_S, end_time, interval: '5m', is_yes: true },
        body: undefined,
      };
    }
    case 'orders':
      return {
        endpoint: 'orders.list',
        params: {},
        query: { status: [...RESTING_STATUSES], limit: ROWS },
        body: undefined,
      };
    case 'fills':
      return { endpoint: 'trades.list', params: {}, query: { limit: ROWS }, body: undefined };
    case 'assets':
    case 'marks':
      return { endpoint: 'account.assets', params: {}, query: { limit: ASSET_ROWS }, body: undefined };
    case 'catalog':
      return { endpoint: 'markets.list', params: {}, query: { limit: ROWS, state: 'open' }, body: undefined };
    case 'details':
      return {
        endpoint: 'search.list',
        params: {},
        query: { limit: ROWS, state: ['open'], result_type: 'market' },
        body: undefined,
      };
  }
}

/** Own state first; then books with own orders before books without. */
export function pollLane(target: PollTarget, resting: boolean): Lane {
  switch (target.kind) {
    case 'orders':
    case 'fills':
    case 'assets':
      return 'own';
    case 'book':
      return resting ? 'hot' : 'quiet';
    case 'trades':
    case 'detail':
    case 'candles':
    case 'catalog':
    case 'details':
    case 'marks': // of own state, but for looks: it leaves the whole reserve
      return 'quiet';
  }
}
