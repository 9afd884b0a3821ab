/** Requests as bytes, refusals of the framework itself, and the last step of every answer. */

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ServiceFault } from '../../shared/protocol/errors.js';
import type { Result } from '../core/contract.js';
import { type Answer, badField } from '../service/envelope.js';
import type { SignedRequest } from './authentication.js';
import { parseBody } from './validation.js';

/** The interface: a larger body is a 413. */
export const MAX_BODY_BYTES = 64 * 1024;
/** Request line and headers together: more is a 431. */
export const MAX_HEAD_BYTES = 16 * 1024;

/** Fault of a framework error; our own errors are `internal_error`. */
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

const NO_BYTES = Buffer.alloc(0);
const EMPTY_OBJECT = Buffer.from('{}');

/**
 * Removes the media type, which the framework would reject if it cannot read it: before path and caller are checked,
 * and for calls without a body.
 */
export function takeMediaType(request: FastifyRequest): void {
  const named = request.headers['content-type'];
  if (named === undefined) return;
  request.bodyType = named.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  delete request.raw.headers['content-type'];
}

/** The raw body; empty without one. */
export const readBytes = (request: FastifyRequest): Buffer => (Buffer.isBuffer(request.body) ? request.body : NO_BYTES);

/** The signed parts of a request. */
export const readSignedParts = (request: FastifyRequest): SignedRequest => ({
  method: request.method,
  rawUrl: readRawUrl(request),
  headers: request.headers,
  body: readBytes(request),
});

/** Body of a call that declares one: checks the JSON media type, then the schema. */
export function readBody<S extends z.ZodObject>(request: FastifyRequest, schema: S): Result<z.output<S>> {
  const body = readBytes(request);
  if (body.length > 0 && request.bodyType !== 'application/json') return { ok: false, fault: UNSUPPORTED };
  // A call without a body lacks every field.
  return parseBody(schema, body.length === 0 ? EMPTY_OBJECT : body);
}

const UNSUPPORTED: ServiceFault = { slug: 'unsupported_media_type' };

/** Sends an answer; nothing may follow it. */
export function send(reply: FastifyReply, answer: Answer): void {
  if (answer.location !== undefined) reply.header('location', answer.location);
  const type = answer.type ?? 'application/json; charset=utf-8';
  reply.code(answer.status).header('content-type', type).send(answer.text);
}
