/**
 * The script of the page. It signs requests for the reader, who enters key and secret once: WebCrypto signs in the
 * page, and the secret never leaves it. The time comes from the exchange, whose clock may have been moved.
 */

import type { signatureHeaders } from '../../../shared/protocol/signing.js';

/** The script's text for a venue with these header names. */
export const pageScript = (headers: ReturnType<typeof signatureHeaders>): string =>
  `'use strict';
const HEADERS = ${JSON.stringify(headers)};
${SCRIPT}`;

const SCRIPT = `
// How far the exchange's clock is ahead of this page's, ms.
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

// The entered signature is the secret: it is replaced before the request is sent.
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

// The page asks for two values and computes the third.
function forReaders(service) {
  const { securitySchemes } = service.components;
  delete securitySchemes.Timestamp;
  securitySchemes.Signature.description =
    'Type the secret of the key here. This page signs every request with it and never sends it.';
  for (const path of Object.values(service.paths)) {
    for (const call of Object.values(path)) for (const wanted of call.security) delete wanted.Timestamp;
  }
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
