import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRefusal } from '../../../src/shell/dashboard/admission.js';

const PORT = 8788;
const HOST = '127.0.0.1:8788';

/** Headers in the form of Node: names in lower case, each with all of its values. */
function distinct(raw: readonly string[]) {
  const headers: Record<string, string[]> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    headers[name] = [...(headers[name] ?? []), raw[i + 1] ?? ''];
  }
  return headers;
}

const statusOf = (method: string, target: string, raw: readonly string[]) =>
  findRefusal({ method, url: target, headersDistinct: distinct(raw) }, PORT)?.status ?? 'heard';
const knock = (method: string, ...raw: string[]) => statusOf(method, '/state', raw);
/** As a browser opens an address from a link, a file or another page. */
const NAVIGATION = ['Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document'];
const json = ['content-type', 'application/json'];

it.each([
  ['a page that is opened', ['GET', 'Host', HOST, 'Sec-Fetch-Site', 'none']],
  ['the page asking for its state', ['GET', 'Host', HOST, 'Sec-Fetch-Site', 'same-origin']],
  ['a program that is no browser', ['GET', 'Host', HOST]],
  ['by its other names', ['GET', 'Host', 'localhost:8788']],
  ['by its other address', ['GET', 'Host', '[::1]:8788']],
  ['a button', ['POST', 'Host', HOST, 'Origin', `http://${HOST}`, 'Sec-Fetch-Site', 'same-origin', ...json]],
  ['a program that acts', ['POST', 'Host', HOST, 'Content-Type', 'application/json; charset=utf-8']],
])('a request is heard from %s', (_, [method = '', ...raw]) => expect(knock(method, ...raw)).toBe('heard'));

it.each([
  ['as a tab', '/', 'GET', NAVIGATION, 'heard'],
  ['as a view', '/?view=log', 'GET', NAVIGATION, 'heard'],
  ['in a frame', '/', 'GET', [...NAVIGATION.slice(0, 4), 'Sec-Fetch-Dest', 'iframe'], 403],
  ['by a script', '/', 'GET', ['Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Mode', 'no-cors'], 403],
  ['with another path', '/state', 'GET', NAVIGATION, 403],
  ['with a path that begins like its own', '//evil.example/', 'GET', NAVIGATION, 403],
  ['by a form', '/', 'POST', [...NAVIGATION, ...json], 403],
  ['under another name', '/', 'GET', [...NAVIGATION, 'Host', 'evil.example'], 403],
] as const)('the document alone may be opened from another page: %s', (_, target, method, raw, outcome) => {
  expect(statusOf(method, target, ['Host', HOST, ...raw])).toBe(outcome);
});

describe('a request is not heard', () => {
  it.each([
    ['without a host', 403, ['GET']],
    ['with a name that was made to resolve to us', 403, ['GET', 'Host', 'evil.example:8788']],
    ['with our address and another port', 403, ['GET', 'Host', '127.0.0.1:80']],
    ['with our address and no port', 403, ['GET', 'Host', '127.0.0.1']],
    ['with a name that begins like ours', 403, ['GET', 'Host', '127.0.0.1:8788.evil.example']],
    ['with two hosts', 403, ['GET', 'Host', HOST, 'Host', HOST]],
    ['with an address that is spelled otherwise', 403, ['GET', 'Host', '127.1:8788']],
    ['of another site', 403, ['GET', 'Host', HOST, 'Sec-Fetch-Site', 'cross-site']],
    ['of another port of this machine', 403, ['GET', 'Host', HOST, 'Sec-Fetch-Site', 'same-site']],
    ['with a second word about its site', 403, ['GET', 'Host', HOST, 'Sec-Fetch-Site', 'none', 'Sec-Fetch-Site', 'x']],
    ['of another origin', 403, ['GET', 'Host', HOST, 'Origin', 'https://evil.example']],
    ['of no origin that it would name', 403, ['POST', 'Host', HOST, 'Origin', 'null', ...json]],
    ['of our other name', 403, ['POST', 'Host', HOST, 'Origin', 'http://localhost:8788', ...json]],
    ['of our address under https', 403, ['POST', 'Host', HOST, 'Origin', `https://${HOST}`, ...json]],
    ['that a link makes act', 403, ['POST', 'Host', HOST, 'Sec-Fetch-Site', 'none', ...json]],
    ['that a form of another page makes', 403, ['POST', 'Host', HOST, 'Sec-Fetch-Site', 'cross-site', ...json]],
    ['of a form', 415, ['POST', 'Host', HOST, 'Content-Type', 'application/x-www-form-urlencoded']],
    ['of a form that says text', 415, ['POST', 'Host', HOST, 'Content-Type', 'text/plain']],
    ['with two types', 415, ['POST', 'Host', HOST, ...json, 'content-type', 'text/plain']],
    ['with a type that begins like ours', 415, ['POST', 'Host', HOST, 'Content-Type', 'application/jsonx']],
    ['without a type', 415, ['POST', 'Host', HOST]],
    ['that asks what it may', 405, ['OPTIONS', 'Host', HOST, 'Access-Control-Request-Method', 'POST']],
    ['that deletes', 405, ['DELETE', 'Host', HOST]],
  ] as const)('%s', (_, status, [method, ...raw]) => expect(knock(method, ...raw)).toBe(status));

  it('whatever it says, when it names another host or comes from another page', () => {
    const others = fc.array(
      fc.tuple(
        fc.constantFrom('Accept', 'Referer', 'Cookie', 'X-Forwarded-Host', 'Forwarded', 'Authorization'),
        fc.string(),
      ),
      { maxLength: 5 },
    );
    const ours = [HOST, 'localhost:8788', '[::1]:8788'];
    const foreign = fc.oneof(
      fc
        .string()
        .filter((text) => !ours.includes(text))
        .map((host) => ['Host', host]),
      fc
        .string()
        .filter((text) => text !== `http://${HOST}`)
        .map((origin) => ['Host', HOST, 'Origin', origin]),
      fc
        .string()
        .filter((text) => !['same-origin', 'none'].includes(text))
        .map((site) => ['Host', HOST, 'Sec-Fetch-Site', site]),
    );
    fc.assert(
      fc.property(fc.constantFrom('GET', 'POST'), foreign, others, (method, raw, more) => {
        return statusOf(method, '/', [...more.flat(), ...raw, ...json]) === 403;
      }),
      { numRuns: 1_000 },
    );
  });
});
