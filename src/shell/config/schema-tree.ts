/** The schema as JSON Schema, walked by field: known keys and kinds of fields. */

import { z } from 'zod';

/** The parts of JSON Schema that our schemas use. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  /** Schema of entries with free names; false without any. */
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly required?: readonly string[];
  readonly 'x-path'?: boolean;
}

const written = new WeakMap<z.ZodType, SchemaNode>();

/**
 * The permitted input as JSON Schema (draft 2020-12); built at its first use, because a start without errors needs
 * none.
 */
export function jsonSchema(schema: z.ZodType): SchemaNode {
  const known = written.get(schema) ?? writeSchema(schema);
  written.set(schema, known);
  return known;
}

function writeSchema(schema: z.ZodType): SchemaNode {
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  // The library types its result loosely; SchemaNode names the parts read here, all optional.
  return JSON.parse(JSON.stringify(made), split) as SchemaNode;
}

/** Writes `type: [string, null]` as two options, so that readers of the tree need only one form. */
function split(_: string, node: unknown): unknown {
  if (typeof node !== 'object' || node === null || !('type' in node) || !Array.isArray(node.type)) return node;
  const { type: types, ...rest } = node;
  return { ...rest, anyOf: types.map((type: unknown) => ({ type })) };
}

/** The node of a field; null without one in the schema. */
export function describedAt(root: SchemaNode, path: readonly PropertyKey[]): SchemaNode | null {
  let node: SchemaNode = root;
  for (const step of path) {
    const mapping = asMapping(node);
    const next =
      typeof step === 'number'
        ? node.items
        : Object.hasOwn(mapping, step)
          ? mapping[String(step)]
          : getEntrySchema(node);
    if (next === undefined) return null;
    node = next;
  }
  return node;
}

export const knownKeys = (node: SchemaNode | null): readonly string[] =>
  node === null ? [] : Object.keys(asMapping(node));

/** Every key below the first level, with the names of the groups that hold it. */
export function placesBelow(root: SchemaNode): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  const walk = (node: SchemaNode, path: string): void => {
    for (const [key, inner] of Object.entries(asMapping(node))) {
      if (path !== '') places.set(key, [...(places.get(key) ?? []), path]);
      walk(inner, path === '' ? key : `${path}.${key}`);
    }
  };
  walk(root, '');
  return places;
}

export interface Setting {
  /** `risk.max_loss_day`. */
  readonly name: string;
  readonly node: SchemaNode;
  /** In its group, if the group is there. */
  readonly isRequired: boolean;
}

/** Every setting that is no group, in the order of the schema. */
export function listSettings(root: SchemaNode, group = ''): readonly Setting[] {
  return Object.entries(asMapping(root)).flatMap(([key, node]) => {
    const name = group === '' ? key : `${group}.${key}`;
    const own = getEntrySchema(node);
    const inner = own === undefined ? listSettings(node, name) : listSettings(own, `${name}.NAME`);
    return inner.length > 0 ? inner : [{ name, node, isRequired: root.required?.includes(key) ?? false }];
  });
}

/** Schema of each entry of a mapping whose names a person chooses. */
const getEntrySchema = ({ additionalProperties: inner }: SchemaNode): SchemaNode | undefined =>
  typeof inner === 'object' && inner.properties !== undefined ? inner : undefined;

const asMapping = (node: SchemaNode): Readonly<Record<string, SchemaNode>> =>
  node.properties ?? node.anyOf?.find((option) => option.properties !== undefined)?.properties ?? {};
