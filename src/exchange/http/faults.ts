/** False answers for rehearsals, set by `/paper/faults/`. */

import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Random } from '../../shared/base/random.js';
import { declarationOf, ENDPOINTS, type EndpointName } from '../../shared/protocol/endpoints.js';
import { SERVICE_ERRORS, type ServiceErrorSlug } from '../../shared/protocol/errors.js';
import { type Answer, faultAnswer } from '../service/answers.js';
import { send } from './messages.js';
import type { ExchangeClock } from './ticker.js';

// The keys of objects of constants are their names.
const NAMES = Object.keys(ENDPOINTS) as EndpointName[];
const SLUGS = Object.keys(SERVICE_ERRORS) as [ServiceErrorSlug, ...ServiceErrorSlug[]];

const describeCall = (name: EndpointName): string => `${declarationOf(name).method} ${declarationOf(name).path}`;

const HTML_STATUSES = [403, 429, 500, 502, 503, 504] as const;

const answerFault = z
  .strictObject({
    answer: z.enum(['html', 'error'], { error: 'Must be html or error.' }),
    /** Null: every call of the service. */
    calls: z
      .array(
        z.enum(NAMES.map(describeCall), {
          error: 'Must be a call as it is documented, such as "POST /orders/{pubkey}/".',
        }),
      )
      .min(1)
      .nullable()
      .default(null),
    status: z.literal(HTML_STATUSES, { error: `Must be one of: ${HTML_STATUSES.join(', ')}.` }).optional(),
    slug: z.enum(SLUGS, { error: 'Must be the slug of an error.' }).optional(),
    retry_after_s: z.int().min(1).max(86_400).nullable().default(null),
    /** Whether the call is still carried out. Then only a successful one gets the fault's answer. */
    acts: z.boolean().default(false),
    /** Number of answers; null: until other faults are set. */
    count: z.int().min(1).max(1_000_000).nullable().default(null),
    /** Fraction of the calls. */
    share: z.number().gt(0).max(1).default(1),
  })
  .superRefine(({ answer, status, slug }, context) => {
    const stray = answer === 'html' && slug !== undefined ? 'slug' : null;
    const field = answer === 'error' && status !== undefined ? 'status' : stray;
    if (field !== null) {
      context.addIssue({ code: 'custom', path: [field], message: `Not a field of an answer of kind ${answer}.` });
    }
  })
  .transform(({ status, slug = 'internal_error', ...fault }) => {
    const isPage = fault.answer === 'html';
    return { ...fault, status: isPage ? (status ?? 403) : SERVICE_ERRORS[slug].status, slug: isPage ? null : slug };
  });

/** An answer instead of the service's own, as requested and shown. */
type AnswerFault = z.output<typeof answerFault>;

/** Body of the control. */
export const faultsBody = z.strictObject({ answers: z.array(answerFault).max(20).default([]) });

/** The set faults, how often each was used, and the answers instead of the service's. */
export class Faults {
  /** The first that matches a call answers it. `given`: number of its answers. */
  answers: readonly (AnswerFault & { given: number })[] = [];
  readonly #random = Random.fromSeed(1, 'faults');
  readonly #clock: ExchangeClock;
  readonly #forged = new WeakSet<FastifyReply>();

  constructor(clock: ExchangeClock) {
    this.#clock = clock;
  }

  /** Replaces all earlier faults. */
  set(answers: readonly AnswerFault[]): void {
    this.answers = answers.map((fault) => ({ ...fault, given: 0 }));
  }

  /** The fault of this call, before it is processed or after it has acted; null for none. Counts it. */
  #strike(name: EndpointName, when: 'before' | 'after', kind: AnswerFault['answer'] | 'any'): AnswerFault | null {
    for (const fault of this.answers) {
      if (fault.acts !== (when === 'after') || (fault.count !== null && fault.given >= fault.count)) continue;
      if (kind !== 'any' && kind !== fault.answer) continue;
      if (fault.calls !== null && !fault.calls.includes(describeCall(name))) continue;
      if (!this.#random.chance(fault.share)) continue;
      fault.given += 1;
      return fault;
    }
    return null;
  }

  isForged(reply: FastifyReply): boolean {
    return this.#forged.has(reply);
  }

  /** A proxy's page comes before the service: the request is not counted. True when it was sent. */
  standsBefore(request: FastifyRequest, reply: FastifyReply): boolean {
    const { call } = request.routeOptions.config;
    const fault = call === undefined ? null : this.#strike(call, 'before', 'html');
    if (fault === null) return false;
    reply.header('date', this.#clock.dateHeader(this.#clock.nowMs()));
    send(reply, this.#forge(reply, fault));
    return true;
  }

  /** Refuses a counted request without processing it; null when it is processed. */
  refuses(call: EndpointName, reply: FastifyReply): Answer | null {
    const fault = this.#strike(call, 'before', 'error');
    return fault === null ? null : this.#forge(reply, fault);
  }

  /** Answer instead of a success; null to keep the success. */
  replaces(call: EndpointName, reply: FastifyReply, { status }: Answer): Answer | null {
    if (status >= 300 || this.isForged(reply)) return null;
    const fault = this.#strike(call, 'after', 'any');
    if (fault === null) return null;
    // A proxy's page has no rate headers, even after the request reached the service.
    if (fault.answer === 'html') for (const name of RATE_HEADERS) reply.removeHeader(name);
    return this.#forge(reply, fault);
  }

  #forge(reply: FastifyReply, fault: AnswerFault): Answer {
    this.#forged.add(reply);
    const { status, slug } = fault;
    // The service's own `throttled` always has the header.
    const retryAfterS = fault.retry_after_s ?? (slug === 'throttled' ? 1 : null);
    if (retryAfterS !== null) reply.header('retry-after', retryAfterS);
    if (slug === null) return { status, text: makeProxyPage(status), type: 'text/html' };
    if (slug !== 'throttled') return faultAnswer({ slug });
    return faultAnswer({ slug, message: `Request was throttled. Expected available in ${retryAfterS} seconds.` });
  }
}

const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

function makeProxyPage(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`;
  return `<html>\n<head><title>${title}</title></head>\n<body>\n<center><h1>${title}</h1></center>\n</body>\n</html>\n`;
}
