/** All errors of the service, with slug, HTTP status, code and message. Clients distinguish errors by their slug. */

import { z } from 'zod';

/** Some codes are undocumented, and the paper exchange chose them. No client may depend on a code. */
export const SERVICE_ERRORS = {
  invalid_request_params: { status: 400, code: -11, message: 'Validation Error' },
  authentication_failed: { status: 401, code: -12, message: 'Invalid signature' },
  not_authenticated: { status: 401, code: -13, message: 'Missing required authentication headers' },
  permission_denied: { status: 403, code: -14, message: 'You do not have permission to perform this action.' },
  not_found: { status: 404, code: -15, message: 'Not found.' },
  method_not_allowed: { status: 405, code: -16, message: 'Method not allowed.' },
  throttled: { status: 429, code: -17, message: 'Request was throttled.' },
  unsupported_media_type: { status: 415, code: -18, message: 'Unsupported media type. Send application/json.' },
  request_too_large: { status: 413, code: -19, message: 'The request body is larger than 65536 bytes.' },
  request_headers_too_large: {
    status: 431,
    code: -20,
    message: 'The request line and headers are larger than 16384 bytes.',
  },
  internal_error: { status: 500, code: -3, message: 'An internal error occurred.' },
  gringotts_unavailable: { status: 503, code: 3042, message: 'The signing service is temporarily unavailable.' },
  program_call_has_expired: { status: 400, code: 3029, message: 'The draft has expired. Start a new one.' },
  invalid_program_call_status: { status: 400, code: 3028, message: 'The draft can no longer be submitted.' },
  order_insufficient_funds: { status: 400, code: 4201, message: 'Available funds are below what the order needs.' },
  order_insufficient_shares: { status: 400, code: 4202, message: 'Available shares are below what the order sells.' },
  order_market_not_open: { status: 400, code: 4203, message: 'The market is not open for trading.' },
  order_not_cancelable: { status: 400, code: 4204, message: 'The order can no longer be canceled.' },
  share_conversion_market_not_eligible: {
    status: 400,
    code: 4301,
    message: 'Only order-book markets without margin trading support split and merge.',
  },
  share_conversion_invalid_amount: {
    status: 400,
    code: 4302,
    message: 'The amount must be a positive multiple of the lot size.',
  },
  share_conversion_market_not_open: { status: 409, code: 4303, message: 'The market is not open.' },
  share_conversion_market_paused: { status: 409, code: 4304, message: 'The market is paused on chain.' },
  share_merge_market_has_unbacked_collateral: {
    status: 409,
    code: 4305,
    message: 'Merging is temporarily unavailable on this market.',
  },
  share_merge_in_progress: { status: 409, code: 4306, message: 'Another merge on this market is not finished.' },
  share_conversion_not_found: { status: 404, code: 4307, message: 'No such conversion belongs to the caller.' },
  share_conversion_invalid_state: { status: 409, code: 4308, message: 'The conversion is no longer waiting to sign.' },
  share_split_in_progress: { status: 409, code: 4309, message: 'Another split on this market is not finished.' },
  share_split_insufficient_funds: { status: 400, code: 4310, message: 'Available funds are below the amount.' },
  custodial_user_trading_not_allowed: {
    status: 403,
    code: 4311,
    message: 'Custodial accounts cannot split or merge.',
  },
  share_merge_insufficient_shares: {
    status: 400,
    code: 4313,
    message: 'Available YES or NO shares are below the amount.',
  },
  hyperliquid_margin_tp_sl_not_supported: {
    status: 501,
    code: 9201,
    message: 'Take profit and stop loss are not available on the external perpetual-exchange backend.',
  },
} as const satisfies Record<string, { readonly status: number; readonly code: number; readonly message: string }>;

/** Slug of an error, which identifies the error for clients. */
export type ServiceErrorSlug = keyof typeof SERVICE_ERRORS;

/** Value of `details`. Each object in the details of an error has one key: the name of the invalid field. */
export type ErrorDetails = readonly Readonly<Record<string, string>>[];

/** Refusal of a request by the service. The exchange sends the refusal, and the client returns it. */
export interface ServiceFault {
  readonly slug: ServiceErrorSlug;
  /** Message that replaces the slug's message in `SERVICE_ERRORS`, for variants of an error. */
  readonly message?: string;
  readonly details?: ErrorDetails;
}

export const errorObject = z.object({
  code: z.number(),
  slug: z.string(),
  message: z.string(),
  details: z
    .array(z.record(z.string(), z.unknown()))
    .nullish()
    .transform((rows) => rows ?? []),
});

/** Returns true if the service refused a request because of its timestamp. The refused request had no effect. */
export const isClockRefusal = (slug: string, message: string): boolean =>
  slug === 'authentication_failed' && /timestamp out of range/i.test(message);

/** True if the service rejects the key or forbids the call, so another key may work; false for a wrong clock. */
export const refusesKey = (refusal: { readonly status: number; readonly slug: string; readonly message: string }) =>
  (refusal.status === 401 && !isClockRefusal(refusal.slug, refusal.message)) ||
  (refusal.status === 403 && refusal.slug === 'permission_denied');
