/** Declared parameters for people (`twinbook strategies`) and for editors (`twinbook config schema`). */

import type { Strategy } from './contract.js';
import type { FieldSpec, ParamSpec } from './params.js';
import { FEED_NAME } from './read-params.js';

/** One line of the table of parameters; all texts. */
export interface ParamRow {
  readonly name: string;
  readonly unit: string;
  readonly range: string;
  readonly default: string;
  /** How a running trader takes up another value: `LiveClass`. */
  readonly live: string;
  readonly help: string;
}

/** The rows of a strategy's parameters; the fields of a list follow it as `bands[].min_margin_ticks`. */
export function paramTable(strategy: Strategy): readonly ParamRow[] {
  return Object.entries(strategy.params).flatMap(([name, spec]) => {
    const row = paramRow(name, spec);
    if (spec.kind !== 'rows') return [row];
    return [row, ...Object.entries(spec.fields).map(([field, inner]) => paramRow(`${name}[].${field}`, inner))];
  });
}

function paramRow(name: string, spec: ParamSpec): ParamRow {
  const value = typeof spec.default === 'object' ? JSON.stringify(spec.default) : String(spec.default);
  return {
    name,
    unit: describeUnit(spec),
    range: describeRange(spec),
    default: value,
    live: spec.live ?? 'restart',
    help: spec.help,
  };
}

function describeUnit(spec: ParamSpec): string {
  switch (spec.kind) {
    case 'integer':
    case 'number':
      return spec.unit;
    case 'shares':
    case 'rows':
    case 'feed':
      return spec.kind;
    case 'boolean':
    case 'choice':
      return '';
  }
}

function describeRange(spec: ParamSpec): string {
  switch (spec.kind) {
    case 'integer':
    case 'number':
    case 'shares':
      return `${spec.min} to ${spec.max}`;
    case 'boolean':
      return 'true, false';
    case 'choice':
      return spec.choices.join(', ');
    case 'feed':
      return spec.optional === true ? 'its name, or ""' : 'its name';
    case 'rows':
      return `${spec.minRows} to ${spec.maxRows} rows`;
  }
}

/** A JSON Schema (draft 2020-12) node, as far as parameters need one. */
export type JsonSchema = { readonly [key: string]: unknown };

/** The schema of what may stand under `params:` for this strategy. */
export function paramsSchema(strategy: Strategy): JsonSchema {
  return objectSchema(strategy.params);
}

function objectSchema(specs: Readonly<Record<string, ParamSpec>>): JsonSchema {
  const properties = Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, paramSchema(spec)]));
  return { type: 'object', additionalProperties: false, properties };
}

function paramSchema(spec: ParamSpec): JsonSchema {
  if (spec.kind !== 'rows') return { ...fieldSchema(spec), default: spec.default, description: spec.help };
  return {
    type: 'array',
    minItems: spec.minRows,
    maxItems: spec.maxRows,
    items: objectSchema(spec.fields),
    default: spec.default,
    description: spec.help,
  };
}

function fieldSchema(spec: FieldSpec): JsonSchema {
  switch (spec.kind) {
    case 'integer':
    case 'number':
      return { type: spec.kind, minimum: spec.min, maximum: spec.max };
    case 'shares':
      return { type: 'string', pattern: '^\\d+(\\.\\d{1,6})?$' };
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { type: 'string', enum: spec.choices };
    case 'feed':
      return { type: 'string', pattern: spec.optional === true ? `^$|${FEED_NAME.source}` : FEED_NAME.source };
  }
}
