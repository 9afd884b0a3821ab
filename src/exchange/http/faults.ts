/** Simulated faults for tests, set by `/paper/faults/`: injected error answers, smaller request budgets and delays. */

import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Random } from '../../shared/base/random.js';
import { declarationOf, ENDPOINTS, type EndpointName } from '../../shared/protocol/endpoints.js';
import { SERVICE_ERRORS, type ServiceErrorSlug } from '../../shared/protocol/errors.js';
import type { ExchangeCore } from '../core/core.js';
import { type Answer, faultAnswer } from '../service/answers.js';
import { send } from './messages.js';
import type { ExchangeClock } from './ticker.js';

// The casts are right: the keys of ENDPOINTS are the names of calls, the keys of SERVICE_ERRORS the slugs of errors.
export const NAMES = Object.keys(ENDPOINTS) as EndpointName[];
export const SLUGS = Object.keys(SERVICE_ERRORS) as [ServiceErrorSlug, ...ServiceErrorSlug[]];

const describeCall = (name: EndpointName): string => `${declarationOf(name).method} ${declarationOf(name).path}`;

const integer = (min: number, max: number) => z.number().int().min(min).max(max);
const HTML_STATUSES = [403, 429, 500, 502, 503, 504] as const;
/** Maximum duration of faults and of one advance of the clock, s: a year. Larger values are probably typing errors. */
export const MAX_S = 366 * 86_400;
const MAX_DELAY_MS = 86_400_000;

const call = z.enum(NAMES.map(describeCall), { error: 'Must be a documented call, such as "POST /orders/{pubkey}/".' });

const answerFault = z
  .strictObject({
    answer: z.enum(['html', 'error'], { error: 'Must be html or error.' }),
    calls: z.array(call).min(1).optional(),
    status: z.literal(HTML_STATUSES, { error: `Must be one of: ${HTML_STATUSES.join(', ')}.` }).optional(),
    slug: z.enum(SLUGS, { error: 'Must be the slug of an error.' }).optional(),
    retry_after_s: integer(1, 86_400).optional(),
    acts: z.boolean().optional(),
    count: integer(1, 1_000_000).optional(),
    share: z.number().gt(0).max(1).optional(),
  })
  .superRefine(({ answer, status, slug }, context) => {
    const stray = answer === 'html' && slug !== undefined ? 'slug' : null;
    const field = answer === 'error' && status !== undefined ? 'status' : stray;
    if (field !== null)
      context.addIssue({ code: 'custom', path: [field], message: `Not a field of an answer of kind ${answer}.` });
  })
  .transform(({ answer, calls, status, slug = 'internal_error', retry_after_s, acts, count, share }) => ({
    answer,
    calls: calls ?? null,
    status: answer === 'html' ? (status ?? 403) : SERVICE_ERRORS[slug].status,
    slug: answer === 'html' ? null : slug,
    retry_after_s: retry_after_s ?? null,
    /** True: the call is executed, and the injected answer replaces a successful answer. */
    acts: acts ?? false,
    count: count ?? null,
    share: share ?? 1,
  }));

type AnswerFault = z.output<typeof answerFault>;

const perMinute = integer(1, 100_000).optional();

export const faultsBody = z.strictObject({
  answers: z.array(answerFault).max(20).optional(),
  limits: z.strictObject({ public: perMinute, signed: perMinute, bootstrap: perMinute }).optional(),
  landing_ms: integer(0, MAX_DELAY_MS).optional(),
  closing_ms: integer(0, MAX_DELAY_MS).optional(),
  for_s: z.number().positive().max(MAX_S).optional(),
});

interface FaultPlan {
  /** Injected answers; the first match for a call is sent. `given`: number of times that the answer was sent. */
  readonly answers: readonly (AnswerFault & { given: number })[];
  /** Request limits per 60 seconds that replace the profile's limits. */
  readonly limits: NonNullable<z.output<typeof faultsBody>['limits']>;
  /** Time at which all faults end, Unix ms; null: they last until other faults are set. */
  readonly untilMs: number | null;
}

const NONE: FaultPlan = { answers: [], limits: {}, untilMs: null };

/** Stores the present faults and replaces answers of the service by injected answers. */
export class Faults {
  #plan: FaultPlan = NONE;
  readonly #random = Random.fromSeed(1, 'faults');
  readonly #clock: ExchangeClock;
  readonly #forged = new WeakSet<FastifyReply>();

  constructor(clock: ExchangeClock) {
    this.#clock = clock;
  }

  set(answers: readonly AnswerFault[], limits: FaultPlan['limits'], untilMs: number | null): void {
    this.#plan = { answers: answers.map((fault) => ({ ...fault, given: 0 })), limits, untilMs };
  }

  inForce(nowMs: number): FaultPlan {
    const { untilMs } = this.#plan;
    return untilMs !== null && nowMs >= untilMs ? NONE : this.#plan;
  }

  /** Finds and counts the fault that applies to a call, before or after its execution; null if none applies. */
  #findFault(name: EndpointName, when: 'before' | 'after', kind: AnswerFault['answer'] | 'any'): AnswerFault | null {
    for (const fault of this.inForce(this.#clock.nowMs()).answers) {
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

  /** Sends a proxy's error page before the request is counted, if a fault requires it. Returns true if it was sent. */
  answersFirst(request: FastifyRequest, reply: FastifyReply): boolean {
    const { call } = request.routeOptions.config;
    const fault = call === undefined ? null : this.#findFault(call, 'before', 'html');
    if (fault === null) return false;
    reply.header('date', new Date(this.#clock.nowMs()).toUTCString());
    send(reply, this.#forge(reply, fault));
    return true;
  }

  /** Returns the injected answer of a request that must not be executed; null if the request must be executed. */
  refuses(call: EndpointName, reply: FastifyReply): Answer | null {
    const fault = this.#findFault(call, 'before', 'error');
    return fault === null ? null : this.#forge(reply, fault);
  }

  /** Returns an injected answer that replaces a successful answer; null to keep the successful answer. */
  replaces(call: EndpointName, reply: FastifyReply, { status }: Answer): Answer | null {
    if (status >= 300 || this.isForged(reply)) return null;
    const fault = this.#findFault(call, 'after', 'any');
    if (fault === null) return null;
    // A proxy's page has no rate headers, even if the request has reached the service.
    if (fault.answer === 'html') for (const name of RATE_HEADERS) reply.removeHeader(name);
    return this.#forge(reply, fault);
  }

  #forge(reply: FastifyReply, fault: AnswerFault): Answer {
    this.#forged.add(reply);
    const { status, slug } = fault;
    // A `throttled` error always has the header `Retry-After`.
    const retryAfterS = fault.retry_after_s ?? (slug === 'throttled' ? 1 : null);
    if (retryAfterS !== null) reply.header('retry-after', retryAfterS);
    if (slug === null) return { status, text: makeProxyPage(status), type: 'text/html' };
    if (slug !== 'throttled') return faultAnswer({ slug });
    return faultAnswer({ slug, message: `Request was throttled. Expected available in ${retryAfterS} seconds.` });
  }
}

/** Objects that the calls of `/paper/faults/` use. */
export interface FaultContext {
  readonly nowMs: number;
  readonly core: ExchangeCore;
  readonly faults: Faults;
  /** True if the exchange limits requests. */
  readonly hasLimits: boolean;
}

const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

function makeProxyPage(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`;
  return `<html>\n<head><title>${title}</title></head>\n<body>\n<center><h1>${title}</h1></center>\n</body>\n</html>\n`;
}
