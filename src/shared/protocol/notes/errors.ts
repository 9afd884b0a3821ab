/** Cause of each error of the service, and the next step of a caller. */

import type { ServiceErrorSlug } from '../errors.js';

/** Documentation of one error. */
export interface ErrorNote {
  readonly when: string;
  readonly advice: string;
}

const FIX = 'Mend the request; the same one is refused again.';
const ANEW = 'Start with a new draft.';
const LATER = 'Wait, then ask again.';

export const ERROR_NOTES: Readonly<Record<ServiceErrorSlug, ErrorNote>> = {
  invalid_request_params: {
    when: 'A parameter, a field of the body, the body as a whole, a cursor or a signature of a wallet is invalid. `details` names it.',
    advice: FIX,
  },
  authentication_failed: {
    when: 'Some of the three headers are missing or empty, the timestamp is too far from the exchange’s clock, the key is unknown or revoked, or the signature is not the one of this request. `message` says which.',
    advice: 'Compare clock, key and signed bytes; sign again.',
  },
  not_authenticated: { when: 'A signed call came without any of the three headers.', advice: 'Sign the request.' },
  permission_denied: {
    when: 'The caller is known and may not do this. On the paper exchange only: a control was called from a web page.',
    advice: FIX,
  },
  not_found: {
    when: 'The path does not exist, or the record is unknown or belongs to another account.',
    advice: 'Check the path with its final slash, and the name.',
  },
  method_not_allowed: { when: 'The path exists, but not with this method; `Allow` lists those that do.', advice: FIX },
  throttled: {
    when: 'The budget of the address or of the key is used up for now.',
    advice: 'Wait as many seconds as `Retry-After` says.',
  },
  unsupported_media_type: { when: 'A body came under another type than `application/json`.', advice: FIX },
  request_too_large: { when: 'The body has more than 65,536 bytes.', advice: FIX },
  request_headers_too_large: {
    when: 'Request line and headers have more than 16,384 bytes together. The connection is closed.',
    advice: FIX,
  },
  internal_error: {
    when: 'The exchange has failed, for instance because its disk is full.',
    advice: 'The effect is unknown: read the record first.',
  },
  gringotts_unavailable: { when: 'The service that makes drafts is down. No draft was made.', advice: LATER },
  program_call_has_expired: { when: 'The draft was not submitted in time; its locks are released.', advice: ANEW },
  invalid_program_call_status: {
    when: 'The draft was submitted before, has failed, or was never made.',
    advice: 'Read the record: the call may have succeeded.',
  },
  order_insufficient_funds: {
    when: 'Free currency is below what a buy may cost with its fee. An order refused at its submit has become `failed`.',
    advice: 'Free some, or order less.',
  },
  order_insufficient_shares: {
    when: 'Free shares are fewer than a sell wants to sell. An order refused at its submit has become `failed`.',
    advice: 'Order fewer.',
  },
  order_market_not_open: {
    when: 'The market is not in state `open`, or is paused. An order refused at its submit has become `failed`.',
    advice: 'Watch the market.',
  },
  order_not_cancelable: {
    when: 'The order does not rest in the book: it is filled, canceled, or was never submitted.',
    advice: 'Read the order.',
  },
  share_conversion_market_not_eligible: {
    when: 'The market is a margin market: there is nothing to merge or split.',
    advice: FIX,
  },
  share_conversion_invalid_amount: {
    when: 'The amount is not positive, or not a multiple of the market’s lot.',
    advice: FIX,
  },
  share_conversion_market_not_open: {
    when: 'The market is not in state `open`.',
    advice: 'After the market is settled, redeem instead.',
  },
  share_conversion_market_paused: { when: 'The market is paused on the chain.', advice: LATER },
  share_merge_market_has_unbacked_collateral: {
    when: 'The market cannot pay for merges at the moment. Splits continue.',
    advice: LATER,
  },
  share_merge_in_progress: {
    when: 'The caller has another merge on this market that is waiting to be signed or in process.',
    advice: 'Finish it, or wait for its end.',
  },
  share_split_in_progress: {
    when: 'The caller has another split on this market that is waiting to be signed or in process.',
    advice: 'Finish it, or wait for its end.',
  },
  share_conversion_not_found: {
    when: 'A submit names no merge (or split) of the caller. Reading one answers `not_found`.',
    advice: 'Check the pubkey.',
  },
  share_conversion_invalid_state: {
    when: 'The merge or split is not waiting for a signature any more.',
    advice: 'Read it: the call may have succeeded.',
  },
  share_split_insufficient_funds: { when: 'Free currency is below the amount.', advice: 'Split less.' },
  share_merge_insufficient_shares: {
    when: 'Free YES or free NO shares are fewer than the amount.',
    advice: 'Cancel orders that lock them, or merge less.',
  },
  custodial_user_trading_not_allowed: {
    when: 'The account is custodial: it may not merge or split.',
    advice: 'Use an account with its own wallet.',
  },
  hyperliquid_margin_tp_sl_not_supported: {
    when: 'The market is of the kind `hyperliquid`, which has no take profit and no stop loss.',
    advice: 'Close the position yourself.',
  },
};
