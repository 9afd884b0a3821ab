/** Answers of a call: its success in the envelope, and every refusal under its status. */

import { z } from 'zod';
import { type Declaration, declarationOf, type EndpointName } from '../../../shared/protocol/endpoints.js';
import { SERVICE_ERRORS, type ServiceErrorSlug } from '../../../shared/protocol/errors.js';
import { ERROR_NOTES } from '../../../shared/protocol/notes.js';
import * as records from '../../../shared/protocol/records.js';

/** A JSON Schema, or a part of an OpenAPI document. Inputs are liberal; records have every property and no other. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema as zod writes it; changed in place. */
interface Writing {
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

/** A reference to a named schema of the document. */
export const ref = (component: string): JsonSchema => ({ $ref: `#/components/schemas/${component}` });

/** `orderRow` as a component is `OrderRow`; `orders.create` is `OrdersCreate`. */
export const pascal = (name: string) => name.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Accepted input of a schema. */
export function requestSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...written } = z.toJSONSchema(schema, { io: 'input', override: withoutIntegerBounds });
  return written;
}

/** The answer of a schema that is no record of the service. */
export function answerSchema(schema: z.ZodObject): JsonSchema {
  const { $schema: _dialect, ...written } = z.toJSONSchema(schema);
  for (const property of Object.values(written.properties ?? {}))
    if (typeof property === 'object') simplifyNull(property);
  return written;
}

/** Every record of the service under its component name, as the paper exchange answers it. */
export function recordSchemas(): Readonly<Record<string, JsonSchema>> {
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

/** The `data` of an answer: a record, or a list of records. */
function dataSchema(data: z.ZodType): JsonSchema {
  if (data instanceof z.ZodArray) return { type: 'array', items: dataSchema(data.element as z.ZodType) };
  const name = namedRecords().find(([, record]) => record === data)?.[0];
  // Every call answers a record of protocol/records.ts.
  if (name === undefined) throw new Error('an endpoint answers something that records.ts does not export');
  return ref(name);
}

const namedRecords = (): readonly (readonly [string, z.ZodType])[] =>
  Object.entries(records).map(([name, record]) => [pascal(name), record]);

/** Bounds that only mean "a safe integer" do not help a reader. */
function withoutIntegerBounds({ jsonSchema }: Writing): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** Drops null where the paper exchange always gives a value; else makes `anyOf: [a string, null]` `string or null`. */
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

/** Properties that a record may lack. The interface: `order_min_size` may be absent. */
const MAY_BE_ABSENT: readonly string[] = ['order_min_size'];

function exact({ jsonSchema }: Writing): void {
  // A reference with its own description: the referenced record states its required fields.
  if (jsonSchema.$ref !== undefined) delete jsonSchema.required;
  if (jsonSchema.properties === undefined) return;
  jsonSchema.required = Object.keys(jsonSchema.properties).filter((name) => !MAY_BE_ABSENT.includes(name));
  jsonSchema.additionalProperties = false;
}

/** The interface: `video_url` is "present in the single-event response". */
function eventListRow(components: readonly (readonly [string, z.core.JSONSchema.BaseSchema])[]): JsonSchema {
  const { properties = {}, required = [], ...schema } = Object.fromEntries(components)['EventRow'] ?? {};
  const { video_url: _video, ...rest } = properties;
  const description = 'A group of markets in the list: without `video_url`, with at most two of its markets.';
  return { ...schema, description, properties: rest, required: required.filter((name) => name !== 'video_url') };
}

/** Example values by property name; the first match counts. */
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
/** Example of all other decimals. */
const EXAMPLE_AMOUNT = '10';

/** Simplifies the null of every property and adds an example of its value. */
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

/** Headers of every answer; rate headers only for counted calls. */
const RATE_HEADERS = {
  'X-RateLimit-Limit': header('X-RateLimit-Limit'),
  'X-RateLimit-Remaining': header('X-RateLimit-Remaining'),
  'X-RateLimit-Reset': header('X-RateLimit-Reset'),
};

const integer = { type: 'integer', minimum: 0 };

export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-RateLimit-Limit': {
    description:
      'Requests that the budget of this call allows in any 60 seconds. Absent when the exchange runs without limits.',
    schema: integer,
  },
  'X-RateLimit-Remaining': { description: 'How many of them are left now.', schema: integer },
  'X-RateLimit-Reset': { description: 'When the next one is free again, Unix seconds.', schema: integer },
  'Retry-After': { description: 'Seconds to wait.', required: true, schema: { type: 'integer', minimum: 1 } },
  Location: { description: 'Path of the record that was created.', required: true, schema: { type: 'string' } },
  Allow: { description: 'The methods that this path has.', required: true, schema: { type: 'string' } },
};

/** Schemas used only by envelopes. */
export const ENVELOPE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  NoMeta: { description: 'Empty: there is nothing to say.', type: 'object', additionalProperties: false },
  PageMeta: object({
    limit: { ...integer, description: 'The page size that was used.' },
    next_cursor: { type: ['string', 'null'], description: 'Send it as `cursor` for the next page; null on the last.' },
  }),
  OutcomeMeta: object({ is_yes: { type: 'boolean', description: 'Whose prices these are.' } }),
  ErrorDetails: {
    description: 'For a validation failure one object for each invalid field, from its name to the error; else empty.',
    type: 'array',
    items: { type: 'object', minProperties: 1, maxProperties: 1, additionalProperties: { type: 'string' } },
  },
};

/** Schema of an object with exactly these properties. */
export function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Schema of the envelope around this data. */
export const envelope = (data: JsonSchema, meta: JsonSchema) => object({ data, meta, error: { type: 'null' } });

/** A schema as the content of a JSON body. */
export const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

/** The success of a call, as an OpenAPI response. */
export function successAnswer(name: EndpointName): JsonSchema {
  const declaration = declarationOf(name);
  const data = name === 'events.list' ? { type: 'array', items: ref('EventListRow') } : dataSchema(declaration.data);
  return {
    description: declaration.status === 201 ? 'Done; the record is new.' : 'Done.',
    headers: { ...RATE_HEADERS, ...(declaration.location === undefined ? {} : { Location: header('Location') }) },
    content: json(envelope(data, ref(chooseMeta(declaration)))),
  };
}

function chooseMeta(declaration: Declaration): string {
  if (declaration.page !== undefined) return 'PageMeta';
  return declaration.outcomeMeta === true ? 'OutcomeMeta' : 'NoMeta';
}

/** Refusals as responses by status; equal refusals share a component. */
export function errorAnswers(slugs: readonly ServiceErrorSlug[]): Readonly<Record<string, JsonSchema>> {
  const answers: Record<string, JsonSchema> = {};
  for (const [status, some] of byStatus(slugs))
    answers[status] = { $ref: `#/components/responses/${makeKey(status, some)}` };
  return answers;
}

/** Answers of any path and method without a call. */
export const NO_CALL_ERRORS: readonly (readonly ServiceErrorSlug[])[] = [
  [
    ...(['not_found', 'method_not_allowed', 'invalid_request_params', 'request_too_large'] as const),
    ...(['request_headers_too_large', 'throttled', 'internal_error'] as const),
  ],
];

/** Components that `errorAnswers` of these lists reference. */
export function errorComponents(lists: readonly (readonly ServiceErrorSlug[])[]): Readonly<Record<string, JsonSchema>> {
  const components: Record<string, JsonSchema> = {};
  for (const slugs of lists) {
    for (const [status, some] of byStatus(slugs)) components[makeKey(status, some)] ??= errorAnswer(some);
  }
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
  const retry = slugs.includes('throttled') ? { 'Retry-After': header('Retry-After') } : {};
  const allow = slugs.includes('method_not_allowed') ? { Allow: header('Allow') } : {};
  return {
    description: slugs.map((slug) => `\`${slug}\`: ${ERROR_NOTES[slug].when} ${ERROR_NOTES[slug].advice}`).join('\n\n'),
    headers: { ...RATE_HEADERS, ...retry, ...allow },
    content: json(errorEnvelope(slugs)),
  };
}

function errorEnvelope(slugs: readonly ServiceErrorSlug[]): JsonSchema {
  const nothing = { type: 'null' };
  const [only, ...more] = slugs.map((slug) => ref(errorComponent(slug)));
  const error = more.length === 0 ? only : { oneOf: [only, ...more] };
  return object({ data: nothing, meta: nothing, error: error ?? {} });
}

/** `not_found` as a component is `NotFoundError`. */
const errorComponent = (slug: ServiceErrorSlug): string => `${pascal(slug.replaceAll('_', '.'))}Error`;

/** Every refusal as a component with its slug and code. */
export function errorSchemas(): Readonly<Record<string, JsonSchema>> {
  // The keys of an object of constants are its slugs.
  const slugs = Object.keys(SERVICE_ERRORS) as ServiceErrorSlug[];
  return Object.fromEntries(
    slugs.map((slug) => {
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
