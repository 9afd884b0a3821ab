import { describe, expect, it } from 'vitest';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { openDatabase, Transactions } from '../../../src/exchange/store/database.js';
import { CoreJournal, recordMutations } from '../../../src/exchange/store/persistent-core.js';
import {
  type Declaration,
  declarationOf,
  ENDPOINTS,
  type EndpointName,
  fillPath,
} from '../../../src/shared/protocol/endpoints.js';
import { SERVICE_ERRORS, type ServiceErrorSlug } from '../../../src/shared/protocol/errors.js';
import { newFolder } from '../../support/folders.js';
import { settings } from '../core/venue.js';
import {
  type Answered,
  control,
  openMarket,
  PROFILE,
  send,
  sendJson,
  serverOf,
  startTestExchange,
  TestTrader,
} from './harness.js';
import { sharedExchange } from './shared-exchange.js';

const { url: base } = await sharedExchange();
const trader = await TestTrader.join(base);

/** Asserts that the answer is this error: the table's status, code and message, and no data. */
function refused(answer: Answered, slug: ServiceErrorSlug, field?: string): void {
  const { status, code, message } = SERVICE_ERRORS[slug];
  const details = field === undefined ? [] : [{ [field]: expect.any(String) }];
  expect({ status: answer.status, data: answer.data, meta: answer.meta, error: answer.error }).toEqual({
    status,
    data: null,
    meta: null,
    error: { slug, code, message, details },
  });
}

// The keys of a constant object are its endpoint names.
const ALL = (Object.keys(ENDPOINTS) as EndpointName[]).map((name) => {
  const declaration = declarationOf(name);
  const path = fillPath(declaration.path, { pubkey: 'unknown', key_id: 'unknown', condition_id: 'unknown' });
  return { name, declaration, path };
});
type One = (typeof ALL)[number];

const named = (those: readonly One[]) => those.map((one) => [one.name, one] as const);
const signed = named(ALL.filter(({ declaration }) => declaration.scope === 'signed'));
const withBody = named(ALL.filter(({ declaration }) => declaration.body !== null));
const HUGE = `{"a":"${'a'.repeat(65_536)}"}`;

/** The call with a body as its caller would send it, signed if required. */
function call({ declaration, path }: One, body: string, type = 'application/json') {
  const { method, scope } = declaration;
  const headers = { ...(scope === 'signed' ? trader.headersFor(method, path, body) : {}), 'content-type': type };
  return send(base, method, path, { headers, body });
}

/** Required fields of a body, in the order of their declaration. */
function requiredOf({ body }: Declaration): string[] {
  const fields = Object.entries(body?.shape ?? {});
  return fields.filter(([, field]) => !field.safeParse(undefined).success).map(([name]) => name);
}

it.each(signed)('every signed call: %s believes no wrong signature', async (_name, { declaration, path }) => {
  const headers = { ...trader.headersFor(declaration.method, path), 'SVC-SIGNATURE': '0'.repeat(64) };
  refused(await send(base, declaration.method, path, { headers }), 'authentication_failed');
});

describe('every call with a body', () => {
  it.each(withBody)('%s takes a JSON object of at most 64 KiB, and nothing else', async (_name, one) => {
    refused(await call(one, '{}', 'text/plain'), 'unsupported_media_type');
    refused(await call(one, HUGE), 'request_too_large');
    for (const body of ['{', '[]', '7', 'null']) refused(await call(one, body), 'invalid_request_params', 'body');
  });

  it.each(withBody)('%s names every field that is missing', async (_name, one) => {
    const answer = await call(one, '{}');
    const wanted = requiredOf(one.declaration);
    if (wanted.length > 0) expect((answer.error?.details ?? []).flatMap((row) => Object.keys(row))).toEqual(wanted);
    expect(answer.slug).toBe('invalid_request_params');
  });
});

it('an exchange whose budgets are used up answers throttled on every call, whatever else is wrong with it', async () => {
  const rate_limits = { public_per_minute: 1, signed_per_minute: 1, bootstrap_per_minute: 2 };
  const limited = await startTestExchange({ profile: { ...PROFILE, rate_limits }, rateLimits: true });
  const own = await TestTrader.join(limited.url);
  for (const { declaration, path } of ALL) {
    const ask = () =>
      send(limited.url, declaration.method, path, { headers: own.headersFor(declaration.method, path) });
    await ask();
    throttled(await ask());
  }
  throttled(await send(limited.url, 'POST', '/orders/', { headers: own.headersFor('POST', '/orders/'), body: HUGE }));
  await limited.close();
});

/** Its message has the time to wait, so it differs from the table's. */
function throttled(answer: Answered): void {
  const { error, ...rest } = answer;
  const wait = Number(answer.headers.get('retry-after'));
  const message = `Request was throttled. Expected available in ${wait} seconds.`;
  if (error?.message !== message) throw new Error(`${error?.message}, not ${message}`);
  refused({ ...rest, error: { ...error, message: 'Request was throttled.' } }, 'throttled');
}

it('an exchange that can no longer store what happens answers internal_error on every call, and nothing of what it could not store', async () => {
  const db = openDatabase(newFolder());
  const journal = new CoreJournal(db, new Transactions(db));
  const core = new ExchangeCore(settings);
  recordMutations(core, journal);
  const settle = () => {
    journal.assertSound();
    return Date.now();
  };
  const server = serverOf({ core, rateLimits: false, settle });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const own = await TestTrader.join(url);
  // Has the effect of a full disk.
  db.close();
  refused(await own.bootstrap(), 'internal_error');
  for (const { declaration, path } of ALL) {
    const headers = own.headersFor(declaration.method, path);
    refused(await send(url, declaration.method, path, { headers }), 'internal_error');
  }
  await server.close();
});

describe('of several errors the first is answered: size, credentials, media type, JSON, fields, the rest', () => {
  const post = (body: string, type: string, headers = {}) =>
    send(base, 'POST', '/orders/', { body, headers: { ...headers, 'content-type': type } });
  const signedPost = (body: string, type = 'application/json') =>
    post(body, type, trader.headersFor('POST', '/orders/', body));

  it('size before credentials', async () => refused(await post(HUGE, 'application/json'), 'request_too_large'));

  it('credentials before the query, the media type and the JSON', async () => {
    refused(await send(base, 'GET', '/orders/?limit=0'), 'not_authenticated');
    for (const type of ['text/plain', 'nonsense', ';']) refused(await post('{', type), 'not_authenticated');
  });

  it('the media type before JSON', async () => refused(await signedPost('{', 'text/plain'), 'unsupported_media_type'));

  it('the JSON and the fields before the signing service', async () => {
    await control(base, '/signing-service/', { available: false });
    for (const body of ['{', '{}']) expect((await signedPost(body)).slug).toBe('invalid_request_params');
    await control(base, '/signing-service/', { available: true });
  });

  it('the fields before the record', async () => {
    for (const path of ['/orders/', '/share-merges/', '/share-splits/', '/redeems/']) {
      const answer = await trader.post(`${path}unknown/submit/`, { signature: 'a'.repeat(129) });
      refused(answer, 'invalid_request_params', 'signature');
    }
  });
});

describe('a path', () => {
  it.each(['/markets', `/markets/${'a'.repeat(300)}/`, '/paper/unknown/'])('%s is not there', async (path) => {
    refused(await send(base, 'GET', path), 'not_found');
  });

  it.each([
    ['POST', '/markets/', 'GET'],
    ['DELETE', '/orders/', 'GET, POST'],
    ['PUT', '/orders/abc/', 'GET'],
    ['GET', '/paper/clock/', 'POST'],
  ])('names its methods to a wrong one: %s %s', async (method, path, allowed) => {
    const answer = await send(base, method, path);
    refused(answer, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe(allowed);
  });
});

describe('parameters', () => {
  it.each([
    ['limit=5&limit=6', 'limit'],
    ['sort=trending&cursor=eyJiZWZvcmVfaWQiOjF9', 'cursor'],
  ])('that are malformed are refused: %s', async (query, field) => {
    refused(await send(base, 'GET', `/markets/?${query}`), 'invalid_request_params', field);
  });

  it('say what was wrong in words', async () => {
    const { error } = await send(base, 'GET', '/markets/?limit=101');
    expect(error?.details).toEqual([{ limit: 'Ensure this value is less than or equal to 100.' }]);
    const missing = await trader.post('/orders/', {});
    expect(missing.error?.details).toContainEqual({ market_condition_id: 'This field is required.' });
    const number = await sendJson(base, 'POST', '/auth/keys/challenge/', { wallet_address: 5 });
    expect(number.error?.details).toEqual([{ wallet_address: 'A string is required.' }]);
    const words = await trader.get('/margin/positions/requests/?states=created,,done');
    expect(words.error?.details[0]?.['states']).toMatch(/^Must be a comma-separated list of: created, /);
  });
});

const book = await openMarket(base);
const made = await control(base, '/markets/', { config: { kind: 'polymarket' } });
const pool = String(made.row['condition_id']);

describe('the fields of a body, of which null is as good as none,', () => {
  it.each([
    [{ order_type: 'limit', price: '0.4', amount: '10', funds: null }, 201],
    [{ order_type: 'market', funds: '10', price: null, amount: null }, 201],
    [{ order_type: 'limit', price: null, amount: '10' }, 400],
    [{ order_type: 'market', funds: null }, 400],
  ])('of an order: %o', async (fields, status) => {
    const body = { market_condition_id: book, is_yes: true, side: 'buy', ...fields };
    expect((await trader.post('/orders/', body)).status).toBe(status);
  });

  it.each([
    [{ type: 'market', funds: '10', price: null, shares: null }, null],
    [{ type: 'limit', price: '0.4', shares: '10', funds: null }, null],
    [{ type: 'limit', price: null, shares: '10' }, 'price'],
    [{ type: 'limit', price: '0.4', shares: null }, 'shares'],
    [{ type: 'limit', price: '0.4', shares: '10', funds: '10' }, 'funds'],
    [{ type: 'market', funds: null }, 'funds'],
    [{ type: 'market', funds: '10', price: '0.4' }, 'price'],
    [{ type: 'market', funds: '10', shares: '10' }, 'shares'],
    [{ type: 'stop', funds: '10' }, 'type'],
    [{ type: 'market', funds: '10', leverage: '2' }, 'leverage'],
  ])('of a margin request: %o', async (fields, field) => {
    const answer = await trader.post('/margin/positions/requests/', { market_condition_id: pool, ...fields });
    if (field === null) expect(answer.status).toBe(201);
    else refused(answer, 'invalid_request_params', field);
  });
});
