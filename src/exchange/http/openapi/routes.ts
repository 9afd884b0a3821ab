/** Serves the OpenAPI document (encoded once, counted as a public request, not in the envelope) and the page that shows it. */

import type { FastifyInstance } from 'fastify';
import { send } from '../reply.js';
import { type DocumentOptions, openApiDocument } from './document.js';
import { PAGE_ROUTES, servePage } from './page.js';

/** What this file serves beside the declared calls, for a 405. */
export const DOCUMENT_ROUTES = [{ method: 'GET', path: '/openapi.json' }, ...PAGE_ROUTES];

/** Adds the document, and the page that shows it, to the server. */
export function serveDocument(server: FastifyInstance, options: DocumentOptions): void {
  // Made on the first request: most exchanges are never asked for it.
  let text: string | null = null;
  server.get('/openapi.json', { config: { scope: 'public' } }, (_request, reply) => {
    text ??= JSON.stringify(openApiDocument(options));
    send(reply, { status: 200, text });
  });
  servePage(server, options.profile);
}
