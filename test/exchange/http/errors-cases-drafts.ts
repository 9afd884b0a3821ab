/** What merges, splits and redeems refuse, and what every submit does. */

import type { ServiceErrorSlug } from '../../../src/shared/protocol/errors.js';
import {
  type Case,
  type Drafted,
  type ErrorWorld,
  type MarketName,
  pubkeyOf,
  WRONG_SIGNATURE,
} from './errors-world.js';

/** The two steps of merges and splits are the same but for the names. */
export function conversionCases(kind: 'merge' | 'split'): Case[] {
  const path = `/share-${kind}s/` as const;
  const call = `${kind}s.create` as const;
  const on =
    (name: MarketName, text = '1') =>
    (w: ErrorWorld) =>
      w.trader.post(path, w.amount(text, name));
  const cases: Case[] = [
    { call, slug: 'gringotts_unavailable', when: 'nobody can sign', answer: (w) => w.without(() => on('book')(w)) },
    {
      call,
      slug: 'invalid_request_params',
      when: 'the market is unknown',
      field: 'market_condition_id',
      answer: (w) => w.trader.post(path, { market_condition_id: 'nowhere', amount: '1' }),
    },
    {
      call,
      slug: 'custodial_user_trading_not_allowed',
      when: 'the account is custodial',
      answer: (w) => w.custodial.post(path, w.amount('1')),
    },
    ...(['marginBook', 'polymarket', 'hyperliquid'] as const).map((name) => ({
      call,
      slug: 'share_conversion_market_not_eligible' as const,
      when: `the market is a ${name}`,
      answer: on(name),
    })),
    ...['0', '-1', '0.001', '0.0000001', '1.0000001'].map((text) => ({
      call,
      slug: 'share_conversion_invalid_amount' as const,
      when: `the amount is ${text}`,
      answer: on('book', text),
    })),
    { call, slug: 'share_conversion_market_not_open', when: 'the market is closed', answer: on('closed') },
    { call, slug: 'share_conversion_market_paused', when: 'the market is paused', answer: on('paused') },
    {
      call,
      slug: `share_${kind}_in_progress` as const,
      when: 'another amount waits to be signed',
      answer: async (w) => {
        await w.draft(path);
        return on('book', '2')(w);
      },
    },
    {
      call,
      slug: `share_${kind}_in_progress` as const,
      when: 'the same amount is landing',
      answer: async (w) => {
        await w.trader.submit(path, await w.draft(path));
        return on('book')(w);
      },
    },
    {
      call: `${kind}s.submit` as const,
      slug: 'share_conversion_invalid_state',
      when: 'it was submitted before',
      answer: async (w) => {
        const draft = await w.draft(path);
        await w.trader.submit(path, draft);
        return w.trader.submit(path, draft);
      },
    },
  ];
  return cases;
}

/** The slug for a record that is not there or somebody else's, by draft call. */
const UNKNOWN: Readonly<Record<Drafted, ServiceErrorSlug>> = {
  '/orders/': 'not_found',
  '/share-merges/': 'share_conversion_not_found',
  '/share-splits/': 'share_conversion_not_found',
  '/redeems/': 'not_found',
};
const CALLS: Readonly<Record<Drafted, 'orders' | 'merges' | 'splits' | 'redeems'>> = {
  '/orders/': 'orders',
  '/share-merges/': 'merges',
  '/share-splits/': 'splits',
  '/redeems/': 'redeems',
};

/** What every submit refuses. */
export function submitCases(path: Drafted): Case[] {
  const call = `${CALLS[path]}.submit` as const;
  const submit = async (w: ErrorWorld, signature: unknown) =>
    w.trader.post(`${path}${pubkeyOf(await w.draft(path))}/submit/`, { signature });
  const signatures: [string, unknown][] = [
    ['is missing', undefined],
    ['is empty', ''],
    ['is too long', 'a'.repeat(129)],
    ['is too long behind 0x', `0x${'a'.repeat(129)}`],
    ['is no hex', 'z'.repeat(128)],
    ['is a number', 7],
    ['does not verify', WRONG_SIGNATURE],
  ];
  return [
    ...signatures.map(([what, signature]) => ({
      call,
      slug: 'invalid_request_params' as const,
      when: `the signature ${what}`,
      field: 'signature',
      answer: (w: ErrorWorld) => submit(w, signature),
    })),
    {
      call,
      slug: UNKNOWN[path],
      when: 'nobody has such a draft',
      answer: (w) => w.trader.post(`${path}nobody/submit/`, { signature: WRONG_SIGNATURE }),
    },
    {
      call,
      slug: UNKNOWN[path],
      when: 'the draft is somebody else’s',
      answer: async (w) => w.other.submit(path, await w.draft(path)),
    },
    {
      call,
      slug: 'program_call_has_expired',
      when: 'the draft has expired',
      answer: async (w) => {
        const draft = await w.draft(path);
        await w.pass(61);
        return w.trader.submit(path, draft);
      },
    },
    {
      call: `${CALLS[path]}.detail` as const,
      slug: 'not_found',
      when: 'it is somebody else’s',
      answer: async (w) => w.other.get(`${path}${pubkeyOf(await w.draft(path))}/`),
    },
  ];
}

/** Where merges, splits and redeems differ. */
export const draftCases: Case[] = [
  {
    call: 'merges.create',
    slug: 'share_merge_insufficient_shares',
    when: 'there are fewer sets',
    answer: (w) => w.trader.post('/share-merges/', w.amount('1000')),
  },
  {
    call: 'merges.create',
    slug: 'share_merge_market_has_unbacked_collateral',
    when: 'collateral is missing',
    answer: (w) => w.trader.post('/share-merges/', w.amount('1', 'unbacked')),
  },
  {
    call: 'splits.create',
    slug: 'share_split_insufficient_funds',
    when: 'there is less currency',
    answer: (w) => w.trader.post('/share-splits/', w.amount('1000000')),
  },
  {
    call: 'redeems.create',
    slug: 'gringotts_unavailable',
    when: 'nobody can sign',
    answer: (w) => w.without(() => w.trader.post('/redeems/', { market_condition_id: w.id('resolved') })),
  },
  ...(
    [
      ['the market is unknown', () => 'nowhere'],
      ['the market is not settled', (w: ErrorWorld) => w.id('book')],
    ] as const
  ).map(([when, market]) => ({
    call: 'redeems.create' as const,
    slug: 'invalid_request_params' as const,
    when,
    field: 'market_condition_id',
    answer: (w: ErrorWorld) => w.trader.post('/redeems/', { market_condition_id: market(w) }),
  })),
  {
    call: 'redeems.create',
    slug: 'invalid_request_params',
    when: 'there is nothing to redeem',
    field: 'market_condition_id',
    answer: (w) => w.other.post('/redeems/', { market_condition_id: w.id('resolved') }),
  },
];
