/** Tests that the check finds errors. */

import { describe, expect, it } from 'vitest';
import { type Answer, problemsOf } from './check.js';

const NAME = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi';
const AMOUNTS = { amount: '10', onchain_amount: '10' };
const ROW = { pubkey: NAME, market_condition_id: NAME, message: 'text', state: 'done', ...AMOUNTS, created: 1.7e9 };

const answer = (change: Partial<Answer> = {}, body: object = {}): Answer => ({
  method: 'GET',
  path: '/share-merges/?limit=2',
  status: 200,
  headers: new Headers({
    'content-type': 'application/json',
    date: 'Sat, 21 Nov 2026 15:06:34 GMT',
    'x-ratelimit-limit': '300',
    'x-ratelimit-remaining': '299',
    'x-ratelimit-reset': '1714300060',
  }),
  body: { data: [ROW], meta: { limit: 2, next_cursor: null }, error: null, ...body },
  ...change,
});
const withRow = (change: object) => answer({}, { data: [{ ...ROW, ...change }] });
const refusal = (status: number, change: object = {}) => {
  const error = { code: -15, slug: 'not_found', message: 'Not found.', details: [], ...change };
  return answer({ status, body: { data: null, meta: null, error } });
};

describe('the check of an answer', () => {
  it('finds nothing in what the documents say', () =>
    expect([problemsOf(answer()), problemsOf(refusal(404))]).toEqual([[], []]));

  it.each([
    ['a field too many', withRow({ extra: 1 })],
    ['a field too few', answer({}, { data: [(({ created: _, ...rest }) => rest)(ROW)] })],
    ['null where the documents have none', withRow({ amount: null })],
    ['a number for a decimal string', withRow({ amount: 10 })],
    ['milliseconds', withRow({ created: 1_714_300_000_000 })],
    ['a state that is none', withRow({ state: 'landed' })],
    ['an amount on chain before it is there', withRow({ state: 'in_process' })],
    ['no message although it did not fail', withRow({ message: null })],
    ['another limit than was asked for', answer({}, { meta: { limit: 50, next_cursor: null } })],
    ['more rows than were asked for', answer({}, { data: [ROW, ROW, ROW] })],
    ['no cursor', answer({}, { meta: { limit: 2 } })],
    ['something more in the envelope', answer({}, { version: 1 })],
    ['another status', answer({ status: 201 })],
    ['no rate headers', answer({ headers: new Headers({ 'content-type': 'application/json' }) })],
    ['a path that nobody documented', answer({ path: '/share-joins/' })],
    ['an error of another status', refusal(400)],
    ['an error of another code', refusal(404, { code: -14 })],
    ['an error of another text', refusal(404, { message: 'Gone.' })],
    ['an error that nobody documented', refusal(404, { slug: 'gone' })],
    ['details that name nothing', refusal(404, { details: ['pubkey'] })],
    ['data and an error', answer({}, { error: { code: -15, slug: 'not_found', message: 'Not found.', details: [] } })],
  ])('notices %s', (_, wrong) => expect(problemsOf(wrong)).not.toEqual([]));
});
