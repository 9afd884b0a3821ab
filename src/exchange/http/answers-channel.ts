/**
 * Every answer of the service, for whoever wants to look at it in this process: a diagnostics channel. Costs nothing
 * unless somebody has subscribed before the server was built.
 */

import { channel } from 'node:diagnostics_channel';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { toTemplate } from './paths.js';

/** The channel's name, for `diagnostics_channel.subscribe`. */
export const ANSWERS_CHANNEL = 'twinbook:exchange:answer';

/** One answer of the server, as subscribers of the channel get it. */
export interface PublishedAnswer {
  readonly method: string;
  /** As declared, e.g. `/orders/{pubkey}/`; null when the request was for no call. */
  readonly path: string | null;
  readonly status: number;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The whole body. */
  readonly text: string;
}

/** `isForged`: whether a fault has answered in place of the service; nobody promises what that looks like. */
export function publishAnswers(server: FastifyInstance, isForged: (reply: FastifyReply) => boolean): void {
  const answers = channel(ANSWERS_CHANNEL);
  if (!answers.hasSubscribers) return;
  server.addHook('onSend', (request, reply, payload, done) => {
    if (isForged(reply)) return done();
    const { url } = request.routeOptions;
    const answer: PublishedAnswer = {
      method: request.method,
      path: url === undefined ? null : toTemplate(url),
      status: reply.statusCode,
      headers: reply.getHeaders(),
      text: String(payload),
    };
    answers.publish(answer);
    done();
  });
}
