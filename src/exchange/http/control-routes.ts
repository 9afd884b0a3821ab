/** Serves the controls: who may use them, and the way of a call from bytes to the envelope. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CONTROLS, type Control } from './controls.js';
import { type Answer, faultAnswer, NOT_FOUND, successText } from './envelope.js';
import type { ServerOptions } from './options.js';
import { routeUrl } from './paths.js';
import { send } from './reply.js';
import { readBody } from './request-body.js';

export function serveControls(server: FastifyInstance, options: ServerOptions): void {
  for (const control of CONTROLS) {
    server.route({
      method: control.method,
      url: routeUrl(control.path),
      config: { scope: 'paper' },
      handler: (request, reply) => send(reply, serve(control, request, options)),
    });
  }
}

function serve(control: Control, request: FastifyRequest, { core, settle, advanceClock }: ServerOptions): Answer {
  if (!LOOPBACK.test(request.ip)) return faultAnswer(NOT_FOUND);
  if (isFromPage(request)) return faultAnswer({ slug: 'permission_denied' });
  const body = control.body === null ? null : readBody(request, control.body);
  if (body !== null && !body.ok) return faultAnswer(body.fault);
  // The router's params are strings by name.
  const params = request.params as Readonly<Record<string, string>>;
  const done = control.run({ nowMs: settle(), params, body: body?.value ?? null, core, advanceClock });
  return done.ok ? { status: 200, text: successText(done.value, {}) } : faultAnswer(done.fault);
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;

/** Any web page can reach a loopback port through its reader's browser; browsers say so in these headers. */
const isFromPage = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none';
