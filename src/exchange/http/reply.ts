/** The last step of every request. */

import type { FastifyReply } from 'fastify';
import type { Answer } from '../service/envelope.js';

/** Sends an answer; nothing may follow it. */
export function send(reply: FastifyReply, answer: Answer): void {
  if (answer.location !== undefined) reply.header('location', answer.location);
  const type = answer.type ?? 'application/json; charset=utf-8';
  reply.code(answer.status).header('content-type', type).send(answer.text);
}
