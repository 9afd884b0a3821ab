/** The client over TLS: it sends no byte of a request to an unproven server. */

import { createServer } from 'node:https';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { listening } from '../../support/listening.js';
import { clientFor, draft, orderBody } from './fixture.js';
import { envelope } from './hostile-server.js';

/** A self-signed certificate for `localhost`, only for this test. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgOL/DGaq9RAywqWtd
2mMJ+VHQOCXfo9K9NOLaJC832IGhRANCAAR1DCZdp+qyyokQiKQ92161Lcdp5Dod
RVueeBQLa8ylQh+noorLrW8igQVcYkGdYHjNRkfl6pTz22Gf02LEWRVM
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUD7MP59g+MOpZx7p5oN9Nu5aLomQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjA2MTcxNloYDzIxMjYxMTAy
MDYxNzE2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAR1DCZdp+qyyokQiKQ92161Lcdp5DodRVueeBQLa8ylQh+noorLrW8i
gQVcYkGdYHjNRkfl6pTz22Gf02LEWRVMo28wbTAdBgNVHQ4EFgQUm0OgAuYYu5bZ
Zj/W/YojDPaz/ekwHwYDVR0jBBgwFoAUm0OgAuYYu5bZZj/W/YojDPaz/ekwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgcP5FMC7aiv7/7SPOqoS65vHaGAS/x6EXHqSAcs+Pi1MCIQCa
6co4q7Ka+hDFbmSuEPzmpgMrs5hmX4CbcA5ELQ/nWg==
-----END CERTIFICATE-----`;

let url = '';
let connections = 0;
const asked: string[] = [];

beforeEach(async () => {
  connections = 0;
  asked.length = 0;
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => response.writeHead(201).end(envelope(draft)));
  });
  server.on('secureConnection', () => (connections += 1));
  url = `https://localhost:${(await listening(server)).port}`;
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const call = (client: ReturnType<typeof clientFor>) => client.call('orders.create', { body: orderBody });

it('asks over one secured connection again and again', async () => {
  // Node reads it for each new connection; a running process cannot trust this certificate in another way.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  vi.spyOn(process, 'emitWarning').mockReturnValue(); // Node warns about it.
  const client = clientFor(url);
  for (let n = 0; n < 3; n++) expect((await call(client)).outcome).toMatchObject({ kind: 'answered', data: draft });
  expect([asked, connections]).toEqual([Array(3).fill('POST /orders/'), 1]);
});

it('sends nothing to a server whose certificate nobody vouches for', async () => {
  const { outcome } = await call(clientFor(url));
  expect(outcome).toEqual({ kind: 'unknown', sent: false, reason: expect.stringContaining('certificate') });
  expect(asked).toEqual([]);
});
