/** Merges, splits and redeems in the plain model. An error is the text `slug` or `slug field`. */

import { DRAFT_MS } from './plain-orders.js';
import {
  isSettled,
  isUnfinished,
  type PlainConversion,
  type PlainMarket,
  type PlainRedeem,
  type PlainState,
  whyClosed,
} from './plain-state.js';

export const LANDING_MS = 400;

type Kind = PlainConversion['kind'];

/** `amount` null: the text of the body is not a decimal. */
export function draftConversion(
  state: PlainState,
  kind: Kind,
  account: number,
  market: number | null,
  amount: number | null,
): PlainConversion | string {
  if (!state.signing) return 'gringotts_unavailable';
  if (market === null) return 'invalid_request_params market_condition_id';
  const found = state.market(market);
  if (state.account(account).custodial) return 'custodial_user_trading_not_allowed';
  if (found.rules === null || found.hasMargin) return 'share_conversion_market_not_eligible';
  if (amount === null || amount <= 0 || amount % found.rules.lot !== 0) return 'share_conversion_invalid_amount';
  const closed = whyClosed(kind, found);
  if (closed !== null) return closed;
  const other = state.conversions.find(
    (record) => record.kind === kind && record.account === account && record.market === market && isUnfinished(record),
  );
  if (other !== undefined) {
    const isRepeat = other.state === 'waiting_to_sign' && other.amount === amount;
    if (isRepeat) state.seen(`${kind} draft answered again`);
    return isRepeat ? other : `share_${kind}_in_progress`;
  }
  if (kind === 'split' && state.availableFunds(account) < amount) return 'share_split_insufficient_funds';
  const sets = Math.min(state.availableShares(account, market, true), state.availableShares(account, market, false));
  if (kind === 'merge' && sets < amount) return 'share_merge_insufficient_shares';
  const terms = { kind, account, market, amount };
  const record: PlainConversion = { ...terms, ...drafted(state), landsMs: 0 };
  state.conversions.push(record);
  return record;
}

const drafted = ({ nowMs }: PlainState) =>
  ({ pubkey: '', state: 'waiting_to_sign', createdMs: nowMs, expiresMs: nowMs + DRAFT_MS }) as const;

export function submitConversion(
  state: PlainState,
  account: number,
  record: PlainConversion | null,
  valid: boolean,
): PlainConversion | string {
  if (record === null || record.account !== account) return 'share_conversion_not_found';
  if (record.state === 'expired') return 'program_call_has_expired';
  if (record.state !== 'waiting_to_sign') return 'share_conversion_invalid_state';
  if (!valid) return 'invalid_request_params signature';
  record.state = 'in_process';
  record.landsMs = state.nowMs + LANDING_MS;
  return record;
}

export function draftRedeem(state: PlainState, account: number, market: number | null): PlainRedeem | string {
  if (!state.signing) return 'gringotts_unavailable';
  if (market === null || !isSettled(state.market(market))) return 'invalid_request_params market_condition_id';
  const open = state.redeems.find((one) => one.account === account && one.market === market && isUnfinished(one));
  if (open !== undefined) {
    state.seen('redeem draft answered again');
    return open;
  }
  const yes = state.availableShares(account, market, true);
  const no = state.availableShares(account, market, false);
  if (yes + no === 0) return 'invalid_request_params market_condition_id';
  const record: PlainRedeem = { account, market, yes, no, ...drafted(state) };
  state.redeems.push(record);
  return record;
}

export function submitRedeem(
  state: PlainState,
  account: number,
  record: PlainRedeem | null,
  valid: boolean,
): PlainRedeem | string {
  if (record === null || record.account !== account) return 'not_found';
  if (record.state === 'expired') return 'program_call_has_expired';
  if (record.state !== 'waiting_to_sign') return 'invalid_program_call_status';
  if (!valid) return 'invalid_request_params signature';
  const own = state.account(account);
  const market = state.market(record.market);
  own.yes[record.market] = state.held(account, record.market, true) - record.yes;
  own.no[record.market] = state.held(account, record.market, false) - record.no;
  own.funds += payoutOf(market, record);
  market.collateral -= payoutOf(market, record);
  record.state = 'completed';
  return record;
}

/** A winning share pays 1; in a canceled market each pays a half, rounded down to a millionth. */
export function payoutOf(market: PlainMarket, { yes, no }: PlainRedeem): number {
  if (market.outcome === null) return Math.floor((yes + no) / 2);
  return market.outcome ? yes : no;
}
