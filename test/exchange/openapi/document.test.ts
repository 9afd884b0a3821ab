import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { SPORTS } from '../../../src/exchange/core/market.js';
import { CONTROL_NOTES, openApiDocument } from '../../../src/exchange/http/openapi/document.js';
import { declarationOf, ENDPOINTS, type EndpointName } from '../../../src/shared/protocol/endpoints.js';
import { SERVICE_ERRORS } from '../../../src/shared/protocol/errors.js';
import { ENDPOINT_NOTES, PARAMETER_NOTES } from '../../../src/shared/protocol/notes.js';
import * as records from '../../../src/shared/protocol/records.js';
import { PROFILE, send } from '../http/harness.js';
import { sharedExchange } from '../http/shared-exchange.js';

const { url } = await sharedExchange({ controls: false, rateLimits: true });
const document = openApiDocument({ profile: PROFILE, controls: true }) as Readonly<Record<string, unknown>>;

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('describes every record and every field of it', () => {
    const { schemas } = document['components'] as { readonly schemas: Readonly<Record<string, Described>> };
    const names = Object.keys(records).map((name) => name.charAt(0).toUpperCase() + name.slice(1));
    const missing = names.flatMap((name) => {
      const { description, oneOf, ...schema } = schemas[name] ?? {};
      const fields = (oneOf ?? [schema]).flatMap(({ properties = {} }) => Object.entries(properties));
      const bare = fields.filter(([, field]) => field.description === undefined).map(([field]) => `${name}.${field}`);
      return description === undefined ? [name, ...bare] : bare;
    });
    expect(missing).toEqual([]);
    expect(names.length).toBeGreaterThan(25);
  });

  it('resolves every reference that it makes', () => {
    const text = JSON.stringify(document);
    const references = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path));
    const resolve = (path: string) =>
      path.split('/').reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], document);
    expect([...references].filter((path) => resolve(path) === undefined)).toEqual([]);
    expect(references.size).toBeGreaterThan(50);
  });

  it('has every declared call, and each operation a name of its own', () => {
    const paths = document['paths'] as Record<string, Record<string, { operationId: string }>>;
    expect(Object.values(ENDPOINTS).filter(({ path, method }) => !paths[path]?.[method.toLowerCase()])).toEqual([]);
    const names = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    expect(new Set(names).size).toBe(names.length);
  });

  it('has every error of the table', () => {
    const responses = Object.keys((document['components'] as { responses: object }).responses).join('.');
    expect(Object.keys(SERVICE_ERRORS).filter((slug) => !responses.split('.').includes(slug))).toEqual([]);
  });

  it('shows bodies that the calls take', () => {
    for (const [name, { bodies = {} }] of Object.entries(ENDPOINT_NOTES)) {
      const { body } = declarationOf(name as EndpointName);
      for (const example of Object.values(bodies)) expect(body?.safeParse(example).error).toBeUndefined();
    }
  });

  it('shows examples that are what they are examples of', () => {
    const { schemas } = document['components'] as { readonly schemas: Readonly<Record<string, Described>> };
    expect(Object.entries(schemas).flatMap(([name, schema]) => wrongExamples(schema, name))).toEqual([]);
    expect(SPORTS.map(({ slug }) => slug)).toContain(PARAMETER_NOTES['sport']?.example);
  });

  it('knows what every control answers', () => {
    const paths = Object.entries(document['paths'] as Record<string, Record<string, unknown>>);
    const controls = paths
      .filter(([path]) => path.startsWith('/paper/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
    expect(controls.sort()).toEqual(Object.keys(CONTROL_NOTES).sort());
  });
});

interface Described {
  readonly description?: string;
  readonly oneOf?: readonly Described[];
  readonly properties?: Readonly<Record<string, Described>>;
  readonly examples?: readonly unknown[];
}

const ajv = new Ajv2020({ strict: false });

/** Places where an example is invalid under its own schema. */
function wrongExamples(schema: Described, where: string): string[] {
  const { examples = [], properties = {} } = schema;
  const own = examples.every((example) => ajv.validate(schema, example)) ? [] : [where];
  const inner = Object.entries(properties).flatMap(([name, property]) => wrongExamples(property, `${where}.${name}`));
  return [...own, ...inner];
}

describe('GET /openapi.json', () => {
  it('answers the document of the exchange as it runs, counted as a public request', async () => {
    const response = await fetch(`${url}/openapi.json`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(response.headers.get('x-ratelimit-limit')).toBe('120');
    expect(await response.json()).toEqual(openApiDocument({ profile: PROFILE, controls: false }));
  });

  it('is refused in the envelope under any other method', async () => {
    const { status, slug, headers } = await send(url, 'POST', '/openapi.json');
    expect([status, slug, headers.get('allow')]).toEqual([405, 'method_not_allowed', 'GET']);
  });
});
