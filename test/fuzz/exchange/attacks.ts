/** Attacks on the contents of a request: body, query, path, headers. */

import { badlyEncoded, DEEP, encoded, nastyJson, nastyName, nastyText, noise, pick, weighted } from '../values.js';
import { type Parts, partsWhere, queryText, requestOf, type Scene, targetOf } from './honest.js';
import { type Case, type Header, type HostileRequest, headerSafe, JSON_TYPE, lineSafe, withJson } from './requests.js';

const caseOf = (kind: string, { operation }: Parts, request: HostileRequest): Case => ({
  kind,
  path: operation.path,
  duty: 'anything',
  request,
});

type Pair = [name: string, json: string];

/** A body with one or more wrong fields. */
export function bodyAttack(scene: Scene): Case {
  const { random } = scene;
  const parts = partsWhere(scene, ({ body, scope }) => body !== null && scope !== 'paper');
  const pairs = Object.entries(parts.body ?? {}).map(([name, value]): Pair => [name, JSON.stringify(value)]);
  const text = random.chance(0.2) ? wholeBody(scene, objectText(pairs)) : objectText(corrupted(scene, parts, pairs));
  const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
  return caseOf('body', parts, { ...requestOf(parts), body: bytes });
}

const objectText = (pairs: readonly Pair[]): string =>
  `{${pairs.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;

function corrupted({ random }: Scene, { operation }: Parts, given: readonly Pair[]): readonly Pair[] {
  const pairs = [...given];
  for (let times = 1 + random.below(2); times > 0; times--) {
    const at = random.below(pairs.length);
    const name = pairs[at]?.[0] ?? 'x';
    const unused = operation.body?.[random.below(operation.body.length)]?.name ?? 'x';
    weighted(random, [
      [50, () => void pairs.splice(at, 1, [name, nastyJson(random)])],
      [10, () => void pairs.splice(at, 1)],
      [10, () => void pairs.push([name, nastyJson(random)])],
      [10, () => void pairs.push([unused, nastyJson(random)])],
      [10, () => void pairs.push([nastyName(random), nastyJson(random)])],
      // Numbers as strings, strings as numbers, and either of them wrapped.
      [5, () => void pairs.splice(at, 1, [name, otherType(pairs[at]?.[1] ?? '1')])],
      [5, () => void pairs.splice(at, 1, [name, `[${pairs[at]?.[1] ?? ''}]`])],
    ])();
  }
  return pairs;
}

const otherType = (json: string): string => (json.startsWith('"') ? json.slice(1, -1) : `"${json}"`);

function wholeBody({ random }: Scene, text: string): string | Buffer {
  return weighted<() => string | Buffer>(random, [
    [4, () => nastyJson(random)],
    [2, () => text.slice(0, random.below(text.length))],
    [1, () => `\uFEFF${text}`],
    [1, () => `${text}${text}`],
    [1, () => `${text}\u0000`],
    [1, () => text.replaceAll('"', "'")],
    [1, () => `[${text}]`],
    [1, () => `${' '.repeat(random.below(5000))}${text}`],
    [1, () => Buffer.from(text, 'utf16le')],
    [1, () => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe, 0xc0, 0x7d])])],
    [1, () => noise(random, 300)],
    [0.3, () => `{"a":${'{"a":'.repeat(DEEP / 2)}`],
    [0.3, () => `{${Array.from({ length: 3000 }, (_, at) => `"k${at}":${at}`).join(',')}}`],
    [0.3, () => `{"__proto__":${text},"constructor":{"prototype":${text}}}`],
  ])();
}

/** A query with wrong values, names or encodings. */
export function queryAttack(scene: Scene): Case {
  const { random } = scene;
  const parts = partsWhere(scene, ({ query, scope }) => query.length > 0 && scope !== 'paper');
  const { query } = parts.operation;
  const name = () => (random.chance(0.8) ? (query[random.below(query.length)]?.name ?? 'x') : nastyName(random));
  const pairs = parts.query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  for (let times = 1 + random.below(3); times > 0; times--) {
    pairs.push(
      weighted(random, [
        [12, () => `${encoded(name())}=${badlyEncoded(random, nastyText(random))}`],
        [2, () => pairs[0] ?? `${name()}`],
        [1, () => `${badlyEncoded(random, name())}=1`],
        [1, () => `${encoded(name())}=`],
        [1, () => `${encoded(name())}[]=1&${encoded(name())}[a]=1`],
        [1, () => pick(random, ['', '=', '&', '?', '==', '&&&', '=x', ';a=1', '#', '%00=1'])],
        [0.2, () => Array.from({ length: 400 }, (_, at) => `p${at}=${at}`).join('&')],
        [0.2, () => `${encoded(name())}=${'9'.repeat(6000)}`],
      ])(),
    );
  }
  const path = targetOf({ ...parts, query: [] });
  return caseOf('query', parts, { ...requestOf(parts), target: lineSafe(path + queryText(pairs)) });
}

/** An invalid path that is similar to a valid one; a wrong method. */
export function pathAttack(scene: Scene): Case {
  const { random } = scene;
  const parts = partsWhere(scene, ({ scope }) => scope !== 'paper');
  const request = requestOf(parts);
  const target = random.chance(0.85) ? lineSafe(tricked(scene, parts)) : request.target;
  const method = random.chance(0.25) ? pick(random, METHODS) : request.method;
  return { kind: 'path', path: null, duty: 'anything', request: { ...request, target, method } };
}

/** All methods of the runtime's parser except CONNECT and upgrades: those end the connection. */
const METHODS: readonly [string, ...string[]] = [
  'GET',
  ...'HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND MKCOL LOCK PURGE SEARCH'.split(' '),
  ...'REPORT LINK BIND QUERY M-SEARCH'.split(' '),
];

function tricked({ random }: Scene, parts: Parts): string {
  const path = targetOf({ ...parts, query: [] });
  const named = () => {
    const params = Object.fromEntries(
      Object.keys(parts.params).map((name) => [name, badlyEncoded(random, nastyText(random))]),
    );
    return parts.operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  };
  return weighted(random, [
    [6, named],
    [1, () => path.slice(0, -1)],
    [1, () => `${path}/`],
    [1, () => path.replaceAll('/', '//')],
    [1, () => path.replace(/\/$/, '%2F')],
    [1, () => `/${path.slice(1).replaceAll('/', '%2f')}`],
    [1, () => `/%2e%2e${path}`],
    [1, () => `/x/..${path}`],
    [1, () => `/.${path}`],
    [1, () => `${path}../../paper/clock/`],
    [1, () => `http://localhost${path}`],
    [1, () => `http://evil.example:80${path}?x=http://y`],
    [1, () => path.toUpperCase()],
    [1, () => path.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)],
    [1, () => `${path};jsessionid=1`],
    [1, () => `${path}%00`],
    [1, () => `${path}%20/`],
    [1, () => `${path}#fragment`],
    [1, () => `/${'a/'.repeat(random.below(500))}`],
    [1, () => `/${encoded(nastyText(random))}/`],
    [1, () => pick(random, STRANGE_PATHS)],
    [0.5, () => path.replace(/[^/]+(?=\/$)/, 'x'.repeat(200 + random.below(3000)))],
  ])();
}

const STRANGE_PATHS: readonly [string, ...string[]] = [
  '*',
  ...'/ // /. /.. /openapi.json/ /docs /.env /wp-login.php /api/v1/orders/ /favicon.ico'.split(' '),
];

/** Headers that contradict the body, are duplicated, or are trusted by some proxies. */
export function headerAttack(scene: Scene): Case {
  const { random } = scene;
  const parts = partsWhere(scene, ({ scope }) => scope !== 'paper');
  const request = requestOf(parts);
  const others = request.headers.filter(([name]) => name !== 'Content-Type');
  const headers = weighted<() => readonly Header[]>(random, [
    [4, () => [...others, ['Content-Type', pick(random, TYPES)]]],
    [1, () => others],
    [1, () => [...request.headers, JSON_TYPE]],
    [1, () => [...request.headers, ['Content-Type', 'text/plain']]],
    [2, () => [...request.headers, ['Content-Encoding', pick(random, ENCODINGS)]]],
    [3, () => [...request.headers, [pick(random, TRUSTED), headerSafe(nastyText(random))]]],
    [1, () => [...request.headers, ['Expect', pick(random, ['100-continue', '200-ok', 'x'])]]],
    [1, () => [...request.headers, ['X-Long', 'a'.repeat(random.below(9000))]]],
    [1, () => [...request.headers, ...Array.from({ length: 80 }, (_, at): Header => [`X-Flood-${at}`, `${at}`])]],
    [1, () => [...request.headers, ['__proto__', 'x'], ['constructor', 'x'], ['toString', 'x']]],
  ])();
  const body = request.body === null && random.chance(0.2) ? withJson('{}').body : request.body;
  return caseOf('header', parts, { ...request, headers, body });
}

const ENCODINGS = ['gzip', 'br', 'deflate', 'identity', 'x', 'gzip, gzip'] as const;

const TYPES: readonly [string, ...string[]] = [
  'text/plain',
  ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp'],
  ...['application/json; charset=utf-16', 'APPLICATION/JSON', 'application/json;;;'],
  ...'; application/ / nonsense'.split(' '),
  ...['application/json, text/html', 'application/problem+json', '*/*', 'application/json\u00a0'],
  `application/${'x'.repeat(500)}`,
];

const TRUSTED: readonly [string, ...string[]] = [
  'Host',
  ...'X-Forwarded-For X-Forwarded-Host X-Original-URL X-Rewrite-URL X-HTTP-Method-Override'.split(' '),
  ...'Forwarded X-Real-IP Authorization Cookie Referer Accept Accept-Encoding Accept-Version'.split(' '),
  ...'Range If-None-Match If-Modified-Since Via TE Trailer Origin Date Age Upgrade-Insecure-Requests'.split(' '),
];
