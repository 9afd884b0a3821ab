/**
 * The doctor's comparison of signed requests, byte by byte: as this side wrote and signed them, beside what the venue
 * computed. The paper exchange shows that at `/paper/signed-request/` when its controls are on. Written, signed and sent
 * by the client's own code, so that what is compared is what a trader would send.
 */

import { z } from 'zod';
import { signedRequestReport } from '../../exchange/http/signed-request.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { Declaration } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import { type SignedParts, signedPayload } from '../../shared/protocol/signing.js';
import {
  type CallParts,
  checkedBaseUrl,
  type Message,
  writeHeaders,
  writeMessage,
} from '../../shell/client/message.js';
import { Transport } from '../../shell/client/transport.js';
import type { Credentials } from '../../shell/wallet/credentials.js';

interface SigningSubject {
  readonly baseUrl: string;
  readonly profile: VenueProfile;
  readonly credentials: Credentials;
  readonly venueSeconds: number;
}

const NAME = 'signed request';
const TIMEOUT_MS = 10_000;

const none = z.object({});
const READ: Declaration = {
  method: 'GET',
  path: '/paper/signed-request/',
  scope: 'signed',
  status: 200,
  query: none,
  body: null,
  data: none,
};
const WRITE: Declaration = { ...READ, method: 'POST', body: none };

/** Parts that are most often rewritten on the way: separators and letters in a query, numbers and letters in a body. */
const REQUESTS: readonly (readonly [Declaration, CallParts])[] = [
  [READ, { query: { status: ['open', 'filled'], cursor: 'eyJvIjo1MH0', q: 'é + ½/2&x=~', limit: 10 } }],
  [WRITE, { query: { is_yes: true }, body: { amount: '10', price: '0.50', text: 'é "½" \\ \u2028', nested: [1.5e3] } }],
];

const answerSchema = z.object({ data: signedRequestReport.omit({ payload: true }) });
type Computed = z.output<typeof answerSchema>['data'];

/** One finding for both requests: identical, the first differing byte, or a venue that does not show it. */
export async function checkSignedRequests(subject: SigningSubject): Promise<Check> {
  const transport = new Transport(1);
  let bytes = 0;
  try {
    for (const [declaration, parts] of REQUESTS) {
      const message = writeMessage(checkedBaseUrl(subject.baseUrl), declaration, parts);
      if (typeof message === 'string') return fail(NAME, message, 'This installation is damaged: install it again.');
      const sent = makeSignedParts(message, subject.venueSeconds);
      const computed = await ask(transport, message, subject);
      if (typeof computed === 'string') return notShown(computed);
      const problem = compare(sent, computed);
      if (problem !== null) return problem;
      bytes += Buffer.byteLength(signedPayload(sent));
    }
  } finally {
    transport.close();
  }
  return ok(NAME, `all ${bytes} bytes of a GET and a POST are what the venue computed, and both signatures match`);
}

const makeSignedParts = ({ method, pathWithQuery, body }: Message, venueSeconds: number): SignedParts => ({
  timestamp: String(venueSeconds),
  method,
  pathWithQuery,
  body,
});

/** The venue's computation; or in words why it does not say. */
async function ask(
  transport: Transport,
  message: Message,
  { profile, credentials, venueSeconds }: SigningSubject,
): Promise<Computed | string> {
  const headers = writeHeaders(message, profile.header_prefix, credentials, venueSeconds);
  const attempt = await transport.send(message, headers, TIMEOUT_MS);
  if (attempt.kind === 'failure') return attempt.reason;
  if (attempt.status !== 200 || attempt.text === null) return `HTTP ${attempt.status}`;
  try {
    return answerSchema.parse(JSON.parse(attempt.text)).data;
  } catch {
    return 'an answer that is none'; // not JSON, or of another shape
  }
}

const notShown = (why: string): Check =>
  ok(
    NAME,
    `this venue does not show what it computes (${why}); the golden requests and the signed call stand in for it`,
  );

/** The parts in payload order. Null when all are equal. */
function compare(sent: SignedParts, computed: Computed): Check | null {
  const parts = [
    ['timestamp', sent.timestamp, computed.timestamp ?? ''],
    ['method', sent.method, computed.method],
    ['path', sent.pathWithQuery, computed.path],
    ['body', sent.body.toString(), computed.body],
  ] as const;
  let before = 0;
  for (const [name, ours, theirs] of parts) {
    const difference = firstDifference(Buffer.from(ours, 'utf8'), Buffer.from(theirs, 'utf8'));
    if (difference !== null) {
      const where = `the ${name} differs at byte ${difference.at} (byte ${before + difference.at} of what is signed)`;
      return fail(
        NAME,
        `${sent.method}: ${where}: sent ${difference.ours}, the venue got ${difference.theirs}`,
        REWRITTEN,
      );
    }
    before += Buffer.byteLength(ours);
  }
  if (computed.signature_matches) return null;
  const hint = 'The key or its secret is not the venue’s: make new ones with `twinbook keys bootstrap`.';
  const said = [...Buffer.from((computed.refusal ?? '').slice(0, 200))].map(escapeByte).join('');
  return fail(NAME, `${sent.method}: the venue got the same bytes and refuses them: ${said}`, hint);
}

const REWRITTEN = 'Something between here and the venue rewrites requests, most likely a proxy: go around it.';

const CONTEXT_BYTES = 16;

/** The first differing byte with its context on both sides; null when equal. */
function firstDifference(ours: Buffer, theirs: Buffer) {
  if (ours.equals(theirs)) return null;
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at++;
  return { at, ours: around(ours, at), theirs: around(theirs, at) };
}

/** `"…s=open[%]2Cfilled…"`: the byte is marked; `[]` is the end. */
function around(bytes: Buffer, at: number): string {
  const piece = (from: number, to: number) => [...bytes.subarray(Math.max(0, from), to)].map(escapeByte).join('');
  const head = at > CONTEXT_BYTES ? '…' : '';
  const tail = at + 1 + CONTEXT_BYTES < bytes.length ? '…' : '';
  return `"${head}${piece(at - CONTEXT_BYTES, at)}[${piece(at, at + 1)}]${piece(at + 1, at + 1 + CONTEXT_BYTES)}${tail}"`;
}

/** Bytes outside ASCII as `\xNN`, so that a venue's text cannot move the cursor of a terminal. */
const escapeByte = (byte: number): string =>
  byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;

export interface Check {
  readonly name: string;
  readonly result: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** Advice; empty if none is needed. */
  readonly hint: string;
}

export const ok = (name: string, text: string): Check => ({ name, result: 'ok', text, hint: '' });

export const warn = (name: string, text: string, hint = ''): Check => ({ name, result: 'warn', text, hint });
export const fail = (name: string, text: string, hint: string): Check => ({ name, result: 'fail', text, hint });

export function failCheck(name: string, error: unknown): Check {
  if (!(error instanceof TwinbookError)) throw error;
  return fail(name, error.message, error.hint);
}
