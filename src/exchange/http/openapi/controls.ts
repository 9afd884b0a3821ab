/** The controls under `/paper/` as operations of the document. */

import type { ServiceErrorSlug } from '../../../shared/protocol/errors.js';
import { CONTROLS, type Control } from '../controls.js';
import { signedRequestReport } from '../signed-request.js';
import { envelope, errorAnswers, json, object } from './answers.js';
import { answerSchema, type JsonSchema, ref, requestSchema } from './schemas.js';

interface ControlNote {
  readonly summary: string;
  readonly data: JsonSchema;
}

const amount = { type: 'string', description: 'Currency.' };
const FUNDS = object({
  funds: object({ total: amount, locked: amount, available: amount }),
  custodial: { type: 'boolean' },
});
const DETAIL = ref('MarketDetail');

const orNull = (type: string, description: string) => ({ type: [type, 'null'], description });
const ANSWER_FAULT = object({
  answer: { type: 'string', enum: ['html', 'error'], description: 'A proxy’s page, or a refusal in the envelope.' },
  calls: {
    ...orNull('array', 'The calls that it strikes, such as `POST /orders/{pubkey}/submit/`; null: every call.'),
    items: { type: 'string' },
  },
  status: { type: 'integer' },
  slug: orNull('string', 'Of the refusal; null for a page.'),
  retry_after_s: orNull('integer', 'The header `Retry-After`; null: none but that of `throttled`.'),
  acts: { type: 'boolean', description: 'Whether the call is carried out all the same.' },
  count: orNull('integer', 'How many answers; null: without end.'),
  share: { type: 'number', description: 'Part of the calls.' },
  given: { type: 'integer', description: 'How many answers it has given.' },
});
const perMinute = orNull('integer', 'Requests in 60 seconds; null: as the profile says.');
const FAULTS = object({
  answers: { type: 'array', items: ANSWER_FAULT },
  limits: object({ public: perMinute, signed: perMinute, bootstrap: perMinute }),
  landing_ms: orNull('integer', 'How long a landing takes; null: as usual.'),
  closing_ms: orNull('integer', 'How long the close of a margin position takes; null: it is closed at once.'),
  until: orNull('integer', 'Time at which all of it ends, Unix seconds; null: never.'),
});

export const CONTROL_NOTES: Readonly<Record<string, ControlNote>> = {
  'POST /paper/markets/': { summary: 'Create a market', data: DETAIL },
  'POST /paper/markets/{condition_id}/state/': { summary: 'Change the state of a market', data: DETAIL },
  'POST /paper/markets/{condition_id}/resolve/': { summary: 'Resolve a market, or cancel it with null', data: DETAIL },
  'POST /paper/markets/{condition_id}/reference-price/': {
    summary: 'Move the reference price of a margin market',
    data: DETAIL,
  },
  'POST /paper/accounts/{wallet}/deposit/': { summary: 'Give currency to an account', data: FUNDS },
  'POST /paper/accounts/{wallet}/': { summary: 'Make an account custodial, or not', data: FUNDS },
  'GET /paper/accounts/{wallet}/': { summary: 'Read the currency of an account', data: FUNDS },
  'POST /paper/signing-service/': {
    summary: 'Switch the signing service on or off',
    data: object({ available: { type: 'boolean' } }),
  },
  'POST /paper/clock/': {
    summary: 'Move the clock of the exchange forward',
    data: object({ now: { type: 'integer', description: 'The new time, Unix seconds.' } }),
  },
  'GET /paper/faults/': { summary: 'See the rehearsed faults', data: FAULTS },
  'POST /paper/faults/': { summary: 'Set all rehearsed faults; `{}` ends them', data: FAULTS },
  'GET /paper/signed-request/': {
    summary: 'See what the signature must be over',
    data: answerSchema(signedRequestReport),
  },
  'POST /paper/signed-request/': {
    summary: 'See the bytes to be signed, with a body',
    data: answerSchema(signedRequestReport),
  },
};

const findNote = ({ method, path }: Control): ControlNote =>
  CONTROL_NOTES[`${method} ${path}`] ?? { summary: `${method} ${path}`, data: {} };

/** The controls as OpenAPI paths. */
export function controlOperations(): Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const control of CONTROLS) {
    paths[control.path] = { ...paths[control.path], [control.method.toLowerCase()]: makeControlOperation(control) };
  }
  return paths;
}

function makeControlOperation(control: Control): JsonSchema {
  const { summary, data } = findNote(control);
  const names = [...control.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const parameters = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const body = control.body === null ? null : requestSchema(control.body);
  return {
    operationId: `paper ${control.method} ${control.path}`.replace(/[^a-zA-Z]+(\w?)/g, (_, a: string) =>
      a.toUpperCase(),
    ),
    tags: ['paper'],
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      200: { description: 'Done.', content: json(envelope(data, ref('NoMeta'))) },
      ...errorAnswers(listControlErrors(control)),
    },
    security: [],
  };
}

/** A call from a web page is `permission_denied`; one from another machine gets `not_found`. */
function listControlErrors(control: Control): readonly ServiceErrorSlug[] {
  const withBody = ['invalid_request_params', 'unsupported_media_type', 'request_too_large'] as const;
  return ['permission_denied', 'not_found', 'internal_error', ...(control.method === 'GET' ? [] : withBody)];
}

/** Refusals of every control, for their shared components. */
export const controlErrors = (): readonly (readonly ServiceErrorSlug[])[] => CONTROLS.map(listControlErrors);
