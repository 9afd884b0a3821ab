/** Calls of the client; each carries the number of its case in a text, so that the venue recognizes it. */

import type { Random } from '../../../src/shared/base/random.js';
import {
  type Declaration,
  declarationOf,
  ENDPOINTS,
  type EndpointName,
} from '../../../src/shared/protocol/endpoints.js';
import type { CallInput } from '../../../src/shell/client/contract.js';
import { pick } from '../values.js';

export interface Question {
  readonly endpoint: EndpointName;
  readonly declaration: Declaration;
  readonly input: CallInput<EndpointName>;
  /** The text that the call carries. */
  readonly mark: string;
}

/** Fields that can carry a text. */
const CARRIERS = ['market_condition_id', 'wallet_address', 'cursor'];

const BODIES: Readonly<Record<string, object>> = {
  'orders.create': { is_yes: true, side: 'buy', order_type: 'limit', price: '0.42', amount: '10' },
  'requests.create': { type: 'market', leverage: 2, funds: '100' },
  'keys.create': { message: 'm', signature: 's', nonce: 'n' },
};

const carrierOf = (fields: object): string | undefined => CARRIERS.find((name) => Object.hasOwn(fields, name));

/** All calls with a text from the caller. */
const ASKABLE = (Object.keys(ENDPOINTS) as EndpointName[]).filter((name) => {
  const { path, query, body } = declarationOf(name);
  return path.includes('{') || carrierOf(query.shape) !== undefined || carrierOf(body?.shape ?? {}) !== undefined;
});

/** `isFit` selects the possible calls. */
export function questionOf(random: Random, mark: string, isFit: (declaration: Declaration) => boolean): Question {
  const [first = 'orders.create', ...more] = ASKABLE.filter((name) => isFit(declarationOf(name)));
  const endpoint = pick(random, [first, ...more]);
  const declaration = declarationOf(endpoint);
  const { path, query, body } = declaration;
  const params = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, mark]));
  const [inQuery, inBody] = [carrierOf(query.shape), carrierOf(body?.shape ?? {})];
  const input = {
    params,
    query: inQuery === undefined ? {} : { [inQuery]: mark },
    ...(body === null ? {} : { body: { ...BODIES[endpoint], ...(inBody === undefined ? {} : { [inBody]: mark }) } }),
  };
  // The call's types are correct for every sent field.
  return { endpoint, declaration, mark, input: input as unknown as CallInput<EndpointName> };
}
