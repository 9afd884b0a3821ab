/** Compares signing, byte by byte, with known vectors of the service's interface. */

import { requestSignature } from '../../shared/protocol/signing.js';
import { type Check, fail, ok } from '../check.js';

const TIMESTAMP = '1714300000';
/** An example secret without an owner; another implementation made the signatures below. */
const SECRET = 'ws_live_1f7c2a9b5d4e';
const MERGE = '{"market_condition_id":"7n9G9WfQ2V7d6hM3XK8pQ4LwR2eY6aT1uJ5cB8mN3qPz","amount":"10"}';

/** Method, path, body and signature. */
const VECTORS = [
  ['GET', '/orders/?limit=10', '', '3a1bf87c31ca5772b55633a85a7aa83e6d621ff7790b266ecdb783518f70acfa'],
  ['POST', '/orders/abc/cancel/', '', '539c6fba28fc2235c23d35dddadb0110bf63fc023b87fd44fd511824b778d98e'],
  ['POST', '/share-merges/', MERGE, '4a128a6460e48eb9ed120ceefdaaa3c541b85022c31dcd44d7a8370a54476826'],
] as const;

export function signingCheck(): Check {
  const wrong = VECTORS.find(([method, pathWithQuery, body, signature]) => {
    const parts = { timestamp: TIMESTAMP, method, pathWithQuery, body };
    return requestSignature(SECRET, parts) !== signature;
  });
  if (wrong === undefined)
    return ok('signing', `${VECTORS.length} golden requests signed byte for byte as the interface says`);
  const text = `${wrong[0]} ${wrong[1]}: the signature differs`;
  return fail('signing', text, 'This installation is damaged: install it again, and do not trade with it.');
}
