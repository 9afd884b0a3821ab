/** The service as an OpenAPI 3.1 document, built from the declarations that the exchange serves. */

import { declarationOf, ENDPOINTS, type EndpointName } from '../../../shared/protocol/endpoints.js';
import type { ServiceErrorSlug } from '../../../shared/protocol/errors.js';
import { ENDPOINT_NOTES, listErrors, PARAMETER_NOTES } from '../../../shared/protocol/notes.js';
import type { VenueProfile } from '../../../shared/protocol/profile.js';
import { signatureHeaders } from '../../../shared/protocol/signing.js';
import { CONTROLS, type Control } from '../controls.js';
import { MAX_PARAM_LENGTH, type ServerOptions } from '../messages.js';
import {
  ENVELOPE_SCHEMAS,
  envelope,
  errorAnswers,
  errorComponents,
  errorSchemas,
  HEADERS,
  type JsonSchema,
  json,
  NO_CALL_ERRORS,
  pascal,
  recordSchemas,
  ref,
  requestSchema,
  successAnswer,
} from './answers.js';

function controlOperations(): Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const control of CONTROLS) {
    paths[control.path] = { ...paths[control.path], [control.method.toLowerCase()]: makeControlOperation(control) };
  }
  return paths;
}

function makeControlOperation(control: Control): JsonSchema {
  const call = `${control.method} ${control.path}`;
  const names = [...control.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const parameters = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const body = control.body === null ? null : requestSchema(control.body);
  return {
    operationId: `paper ${call}`.replace(/[^a-zA-Z]+(\w?)/g, (_, a: string) => a.toUpperCase()),
    tags: ['paper'],
    summary: call,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      200: { description: 'Done.', content: json(envelope({}, ref('NoMeta'))) },
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

/** The whole document; equal options give equal text. */
export function openApiDocument({ profile, controls }: Pick<ServerOptions, 'profile' | 'controls'>): JsonSchema {
  // The keys of an object of constants are its endpoint names.
  const names = Object.keys(ENDPOINTS) as EndpointName[];
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const name of names) {
    const { path, method } = ENDPOINTS[name];
    paths[path] = { ...paths[path], [method.toLowerCase()]: makeOperation(name) };
  }
  return {
    openapi: '3.1.0',
    info: { title: `${profile.service_name} prediction-market exchange`, version: '1', description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: [...TAGS, ...(controls ? [CONTROLS_TAG] : [])].map(([name, description]) => ({ name, description })),
    paths: controls ? { ...paths, ...controlOperations() } : paths,
    components: {
      schemas: {
        ...recordSchemas(),
        ...ENVELOPE_SCHEMAS,
        ...errorSchemas(),
        ...Object.assign({}, ...names.map(bodyComponents)),
      },
      responses: errorComponents([
        ...names.map(listErrors),
        ...NO_CALL_ERRORS,
        ...(controls ? CONTROLS.map(listControlErrors) : []),
      ]),
      headers: HEADERS,
      securitySchemes: securitySchemes(profile),
    },
  };
}

function securitySchemes({ header_prefix, clock_tolerance_s }: VenueProfile): JsonSchema {
  const names = signatureHeaders(header_prefix);
  const scheme = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });
  return {
    ApiKey: scheme(names.apiKey, 'The `api_key` of a credential.'),
    Timestamp: scheme(
      names.timestamp,
      `Unix seconds in decimals, at most ${clock_tolerance_s} away from the exchange’s clock.`,
    ),
    Signature: scheme(
      names.signature,
      'Lowercase hex of HMAC-SHA256 under the `secret` (its UTF-8 bytes) over `{timestamp}{METHOD}{path?query}{body}`, joined without separators, path and query exactly as sent.',
    ),
  };
}

const DESCRIPTION = `Markets with a YES and a NO share each, traded in one order book; a set of both is worth one unit of currency.

Every answer is an envelope of \`data\`, \`meta\` and \`error\`. Prices, amounts and currency are decimal strings with at most six decimals, times are Unix seconds. Every path ends with a slash. Changes are drafted, signed by the wallet, and submitted.

Refusals are checked in a fixed order: rate limit, size of the body, authentication, query, body, signing service, record, rules, balance. Any path and method that is not listed here answers \`not_found\` or \`method_not_allowed\` in the same envelope.`;

const TAGS: readonly (readonly [string, string])[] = [
  ['keys', 'Credentials: a wallet proves itself and receives an API key.'],
  ['events', 'Groups of markets.'],
  ['markets', 'Markets, their books, trades and prices.'],
  ['sports', 'The catalog of sports and leagues.'],
  ['search', 'Finding markets and events.'],
  ['orders', 'Orders: draft, sign, submit, cancel.'],
  ['trades', 'Own fills.'],
  ['merges', 'YES and NO shares back into currency.'],
  ['splits', 'Currency into YES and NO shares.'],
  ['redeems', 'Shares of settled markets into currency.'],
  ['account', 'The caller’s own account.'],
  ['positions', 'Leveraged positions on margin markets.'],
  ['settlements', 'What closed positions pay out.'],
  ['requests', 'Requests for margin positions.'],
];
const CONTROLS_TAG = [
  'paper',
  'Controls of the paper exchange itself. From this machine only, never from a web page; no real venue has them.',
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
    // Request budget of the call.
    'x-rate-limit-scope': scope,
  };
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
  const properties = listProperties(schema).map(([field, property]) => [field, describe(name, field, property)]);
  return { [bodyComponent(name)]: { ...schema, properties: Object.fromEntries(properties) } };
}

function pathParameters(name: EndpointName): JsonSchema[] {
  const names = declarationOf(name).path.matchAll(/\{(\w+)\}/g);
  return [...names].map(([, parameter = '']) => ({
    name: parameter,
    in: 'path',
    required: true,
    description: findParameterNote(parameter).description,
    schema: addExample(parameter, { type: 'string', minLength: 1, maxLength: MAX_PARAM_LENGTH }),
  }));
}

function queryParameters(name: EndpointName): JsonSchema[] {
  const schema = requestSchema(declarationOf(name).query);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return listProperties(schema).map(([parameter, property]) => ({
    name: parameter,
    in: 'query',
    required: required.includes(parameter),
    description: findParameterNote(parameter).description,
    schema: withDefault(name, parameter, addExample(parameter, property)),
    // A list is one comma-separated value.
    ...(property['type'] === 'array' ? { style: 'form', explode: false } : {}),
  }));
}

const listProperties = (schema: JsonSchema): [string, JsonSchema][] =>
  // zod writes schemas by name under `properties`.
  Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);

const describe = (name: EndpointName, field: string, property: JsonSchema): JsonSchema => ({
  description: findParameterNote(field).description,
  ...withDefault(name, field, addExample(field, property)),
});

function withDefault(name: EndpointName, parameter: string, schema: JsonSchema): JsonSchema {
  const { page } = declarationOf(name);
  const value = parameter === 'limit' ? page : ENDPOINT_NOTES[name].defaults?.[parameter];
  return value === undefined ? schema : { ...schema, default: value };
}

function addExample(parameter: string, schema: JsonSchema): JsonSchema {
  const { example } = findParameterNote(parameter);
  return example === undefined || 'enum' in schema ? schema : { ...schema, examples: [example] };
}

function findParameterNote(parameter: string): { readonly description: string; readonly example?: unknown } {
  // The table has a note for every declared name: its type is built from them.
  return PARAMETER_NOTES[parameter as keyof typeof PARAMETER_NOTES];
}
