/**
 * The page under `/docs/` is Swagger UI, served from the installed package without a network. The plugin of
 * `@fastify/swagger-ui` is not used, because its errors have no envelope, and because its version 6 needs Node 22.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import type { VenueProfile } from '../../../shared/protocol/profile.js';
import { signatureHeaders } from '../../../shared/protocol/signing.js';

const readPackaged = (name: string) => () =>
  readFileSync(createRequire(import.meta.url).resolve(`@fastify/swagger-ui/static/${name}`));

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Exchange: the service</title>
<link rel="icon" href="favicon-32x32.png">
<link rel="stylesheet" href="swagger-ui.css">
</head>
<body>
<div id="page"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="page.js"></script>
</body>
</html>
`;

const FILES: readonly (readonly [path: string, type: string, read: (profile: VenueProfile) => string | Buffer])[] = [
  ['/docs/', 'text/html; charset=utf-8', () => PAGE],
  ['/docs/page.js', 'text/javascript; charset=utf-8', (profile) => pageScript(signatureHeaders(profile.header_prefix))],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', readPackaged('swagger-ui-bundle.js')],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8', readPackaged('swagger-ui.css')],
  ['/docs/favicon-32x32.png', 'image/png', readPackaged('favicon-32x32.png')],
];

const REDIRECTED = ['/', '/docs'];

/** All paths of the documentation page, so that other methods get a 405 instead of a 404. */
export const PAGE_ROUTES = [...REDIRECTED, ...FILES.map(([path]) => path)].map((path) => ({ method: 'GET', path }));

/** Content security policy of the page: no content from other origins, no inline code, no frames. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Adds the documentation page and its files to the server. */
export function servePage(server: FastifyInstance, profile: VenueProfile): void {
  for (const path of REDIRECTED) {
    server.get(path, { config: { scope: 'paper' } }, (request, reply) => {
      // For the route `/`, the router accepts every request target of one character.
      if (!request.url.startsWith('/')) return reply.callNotFound();
      return reply.headers(HEADERS).redirect('/docs/');
    });
  }
  for (const [path, type, read] of FILES) {
    server.get(path, { config: { scope: 'paper' } }, (_request, reply) => {
      reply.headers(HEADERS).header('content-type', type).send(read(profile));
    });
  }
}

/** Script of the documentation page. `headers`: names of the venue's signature headers. */
export const pageScript = (headers: ReturnType<typeof signatureHeaders>): string =>
  `'use strict';
const HEADERS = ${JSON.stringify(headers)};
${SCRIPT}`;

const SCRIPT = `
// Difference of the exchange's clock minus the page's clock, ms.
let aheadMs = 0;
const setClock = (date) => {
  if (date) aheadMs = Date.parse(date) - Date.now();
};

const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

async function signatureOf(secret, payload) {
  const bytes = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), algorithm, false, ['sign']);
  return hex(await crypto.subtle.sign('HMAC', key, bytes.encode(payload)));
}

// The user enters the secret as the signature; the script replaces it before the request is sent.
async function sign(request) {
  const secret = request.headers[HEADERS.signature];
  delete request.headers[HEADERS.signature];
  if (!secret) return request;
  const timestamp = String(Math.floor((Date.now() + aheadMs) / 1000));
  const { pathname, search } = new URL(request.url, location.href);
  const payload = timestamp + request.method.toUpperCase() + pathname + search + (request.body ?? '');
  request.headers[HEADERS.timestamp] = timestamp;
  request.headers[HEADERS.signature] = await signatureOf(secret, payload);
  return request;
}

// The page asks for key and secret, and computes timestamp and signature.
function forReaders(service) {
  const { securitySchemes } = service.components;
  delete securitySchemes.Timestamp;
  securitySchemes.Signature.description =
    'Type the secret of the key here. This page signs every request with it and never sends it.';
  for (const path of Object.values(service.paths))
    for (const call of Object.values(path)) for (const wanted of call.security) delete wanted.Timestamp;
  return service;
}

async function show() {
  const answer = await fetch('/openapi.json');
  setClock(answer.headers.get('date'));
  SwaggerUIBundle({
    spec: forReaders(await answer.json()),
    dom_id: '#page',
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    validatorUrl: null,
    requestInterceptor: sign,
    responseInterceptor: (response) => {
      setClock(response.headers?.date);
      return response;
    },
  });
}

show();
`;
