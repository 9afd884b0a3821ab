import { channel } from 'node:diagnostics_channel';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { ANSWERS_CHANNEL, type Answer, AnswerCheck } from '../../support/answers/check.js';
import { takeViolations } from '../../support/answers/watch.js';
import { send, startTestExchange } from '../http/harness.js';

/** The check of every answer of the suite must find errors. */

const KEYS = '/auth/keys/';
const row = { key_id: 'key_1', created: 1_714_300_000, revoked_at: null };
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const right = (over: Partial<Answer> = {}, data: unknown = [row], meta: unknown = {}): Answer => ({
  method: 'GET',
  path: KEYS,
  status: 200,
  headers: JSON_TYPE,
  text: JSON.stringify({ data, meta, error: null }),
  ...over,
});
const refusal = (slug: string, code: number, details: unknown = []): string =>
  JSON.stringify({ data: null, meta: null, error: { slug, code, message: 'No.', details } });
const invalid = (detail: object) => right({ status: 400, text: refusal('invalid_request_params', -11, [detail]) });
const draft = JSON.stringify({ data: { pubkey: 'p', message: 'm' }, meta: {}, error: null });
const created = { method: 'POST', path: '/orders/', status: 201, text: draft };
const throttled = refusal('throttled', -17);

const WRONG: readonly (readonly [string, Answer])[] = [
  ['lacks a field', right({}, [{ key_id: 'key_1', created: 1 }])],
  ['has a field too many', right({}, [{ ...row, secret: 'x' }])],
  ['has null where there is always something', right({}, [{ ...row, created: null }])],
  ['has a number that should be a text', right({}, [{ ...row, key_id: 7 }])],
  ['has a fraction of a second', right({}, [{ ...row, created: 1.5 }])],
  ['is a record instead of a list', right({}, row)],
  ['has something in an empty meta', right({}, [row], { limit: 50 })],
  ['has no envelope', right({ text: JSON.stringify([row]) })],
  ['has an error beside its data', right({ text: JSON.stringify({ data: [row], meta: {}, error: {} }) })],
  ['is not JSON', right({ text: '<html>' })],
  ['is not typed as JSON', right({ headers: { 'content-type': 'text/html' } })],
  ['has a status that is not declared', right({ status: 202 })],
  ['refuses with a slug of another call', right({ status: 400, text: refusal('order_not_cancelable', 4204) })],
  ['refuses with the code of another slug', right({ status: 401, text: refusal('not_authenticated', -12) })],
  ['names two fields in one detail', invalid({ a: 'x', b: 'y' })],
  ['is created without a place', right(created)],
  ['is throttled without a wait', right({ status: 429, text: throttled })],
  ['has a rate header that is no number', right({ headers: { ...JSON_TYPE, 'x-ratelimit-limit': 'many' } })],
  ['belongs to a call that is not declared', right({ path: '/auth/wallets/' })],
  ['has a call’s slug at no call', right({ path: null, status: 409, text: refusal('share_merge_in_progress', 4306) })],
];

const RIGHT: readonly (readonly [string, Answer])[] = [
  ['a list', right()],
  ['an empty list', right({}, [])],
  ['a validation failure', invalid({ a: 'x' })],
  ['a draft with its place', right({ ...created, headers: { ...JSON_TYPE, location: '/orders/p/' } })],
  ['a throttled request', right({ status: 429, text: throttled, headers: { ...JSON_TYPE, 'retry-after': 3 } })],
  ['no such path', right({ path: null, status: 404, text: refusal('not_found', -15) })],
];

describe('an answer', () => {
  let check: AnswerCheck;
  beforeAll(() => (check = AnswerCheck.ofFile(`${inject('answersFolder')}/openapi.json`)));

  it.each(WRONG)('that %s is found out', (_, answer) => expect(check.violations(answer)).not.toEqual([]));

  it.each(RIGHT)('that is %s is let through', (_, answer) => expect(check.violations(answer)).toEqual([]));
});

describe('every test', () => {
  it('sees the answers of exchanges in its own process', async () => {
    const seen: unknown[] = [];
    const look = (answer: unknown) => seen.push(answer);
    channel(ANSWERS_CHANNEL).subscribe(look);
    onTestFinished(() => void channel(ANSWERS_CHANNEL).unsubscribe(look));
    const exchange = await startTestExchange();
    onTestFinished(() => exchange.close());
    await send(exchange.url, 'GET', '/markets/unknown/book/');
    await send(exchange.url, 'PUT', '/markets/');
    expect(seen).toMatchObject([
      { method: 'GET', path: '/markets/{condition_id}/book/', status: 404 },
      { method: 'PUT', path: null, status: 405, headers: { allow: 'GET' } },
    ]);
  });

  it('would fail after a wrong answer in its own process', () => {
    channel(ANSWERS_CHANNEL).publish(right({ status: 202 }));
    expect(takeViolations()).toEqual([expect.stringContaining('GET /auth/keys/ answered 202')]);
  });
});
