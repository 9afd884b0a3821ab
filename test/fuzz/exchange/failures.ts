/** A failure with everything needed to repeat it: the seed, the smallest request that still fails, its answer. */

import { connect } from 'node:net';
import type { Judge } from './judge.js';
import { bytesOf, type Case, type HostileRequest } from './requests.js';
import { exchangeBatch } from './wire.js';

export interface Failure {
  readonly seed: number;
  /** The case of the seed: its lane and its number. */
  readonly at: string;
  readonly kind: string;
  readonly fault: string;
  readonly request: Buffer;
  readonly answer: string;
}

export function failureText({ seed, at, kind, fault, request, answer }: Failure): string {
  return [
    `seed ${seed}, case ${at} (${kind}): ${fault}`,
    'request:',
    shown(request),
    'answer:',
    answer.slice(0, 2000),
  ].join('\n');
}

/** Printable on any terminal, and exact. */
const shown = (bytes: Buffer): string =>
  bytes
    .toString('latin1', 0, 4000)
    .replace(/[^\n\u0020-\u007e]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Maximum number of attempts to shrink a case. */
const ATTEMPTS = 60;

/** The smallest form of the case that still fails. It needs a case that fails again when it is repeated. */
export async function shrunk(failing: Case, judge: Judge, port: number): Promise<Case> {
  let smallest = failing;
  let attempts = 0;
  for (let again = true; again; ) {
    again = false;
    for (const request of smaller(smallest.request)) {
      if (++attempts > ATTEMPTS) return smallest;
      const candidate = { ...smallest, request };
      if (!(await failsAgain(candidate, judge, port))) continue;
      smallest = candidate;
      again = true;
      break;
    }
  }
  return smallest;
}

async function failsAgain(candidate: Case, judge: Judge, port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const sent = { bytes: bytesOf(candidate.request), bodiless: candidate.request.method === 'HEAD' };
  const { answers } = await exchangeBatch(socket, [sent]);
  socket.destroy();
  const [answer] = answers;
  return answer !== undefined && judge.faultOf(candidate, answer) !== null;
}

function* smaller(request: HostileRequest): Generator<HostileRequest> {
  const { target, headers, body, signer } = request;
  const [path = '', ...query] = target.split('?');
  if (query.length > 0) yield { ...request, target: path };
  const pairs = query.join('?').split('&');
  for (const gone of pairs.keys()) {
    if (pairs.length > 1) yield { ...request, target: `${path}?${pairs.filter((_, at) => at !== gone).join('&')}` };
  }
  for (const gone of headers.keys()) yield { ...request, headers: headers.filter((_, at) => at !== gone) };
  if (signer !== null) yield { ...request, signer: null };
  for (const text of smallerBodies(body)) yield { ...request, body: Buffer.from(text) };
}

function* smallerBodies(body: Buffer | null): Generator<string> {
  if (body === null || body.length < 3) return;
  const text = body.toString('utf8');
  yield '{}';
  yield text.slice(0, text.length / 2);
  const fields = /^\{(.*)\}$/s.exec(text)?.[1]?.split(',"') ?? [];
  for (const gone of fields.keys()) yield `{${fields.filter((_, at) => at !== gone).join(',"')}}`;
}
