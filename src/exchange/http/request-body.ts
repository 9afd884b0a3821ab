/** Bodies as bytes, and what a call makes of them. */

import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ServiceFault } from '../../shared/protocol/errors.js';
import type { Result } from '../core/contract.js';
import type { SignedRequest } from './authentication.js';
import { readRawUrl } from './framework-errors.js';
import { parseBody } from './validation.js';

const NO_BYTES = Buffer.alloc(0);
const EMPTY_OBJECT = Buffer.from('{}');

/**
 * Takes the media type out of the framework's sight, which would refuse one that it cannot read: before path and caller are
 * looked at, and of calls that have no body.
 */
export function takeMediaType(request: FastifyRequest): void {
  const named = request.headers['content-type'];
  if (named === undefined) return;
  request.bodyType = named.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  delete request.raw.headers['content-type'];
}

/** The raw body; empty when there is none. */
export const readBytes = (request: FastifyRequest): Buffer => (Buffer.isBuffer(request.body) ? request.body : NO_BYTES);

/** The parts of a request that are signed. */
export const readSignedParts = (request: FastifyRequest): SignedRequest => ({
  method: request.method,
  rawUrl: readRawUrl(request),
  headers: request.headers,
  body: readBytes(request),
});

/** Body of a call that declares one: JSON by its media type, then by its schema. */
export function readBody<S extends z.ZodObject>(request: FastifyRequest, schema: S): Result<z.output<S>> {
  const body = readBytes(request);
  if (body.length > 0 && request.bodyType !== 'application/json') return { ok: false, fault: UNSUPPORTED };
  // A call without a body lacks every field of it.
  return parseBody(schema, body.length === 0 ? EMPTY_OBJECT : body);
}

const UNSUPPORTED: ServiceFault = { slug: 'unsupported_media_type' };
