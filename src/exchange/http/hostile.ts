/** What becomes of requests that the framework itself refuses. */

import type { FastifyError, FastifyRequest } from 'fastify';
import type { ServiceFault } from '../../protocol/errors.js';
import type { ExchangeClock } from './clock.js';
import { badField, faultAnswer } from './envelope.js';

/** The interface: a larger body is a 413. */
export const MAX_BODY_BYTES = 64 * 1024;

/** The fault that an error of the framework stands for; whatever is nobody's fault but ours is `internal_error`. */
export function refusalOf(error: FastifyError): ServiceFault {
  switch (error.statusCode) {
    case 413:
      return { slug: 'request_too_large' };
    case 415:
      return { slug: 'unsupported_media_type' };
    case undefined:
      return { slug: 'internal_error' };
    default:
      if (error.statusCode < 500) return badField('request', 'The request is malformed.');
      return { slug: 'internal_error' };
  }
}

/** The whole answer to bytes that are no HTTP request, or only a part of one. The connection ends with it. */
export function malformedRequestText(clock: ExchangeClock): string {
  const { text } = faultAnswer(badField('request', 'The request is not complete HTTP/1.1.'));
  const head = [
    'HTTP/1.1 400 Bad Request',
    `Date: ${clock.dateHeader(clock.nowMs())}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

/** Path and query as on the request line. */
export const rawUrlOf = (request: FastifyRequest): string => request.raw.url ?? '/';
