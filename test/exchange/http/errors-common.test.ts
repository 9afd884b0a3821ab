import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { ExchangeClock } from '../../../src/exchange/http/clock.js';
import { buildServer } from '../../../src/exchange/http/server.js';
import { openDatabase } from '../../../src/exchange/store/database.js';
import { Journal } from '../../../src/exchange/store/journal.js';
import { recordMutations } from '../../../src/exchange/store/persistent-core.js';
import { Transactions } from '../../../src/exchange/store/transactions.js';
import {
  type Declaration,
  declarationOf,
  ENDPOINTS,
  type EndpointName,
  fillPath,
} from '../../../src/shared/protocol/endpoints.js';
import { settings } from '../core/venue.js';
import { ErrorWorld, refused } from './errors-world.js';
import { type Answered, PROFILE, send, startTestExchange, TestTrader } from './harness.js';

let world: ErrorWorld;
beforeAll(async () => {
  world = await ErrorWorld.open();
});
afterAll(() => world.close());

// The keys of an object of constants are its endpoint names.
const ALL = (Object.keys(ENDPOINTS) as EndpointName[]).map((name) => {
  const declaration = declarationOf(name);
  const path = fillPath(declaration.path, { pubkey: 'unknown', key_id: 'unknown', condition_id: 'unknown' });
  return { name, declaration, path };
});
type One = (typeof ALL)[number];

const named = (those: readonly One[]) => those.map((one) => [one.name, one] as const);
const signed = ALL.filter(({ declaration }) => declaration.scope === 'signed');
const withBody = ALL.filter(({ declaration }) => declaration.body !== null);
/** Reads and changes of one record that is named in the path. */
const ofRecord = ALL.filter(({ declaration }) => declaration.path.includes('{') && declaration.body === null);
const pages = ALL.filter(({ declaration }) => declaration.page !== undefined);

interface Sent {
  readonly body?: string;
  readonly contentType?: string;
  readonly query?: string;
}

/** The call as its caller would send it, signed when it has to be. */
function call({ declaration, path }: One, { body = '', contentType = 'application/json', query = '' }: Sent = {}) {
  const { method } = declaration;
  const target = `${path}${query}`;
  const headers: Record<string, string> = {
    ...(declaration.scope === 'signed' ? world.trader.headersFor(method, target, body) : {}),
    ...(body === '' ? {} : { 'content-type': contentType }),
  };
  return send(world.base, method, target, { headers, ...(body === '' ? {} : { body }) });
}

describe('every signed call', () => {
  it.each(named(signed))('%s wants credentials', async (_name, { declaration, path }) => {
    refused(await send(world.base, declaration.method, path), 'not_authenticated');
  });

  it.each(named(signed))('%s believes no wrong signature', async (_name, { declaration, path }) => {
    const headers = { ...world.trader.headersFor(declaration.method, path), 'SVC-SIGNATURE': '0'.repeat(64) };
    refused(await send(world.base, declaration.method, path, { headers }), 'authentication_failed');
  });
});

describe('every call with a body', () => {
  it.each(named(withBody))('%s takes JSON alone', async (_name, one) => {
    refused(await call(one, { body: '{}', contentType: 'text/plain' }), 'unsupported_media_type');
  });

  it.each(named(withBody))('%s takes no more than 64 KiB', async (_name, one) => {
    refused(await call(one, { body: `{"a":"${'a'.repeat(65_536)}"}` }), 'request_too_large');
  });

  it.each(named(withBody))('%s wants a JSON object', async (_name, one) => {
    for (const body of ['{', '[]', '7', 'null']) refused(await call(one, { body }), 'invalid_request_params', 'body');
  });

  it.each(named(withBody))('%s names every field that is missing', async (_name, one) => {
    const answer = await call(one, { body: '{}' });
    const wanted = requiredOf(one.declaration);
    const heard = (answer.error?.details ?? []).flatMap((row) => Object.keys(row));
    if (wanted.length > 0 && heard.join() !== wanted.join()) throw new Error(`${heard.join()}, not ${wanted.join()}`);
    if (answer.slug !== 'invalid_request_params') throw new Error(`answered ${answer.slug}`);
  });
});

/** Fields that a body cannot be without, in the order of their declaration. */
function requiredOf({ body }: Declaration): string[] {
  const fields = Object.entries(body?.shape ?? {});
  return fields.filter(([, field]) => !field.safeParse(undefined).success).map(([name]) => name);
}

describe('every call of one record', () => {
  it.each(named(ofRecord))('%s does not find an unknown one', async (_name, one) => {
    const query = one.name === 'markets.candles' ? '?start_time=0&end_time=60&interval=5m' : '';
    refused(await call(one, { query }), 'not_found');
  });
});

describe('every list', () => {
  it.each(named(pages))('%s keeps to its page sizes and cursors', async (_name, one) => {
    for (const [query, field] of [
      ['?limit=0', 'limit'],
      ['?limit=1000', 'limit'],
      ['?limit=ten', 'limit'],
      ['?cursor=nonsense', 'cursor'],
    ] as const) {
      const filter = one.name === 'search.list' ? '&q=rain' : '';
      const known = { ...one, path: one.path.replace('unknown', world.id('polymarket')) };
      refused(await call(known, { query: `${query}${filter}` }), 'invalid_request_params', field);
    }
  });
});

describe('every path', () => {
  it.each(named(ALL))('%s has its methods and no other', async (_name, { declaration, path }) => {
    refused(await send(world.base, 'PUT', path), 'method_not_allowed');
    const without = await send(world.base, declaration.method, path.slice(0, -1));
    refused(without, 'not_found');
  });
});

describe('an exchange whose budgets are used up', () => {
  it('answers throttled on every call, whatever else is wrong with it', async () => {
    const profile = {
      ...PROFILE,
      rate_limits: { public_per_minute: 1, signed_per_minute: 1, bootstrap_per_minute: 2 },
    };
    const exchange = await startTestExchange({ profile, rateLimits: true });
    const trader = await TestTrader.join(exchange.url);
    for (const { declaration, path } of ALL) {
      const ask = () =>
        send(exchange.url, declaration.method, path, { headers: trader.headersFor(declaration.method, path) });
      await ask();
      throttled(await ask());
    }
    await exchange.close();
  });
});

/** Its message tells how long to wait, so it is not the table's. */
function throttled(answer: Answered): void {
  const { error, ...rest } = answer;
  const wait = Number(answer.headers.get('retry-after'));
  const message = `Request was throttled. Expected available in ${wait} seconds.`;
  if (error?.message !== message) throw new Error(`${error?.message}, not ${message}`);
  refused({ ...rest, error: { ...error, message: 'Request was throttled.' } }, 'throttled');
}

describe('an exchange that can no longer store what happens', () => {
  it('answers internal_error on every call, and nothing of what it could not store', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'twinbook-broken-'));
    const db = openDatabase(folder);
    const journal = new Journal(db, new Transactions(db));
    const core = new ExchangeCore(settings);
    recordMutations(core, journal);
    const clock = new ExchangeClock(0);
    const settle = () => {
      journal.assertSound();
      return clock.nowMs();
    };
    const server = buildServer({
      core,
      clock,
      profile: PROFILE,
      rateLimits: false,
      controls: true,
      settle,
      advanceClock: settle,
      onError: () => undefined,
    });
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    const trader = await TestTrader.join(url);
    // As good as a full disk.
    db.close();
    refused(await trader.bootstrap(), 'internal_error');
    for (const { declaration, path } of ALL) {
      const headers = trader.headersFor(declaration.method, path);
      refused(await send(url, declaration.method, path, { headers }), 'internal_error');
    }
    await server.close();
    rmSync(folder, { recursive: true });
  });
});
