/** What becomes of requests that the framework itself refuses. */

import type { FastifyError, FastifyRequest } from 'fastify';
import type { ServiceFault } from '../../shared/protocol/errors.js';
import { badField } from '../service/envelope.js';

/** The interface: a larger body is a 413. */
export const MAX_BODY_BYTES = 64 * 1024;
/** Of request line and headers together: more is a 431. */
export const MAX_HEAD_BYTES = 16 * 1024;

/** The fault that an error of the framework stands for; whatever is nobody's fault but ours is `internal_error`. */
export function toServiceFault(error: FastifyError): ServiceFault {
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

/** Path and query as on the request line. */
export const readRawUrl = (request: FastifyRequest): string => request.raw.url ?? '/';
