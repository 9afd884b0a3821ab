/** Valid requests: they create the state, and every attack is a damaged copy of one. */

import type { Random } from '../../../src/shared/base/random.js';
import type { TestTrader } from '../../exchange/http/harness.js';
import type { Document, Field, Json, Operation, Schema } from '../schema.js';
import { encoded, pick, weighted } from '../values.js';
import { type Case, type HostileRequest, withJson } from './requests.js';
import type { Actor, World } from './world.js';

/** Source of a case. The same random stream makes the same case, except for values that the exchange itself issued. */
export interface Scene {
  readonly random: Random;
  readonly world: World;
  readonly actor: Actor;
  readonly document: Document;
}

/** The parts of a request before serialization, where an attack can change each of them. */
export interface Parts {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly body: Json | null;
  readonly signer: TestTrader | null;
}

function partsOf(scene: Scene, operation: Operation): Parts {
  return {
    operation,
    params: Object.fromEntries(paramsOf(operation.path).map((name) => [name, param(scene, operation.path, name)])),
    query: queryOf(scene, operation),
    body: operation.body === null ? null : bodyOf(scene, operation),
    signer: operation.scope === 'signed' ? signerOf(scene, operation) : null,
  };
}

/** Of one of the document's matching operations; at least one must match. */
export const partsWhere = (scene: Scene, fits: (operation: Operation) => boolean): Parts =>
  partsOf(scene, operationOf(scene, fits));

export function targetOf({ operation, params, query }: Pick<Parts, 'operation' | 'params' | 'query'>): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(params[name] ?? ''));
  return path + queryText(query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`));
}

export const queryText = (pairs: readonly string[]): string => (pairs.length === 0 ? '' : `?${pairs.join('&')}`);

export function requestOf(parts: Parts): HostileRequest {
  const { operation, body, signer } = parts;
  const written = body === null ? { headers: [], body: null } : withJson(JSON.stringify(body));
  return { method: operation.method, target: targetOf(parts), signer, ...written };
}

/** A request that mostly succeeds. */
export function honest(scene: Scene): Case {
  const { random, actor } = scene;
  const draft = actor.drafts.draw(random);
  if (draft !== null && random.chance(0.3)) {
    const signature = draft.owner.sign(draft.message);
    const { submitPath: target, owner: signer } = draft;
    const request = { method: 'POST', target, signer, ...withJson(JSON.stringify({ signature })) };
    return { kind: 'honest', request, path: templateOf(target), duty: 'anything' };
  }
  const operation = weighted(random, [
    [1, () => operationAt(scene, 'POST', '/orders/')],
    [2, () => operationOf(scene, ({ scope }) => scope !== 'bootstrap' && scope !== 'paper')],
  ])();
  return { kind: 'honest', request: requestOf(partsOf(scene, operation)), path: operation.path, duty: 'anything' };
}

function operationOf({ random, document }: Scene, fits: (operation: Operation) => boolean): Operation {
  const [first, ...more] = document.operations.filter(fits);
  if (first === undefined) throw new Error('the document has no such operation');
  return pick(random, [first, ...more]);
}

const operationAt = (scene: Scene, method: string, path: string): Operation =>
  operationOf(scene, (operation) => operation.method === method && operation.path === path);

/** `/orders/abc/cancel/submit/` has the template `/orders/{pubkey}/cancel/submit/`. */
const templateOf = (path: string): string => path.replace(/\/[^/]+\/((?:cancel\/)?submit\/)$/, '/{pubkey}/$1');

const paramsOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

function param({ random, world, actor }: Scene, path: string, name: string): string {
  if (name === 'condition_id') return world.anyMarket(random);
  if (name === 'wallet') return actor.book.wallet;
  return actor.pubkey(random, path.slice(0, path.indexOf('{')));
}

/** Margin has its own accounts, so that those of the order books can be summed. */
function signerOf({ random, actor }: Scene, { method, path }: Operation): TestTrader {
  if (path.startsWith('/margin/')) return actor.margin;
  return method === 'GET' && random.chance(0.3) ? actor.margin : actor.book;
}

function queryOf(scene: Scene, { path, query }: Operation): [string, string][] {
  const given = query.filter(({ name, required }) => required || (name !== 'cursor' && scene.random.chance(0.2)));
  return given.map((field) => [field.name, queryValue(scene, path, field)]);
}

function queryValue(scene: Scene, path: string, { name, schema }: Field): string {
  const { random, world, document } = scene;
  if (name === 'market_condition_id')
    return path.startsWith('/margin/') ? pick(random, world.markets.margin) : world.anyMarket(random);
  if (name === 'start_time') return String(1_790_000_000 + random.below(100));
  if (name === 'end_time') return String(1_790_000_100 + random.below(86_400));
  if (name === 'limit') return String(1 + random.below(20));
  if (name === 'price') return `0.${1 + random.below(9)}`;
  return String(document.sample(random, schema));
}

type Maker = (scene: Scene) => Json;

const BODIES: Readonly<Record<string, Maker>> = {
  '/orders/': orderBody,
  '/share-splits/': conversionBody,
  '/share-merges/': conversionBody,
  '/redeems/': ({ world }) => ({ market_condition_id: world.markets.resolved }),
  '/margin/positions/requests/': ({ random, world }) => ({
    type: 'market',
    market_condition_id: pick(random, world.markets.margin),
    is_yes: random.chance(0.5),
    leverage: 1 + random.below(5) / 2,
    funds: String(5 + random.below(20)),
  }),
  '/margin/positions/{pubkey}/tp-sl/': ({ random }) => ({ take_profit_price: random.chance(0.5) ? '0.9' : null }),
  '/auth/keys/challenge/': ({ actor }) => ({ wallet_address: actor.book.wallet }),
};

function bodyOf(scene: Scene, { path, body }: Operation): Json {
  const maker = BODIES[path];
  if (maker !== undefined) return maker(scene);
  const fields = (body ?? []).filter(({ required }) => required || scene.random.chance(0.5));
  return Object.fromEntries(fields.map(({ name, schema }) => [name, bodyValue(scene, name, schema)]));
}

function bodyValue({ random, document }: Scene, name: string, schema: Schema): unknown {
  if (name === 'signature') return random.uint32().toString(16).padStart(8, '0').repeat(16);
  return document.sample(random, schema);
}

function orderBody({ random, world }: Scene): Json {
  const side = random.chance(0.6) ? 'buy' : 'sell';
  const terms = { market_condition_id: pick(random, world.markets.traded), is_yes: random.chance(0.5), side };
  const amount = String(1 + random.below(300) / 100);
  if (random.chance(0.7)) return { ...terms, order_type: 'limit', price: `0.${45 + random.below(11)}`, amount };
  return { ...terms, order_type: 'market', ...(side === 'buy' ? { funds: amount } : { amount }) };
}

function conversionBody({ random, world }: Scene): Json {
  const market = random.chance(0.9) ? pick(random, world.markets.traded) : world.markets.paused;
  return { market_condition_id: market, amount: String(1 + random.below(3)) };
}
