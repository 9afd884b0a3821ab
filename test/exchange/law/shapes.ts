/** A document's rules for a value, in zod: exactly these fields, and null only where it says so. */

import { z } from 'zod';

export type Shape = z.ZodType;

export const text = z.string();
export const flag = z.boolean();
export const integer = z.int();
export const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
/** Base58 of 32 bytes. */
export const pubkey = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
/** Unix seconds; the bound excludes milliseconds. */
export const seconds = z.int().lt(100_000_000_000);
export const oneOf = (...allowed: readonly string[]) => z.enum(allowed);
export const nullOr = (inner: Shape) => inner.nullable();
export const listOf = (inner: Shape) => z.array(inner);

type Fields = Readonly<Record<string, Shape>>;
export const decimals = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, decimal]));

/** A missing field is an error, and so is an additional one. */
export const record = (fields: Fields, mayBeAbsent: Fields = {}) =>
  z.strictObject({ ...fields, ...z.object(mayBeAbsent).partial().shape });

/** Selects the shape by a field of the value. */
export const byField = (name: string, shapes: Fields): Shape =>
  z.record(z.string(), z.unknown()).superRefine((value, context) => {
    const found = shapes[String(value[name])];
    const wrong =
      found === undefined ? [`${name}: none of ${Object.keys(shapes).join(', ')}`] : problemsIn(found, value);
    for (const message of wrong) context.addIssue({ code: 'custom', message });
  });

/** Errors of a value, in sentences. */
export const problemsIn = (shape: Shape, value: unknown, at = ''): readonly string[] =>
  (shape.safeParse(value).error?.issues ?? []).map(({ path, message }) => `${[at, ...path].join('.')}: ${message}`);

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
