/** Serves the controls: checks callers, and parses a call from bytes to the envelope. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Answer, faultAnswer, NOT_FOUND, successText } from '../service/envelope.js';
import { Authenticator } from './authentication.js';
import { CONTROLS, type Control } from './controls.js';
import type { Faults } from './faults.js';
import { readBody, readSignedParts, send } from './messages.js';
import type { ServerOptions } from './options.js';
import { routeUrl } from './paths.js';
import { reportOn } from './signed-request.js';

/** Adds the routes under `/paper/` to the server. */
export function serveControls(server: FastifyInstance, options: ServerOptions, faults: Faults): void {
  const authenticator = new Authenticator(options.profile);
  for (const control of CONTROLS) {
    server.route({
      method: control.method,
      url: routeUrl(control.path),
      config: { scope: 'paper' },
      handler: (request, reply) => {
        const answer = serve(control, request, options, { authenticator, faults });
        // Again: this call may have moved the clock, and clients read this header.
        reply.header('date', options.clock.dateHeader(options.clock.nowMs()));
        send(reply, answer);
      },
    });
  }
}

function serve(
  control: Control,
  request: FastifyRequest,
  { core, settle, advanceClock, rateLimits: hasLimits }: ServerOptions,
  { authenticator, faults }: { readonly authenticator: Authenticator; readonly faults: Faults },
): Answer {
  if (!LOOPBACK.test(request.ip)) return faultAnswer(NOT_FOUND);
  if (isFromPage(request)) return faultAnswer({ slug: 'permission_denied' });
  const body = control.body === null ? null : readBody(request, control.body);
  if (body !== null && !body.ok) return faultAnswer(body.fault);
  // The router's params are strings by name.
  const params = request.params as Readonly<Record<string, string>>;
  const nowMs = settle();
  const report = () => reportOn(readSignedParts(request), authenticator, core, nowMs);
  const done = control.run({ nowMs, params, body: body?.value ?? null, core, advanceClock, report, faults, hasLimits });
  return done.ok ? { status: 200, text: successText(done.value, {}) } : faultAnswer(done.fault);
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;

/**
 * Any web page can reach a loopback port through its reader's browser; browsers mark such requests with these headers.
 */
const isFromPage = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none';
