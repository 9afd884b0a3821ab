/** One operation of the document per declared call. */

import { declarationOf, type EndpointName } from '../../../shared/protocol/endpoints.js';
import { ENDPOINT_NOTES, listErrors } from '../../../shared/protocol/notes/endpoints.js';
import { PARAMETER_NOTES } from '../../../shared/protocol/notes/parameters.js';
import { MAX_PARAM_LENGTH } from '../paths.js';
import { errorAnswers, json, successAnswer } from './answers.js';
import { type JsonSchema, pascal, ref, requestSchema } from './schemas.js';

/** A declared call as an OpenAPI operation. */
export function makeOperation(name: EndpointName): JsonSchema {
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

/** Body of a call as a component; none for a call without one. */
export function bodyComponents(name: EndpointName): Readonly<Record<string, JsonSchema>> {
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
