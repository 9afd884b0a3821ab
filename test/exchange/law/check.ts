/** Compares one answer with the documents: envelope, headers, status, Location, fields, error. */

import { z } from 'zod';
import { callOf, endpointOf } from './endpoints.js';
import { ERRORS, MESSAGES } from './errors.js';
import { errorObject, marketDetail } from './records.js';
import { isRecord, problemsIn, record } from './shapes.js';

export interface Answer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Calls answered with success so far, in this process. */
export const answered = new Set<string>();
/** Errors received so far. */
export const refused = new Set<string>();

const ENVELOPE = record({ data: z.unknown(), meta: z.unknown(), error: z.unknown() });

/** Errors of an answer, in sentences; empty if it conforms to the documents. */
export function problemsOf(answer: Answer): readonly string[] {
  const outside = [...headerProblems(answer), ...problemsIn(ENVELOPE, answer.body, 'body')];
  if (!isRecord(answer.body) || outside.length > 0) return outside;
  return answer.body['error'] === null ? successProblems(answer, answer.body) : errorProblems(answer, answer.body);
}

function headerProblems({ headers, status, path }: Answer): string[] {
  const limited = !path.startsWith('/paper/');
  const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
  const wrong = names.filter((name) => limited && !/^\d+$/.test(headers.get(name) ?? ''));
  return [
    ...wrong.map((name) => `header ${name}: ${headers.get(name)}`),
    ...(headers.get('content-type')?.startsWith('application/json') ? [] : ['content-type is not JSON']),
    ...(Number.isNaN(Date.parse(headers.get('date') ?? '')) ? ['no Date'] : []),
    ...((status === 429) === /^[1-9]\d*$/.test(headers.get('retry-after') ?? '') ? [] : ['Retry-After']),
  ];
}

function successProblems(answer: Answer, body: Record<string, unknown>): readonly string[] {
  // The documents show one answer of the controls.
  if (answer.path === '/paper/markets/') return problemsIn(marketDetail, body['data'], 'data');
  if (answer.path.startsWith('/paper/')) return [];
  const endpoint = endpointOf(answer.method, answer.path);
  if (endpoint === undefined) return ['no such call in the documents'];
  answered.add(callOf(endpoint));
  const [, query] = answer.path.split('?');
  const limit = Number(new URLSearchParams(query).get('limit') ?? endpoint.page?.standard);
  const meta = isRecord(body['meta']) ? body['meta'] : {};
  const rows = Array.isArray(body['data']) ? body['data'].length : 0;
  const named = isRecord(body['data']) ? String(body['data']['pubkey']) : '';
  const location = endpoint.location?.replace('{pubkey}', named) ?? null;
  const its = answer.headers.get('location');
  return [
    ...(answer.status === endpoint.status ? [] : [`status ${answer.status}, not ${endpoint.status}`]),
    ...(its === location ? [] : [`Location ${its}, not ${location}`]),
    ...problemsIn(endpoint.data, body['data'], 'data'),
    ...problemsIn(endpoint.meta, body['meta'], 'meta'),
    ...(endpoint.page === null || (meta['limit'] === limit && rows <= limit) ? [] : [`meta.limit is not ${limit}`]),
  ];
}

function errorProblems({ status }: Answer, { data, meta, error }: Record<string, unknown>): readonly string[] {
  const problems = [
    ...(data === null && meta === null ? [] : ['data and meta are not null beside an error']),
    ...problemsIn(errorObject, error, 'error'),
  ];
  if (!isRecord(error) || problems.length > 0) return problems;
  const { slug, code, message, details } = error;
  const known = ERRORS[String(slug)];
  if (known === undefined) return [`${slug} is not a slug of the documents`];
  refused.add(String(slug));
  const names = Array.isArray(details) && details.length > 0;
  return [
    ...(known[0] === status && known[1] === code ? [] : [`${slug} came as ${status}, ${code}`]),
    ...((MESSAGES[String(slug)] ?? /./).test(String(message)) ? [] : [`${slug} says ${message}`]),
    ...(names && slug !== 'invalid_request_params' ? [`${slug} has details`] : []),
  ];
}
