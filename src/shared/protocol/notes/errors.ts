/** Cause of each error of the service, and the next step of a caller. */

import type { ServiceErrorSlug } from '../errors.js';

/** Documentation of one error. */
export interface ErrorNote {
  readonly when: string;
  readonly advice: string;
}

const FIX = 'Correct the request.';
const REDRAFT = 'Make a new draft.';
const LATER = 'Wait, then repeat the call.';

export const ERROR_NOTES: Readonly<Record<ServiceErrorSlug, ErrorNote>> = {
  invalid_request_params: {
    when: 'A parameter, the body, one of its fields, a cursor or a wallet’s signature is invalid. `details` names it.',
    advice: FIX,
  },
  authentication_failed: {
    when: 'One of the three headers is missing or empty, or timestamp, key or signature is wrong. `message` names the cause.',
    advice: 'Check clock, key and signed bytes; sign again.',
  },
  not_authenticated: { when: 'A signed call has none of the three headers.', advice: 'Sign the request.' },
  permission_denied: {
    when: 'The caller may not do this. On the paper exchange: a web page has called a control.',
    advice: FIX,
  },
  not_found: {
    when: 'The path is unknown, or the record is unknown or of another account.',
    advice: 'Check the path, its final slash, and the id.',
  },
  method_not_allowed: { when: 'The path has other methods; `Allow` lists them.', advice: FIX },
  throttled: {
    when: 'The rate limit of the address or key is reached.',
    advice: 'Wait for the seconds in `Retry-After`.',
  },
  unsupported_media_type: { when: 'The type of the body is not `application/json`.', advice: FIX },
  request_too_large: { when: 'The body exceeds 65,536 bytes.', advice: FIX },
  request_headers_too_large: {
    when: 'Request line and headers exceed 16,384 bytes. The connection is closed.',
    advice: FIX,
  },
  internal_error: {
    when: 'The exchange has failed, for example with a full disk.',
    advice: 'The effect is unknown: read the record first.',
  },
  gringotts_unavailable: { when: 'The signing service is down. No draft was made.', advice: LATER },
  program_call_has_expired: { when: 'The draft has expired; its locks are released.', advice: REDRAFT },
  invalid_program_call_status: {
    when: 'The draft was submitted, has failed, or never existed.',
    advice: 'Read the record: the call may have succeeded.',
  },
  order_insufficient_funds: {
    when: 'Free currency is below the cost with fee. A refused submit makes the order `failed`.',
    advice: 'Free currency, or order less.',
  },
  order_insufficient_shares: {
    when: 'Free shares are below the amount. A refused submit makes the order `failed`.',
    advice: 'Order fewer.',
  },
  order_market_not_open: {
    when: 'The market is not `open`, or is paused. A refused submit makes the order `failed`.',
    advice: 'Read the market.',
  },
  order_not_cancelable: {
    when: 'The order does not rest.',
    advice: 'Read the order.',
  },
  share_conversion_market_not_eligible: {
    when: 'The market is a margin market.',
    advice: FIX,
  },
  share_conversion_invalid_amount: {
    when: 'The amount is not positive, or not a multiple of the market’s lot.',
    advice: FIX,
  },
  share_conversion_market_not_open: {
    when: 'The market is not `open`.',
    advice: 'Redeem after the settlement.',
  },
  share_conversion_market_paused: { when: 'The market is paused.', advice: LATER },
  share_merge_market_has_unbacked_collateral: {
    when: 'The market cannot pay for merges now. Splits continue.',
    advice: LATER,
  },
  share_merge_in_progress: {
    when: 'Another merge of the caller on this market is open.',
    advice: 'Submit it, or wait for its end.',
  },
  share_split_in_progress: {
    when: 'Another split of the caller on this market is open.',
    advice: 'Submit it, or wait for its end.',
  },
  share_conversion_not_found: {
    when: 'The submitted merge or split is not the caller’s.',
    advice: 'Check the pubkey.',
  },
  share_conversion_invalid_state: {
    when: 'The merge or split no longer waits for a signature.',
    advice: 'Read it: the call may have succeeded.',
  },
  share_split_insufficient_funds: { when: 'Free currency is below the amount.', advice: 'Split less.' },
  share_merge_insufficient_shares: {
    when: 'Free YES or NO shares are below the amount.',
    advice: 'Cancel orders, or merge less.',
  },
  custodial_user_trading_not_allowed: {
    when: 'The account is custodial.',
    advice: 'Use an account with its own wallet.',
  },
  hyperliquid_margin_tp_sl_not_supported: {
    when: 'Markets of the kind `hyperliquid` have neither take profit nor stop loss.',
    advice: 'Close the position.',
  },
};
