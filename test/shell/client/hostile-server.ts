/** Prepared answers of a server; `fixture.ts` has the server. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { VenueProfile } from '../../../src/shared/protocol/profile.js';

export const profile: VenueProfile = {
  service_name: 'SVC',
  header_prefix: 'SVC',
  base_url: 'http://127.0.0.1:1',
  draft_message: 'utf8',
  draft_lifetime_s: 60,
  clock_tolerance_s: 30,
  rate_limits: { public_per_minute: 1_000, signed_per_minute: 1_000, bootstrap_per_minute: 1_000 },
  own_trades: true,
};

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (response: ServerResponse, asked: Asked, count: number) => void;

export const envelope = (data: unknown, meta: unknown = {}): string => JSON.stringify({ data, meta, error: null });
export const refusal = (slug: string, message = slug, details: unknown = []): string =>
  JSON.stringify({ data: null, meta: null, error: { code: -1, slug, message, details } });

/** Answers with this status, body and headers. */
export const answering =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };

/** Each answer in turn; the last one for all further requests. */
export const inTurn =
  (...answers: readonly Answer[]): Answer =>
  (response, asked, count) =>
    answers[Math.min(count, answers.length) - 1]?.(response, asked, count);
