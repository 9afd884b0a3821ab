/** The requirements of an OpenAPI document: its operations, and values that fit its schemas. */

import type { Random } from '../../src/shared/base/random.js';
import { pick } from './values.js';

export type Json = Readonly<Record<string, unknown>>;

/** The parts of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

export interface Operation {
  readonly method: string;
  /** With `{name}` in place of a parameter. */
  readonly path: string;
  readonly scope: 'public' | 'signed' | 'bootstrap' | 'paper';
  readonly query: readonly Field[];
  /** Null for a call without a body. */
  readonly body: readonly Field[] | null;
  /** Status of success. */
  readonly status: number;
  /** Schema of the whole body of a success. */
  readonly success: Schema;
}

interface WrittenOperation {
  readonly parameters?: readonly (Field & { readonly in: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
  readonly 'x-rate-limit-scope'?: Operation['scope'];
}
interface Content {
  readonly 'application/json': { readonly schema: Schema };
}

export class Document {
  readonly json: Json;
  readonly operations: readonly Operation[];

  /** `json`: the content of `/openapi.json`. */
  constructor(json: Json) {
    this.json = json;
    // The document is our own; test/exchange/openapi/ checks that it is OpenAPI.
    const paths = json['paths'] as Readonly<Record<string, Readonly<Record<string, WrittenOperation>>>>;
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, written]) => this.#operation(method.toUpperCase(), path, written)),
    );
  }

  #operation(method: string, path: string, written: WrittenOperation): Operation {
    const { parameters = [], requestBody, responses } = written;
    const status = '201' in responses ? 201 : 200;
    return {
      method,
      path,
      scope: written['x-rate-limit-scope'] ?? 'paper',
      query: parameters.filter((parameter) => parameter.in === 'query'),
      body: requestBody === undefined ? null : this.fieldsOf(requestBody.content['application/json'].schema),
      status,
      success: responses[status]?.content['application/json'].schema ?? {},
    };
  }

  resolve(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    let part: unknown = this.json;
    for (const key of schema.$ref.split('/').slice(1)) part = (part as Json)[key]; // a pointer of the document itself
    return this.resolve(part as Schema);
  }

  fieldsOf(schema: Schema): readonly Field[] {
    const { properties = {}, required = [] } = this.resolve(schema);
    return Object.entries(properties).map(([name, field]) => ({
      name,
      schema: field,
      required: required.includes(name),
    }));
  }

  sample(random: Random, given: Schema): unknown {
    const schema = this.resolve(given);
    const { enum: words, anyOf, oneOf } = schema;
    if (schema.const !== undefined) return schema.const;
    if (words !== undefined) return pick(random, [words[0], ...words]);
    const [first, ...more] = anyOf ?? oneOf ?? [];
    if (first !== undefined) return this.sample(random, pick(random, [first, ...more]));
    return this.#sampleType(random, schema);
  }

  #sampleType(random: Random, schema: Schema): unknown {
    const [first, ...more] = [schema.type ?? 'null'].flat();
    switch (pick(random, [first ?? 'null', ...more])) {
      case 'string':
        return schema.pattern === undefined ? `text ${random.below(1000)}` : decimalText(random);
      case 'integer':
        return (schema.minimum ?? 0) + random.below(Math.min(schema.maximum ?? 1000, 1000) - (schema.minimum ?? 0) + 1);
      case 'number':
        return (schema.minimum ?? 0) + random.below(100) / 4;
      case 'boolean':
        return random.chance(0.5);
      case 'array':
        return Array.from({ length: random.below(4) }, () => this.sample(random, schema.items ?? {}));
      case 'object':
        return this.#sampleObject(random, schema);
      default:
        return null;
    }
  }

  #sampleObject(random: Random, schema: Schema): Json {
    const fields = this.fieldsOf(schema).filter(({ required }) => required || random.chance(0.5));
    return Object.fromEntries(fields.map(({ name, schema: field }) => [name, this.sample(random, field)]));
  }
}

/** At most two decimals: on the grid of every shipped market. */
const decimalText = (random: Random): string =>
  String(random.chance(0.5) ? random.below(100) / 100 : 1 + random.below(5000) / 100);
