/** Schemas of single values in requests and answers. A schema that converts text declares its JSON Schema in `meta`. */

import { z } from 'zod';
import { type Micros, ONE, parseDecimal } from '../base/micros.js';

/** Number of uncompiled parses before zod compiles a schema. These parses cost as much time as the compilation. */
const PARSES_UNCOMPILED = 100;

/** Number of parses of each schema that is not yet compiled. */
const parses = new WeakMap<z.ZodType, number>();

/** Works like `schema.safeParse(value)`, but compiles the schema only after 100 parses, so that the start is faster. */
export function parseBySchema<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> {
  const before = parses.get(schema) ?? 0;
  if (before >= PARSES_UNCOMPILED) return schema.safeParse(value);
  parses.set(schema, before + 1);
  return schema.safeParse(value, { jitless: true });
}

/** A decimal string parsed into exact Micros. More than six significant decimals are rejected, not rounded. */
export const money = z
  .string()
  .transform((text, context): Micros => {
    const value = parseDecimal(text);
    if (value !== null) return value;
    context.addIssue({ code: 'custom', message: 'A decimal string with at most 6 decimal places is required.' });
    return z.NEVER;
  })
  .meta({ pattern: '^-?\\d{1,16}(\\.\\d{1,6}0*)?$' });

/** Maximum amount of shares or currency, in Micros. The sum of nine such amounts is still an exact integer. */
export const LARGEST_AMOUNT = 1_000_000_000_000_000 as Micros;

/** Schema of a decimal string of any precision. The string stays text, because the trader never calculates with it. */
export const decimalText = z.string().regex(/^-?\d{1,30}(\.\d{1,30})?$/, 'A decimal string is required.');

/** Schema of a body field that a caller may omit or send as null. A missing or null field is parsed as undefined. */
export const ungiven = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

/** Schema of text with at most `max` characters. */
export const text = (max: number) => z.string().max(max, `Ensure this field has no more than ${max} characters.`);

/** Schema of a fee rate as a fraction of price x amount. A negative rate is a rebate. */
export const rate = money
  .refine((value) => Math.abs(value) <= ONE, 'A rate from -1 to 1 is required.')
  .meta({ pattern: '^-?\\d{1,16}(\\.\\d{1,6}0*)?$' });
