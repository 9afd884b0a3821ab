/** Faults for rehearsals, set by `/paper/faults/`: false answers, smaller request budgets, slow landings. */

import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Random } from '../../shared/base/random.js';
import { declarationOf, ENDPOINTS, type EndpointName } from '../../shared/protocol/endpoints.js';
import { SERVICE_ERRORS, type ServiceErrorSlug } from '../../shared/protocol/errors.js';
import type { Result } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { delaysInForce } from '../core/core-context.js';
import { type Answer, badField, faultAnswer, refuse } from '../service/answers.js';
import { send } from './messages.js';
import type { ExchangeClock } from './ticker.js';

// The keys of objects of constants are their names.
const NAMES = Object.keys(ENDPOINTS) as EndpointName[];
const SLUGS = Object.keys(SERVICE_ERRORS) as [ServiceErrorSlug, ...ServiceErrorSlug[]];

const describeCall = (name: EndpointName): string => `${declarationOf(name).method} ${declarationOf(name).path}`;

const integer = (min: number, max: number) => z.number().int().min(min).max(max);
const HTML_STATUSES = [403, 429, 500, 502, 503, 504] as const;
/** A year; more is a typing error. */
const MAX_S = 366 * 86_400;
const MAX_DELAY_MS = 86_400_000;

const answerFault = z
  .strictObject({
    answer: z.enum(['html', 'error'], { error: 'Must be html or error.' }),
    calls: z
      .array(
        z.enum(NAMES.map(describeCall), {
          error: 'Must be a call as it is documented, such as "POST /orders/{pubkey}/".',
        }),
      )
      .min(1)
      .optional(),
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
    if (field !== null) {
      context.addIssue({ code: 'custom', path: [field], message: `Not a field of an answer of kind ${answer}.` });
    }
  })
  .transform(({ answer, calls, status, slug = 'internal_error', retry_after_s, acts, count, share }) => ({
    answer,
    /** Affected calls; null: every call of the service. */
    calls: calls ?? null,
    /** Status of a proxy's page or of the refusal. */
    status: answer === 'html' ? (status ?? 403) : SERVICE_ERRORS[slug].status,
    /** Slug of the error; null for a proxy's page. */
    slug: answer === 'html' ? null : slug,
    retry_after_s: retry_after_s ?? null,
    /** Whether the call is still executed; only a successful call then gets the fault's answer. */
    acts: acts ?? false,
    /** Number of answers; null: until the next faults are set. */
    count: count ?? null,
    /** Fraction of the calls, above 0 and up to 1. */
    share: share ?? 1,
  }));

/** An answer instead of the service's own, as requested and shown. */
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
  /** The first that matches a call answers it. `given`: number of its answers. */
  readonly answers: readonly (AnswerFault & { given: number })[];
  /** Requests in 60 seconds instead of the profile's. */
  readonly limits: NonNullable<z.output<typeof faultsBody>['limits']>;
  /** End of all faults, ms; null: until other faults are set. */
  readonly untilMs: number | null;
}

const NONE: FaultPlan = { answers: [], limits: {}, untilMs: null };

/** The plan of faults, how often each part was used, and the answers of the plan instead of the service's. */
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

  /** The fault of this call, before it is processed or after it has acted; null for none. Counts it. */
  #strike(name: EndpointName, when: 'before' | 'after', kind: AnswerFault['answer'] | 'any'): AnswerFault | null {
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

  /** Sends a proxy's page before the service, without counting the request. Returns true when the page was sent. */
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
    const retryAfterS = computeRetryAfter(fault);
    if (retryAfterS !== null) reply.header('retry-after', retryAfterS);
    return answerOfFault(fault);
  }
}

/** Context of the control. */
export interface FaultContext {
  readonly nowMs: number;
  readonly core: ExchangeCore;
  readonly faults: Faults;
  /** Whether the exchange counts requests at all. */
  readonly hasLimits: boolean;
}

/** Sets the faults; replaces all earlier faults. */
export function setFaults(context: FaultContext, body: z.output<typeof faultsBody>): Result<unknown> {
  const { nowMs, core, faults, hasLimits } = context;
  const { answers = [], limits, landing_ms: landingMs, closing_ms: closingMs, for_s: forS } = body;
  if (limits !== undefined && !hasLimits)
    return refuse(badField('limits', 'The exchange runs without request limits.'));
  const untilMs = forS === undefined ? null : nowMs + Math.round(forS * 1000);
  faults.set(answers, limits ?? {}, untilMs);
  core.at(nowMs).setDelays({ landingMs, closingMs, ...(untilMs === null ? {} : { untilMs }) });
  return { ok: true, value: shownFaults(context) };
}

/** The faults in force now. */
export function shownFaults({ nowMs, core, faults }: FaultContext): object {
  const { answers, limits, untilMs } = faults.inForce(nowMs);
  const { landingMs, closingMs } = delaysInForce({ delays: core.delays, nowMs });
  return {
    answers,
    limits: { public: limits.public ?? null, signed: limits.signed ?? null, bootstrap: limits.bootstrap ?? null },
    landing_ms: landingMs ?? null,
    closing_ms: closingMs ?? null,
    until: untilMs === null ? null : Math.ceil(untilMs / 1000),
  };
}

const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** The answer of a fault; its `Retry-After` is `computeRetryAfter`. */
function answerOfFault(fault: AnswerFault): Answer {
  const { status, slug } = fault;
  if (slug === null) return { status, text: makeProxyPage(status), type: 'text/html' };
  if (slug !== 'throttled') return faultAnswer({ slug });
  const message = `Request was throttled. Expected available in ${computeRetryAfter(fault)} seconds.`;
  return faultAnswer({ slug, message });
}

/** Returns seconds; null for an answer without the header. The service's own `throttled` always has the header. */
const computeRetryAfter = ({ slug, retry_after_s }: AnswerFault) => retry_after_s ?? (slug === 'throttled' ? 1 : null);

function makeProxyPage(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`;
  return `<html>\n<head><title>${title}</title></head>\n<body>\n<center><h1>${title}</h1></center>\n</body>\n</html>\n`;
}
