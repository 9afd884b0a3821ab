/** The last step of every request. */

import type { FastifyReply } from 'fastify';
import type { Answer } from './envelope.js';

export function send(reply: FastifyReply, answer: Answer): void {
  if (answer.location !== undefined) reply.header('location', answer.location);
  reply.code(answer.status).header('content-type', 'application/json; charset=utf-8').send(answer.text);
}
