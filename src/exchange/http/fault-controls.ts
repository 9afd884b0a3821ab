/** `/paper/faults/`: sets the whole of what goes wrong on purpose, and tells what does. */

import { z } from 'zod';
import { declarationOf, ENDPOINTS, type EndpointName } from '../../shared/protocol/endpoints.js';
import { SERVICE_ERRORS, type ServiceErrorSlug } from '../../shared/protocol/errors.js';
import type { Result } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { badField } from '../service/envelope.js';
import type { AnswerFault, Faults } from './faults.js';

// The keys of objects of constants are their names.
const NAMES = Object.keys(ENDPOINTS) as EndpointName[];
const SLUGS = Object.keys(SERVICE_ERRORS) as [ServiceErrorSlug, ...ServiceErrorSlug[]];

const describeCall = (name: EndpointName): string => `${declarationOf(name).method} ${declarationOf(name).path}`;
const NAME_OF = new Map(NAMES.map((name) => [describeCall(name), name]));

const integer = (min: number, max: number) => z.number().int().min(min).max(max);
const HTML_STATUSES = [403, 429, 500, 502, 503, 504] as const;
/** A year; more would only be a slip of the keyboard. */
const MAX_S = 366 * 86_400;
const MAX_DELAY_MS = 86_400_000;

const answerFault = z
  .strictObject({
    answer: z.enum(['html', 'error'], { error: 'Must be html or error.' }),
    calls: z
      .array(
        z.enum([...NAME_OF.keys()], { error: 'Must be a call as it is documented, such as "POST /orders/{pubkey}/".' }),
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
  });

const perMinute = integer(1, 100_000).optional();

export const faultsBody = z.strictObject({
  answers: z.array(answerFault).max(20).optional(),
  limits: z.strictObject({ public: perMinute, signed: perMinute, bootstrap: perMinute }).optional(),
  landing_ms: integer(0, MAX_DELAY_MS).optional(),
  closing_ms: integer(0, MAX_DELAY_MS).optional(),
  for_s: z.number().positive().max(MAX_S).optional(),
});

/** What the control works on. */
export interface FaultContext {
  readonly nowMs: number;
  readonly core: ExchangeCore;
  readonly faults: Faults;
  /** Whether the exchange counts requests at all. */
  readonly hasLimits: boolean;
}

/** Replaces everything that was set before. */
export function setFaults(context: FaultContext, body: z.output<typeof faultsBody>): Result<unknown> {
  const { nowMs, core, faults, hasLimits } = context;
  const { answers = [], limits, landing_ms: landingMs, closing_ms: closingMs, for_s: forS } = body;
  if (limits !== undefined && !hasLimits) return { ok: false, fault: NO_LIMITS };
  const untilMs = forS === undefined ? null : nowMs + Math.round(forS * 1000);
  faults.set({ answers: answers.map(readAnswer), limits: limits ?? {}, untilMs });
  core.setDelays(nowMs, { landingMs, closingMs, ...(untilMs === null ? {} : { untilMs }) });
  return { ok: true, value: shownFaults(context) };
}

const NO_LIMITS = badField('limits', 'The exchange runs without request limits.');

function readAnswer(body: z.output<typeof answerFault>): AnswerFault {
  const names = body.calls?.flatMap((call) => NAME_OF.get(call) ?? []);
  return {
    calls: names ?? null,
    answer: body.answer === 'html' ? { html: body.status ?? 403 } : { slug: body.slug ?? 'internal_error' },
    retryAfterS: body.retry_after_s ?? null,
    acts: body.acts ?? false,
    count: body.count ?? null,
    share: body.share ?? 1,
  };
}

/** What is wrong on purpose at this moment. */
export function shownFaults({ nowMs, core, faults }: FaultContext): object {
  const { answers, limits, untilMs, struck } = faults.inForce(nowMs);
  const { delays } = core;
  const isSlow = delays.untilMs === undefined || nowMs < delays.untilMs;
  return {
    answers: answers.map((fault, index) => shownAnswer(fault, struck[index] ?? 0)),
    limits: { public: limits.public ?? null, signed: limits.signed ?? null, bootstrap: limits.bootstrap ?? null },
    landing_ms: (isSlow ? delays.landingMs : null) ?? null,
    closing_ms: (isSlow ? delays.closingMs : null) ?? null,
    until: untilMs === null ? null : Math.ceil(untilMs / 1000),
  };
}

const shownAnswer = ({ answer, calls, retryAfterS, acts, count, share }: AnswerFault, given: number) => ({
  answer: 'html' in answer ? 'html' : 'error',
  calls: calls === null ? null : calls.map(describeCall),
  status: 'html' in answer ? answer.html : SERVICE_ERRORS[answer.slug].status,
  slug: 'html' in answer ? null : answer.slug,
  retry_after_s: retryAfterS,
  acts,
  count,
  share,
  given,
});
