/** Compares signing, byte by byte, with known vectors of the service's interface. */

import { requestSignature, signedPayload } from '../../shared/protocol/signing.js';
import type { Check } from '../check.js';

interface Vector {
  readonly method: string;
  readonly pathWithQuery: string;
  readonly body: string;
  readonly payload: string;
  readonly signature: string;
}

const TIMESTAMP = '1714300000';
/** An example secret without an owner; another implementation made the signatures below. */
const SECRET = 'ws_live_1f7c2a9b5d4e';
const MERGE = '{"market_condition_id":"7n9G9WfQ2V7d6hM3XK8pQ4LwR2eY6aT1uJ5cB8mN3qPz","amount":"10"}';

const VECTORS: readonly Vector[] = [
  {
    method: 'GET',
    pathWithQuery: '/orders/?limit=10',
    body: '',
    payload: `${TIMESTAMP}GET/orders/?limit=10`,
    signature: '3a1bf87c31ca5772b55633a85a7aa83e6d621ff7790b266ecdb783518f70acfa',
  },
  {
    method: 'POST',
    pathWithQuery: '/orders/abc/cancel/',
    body: '',
    payload: `${TIMESTAMP}POST/orders/abc/cancel/`,
    signature: '539c6fba28fc2235c23d35dddadb0110bf63fc023b87fd44fd511824b778d98e',
  },
  {
    method: 'POST',
    pathWithQuery: '/share-merges/',
    body: MERGE,
    payload: `${TIMESTAMP}POST/share-merges/${MERGE}`,
    signature: '4a128a6460e48eb9ed120ceefdaaa3c541b85022c31dcd44d7a8370a54476826',
  },
];

export function signingCheck(): Check {
  for (const { method, pathWithQuery, body, payload, signature } of VECTORS) {
    const parts = { timestamp: TIMESTAMP, method, pathWithQuery, body };
    const made = signedPayload(parts);
    if (made !== payload)
      return makeFailedCheck(`${method} ${pathWithQuery}: the payload differs at byte ${differenceAt(made, payload)}`);
    if (requestSignature(SECRET, parts) !== signature)
      return makeFailedCheck(`${method} ${pathWithQuery}: the signature differs`);
  }
  return {
    name: 'signing',
    result: 'ok',
    text: `${VECTORS.length} golden requests signed byte for byte as the interface says`,
    hint: '',
  };
}

const makeFailedCheck = (text: string): Check => ({
  name: 'signing',
  result: 'fail',
  text,
  hint: 'This installation is damaged: install it again, and do not trade with it.',
});

function differenceAt(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index++;
  return index;
}
