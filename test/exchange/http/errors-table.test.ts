import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS, type EndpointName } from '../../../src/shared/protocol/endpoints.js';
import { SERVICE_ERRORS, type ServiceErrorSlug } from '../../../src/shared/protocol/errors.js';
import { ENDPOINT_NOTES } from '../../../src/shared/protocol/notes/endpoints.js';
import { conversionCases, draftCases, submitCases } from './errors-cases-drafts.js';
import { orderCases } from './errors-cases-orders.js';
import { otherCases } from './errors-cases-others.js';
import { type Case, DRAFTED, ErrorWorld, refused } from './errors-world.js';

let world: ErrorWorld;
beforeAll(async () => {
  world = await ErrorWorld.open();
});
afterAll(() => world.close());

const CASES: readonly Case[] = [
  ...orderCases,
  ...conversionCases('merge'),
  ...conversionCases('split'),
  ...DRAFTED.flatMap(submitCases),
  ...draftCases,
  ...otherCases,
];

describe('the service refuses', () => {
  it.each(CASES.map((one) => [`${one.call}: ${one.slug} when ${one.when}`, one] as const))('%s', async (_name, one) => {
    refused(await one.answer(world), one.slug, one.field);
  });
});

/** What errors-common.test.ts makes every call answer, and framework-errors.test.ts what is no call yet. */
const COMMON: readonly ServiceErrorSlug[] = [
  ...(['not_authenticated', 'authentication_failed', 'throttled', 'internal_error'] as const),
  ...(['method_not_allowed', 'unsupported_media_type', 'request_too_large', 'not_found'] as const),
  'request_headers_too_large',
];

/** What the interface and the decisions list for a call, beyond what is common to all. */
const LISTED: Partial<Record<EndpointName, readonly ServiceErrorSlug[]>> = {
  'merges.create': [
    ...(['invalid_request_params', 'share_conversion_market_not_eligible', 'share_conversion_invalid_amount'] as const),
    ...(['share_merge_insufficient_shares', 'custodial_user_trading_not_allowed'] as const),
    ...(['share_conversion_market_not_open', 'share_conversion_market_paused', 'share_merge_in_progress'] as const),
    ...(['share_merge_market_has_unbacked_collateral', 'gringotts_unavailable'] as const),
  ],
  'merges.submit': [
    ...(['invalid_request_params', 'program_call_has_expired'] as const),
    ...(['share_conversion_not_found', 'share_conversion_invalid_state'] as const),
  ],
  'splits.create': [
    ...(['invalid_request_params', 'share_conversion_market_not_eligible', 'share_conversion_invalid_amount'] as const),
    ...(['share_split_insufficient_funds', 'custodial_user_trading_not_allowed', 'gringotts_unavailable'] as const),
    ...(['share_conversion_market_not_open', 'share_conversion_market_paused', 'share_split_in_progress'] as const),
  ],
  'splits.submit': [
    ...(['invalid_request_params', 'program_call_has_expired'] as const),
    ...(['share_conversion_not_found', 'share_conversion_invalid_state'] as const),
  ],
  'orders.create': [
    ...(['invalid_request_params', 'order_market_not_open', 'gringotts_unavailable'] as const),
    ...(['order_insufficient_funds', 'order_insufficient_shares'] as const),
  ],
  'orders.submit': [
    ...(['invalid_request_params', 'not_found', 'program_call_has_expired'] as const),
    ...(['invalid_program_call_status', 'order_market_not_open'] as const),
    ...(['order_insufficient_funds', 'order_insufficient_shares'] as const),
  ],
  'orders.cancel': ['not_found', 'order_not_cancelable', 'gringotts_unavailable'],
  'orders.cancelSubmit': [
    ...(['invalid_request_params', 'not_found', 'program_call_has_expired'] as const),
    ...(['invalid_program_call_status', 'order_not_cancelable'] as const),
  ],
  'redeems.create': ['invalid_request_params', 'gringotts_unavailable'],
  'redeems.submit': ['invalid_request_params', 'not_found', 'program_call_has_expired'],
  'keys.challenge': ['invalid_request_params'],
  'keys.create': ['invalid_request_params'],
  'positions.setTpSl': ['hyperliquid_margin_tp_sl_not_supported'],
  'positions.deleteTpSl': ['hyperliquid_margin_tp_sl_not_supported'],
};

/** What the interface lists for a submit and nothing else: no word of the market, which the landing alone asks. */
const SUBMITS_OF_CONVERSIONS: readonly ServiceErrorSlug[] = [
  ...(['invalid_request_params', 'authentication_failed', 'not_authenticated', 'permission_denied'] as const),
  ...(['program_call_has_expired', 'invalid_program_call_status', 'share_conversion_not_found'] as const),
  ...(['share_conversion_invalid_state', 'throttled', 'internal_error'] as const),
];

describe('the table of refusals', () => {
  it('holds every error of the service', () => {
    const held = new Set<ServiceErrorSlug>([...CASES.map(({ slug }) => slug), ...COMMON]);
    expect(Object.keys(SERVICE_ERRORS).filter((slug) => !held.has(slug as ServiceErrorSlug))).toEqual([]);
  });

  it('holds no error for the submit of a merge or split that the interface does not list there', () => {
    const documented = (['merges.submit', 'splits.submit'] as const).flatMap((call) => ENDPOINT_NOTES[call].errors);
    const held = CASES.filter(({ call }) => call === 'merges.submit' || call === 'splits.submit');
    const all = [...documented, ...held.map(({ slug }) => slug)];
    expect(all.filter((slug) => !SUBMITS_OF_CONVERSIONS.includes(slug))).toEqual([]);
  });

  it('holds every error that is listed for a call', () => {
    const held = new Set(CASES.map(({ call, slug }) => `${call} ${slug}`));
    const wanted = Object.entries(LISTED).flatMap(([call, slugs]) => slugs.map((slug) => `${call} ${slug}`));
    expect(wanted.filter((one) => !held.has(one))).toEqual([]);
    expect(Object.keys(LISTED).filter((call) => !(call in ENDPOINTS))).toEqual([]);
  });
});
