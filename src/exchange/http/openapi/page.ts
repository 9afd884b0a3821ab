/**
 * The page under `/docs/` to browse the service and to try it: Swagger UI, served from the package that is installed with
 * us, without a network. Its files count against no rate limit (a page would use up a caller's budget by being looked at);
 * what is tried on it does, like any request.
 *
 * The files are those of `@fastify/swagger-ui`: the same as in `swagger-ui-dist`, without its telemetry. Its plugin is not
 * used: it would answer outside of the envelope and under more paths than this page needs. Version 6 of it needs Node 22.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import type { VenueProfile } from '../../../shared/protocol/profile.js';
import { signatureHeaders } from '../../../shared/protocol/signing.js';
import { pageScript } from './page-script.js';

interface PageFile {
  readonly path: `/docs/${string}`;
  readonly type: string;
  readonly read: (profile: VenueProfile) => string | Buffer;
}

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

const FILES: readonly PageFile[] = [
  { path: '/docs/', type: 'text/html; charset=utf-8', read: () => PAGE },
  {
    path: '/docs/page.js',
    type: 'text/javascript; charset=utf-8',
    read: ({ header_prefix }) => pageScript(signatureHeaders(header_prefix)),
  },
  {
    path: '/docs/swagger-ui-bundle.js',
    type: 'text/javascript; charset=utf-8',
    read: readPackaged('swagger-ui-bundle.js'),
  },
  { path: '/docs/swagger-ui.css', type: 'text/css; charset=utf-8', read: readPackaged('swagger-ui.css') },
  { path: '/docs/favicon-32x32.png', type: 'image/png', read: readPackaged('favicon-32x32.png') },
];

/** Addresses that people type for the page. */
const REDIRECTED = ['/', '/docs'];

/** Every path of the page, so that other methods are answered with 405 instead of 404. */
export const PAGE_ROUTES = [...REDIRECTED, ...FILES.map(({ path }) => path)].map((path) => ({ method: 'GET', path }));

/** Nothing from other origins, nothing inline, no frames. */
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

/** Adds the page and its files to the server. */
export function servePage(server: FastifyInstance, profile: VenueProfile): void {
  for (const path of REDIRECTED) {
    server.get(path, { config: { scope: 'paper' } }, (request, reply) => {
      // The router takes any one-character target for `/`.
      if (!request.url.startsWith('/')) return reply.callNotFound();
      return reply.headers(HEADERS).redirect('/docs/');
    });
  }
  const read = new Map<string, string | Buffer>();
  for (const file of FILES) {
    server.get(file.path, { config: { scope: 'paper' } }, (_request, reply) => {
      const content = read.get(file.path) ?? file.read(profile);
      read.set(file.path, content);
      reply.headers(HEADERS).header('content-type', file.type).send(content);
    });
  }
}
