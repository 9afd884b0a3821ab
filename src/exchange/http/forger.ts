/**
 * Answers instead of the service, by the plan of faults. Controls, the OpenAPI document and its page are never
 * affected.
 */

import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointName } from '../../shared/protocol/endpoints.js';
import { type Answer, faultAnswer } from '../service/envelope.js';
import type { ExchangeClock } from './clock.js';
import type { AnswerFault, Faults } from './faults.js';
import { send } from './messages.js';

/** Sends the answers of the plan of faults, before or after the call is carried out. */
export class Forger {
  readonly #faults: Faults;
  readonly #clock: ExchangeClock;
  readonly #forged = new WeakSet<FastifyReply>();

  constructor(faults: Faults, { clock }: { readonly clock: ExchangeClock }) {
    this.#faults = faults;
    this.#clock = clock;
  }

  has(reply: FastifyReply): boolean {
    return this.#forged.has(reply);
  }

  /**
   * A proxy's page comes first: the request does not reach the service, is not counted, and the answer has no rate
   * headers. True when it was sent.
   */
  standsBefore(request: FastifyRequest, reply: FastifyReply): boolean {
    const { call } = request.routeOptions.config;
    const fault = call === undefined ? null : this.#faults.strike(call, 'before', 'html', this.#clock.nowMs());
    if (fault === null) return false;
    reply.header('date', this.#clock.dateHeader(this.#clock.nowMs()));
    send(reply, this.#forge(reply, fault));
    return true;
  }

  /** Refuses a counted request without processing it; null when it is processed. */
  refuses(call: EndpointName, reply: FastifyReply): Answer | null {
    const fault = this.#faults.strike(call, 'before', 'error', this.#clock.nowMs());
    return fault === null ? null : this.#forge(reply, fault);
  }

  /** Answer instead of a success; null to keep the success. */
  replaces(call: EndpointName, reply: FastifyReply, { status }: Answer): Answer | null {
    if (status >= 300 || this.has(reply)) return null;
    const fault = this.#faults.strike(call, 'after', 'any', this.#clock.nowMs());
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

const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

const SHORT_WAIT_S = 1;

/** The answer of a fault; its `Retry-After` is `computeRetryAfter`. */
function answerOfFault(fault: AnswerFault): Answer {
  const { status, slug } = fault;
  if (slug === null) return { status, text: makeProxyPage(status), type: 'text/html' };
  if (slug !== 'throttled') return faultAnswer({ slug });
  const message = `Request was throttled. Expected available in ${computeRetryAfter(fault)} seconds.`;
  return faultAnswer({ slug, message });
}

/** Seconds; null for an answer without the header. The service's own `throttled` always has it. */
const computeRetryAfter = ({ slug, retry_after_s }: AnswerFault): number | null =>
  retry_after_s ?? (slug === 'throttled' ? SHORT_WAIT_S : null);

function makeProxyPage(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`;
  return `<html>\n<head><title>${title}</title></head>\n<body>\n<center><h1>${title}</h1></center>\n</body>\n</html>\n`;
}
