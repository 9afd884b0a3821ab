/**
 * Parses with a zod schema that is used once or for months. At its first parse zod compiles code for every object of a
 * schema, which takes a fifteenth of a trader's start; afterwards the schema is fast.
 */

import type { z } from 'zod';

/** Parses of a schema before its code is compiled: about as many as its compiling costs. */
const PARSES_UNCOMPILED = 100;

/** Number of parses, for schemas whose code is not compiled. */
const parses = new WeakMap<z.ZodType, number>();

/** As `schema.safeParse(value)`, with the same result. */
export function parseBySchema<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> {
  const before = parses.get(schema) ?? 0;
  if (before >= PARSES_UNCOMPILED) return schema.safeParse(value);
  parses.set(schema, before + 1);
  return schema.safeParse(value, { jitless: true });
}
