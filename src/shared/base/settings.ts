/** Converts a section of a configuration file to settings: camelCase names, absolute paths, null for absent values. */

import { z } from 'zod';
import type { Micros } from './micros.js';

type Camel<K extends string> = K extends `${infer Head}_${infer Rest}` ? `${Head}${Capitalize<Camel<Rest>>}` : K;

type Name<K extends string, V> = K extends `${infer Head}_mb`
  ? `${Camel<Head>}Bytes`
  : NonNullable<V> extends Micros
    ? `${Camel<K>}Micros`
    : Camel<K>;

type Value<V> = V extends undefined ? null : V extends readonly (infer T)[] ? readonly T[] : V;

/** Settings of a section: `max_loss_day` is `maxLossDayMicros`, `max_mb` is `maxBytes`, absent settings are null. */
type Settings<F> = {
  readonly [K in keyof F & string as Name<K, F[K]>]-?: Value<F[K]>;
};

/** Marks in the `.meta()` of a setting's schema. An amount is parsed into Micros; a path is made absolute. */
export const AMOUNT = { 'x-amount': true } as const;
export const PATH = { 'x-path': true } as const;

/** Converts the parsed values of a section to settings. @param absolute makes a path of the file absolute */
export function toSettings<F extends object>(
  schema: z.core.$ZodType<F | undefined>,
  values: F,
  absolute: (path: string) => string = (path) => path,
): Settings<F> {
  const fields = Object.entries(shapeOf(schema)).map(([key, field]) => {
    const value: unknown = Reflect.get(values, key) ?? null;
    const taken = key.endsWith('_mb') ? Number(value) * 1_000_000 : value;
    return [settingKey(key, field), findMark(field, 'x-path') === true ? resolvePaths(taken, absolute) : taken];
  });
  // The cast is safe, because the type `Settings` maps the names by the same rules.
  return Object.fromEntries(fields) as Settings<F>;
}

/** Returns the name that a setting has in the result of `toSettings`. */
export function settingKey(key: string, field: z.core.$ZodType): string {
  const unit = key.endsWith('_mb') ? 'Bytes' : findMark(field, 'x-amount') === true ? 'Micros' : '';
  return key.replace(/_mb$/, '').replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) + unit;
}

/** Returns the value of a mark in the `.meta()` of a schema or of its inner schema; undefined without the mark. */
export function findMark(schema: z.core.$ZodType, mark: string): unknown {
  const own = z.globalRegistry.get(schema)?.[mark];
  const inner = own === undefined ? unwrap(schema) : null;
  return inner === null ? own : findMark(inner, mark);
}

function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
  if (schema instanceof z.ZodObject) return schema.shape;
  const inner = unwrap(schema);
  return inner === null ? {} : shapeOf(inner);
}

function unwrap({ _zod: { def } }: z.core.$ZodType): z.core.$ZodType | null {
  const wrapped = def as { readonly innerType?: z.core.$ZodType; readonly element?: z.core.$ZodType };
  return wrapped.innerType ?? wrapped.element ?? null;
}

function resolvePaths(value: unknown, absolute: (path: string) => string): unknown {
  if (Array.isArray(value)) return value.map((path: string) => absolute(path));
  return typeof value === 'string' ? absolute(value) : value;
}
