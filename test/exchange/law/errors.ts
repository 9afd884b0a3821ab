/** Every error of the documents: status and code, by slug. Transcribed by hand. */

export const ERRORS: Readonly<Record<string, readonly [status: number, code: number]>> = {
  invalid_request_params: [400, -11],
  authentication_failed: [401, -12],
  not_authenticated: [401, -13],
  permission_denied: [403, -14],
  not_found: [404, -15],
  method_not_allowed: [405, -16],
  throttled: [429, -17],
  unsupported_media_type: [415, -18],
  request_too_large: [413, -19],
  internal_error: [500, -3],
  share_conversion_market_not_eligible: [400, 4301],
  share_conversion_invalid_amount: [400, 4302],
  share_conversion_market_not_open: [409, 4303],
  share_conversion_market_paused: [409, 4304],
  share_merge_market_has_unbacked_collateral: [409, 4305],
  share_merge_in_progress: [409, 4306],
  share_conversion_not_found: [404, 4307],
  share_conversion_invalid_state: [409, 4308],
  share_split_in_progress: [409, 4309],
  share_split_insufficient_funds: [400, 4310],
  custodial_user_trading_not_allowed: [403, 4311],
  share_merge_insufficient_shares: [400, 4313],
  gringotts_unavailable: [503, 3042],
  program_call_has_expired: [400, 3029],
  invalid_program_call_status: [400, 3028],
  order_insufficient_funds: [400, 4201],
  order_insufficient_shares: [400, 4202],
  order_market_not_open: [400, 4203],
  order_not_cancelable: [400, 4204],
  hyperliquid_margin_tp_sl_not_supported: [501, 9201],
};

/** Messages that the decisions fix. */
export const MESSAGES: Readonly<Record<string, RegExp>> = {
  invalid_request_params: /^Validation Error$/,
  not_found: /^Not found\.$/,
  not_authenticated: /^Missing required authentication headers$/,
  authentication_failed:
    /^(Timestamp out of range|Invalid API key|Invalid signature|Missing required authentication headers)$/,
  permission_denied: /^You do not have permission to perform this action\.$/,
  internal_error: /^An internal error occurred\.$/,
  throttled: /^Request was throttled\. Expected available in \d+ seconds\.$/,
};
