/** Builds the OpenAPI 3.1 document of the service from the declarations of its calls. */

import { z } from 'zod';
import { must } from '../../../shared/base/errors.js';
import { type Declaration, declarationOf, type EndpointName } from '../../../shared/protocol/endpoints.js';
import { SERVICE_ERRORS, type ServiceErrorSlug } from '../../../shared/protocol/errors.js';
import { ENDPOINT_NOTES, ERROR_NOTES, PARAMETER_NOTES } from '../../../shared/protocol/notes.js';
import type { VenueProfile } from '../../../shared/protocol/profile.js';
import * as records from '../../../shared/protocol/records.js';
import { signatureHeaders } from '../../../shared/protocol/signing.js';
import { signedRequestReport } from '../authentication.js';
import { CONTROLS, type FaultControl } from '../controls.js';
import { NAMES, SLUGS } from '../faults.js';
import { MAX_PARAM_LENGTH, type ServerOptions } from '../messages.js';

/** A part of the document. Answers have exactly the properties of their schema; requests may have more. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** A JSON Schema while zod generates it. The generated schema may be changed in place. */
type WrittenSchema = Readonly<Record<'jsonSchema', z.core.JSONSchema.BaseSchema>>;

const ref = (component: string): JsonSchema => ({ $ref: `#/components/schemas/${component}` });

/** Name of a component of the document, such as `OrderRow` for `orderRow`, or `OrdersCreate` for `orders.create`. */
const pascal = (name: string) => name.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());

function requestSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...written } = z.toJSONSchema(schema, { io: 'input', override: withoutIntegerBounds });
  return written;
}

function answerSchema(schema: z.ZodObject): JsonSchema {
  const { $schema: _dialect, ...written } = z.toJSONSchema(schema);
  for (const property of Object.values(written.properties ?? {}))
    if (typeof property === 'object') simplifyNull(property);
  return written;
}

/** JSON Schemas of all records by component name, as the paper exchange returns them. */
function recordSchemas(): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [name, record] of namedRecords()) registry.add(record, { id: name });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (name) => `#/components/schemas/${name}`,
    override: (writing) => {
      withoutIntegerBounds(writing);
      exact(writing);
    },
  });
  const components = Object.entries(schemas).map(([name, { $schema: _dialect, $id: _id, ...schema }]) => {
    for (const alternative of [schema, ...(schema.oneOf ?? [])]) finishProperties(alternative);
    return [name, schema] as const;
  });
  return { ...Object.fromEntries(components), EventListRow: eventListRow(components) };
}

function dataSchema(data: z.ZodType): JsonSchema {
  if (data instanceof z.ZodArray) return { type: 'array', items: dataSchema(data.element as z.ZodType) };
  const name = namedRecords().find(([, record]) => record === data)?.[0];
  return ref(must(name, 'a schema in protocol/records.ts for the answer of an endpoint'));
}

const namedRecords = (): readonly (readonly [string, z.ZodType])[] =>
  Object.entries(records).map(([name, record]) => [pascal(name), record]);

/** Removes numeric bounds that only mean "a safe integer", because such bounds do not help a reader. */
function withoutIntegerBounds({ jsonSchema }: WrittenSchema): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** Removes null if the paper exchange always returns a value; else writes null as a second type instead of `anyOf`. */
function simplifyNull(property: z.core.JSONSchema.BaseSchema): void {
  const isAlwaysGiven = property['isAlwaysGiven'] === true;
  delete property['isAlwaysGiven'];
  const { type, anyOf: [given, nothing, ...more] = [], description } = property;
  if (isAlwaysGiven && Array.isArray(type)) property.type = type[0] ?? 'null';
  if (given === undefined || nothing?.type !== 'null' || more.length > 0) return;
  const isPlain = typeof given.type === 'string' && given.enum === undefined && given.type !== 'object';
  if (!isAlwaysGiven && !isPlain) return;
  delete property.anyOf;
  Object.assign(property, given, isAlwaysGiven ? {} : { type: [given.type, 'null'] });
  if (description !== undefined) property.description = description;
}

/** Properties that records of the service may omit: the venue's interface makes only `order_min_size` optional. */
const MAY_BE_ABSENT: readonly string[] = ['order_min_size'];

function exact({ jsonSchema }: WrittenSchema): void {
  // A schema reference with its own description needs no list of required fields: the referenced schema has the list.
  if (jsonSchema.$ref !== undefined) delete jsonSchema.required;
  if (jsonSchema.properties === undefined) return;
  jsonSchema.required = Object.keys(jsonSchema.properties).filter((name) => !MAY_BE_ABSENT.includes(name));
  jsonSchema.additionalProperties = false;
}

function eventListRow(components: readonly (readonly [string, z.core.JSONSchema.BaseSchema])[]): JsonSchema {
  const { properties = {}, required = [], ...schema } = Object.fromEntries(components)['EventRow'] ?? {};
  const { video_url: _video, ...rest } = properties;
  const description = 'An event in the list of events: without `video_url`, with at most two of its markets.';
  return { ...schema, description, properties: rest, required: required.filter((name) => name !== 'video_url') };
}

/** Example values by pattern of the property's name. The first pattern that matches applies. */
const EXAMPLES: readonly (readonly [RegExp, string | number])[] = [
  [/condition_id$|^market$/, '8kQm3Vn1xw6Yb4ZrD2fTgH9sLcJpE5uA7oNiXeCvB1dR'],
  [/pubkey$|^address$|txid$/, '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM1'],
  [/^message$/, 'SVC draft v1 | cancel-order | Market: 8kQm… | Order: 4uQe… | Draft: 4uQe… | Expires: 1714300060'],
  [/^symbol$/, '8kQm3Vn1xw6Yb4ZrD2fTgH9sLcJpE5uA7oNiXeCvB1dR-LPT'],
  [/^(created|timestamp|resolution_date)$|_at$/, 1_714_300_000],
  [/_(precision|decimals)$/, 2],
  [/^(expires_in_seconds)$/, 600],
  [/^trade_count$/, 17],
  [/^max_price$/, '0.99'],
  [/^min_price$/, '0.01'],
  [/price$|^(open|high|low|close)$/, '0.42'],
  [/leverage/, '2'],
  [/fee|rate$/, '0.01'],
  [/pnl/, '-1.5'],
];
/** Example value of all other decimal strings. */
const EXAMPLE_AMOUNT = '10';

function finishProperties(schema: z.core.JSONSchema.BaseSchema): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (typeof property !== 'object') continue;
    simplifyNull(property);
    finishProperties(property);
    const example = chooseExample(name, property);
    if (example !== null) property.examples = [example];
  }
}

function chooseExample(name: string, { type, pattern, ...rest }: z.core.JSONSchema.BaseSchema): string | number | null {
  if (rest.enum !== undefined || rest.const !== undefined) return null;
  const types = Array.isArray(type) ? type : [type];
  const known = EXAMPLES.find(([names]) => names.test(name))?.[1] ?? (pattern === undefined ? null : EXAMPLE_AMOUNT);
  if (typeof known === 'number') return types.includes('integer') ? known : null;
  return types.includes('string') ? known : null;
}

const header = (name: string): JsonSchema => ({ $ref: `#/components/headers/${name}` });

/** Headers with the state of the rate limit, in each answer to a call that the limit counts. */
const RATE_HEADERS = Object.fromEntries(
  ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].map((name) => [name, header(name)]),
);

const integer = { type: 'integer', minimum: 0 };

const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-RateLimit-Limit': {
    description:
      'Requests that the budget of this call allows in any 60 seconds. Absent when the exchange runs without limits.',
    schema: integer,
  },
  'X-RateLimit-Remaining': { description: 'Number of requests that the budget allows now.', schema: integer },
  'X-RateLimit-Reset': { description: 'Time at which one more request is allowed, Unix seconds.', schema: integer },
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  Location: { description: 'Path of the created record.', required: true, schema: { type: 'string' } },
  Allow: { description: 'Methods that this path supports.', required: true, schema: { type: 'string' } },
};

const orNull = (type: string, description: string) => ({ type: [type, 'null'], description });

const ENVELOPE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  NoMeta: { description: 'Empty object: this answer has no metadata.', type: 'object', additionalProperties: false },
  PageMeta: object({
    limit: { ...integer, description: 'Maximum number of rows on this page.' },
    next_cursor: orNull('string', 'Value of `cursor` for the next page; null on the last page.'),
  }),
  OutcomeMeta: object({
    is_yes: { type: 'boolean', description: 'Outcome of the prices: true for YES, false for NO.' },
  }),
  ErrorDetails: {
    description:
      'For a validation error, one object for each invalid field, with its name and the error; otherwise empty.',
    type: 'array',
    items: { type: 'object', minProperties: 1, maxProperties: 1, additionalProperties: { type: 'string' } },
  },
};

function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const envelope = (data: JsonSchema, meta: JsonSchema) => object({ data, meta, error: { type: 'null' } });

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

function successAnswer(name: EndpointName): JsonSchema {
  const declaration = declarationOf(name);
  const data = name === 'events.list' ? { type: 'array', items: ref('EventListRow') } : dataSchema(declaration.data);
  return {
    description: declaration.status === 201 ? 'The record was created.' : 'The call succeeded.',
    headers: { ...RATE_HEADERS, ...(declaration.location === undefined ? {} : { Location: header('Location') }) },
    content: json(envelope(data, ref(chooseMeta(declaration)))),
  };
}

function chooseMeta(declaration: Declaration): string {
  if (declaration.page !== undefined) return 'PageMeta';
  return declaration.outcomeMeta === true ? 'OutcomeMeta' : 'NoMeta';
}

/** OpenAPI error responses by status. Error responses that are equal share a component. */
function errorAnswers(slugs: readonly ServiceErrorSlug[]): Readonly<Record<string, JsonSchema>> {
  const refer = (status: string, some: readonly ServiceErrorSlug[]) =>
    `#/components/responses/${makeKey(status, some)}`;
  return Object.fromEntries(Array.from(byStatus(slugs), ([status, some]) => [status, { $ref: refer(status, some) }]));
}

/** Errors of requests whose path or method belongs to no call. */
const NO_CALL_ERRORS: readonly ServiceErrorSlug[] = [
  'not_found',
  'method_not_allowed',
  'invalid_request_params',
  'request_too_large',
  'request_headers_too_large',
  'throttled',
  'internal_error',
];

/** Error responses for all given lists of slugs, by the component names that `errorAnswers` uses. */
function errorComponents(lists: readonly (readonly ServiceErrorSlug[])[]): Readonly<Record<string, JsonSchema>> {
  const components: Record<string, JsonSchema> = {};
  for (const slugs of lists)
    for (const [status, some] of byStatus(slugs)) components[makeKey(status, some)] ??= errorAnswer(some);
  return components;
}

const makeKey = (status: string, slugs: readonly ServiceErrorSlug[]): string => [status, ...slugs].join('.');

function byStatus(slugs: readonly ServiceErrorSlug[]): ReadonlyMap<string, readonly ServiceErrorSlug[]> {
  const groups = new Map<string, ServiceErrorSlug[]>();
  for (const slug of [...new Set(slugs)].sort()) {
    const status = String(SERVICE_ERRORS[slug].status);
    groups.set(status, [...(groups.get(status) ?? []), slug]);
  }
  return groups;
}

function errorAnswer(slugs: readonly ServiceErrorSlug[]): JsonSchema {
  const nothing = { type: 'null' };
  const errors = slugs.map((slug) => ref(errorComponent(slug)));
  const error = errors.length === 1 ? { ...errors[0] } : { oneOf: errors };
  const retry = slugs.includes('throttled') ? { 'Retry-After': header('Retry-After') } : {};
  const allow = slugs.includes('method_not_allowed') ? { Allow: header('Allow') } : {};
  return {
    description: slugs.map((slug) => `\`${slug}\`: ${ERROR_NOTES[slug].when} ${ERROR_NOTES[slug].advice}`).join('\n\n'),
    headers: { ...RATE_HEADERS, ...retry, ...allow },
    content: json(object({ data: nothing, meta: nothing, error })),
  };
}

/** Name of the component of an error response, such as `NotFoundError` for `not_found`. */
const errorComponent = (slug: ServiceErrorSlug): string => `${pascal(slug.replaceAll('_', '.'))}Error`;

function errorSchemas(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    SLUGS.map((slug) => {
      const { code, message } = SERVICE_ERRORS[slug];
      const fields = {
        code: { type: 'integer', const: code },
        slug: { type: 'string', const: slug },
        message: { type: 'string', examples: [message] },
        details: ref('ErrorDetails'),
      };
      return [errorComponent(slug), object(fields)];
    }),
  );
}

const amount = { type: 'string', description: 'Currency.' };
const FUNDS = object({
  funds: object({ total: amount, locked: amount, available: amount }),
  custodial: { type: 'boolean' },
});
const DETAIL = ref('MarketDetail');
const REPORT = answerSchema(signedRequestReport);

const ANSWER_FAULT = object({
  answer: {
    type: 'string',
    enum: ['html', 'error'],
    description: 'Kind of answer: a proxy’s HTML page, or an error in the envelope.',
  },
  calls: {
    ...orNull('array', 'Affected calls, such as `POST /orders/{pubkey}/submit/`; null: all calls.'),
    items: { type: 'string' },
  },
  status: { type: 'integer' },
  slug: orNull('string', 'Slug of the error; null for an HTML page.'),
  retry_after_s: orNull('integer', 'Header `Retry-After`, seconds; null: 1 for a `throttled` error, else no header.'),
  acts: { type: 'boolean', description: 'True if the exchange executes a call before it returns the injected answer.' },
  count: orNull('integer', 'Maximum number of injected answers; null: no maximum.'),
  share: { type: 'number', description: 'Fraction of the calls that get an injected answer, above 0 and up to 1.' },
  given: { type: 'integer', description: 'Number of injected answers that the exchange has sent.' },
});
const perMinute = orNull('integer', 'Maximum requests in 60 seconds; null: the limit of the profile.');
const FAULTS = object({
  answers: { type: 'array', items: ANSWER_FAULT },
  limits: object({ public: perMinute, signed: perMinute, bootstrap: perMinute }),
  landing_ms: orNull('integer', 'Time until a submitted change is final, ms; null: the default time.'),
  closing_ms: orNull('integer', 'Duration of the close of a margin position, ms; null: 0.'),
  until: orNull('integer', 'Time at which all faults end, Unix seconds; null: never.'),
});

export const CONTROL_NOTES: Readonly<Record<string, { readonly summary: string; readonly data: JsonSchema }>> = {
  'POST /paper/markets/': { summary: 'Create a market', data: DETAIL },
  'POST /paper/markets/{condition_id}/state/': { summary: 'Change the state of a market', data: DETAIL },
  'POST /paper/markets/{condition_id}/resolve/': { summary: 'Resolve a market; null cancels the market', data: DETAIL },
  'POST /paper/markets/{condition_id}/reference-price/': {
    summary: 'Move the reference price of a margin market',
    data: DETAIL,
  },
  'POST /paper/accounts/{wallet}/deposit/': { summary: 'Deposit currency into an account', data: FUNDS },
  'POST /paper/accounts/{wallet}/': { summary: 'Set whether an account is custodial', data: FUNDS },
  'GET /paper/accounts/{wallet}/': { summary: 'Read the currency of an account', data: FUNDS },
  'POST /paper/signing-service/': {
    summary: 'Turn the signing service on or off',
    data: object({ available: { type: 'boolean' } }),
  },
  'POST /paper/clock/': {
    summary: 'Move the clock of the exchange forward',
    data: object({ now: { type: 'integer', description: 'New time of the exchange’s clock, Unix seconds.' } }),
  },
  'GET /paper/faults/': { summary: 'Read the simulated faults', data: FAULTS },
  'POST /paper/faults/': { summary: 'Replace all simulated faults; `{}` ends all faults', data: FAULTS },
  'GET /paper/signed-request/': { summary: 'Check the signature of a request without a body', data: REPORT },
  'POST /paper/signed-request/': { summary: 'Check the signature of a request with a body', data: REPORT },
};

function makePaths<C extends { readonly path: string; readonly method: string }>(
  calls: readonly C[],
  operationOf: (call: C) => JsonSchema,
) {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const call of calls) paths[call.path] = { ...paths[call.path], [call.method.toLowerCase()]: operationOf(call) };
  return paths;
}

function makeControlOperation(control: FaultControl): JsonSchema {
  const call = `${control.method} ${control.path}`;
  const { summary, data } = CONTROL_NOTES[call] ?? { summary: call, data: {} };
  const schema = { type: 'string' };
  const parameters = namesIn(control.path).map((name) => ({ name, in: 'path', required: true, schema }));
  const body = control.body === null ? null : requestSchema(control.body);
  return {
    operationId: `paper ${call}`.replace(/[^a-zA-Z]+(\w?)/g, (_, a: string) => a.toUpperCase()),
    tags: ['paper'],
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      200: { description: 'The call succeeded.', content: json(envelope(data, ref('NoMeta'))) },
      ...errorAnswers(listControlErrors(control)),
    },
    security: [],
  };
}

/** Errors of a control call. A web page gets `permission_denied`, another machine gets `not_found`. */
function listControlErrors(control: FaultControl): readonly ServiceErrorSlug[] {
  const withBody = ['invalid_request_params', 'unsupported_media_type', 'request_too_large'] as const;
  return ['permission_denied', 'not_found', 'internal_error', ...(control.method === 'GET' ? [] : withBody)];
}

/** The whole document. Documents with equal options have equal text. */
export function openApiDocument({ profile, controls }: Pick<ServerOptions, 'profile' | 'controls'>): JsonSchema {
  const calls = NAMES.map((name) => ({ name, ...declarationOf(name) }));
  const shown = controls ? CONTROLS : [];
  return {
    openapi: '3.1.0',
    info: { title: `${profile.service_name} prediction-market exchange`, version: '1', description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: [...TAGS, ...(controls ? [CONTROLS_TAG] : [])].map(([name, description]) => ({ name, description })),
    paths: { ...makePaths(calls, ({ name }) => makeOperation(name)), ...makePaths(shown, makeControlOperation) },
    components: {
      schemas: Object.assign({}, recordSchemas(), ENVELOPE_SCHEMAS, errorSchemas(), ...NAMES.map(bodyComponents)),
      responses: errorComponents([...NAMES.map(listErrors), NO_CALL_ERRORS, ...shown.map(listControlErrors)]),
      headers: HEADERS,
      securitySchemes: securitySchemes(profile),
    },
  };
}

function securitySchemes({ header_prefix, clock_tolerance_s }: VenueProfile): JsonSchema {
  const names = signatureHeaders(header_prefix);
  const scheme = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });
  return {
    ApiKey: scheme(names.apiKey, 'API key: the `api_key` of a credential.'),
    Timestamp: scheme(
      names.timestamp,
      `Unix seconds as a decimal integer, at most ${clock_tolerance_s} s before or after the exchange’s clock.`,
    ),
    Signature: scheme(
      names.signature,
      'HMAC-SHA256 in lowercase hex. The key is the UTF-8 text of the `secret`. The signed text is `{timestamp}{METHOD}{path?query}{body}` without separators, with path and query exactly as sent.',
    ),
  };
}

const DESCRIPTION = `A market has YES shares and NO shares, which are traded in one order book. One YES share and one NO share together are worth one unit of currency.

Every answer is an envelope with \`data\`, \`meta\` and \`error\`. Prices, amounts and currency are decimal strings with at most six decimals. Times are Unix seconds. Every path ends with a slash. A change is first drafted, then signed by the wallet, then submitted.

Requests are checked in this order: rate limit, size of the body, authentication, query, body, signing service, record, rules, balance. Paths and methods that are not listed here answer \`not_found\` or \`method_not_allowed\` in the same envelope.`;

const TAGS: readonly (readonly [string, string])[] = [
  ['keys', 'API keys: a wallet signs a challenge and receives a key.'],
  ['events', 'Groups of markets.'],
  ['markets', 'Markets with their books, trades and prices.'],
  ['sports', 'The catalog of sports and leagues.'],
  ['search', 'Search for markets and events.'],
  ['orders', 'The caller’s orders: drafts, submits and cancels.'],
  ['trades', 'Fills of the caller’s orders.'],
  ['merges', 'Conversions of YES and NO shares into currency.'],
  ['splits', 'Conversions of currency into YES and NO shares.'],
  ['redeems', 'Payments for shares of settled markets.'],
  ['account', 'The caller’s account.'],
  ['positions', 'Leveraged positions in margin markets.'],
  ['settlements', 'Payments of closed positions.'],
  ['requests', 'Requests for margin positions.'],
];
const CONTROLS_TAG = [
  'paper',
  'Controls of the paper exchange. The controls refuse calls from other machines and from web pages. Real venues have no controls.',
] as const;

function makeOperation(name: EndpointName): JsonSchema {
  const { summary, description } = ENDPOINT_NOTES[name];
  const { scope, status, body } = declarationOf(name);
  const parameters = [...pathParameters(name), ...queryParameters(name)];
  return {
    operationId: name.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
    tags: [name.split('.', 1)[0]],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: { required: true, content: bodyContent(name) } }),
    responses: { [status]: successAnswer(name), ...errorAnswers(listErrors(name)) },
    security: scope === 'signed' ? [SIGNED] : [],
    'x-rate-limit-scope': scope,
  };
}

/** Returns all errors with which a call may answer: those of its scope, path and body, then those of its note. */
function listErrors(name: EndpointName): readonly ServiceErrorSlug[] {
  const { scope, body, path } = declarationOf(name);
  const { errors = [] } = ENDPOINT_NOTES[name];
  return [
    ...(path.includes('{') && !errors.includes('share_conversion_not_found') ? (['not_found'] as const) : []),
    ...(scope === 'signed' ? (['not_authenticated', 'authentication_failed', 'permission_denied'] as const) : []),
    ...(body === null ? [] : (['unsupported_media_type'] as const)),
    // The exchange reads a body even if the call has none, because the signature covers the body.
    ...(['request_too_large', 'request_headers_too_large'] as const),
    ...(['invalid_request_params', 'throttled', 'internal_error'] as const),
    ...errors,
  ];
}

const SIGNED = { ApiKey: [], Timestamp: [], Signature: [] };

const bodyComponent = (name: EndpointName): string => `${pascal(name)}Body`;

function bodyContent(name: EndpointName): JsonSchema {
  const schema = ref(bodyComponent(name));
  const { bodies } = ENDPOINT_NOTES[name];
  if (bodies === undefined) return json(schema);
  const examples = Object.entries(bodies).map(([what, value]) => [what, { value }]);
  return { 'application/json': { schema, examples: Object.fromEntries(examples) } };
}

function bodyComponents(name: EndpointName): Readonly<Record<string, JsonSchema>> {
  const { body } = declarationOf(name);
  if (body === null) return {};
  const schema = requestSchema(body);
  const properties = listProperties(schema).map(([field, property]) => {
    const { description } = findParameterNote(field);
    return [field, { description, ...withDefault(name, field, addExample(field, property)) }];
  });
  return { [bodyComponent(name)]: { ...schema, properties: Object.fromEntries(properties) } };
}

function pathParameters(name: EndpointName): JsonSchema[] {
  const schema = { type: 'string', minLength: 1, maxLength: MAX_PARAM_LENGTH };
  return namesIn(declarationOf(name).path).map((parameter) =>
    makeParameter('path', parameter, true, addExample(parameter, schema)),
  );
}

const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

const makeParameter = (place: 'path' | 'query', name: string, required: boolean, schema: JsonSchema): JsonSchema => ({
  name,
  in: place,
  required,
  description: findParameterNote(name).description,
  schema,
  // A list parameter is one comma-separated value.
  ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
});

function queryParameters(name: EndpointName): JsonSchema[] {
  const schema = requestSchema(declarationOf(name).query);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return listProperties(schema).map(([parameter, property]) => {
    const described = withDefault(name, parameter, addExample(parameter, property));
    return makeParameter('query', parameter, required.includes(parameter), described);
  });
}

const listProperties = (schema: JsonSchema): [string, JsonSchema][] =>
  // The cast is right: zod writes `properties` as an object from property name to schema.
  Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);

function withDefault(name: EndpointName, parameter: string, schema: JsonSchema): JsonSchema {
  const { page } = declarationOf(name);
  const value = parameter === 'limit' ? page : ENDPOINT_NOTES[name].defaults?.[parameter];
  return value === undefined ? schema : { ...schema, default: value };
}

function addExample(parameter: string, schema: JsonSchema): JsonSchema {
  const { example } = findParameterNote(parameter);
  return example === undefined || 'enum' in schema ? schema : { ...schema, examples: [example] };
}

const findParameterNote = (parameter: string) => must(PARAMETER_NOTES[parameter], `a note on ${parameter}`);
