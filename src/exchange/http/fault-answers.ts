/** How a fault looks on the wire. */

import { STATUS_CODES } from 'node:http';
import { type Answer, faultAnswer } from '../service/envelope.js';
import type { AnswerFault } from './faults.js';

/** What a client is told to wait that is throttled without a time, seconds. */
const SHORT_WAIT_S = 1;

/** The answer of a fault; its `Retry-After` is `computeRetryAfter`. */
export function answerOfFault(fault: AnswerFault): Answer {
  const { answer } = fault;
  if ('html' in answer) return { status: answer.html, text: makeProxyPage(answer.html), type: 'text/html' };
  if (answer.slug !== 'throttled') return faultAnswer({ slug: answer.slug });
  const message = `Request was throttled. Expected available in ${computeRetryAfter(fault)} seconds.`;
  return faultAnswer({ slug: answer.slug, message });
}

/** Seconds; null for an answer without the header. The service's own `throttled` always has it. */
export function computeRetryAfter({ answer, retryAfterS }: AnswerFault): number | null {
  const isThrottled = 'slug' in answer && answer.slug === 'throttled';
  return retryAfterS ?? (isThrottled ? SHORT_WAIT_S : null);
}

/** As a proxy in front of a service answers. */
function makeProxyPage(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`;
  return `<html>\n<head><title>${title}</title></head>\n<body>\n<center><h1>${title}</h1></center>\n</body>\n</html>\n`;
}
