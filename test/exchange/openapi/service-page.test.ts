/**
 * The parts of docs/service.md that follow from the declarations: calls, parameters, records and errors, as Markdown.
 * The test compares them with the page; `UPDATE_DOCS=1` writes them into it.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../src/exchange/http/openapi/document.js';
import {
  type Declaration,
  declarationOf,
  ENDPOINTS,
  type EndpointName,
} from '../../../src/shared/protocol/endpoints.js';
import { SERVICE_ERRORS, type ServiceErrorSlug } from '../../../src/shared/protocol/errors.js';
import { ENDPOINT_NOTES, ERROR_NOTES, PARAMETER_NOTES } from '../../../src/shared/protocol/notes.js';
import { requestSignature } from '../../../src/shared/protocol/signing.js';
import type { Schema } from '../../fuzz/schema.js';
import { PROFILE } from '../http/harness.js';

const PATH = 'docs/service.md';
const page = readFileSync(PATH, 'utf8');

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<
    Record<string, { readonly content: { readonly 'application/json': { readonly schema: Schema } } }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

/** The blocks by name, made from the document. */
function blocksOf(json: object): Readonly<Record<string, string>> {
  // The tests of the document check that it is valid OpenAPI.
  const document = json as Document;
  return { calls: calls(document), parameters: parameters(), records: records(document), errors: errors() };
}

/** The page with these blocks between their `<!-- name -->` and `<!-- /name -->`. */
function withBlocks(page: string, blocks: Readonly<Record<string, string>>): string {
  let text = page;
  for (const [name, block] of Object.entries(blocks)) {
    const [head, rest = ''] = text.split(`<!-- ${name} -->`);
    const tail = rest.split(`<!-- /${name} -->`)[1];
    if (tail === undefined) throw new Error(`the page has no place for ${name}`);
    text = `${head}<!-- ${name} -->\n\n${block.trim()}\n\n<!-- /${name} -->${tail}`;
  }
  return text;
}

function calls(document: Document): string {
  const names = Object.keys(ENDPOINTS) as EndpointName[];
  const groups = document.tags.filter(({ name }) => name !== 'paper');
  return groups
    .map(({ name: tag }) => {
      const own = names.filter((name) => name.startsWith(`${tag}.`));
      return `### ${capital(tag)}\n\n${own.map((name) => call(document, name)).join('\n')}`;
    })
    .join('\n\n');
}

function call(document: Document, name: EndpointName): string {
  // The page names the errors of many calls once, such as not_found for an id in the path.
  const { summary, description, errors: slugs = [] } = ENDPOINT_NOTES[name];
  const declaration = declarationOf(name);
  const operation = document.paths[declaration.path]?.[declaration.method.toLowerCase()];
  const query = (operation?.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const takes = query
    .filter(({ name: field }) => !PAGING.has(field))
    .map(({ name: field, required, schema }) => taken(field, required, schema));
  const body = bodyFields(document, operation);
  return [
    `**\`${declaration.method} ${declaration.path}\`** (${declaration.scope}): ${summary}.${description === undefined ? '' : ` ${description}`}`,
    '',
    ...(takes.length === 0 ? [] : [`- query: ${takes.join('; ')}`]),
    ...(body.length === 0 ? [] : [`- body: ${body.join('; ')}`]),
    `- answer ${declaration.status}: ${answered(declaration, operation)}`,
    ...(slugs.length === 0 ? [] : [`- errors: ${slugs.map((slug) => `\`${slug}\``).join(', ')}`]),
    '',
  ].join('\n');
}

/** Parameters that the answer's page shows. */
const PAGING = new Set(['limit', 'cursor']);

function bodyFields(document: Document, operation: Operation | undefined): string[] {
  const schema = operation?.requestBody?.content['application/json'].schema;
  const body = schema?.$ref === undefined ? schema : document.components.schemas[componentOf(schema)];
  return Object.entries(body?.properties ?? {}).map(([name, property]) =>
    taken(name, body?.required?.includes(name) ?? false, property),
  );
}

function taken(name: string, required: boolean, schema: Schema): string {
  const words = schema.enum ?? schema.items?.enum;
  const range =
    schema.minimum === undefined || schema.maximum === undefined ? '' : ` ${schema.minimum} to ${schema.maximum}`;
  const type = typeOf(schema) === 'string' ? '' : ` ${typeOf(schema)}${range}`;
  const kind = words === undefined ? type : ` ${words.map((word) => `\`${word}\``).join(' ')}`;
  const fallback = schema.default === undefined ? '' : `, default \`${String(schema.default)}\``;
  return `\`${name}\`${required ? ' (required)' : ''}${kind}${fallback}`;
}

function answered({ page, location }: Declaration, operation: Operation | undefined): string {
  const success = Object.entries(operation?.responses ?? {}).find(([status]) => status.startsWith('2'))?.[1];
  const data = success?.content['application/json'].schema.properties?.['data'] ?? {};
  const row = data.items ?? data;
  const link = `[${componentOf(row)}](#${componentOf(row).toLowerCase()})`;
  const limit = operation?.parameters?.find(({ name }) => name === 'limit')?.schema;
  const size = page === undefined ? 'all' : `pages of ${limit?.default} (at most ${limit?.maximum})`;
  const what = data.items === undefined ? link : `${size} ${link}`;
  return location === undefined ? what : `${what}, with a \`Location\``;
}

function parameters(): string {
  const rows = Object.entries(PARAMETER_NOTES).map(([name, { description }]) => `- \`${name}\`: ${description}`);
  return rows.sort().join('\n');
}

const ENVELOPES = /(Error|Meta|Body|ErrorDetails)$/;

/** Records with all fields of another one: the page shows the other rows only. */
const BASES: Readonly<Record<string, string>> = {
  ...{ MarketListRow: 'MarketSummary', MarketDetail: 'MarketListRow' },
  ...{ EventRow: 'EventListRow', CancelledRequestRow: 'RequestRow' },
};

function records({ components: { schemas } }: Document): string {
  return Object.entries(schemas)
    .filter(([name]) => !ENVELOPES.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => {
      const base = BASES[name];
      const known = new Set(base === undefined ? [] : fieldRows(schemas[base] ?? {}));
      const lead =
        base === undefined ? '' : ` It has the fields of [${base}](#${base.toLowerCase()}), with these new or changed:`;
      const rows = fieldRows(schema).filter((row) => !known.has(row));
      return `### ${name}\n\n${schema.description}${lead}\n\n${rows.join('\n')}`;
    })
    .join('\n\n');
}

function fieldRows(schema: Schema): string[] {
  const types = new Map<string, Set<string>>();
  const meanings = new Map<string, string>();
  for (const [path, property] of (schema.oneOf ?? [schema]).flatMap((alternative) => fields(alternative, ''))) {
    types.set(path, (types.get(path) ?? new Set()).add(typeOf(property)));
    meanings.set(path, property.description ?? '');
  }
  return [...types].map(([path, names]) => `- \`${path}\` (${[...names].join(' or ')}): ${meanings.get(path)}`);
}

function fields(schema: Schema, prefix: string): [string, Schema][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const inner = property.anyOf?.find(({ properties }) => properties !== undefined) ?? property;
    return [[path, property] as [string, Schema], ...fields(inner, `${path}.`)];
  });
}

function typeOf(schema: Schema): string {
  const { $ref, type, items, anyOf, pattern } = schema;
  if ($ref !== undefined) return `[${componentOf(schema)}](#${componentOf(schema).toLowerCase()})`;
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${word}\``).join(' ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  const types = typeof type === 'string' ? [type] : (type ?? ['any']);
  return types.map((name) => (name === 'string' && pattern !== undefined ? 'decimal' : name)).join(' or ');
}

function errors(): string {
  const slugs = Object.keys(SERVICE_ERRORS) as ServiceErrorSlug[];
  const rows = slugs.map((slug) => {
    const { status, code } = SERVICE_ERRORS[slug];
    const { when, advice } = ERROR_NOTES[slug];
    return `| \`${slug}\` | ${status} | ${code} | ${when} | ${advice} |`;
  });
  return ['| Slug | Status | Code | When | What to do |', '|---|---|---|---|---|', ...rows].join('\n');
}

const componentOf = ({ $ref = '' }: Schema): string => $ref.split('/').at(-1) ?? '';
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

describe('docs/service.md', () => {
  it('lists the calls, parameters, records and errors that there are (UPDATE_DOCS=1 writes them)', () => {
    const wanted = withBlocks(page, blocksOf(openApiDocument({ profile: PROFILE, controls: true })));
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PATH, wanted);
    else expect(page).toBe(wanted);
  });

  it('shows signatures that are right', () => {
    const secret = /secret `(\w+)`/.exec(page)?.[1] ?? '';
    const vectors = [...page.matchAll(/^\| `(\d{10})(GET|POST)(\/[^`{]*)(\{[^`]*)?` \| `([0-9a-f]{64})` \|$/gm)];
    expect(vectors.length).toBeGreaterThanOrEqual(3);
    for (const [, timestamp = '', method = '', pathWithQuery = '', body = '', hex] of vectors)
      expect(requestSignature(secret, { timestamp, method, pathWithQuery, body })).toBe(hex);
  });
});
