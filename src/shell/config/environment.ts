/** Overrides from the environment: `TWINBOOK__RISK__MAX_LOSS_DAY=25` sets `risk.max_loss_day`. */

import { isAbsolute, resolve } from 'node:path';
import { unknownKey } from './explain-issues.js';
import { fieldName, type Problem } from './problems.js';
import type { SchemaNode } from './schema-tree.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'TWINBOOK__';

/** Bare words such as `paper` name shipped files; every other path is made absolute. */
const BARE_NAME = /^[A-Za-z0-9_-]+$/;

interface Overridden {
  readonly value: unknown;
  /** Field name (`risk.max_loss_day`) to the variable that set it. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Applies the environment's settings to a file's value. Names are case-insensitive, two underscores nest, lists are
 * comma-separated, the text `null` clears, relative paths are relative to `cwd`. Wrong ones are added to `problems`.
 */
export function applyEnvironment(
  value: unknown,
  getSchema: () => SchemaNode,
  env: Environment,
  cwd: string,
  problems: Problem[],
): Overridden {
  const sources = new Map<string, string>();
  let result = value;
  for (const name of Object.keys(env).sort()) {
    const text = env[name];
    if (!name.toUpperCase().startsWith(PREFIX) || text === undefined) continue;
    const complain = (complaint: string) => problems.push({ where: `environment ${name}`, field: '', text: complaint });
    const target = findField(getSchema(), name.slice(PREFIX.length));
    if (typeof target === 'string') {
      complain(target);
      continue;
    }
    const field = fieldName(target.path);
    const earlier = sources.get(field);
    if (earlier !== undefined) {
      complain(`sets ${field}, which ${earlier} sets too; keep one`);
      continue;
    }
    sources.set(field, name);
    result = withValue(result, target.path, readText(text, target.node, cwd));
  }
  return { value: result, sources };
}

function findField(schema: SchemaNode, name: string): { path: readonly string[]; node: SchemaNode } | string {
  let node = schema;
  const path: string[] = [];
  for (const part of name.toLowerCase().split('__')) {
    const known = Object.keys(node.properties ?? {});
    const next = Object.hasOwn(node.properties ?? {}, part) ? node.properties?.[part] : undefined;
    if (next === undefined) {
      const place = path.length === 0 ? '' : `${path.join('.')}: `;
      return known.length === 0 ? `${place}has no settings inside` : `${place}${unknownKey(part, known)}`;
    }
    path.push(part);
    node = next;
  }
  if (node.properties !== undefined)
    return `${path.join('.')} is a group; name one of its settings: ${Object.keys(node.properties).join(', ')}`;
  return { path, node };
}

/** The text as the field's kind of value; unchanged when it cannot be parsed, so that the schema explains it. */
function readText(text: string, node: SchemaNode, cwd: string): unknown {
  if (node.anyOf !== undefined) {
    if (text === 'null') return null;
    const option = node.anyOf.find((candidate) => candidate.type !== 'null');
    return option === undefined
      ? text
      : readText(text, { ...option, 'x-path': option['x-path'] ?? node['x-path'] ?? false }, cwd);
  }
  if (node.type === 'array') {
    const item = node.items ?? {};
    const parts = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    return parts.map((part) => readText(part, item, cwd));
  }
  if (node.type === 'integer' || node.type === 'number')
    return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
  if (node.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (node['x-path'] === true && text !== '' && !isAbsolute(text) && !BARE_NAME.test(text)) return resolve(cwd, text);
  return text;
}

function withValue(tree: unknown, path: readonly string[], value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  // A file with another value than a mapping here keeps its error, which the schema then explains.
  if (tree !== null && tree !== undefined && (typeof tree !== 'object' || Array.isArray(tree))) return tree;
  const fields = new Map<string, unknown>(Object.entries(tree ?? {}));
  fields.set(head, withValue(fields.get(head), rest, value));
  return Object.fromEntries(fields);
}
