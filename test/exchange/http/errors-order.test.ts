/**
 * When several errors apply, which one is answered. For each call the complete order; each case breaks two rules that stand
 * beside each other in it, and the earlier one must be heard.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DRAFTED, type Drafted, ErrorWorld, failedSince, pubkeyOf, refused, WRONG_SIGNATURE } from './errors-world.js';
import { type Answered, control, PROFILE, send, startTestExchange } from './harness.js';

let world: ErrorWorld;
beforeAll(async () => {
  world = await ErrorWorld.open();
});
afterAll(() => world.close());

const json = { 'content-type': 'application/json' };
const HUGE = `{"a":"${'a'.repeat(65_536)}"}`;

describe('of the rules of every call, in the order throttled, too large, credentials, media type, JSON, fields', () => {
  it('throttled comes before too large and before credentials', async () => {
    const profile = { ...PROFILE, rate_limits: { ...PROFILE.rate_limits, signed_per_minute: 1 } };
    const exchange = await startTestExchange({ profile, rateLimits: true });
    const ask = (wanted: Parameters<typeof send>[3]) => send(exchange.url, 'POST', '/orders/', wanted);
    await ask({});
    expect(await ask({})).toMatchObject({ slug: 'throttled' });
    expect(await ask({ body: HUGE, headers: json })).toMatchObject({ slug: 'throttled' });
    await exchange.close();
  });

  const unsigned = (body: string, type = 'application/json') =>
    send(world.base, 'POST', '/orders/', { body, headers: { 'content-type': type } });
  const signed = (body: string, type: string) =>
    send(world.base, 'POST', '/orders/', {
      body,
      headers: { ...world.trader.headersFor('POST', '/orders/', body), 'content-type': type },
    });

  it('too large comes before credentials', async () => {
    refused(await unsigned(HUGE), 'request_too_large');
  });
  it('credentials come before the query, the media type and the JSON', async () => {
    refused(await send(world.base, 'GET', '/orders/?limit=0'), 'not_authenticated');
    for (const type of ['text/plain', 'nonsense', ';']) refused(await unsigned('{', type), 'not_authenticated');
  });
  it('the media type comes before the JSON', async () => {
    refused(await signed('{', 'text/plain'), 'unsupported_media_type');
  });
  it('the JSON and the fields come before the signing service', async () => {
    for (const body of ['{', '{}']) {
      const answer = await world.without(() => signed(body, 'application/json'));
      expect(answer).toMatchObject({ status: 400, slug: 'invalid_request_params' });
    }
  });
  it('the fields come before the record', async () => {
    for (const path of ['/orders/', '/share-merges/', '/share-splits/', '/redeems/']) {
      const answer = await world.trader.post(`${path}unknown/submit/`, { signature: 'a'.repeat(129) });
      refused(answer, 'invalid_request_params', 'signature');
    }
  });
});

/** What two neighbours in the order break, and what is heard: the first. */
type Pair = readonly [first: string, second: string, answer: (w: ErrorWorld) => Promise<Answered>];

/** An order with faults: on a market of the world, or an unknown one. */
const ordering = (fields: object, market?: Parameters<ErrorWorld['id']>[0]) => (w: ErrorWorld) =>
  w.trader.post('/orders/', w.order(fields, market));
const unsignable = (ask: (w: ErrorWorld) => Promise<Answered>) => (w: ErrorWorld) => w.without(() => ask(w));
const RICH = { price: '0.9', amount: '99999' };

const ORDER_PAIRS: readonly Pair[] = [
  ['gringotts_unavailable', 'market_condition_id', unsignable(ordering({ market_condition_id: 'nowhere' }))],
  ['market_condition_id', 'price', ordering({ market_condition_id: 'nowhere', price: '0.123' })],
  ['market_condition_id', 'price', ordering({ price: '0.123' }, 'polymarket')],
  ['price', 'amount', ordering({ price: '0.123', amount: '1.001' })],
  ['amount', 'funds', ordering({ amount: '1.001', funds: '5' })],
  ['funds', 'order_market_not_open', ordering({ funds: '5' }, 'closed')],
  ['order_market_not_open', 'order_insufficient_funds', ordering(RICH, 'closed')],
  ['order_market_not_open', 'order_insufficient_shares', ordering({ side: 'sell', amount: '99' }, 'paused')],
];

/** A merge or split with faults. */
function conversionPairs(kind: 'merge' | 'split'): readonly Pair[] {
  const path = `/share-${kind}s/` as const;
  const ask =
    (text: string, market: Parameters<ErrorWorld['id']>[0], who: 'trader' | 'custodial' = 'trader') =>
    (w: ErrorWorld) =>
      w[who].post(path, w.amount(text, market));
  const unknown = (who: 'trader' | 'custodial') => (w: ErrorWorld) =>
    w[who].post(path, { market_condition_id: 'nowhere', amount: '0' });
  const pairs: Pair[] = [
    ['gringotts_unavailable', 'market_condition_id', unsignable(unknown('trader'))],
    ['market_condition_id', 'custodial_user_trading_not_allowed', unknown('custodial')],
    [
      ...(['custodial_user_trading_not_allowed', 'share_conversion_market_not_eligible'] as const),
      ask('1', 'marginBook', 'custodial'),
    ],
    ['share_conversion_market_not_eligible', 'share_conversion_invalid_amount', ask('0', 'marginBook')],
    ['share_conversion_invalid_amount', 'share_conversion_market_not_open', ask('0', 'closed')],
    ['share_conversion_market_not_open', 'share_conversion_market_paused', ask('1', 'closed')],
    ['share_conversion_market_paused', `share_${kind}_in_progress`, ask('1', 'paused')],
    [`share_${kind}_in_progress`, 'too little', (w) => w.draft(path).then(() => ask('99999999', 'book')(w))],
  ];
  if (kind === 'merge') {
    pairs.push(
      ['share_conversion_market_paused', 'share_merge_market_has_unbacked_collateral', ask('1', 'paused')],
      ['share_merge_market_has_unbacked_collateral', 'share_merge_insufficient_shares', ask('9999', 'unbacked')],
    );
  }
  return pairs;
}

const REDEEM_PAIRS: readonly Pair[] = [
  [
    ...(['gringotts_unavailable', 'market_condition_id'] as const),
    unsignable((w) => w.trader.post('/redeems/', { market_condition_id: 'nowhere' })),
  ],
];

const CANCEL_PAIRS: readonly Pair[] = [
  ['gringotts_unavailable', 'not_found', unsignable((w) => w.trader.post('/orders/unknown/cancel/'))],
  [
    ...(['not_found', 'order_not_cancelable'] as const),
    async (w) => w.other.post(`/orders/${pubkeyOf(await w.draft('/orders/'))}/cancel/`),
  ],
];

const MISSING: Readonly<Record<Drafted, string>> = {
  '/orders/': 'not_found',
  '/share-merges/': 'share_conversion_not_found',
  '/share-splits/': 'share_conversion_not_found',
  '/redeems/': 'not_found',
};
const STALE: Readonly<Record<Drafted, string>> = {
  '/orders/': 'invalid_program_call_status',
  '/share-merges/': 'share_conversion_invalid_state',
  '/share-splits/': 'share_conversion_invalid_state',
  '/redeems/': 'invalid_program_call_status',
};

/** unknown or foreign → expired → already submitted → wrong signature; an order then: state of the market → balance. */
function submitPairs(path: Drafted): readonly Pair[] {
  const submit = (w: ErrorWorld, draft: Answered, who: 'trader' | 'other' = 'trader') =>
    w[who].post(`${path}${pubkeyOf(draft)}/submit/`, { signature: WRONG_SIGNATURE });
  const expired = async (w: ErrorWorld) => {
    const draft = await w.draft(path);
    await w.pass(61);
    return draft;
  };
  const pairs: Pair[] = [
    [MISSING[path], 'program_call_has_expired', async (w) => submit(w, await expired(w), 'other')],
    ['program_call_has_expired', 'signature', async (w) => submit(w, await expired(w))],
  ];
  // A redeem can be submitted once in a world: there is nothing left to redeem.
  if (path !== '/redeems/') {
    pairs.push([STALE[path], 'signature', async (w) => submit(w, await submittedDraft(w, path))]);
  }
  if (path === '/orders/') {
    pairs.push(['signature', 'order_market_not_open', (w) => soldOutAndClosed(w, WRONG_SIGNATURE)]);
    pairs.push(['order_market_not_open', 'order_insufficient_shares', (w) => soldOutAndClosed(w)]);
  }
  return pairs;
}

async function submittedDraft(w: ErrorWorld, path: Drafted): Promise<Answered> {
  const draft = await w.draft(path);
  await w.trader.submit(path, draft);
  return draft;
}

/** Between draft and submit another order locks the shares, and the market pauses, which leaves that one where it is. */
function soldOutAndClosed(w: ErrorWorld, signature?: string): Promise<Answered> {
  const sell = { side: 'sell', price: '0.9', amount: '10' };
  const happens = async (market: string) => {
    await w.trader.complete('/orders/', w.order({ market_condition_id: market, ...sell }));
    await control(w.base, `/markets/${market}/state/`, { paused: true });
  };
  return failedSince(w, sell, happens, signature);
}

/** unknown or foreign → cancel draft expired → none or submitted → wrong signature → no longer cancelable. */
const CANCEL_SUBMIT_PAIRS: readonly Pair[] = [
  [
    ...(['not_found', 'program_call_has_expired'] as const),
    async (w) => w.other.post(await expiredCancel(w), { signature: WRONG_SIGNATURE }),
  ],
  [
    ...(['program_call_has_expired', 'signature'] as const),
    async (w) => w.trader.post(await expiredCancel(w), { signature: WRONG_SIGNATURE }),
  ],
  [
    ...(['invalid_program_call_status', 'signature'] as const),
    async (w) => {
      const pubkey = pubkeyOf(await w.trader.complete('/orders/', w.order()));
      return w.trader.post(`/orders/${pubkey}/cancel/submit/`, { signature: WRONG_SIGNATURE });
    },
  ],
  [
    ...(['signature', 'order_not_cancelable'] as const),
    async (w) => {
      const pubkey = pubkeyOf(await w.trader.complete('/orders/', w.order({ price: '0.5' })));
      await w.trader.post(`/orders/${pubkey}/cancel/`);
      await w.other.complete('/orders/', w.order({ is_yes: false, price: '0.5' }));
      return w.trader.post(`/orders/${pubkey}/cancel/submit/`, { signature: WRONG_SIGNATURE });
    },
  ],
];

async function expiredCancel(w: ErrorWorld): Promise<string> {
  const pubkey = pubkeyOf(await w.trader.complete('/orders/', w.order()));
  await w.trader.post(`/orders/${pubkey}/cancel/`);
  await w.pass(61);
  return `/orders/${pubkey}/cancel/submit/`;
}

describe.each([
  ['order drafts', ORDER_PAIRS],
  ['cancel drafts', CANCEL_PAIRS],
  ['cancel submits', CANCEL_SUBMIT_PAIRS],
  ['merge drafts', conversionPairs('merge')],
  ['split drafts', conversionPairs('split')],
  ['redeem drafts', REDEEM_PAIRS],
  ...DRAFTED.map((path) => [`submits of ${path}`, submitPairs(path)] as const),
] as const)('of the rules of %s', (_name, pairs) => {
  it.each(pairs)('%s comes before %s', async (first, _second, ask) => {
    const { slug, error } = await ask(world);
    const field = Object.keys(error?.details[0] ?? {})[0];
    // A validation failure is known by the field that it names, and names one alone.
    expect([slug === 'invalid_request_params' ? field : slug, error?.details.length ?? 0]).toEqual([
      first,
      slug === 'invalid_request_params' ? 1 : 0,
    ]);
  });
});
