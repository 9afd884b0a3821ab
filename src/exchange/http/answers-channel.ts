/**
 * A diagnostics channel with every answer of the service, for readers in this process. It costs nothing without a
 * subscriber at the server's construction.
 */

import { channel } from 'node:diagnostics_channel';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { toTemplate } from './options.js';

/** The channel's name, for `diagnostics_channel.subscribe`. */
export const ANSWERS_CHANNEL = 'twinbook:exchange:answer';

/**
 * Publishes each answer as `{ method, path, status, headers, text }`. Its path is as declared, null when no call matched.
 * `isForged`: whether a fault answered instead of the service; its format is unspecified.
 */
export function publishAnswers(server: FastifyInstance, isForged: (reply: FastifyReply) => boolean): void {
  const answers = channel(ANSWERS_CHANNEL);
  if (!answers.hasSubscribers) return;
  server.addHook('onSend', (request, reply, payload, done) => {
    if (isForged(reply)) return done();
    const { url } = request.routeOptions;
    answers.publish({
      method: request.method,
      path: url === undefined ? null : toTemplate(url),
      status: reply.statusCode,
      headers: reply.getHeaders(),
      text: String(payload),
    });
    done();
  });
}
