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

/** Schema of money from 0 to `units` units. A larger value from a venue is an error. */
const upTo = (units: number) =>
  money
    .refine((value) => value >= 0, 'Ensure this value is greater than or equal to 0.')
    .refine((value) => value <= units * 1_000_000, `Ensure this value is less than or equal to ${units}.`)
    .meta({ pattern: '^\\d{1,16}(\\.\\d{1,6}0*)?$' });

/** Schema of an outcome's price, 0 to 1. */
export const price = upTo(1);

/** Maximum amount of shares or currency, in Micros. The sum of nine such amounts is still an exact integer. */
export const LARGEST_AMOUNT = 1_000_000_000_000_000 as Micros;

/** Schema of shares or currency that are held, paid or owed: 0 to 10^9 units. */
export const amount = upTo(LARGEST_AMOUNT / ONE);

/** Schema of a decimal string of any precision. The string stays text, because the trader never calculates with it. */
export const decimalText = z.string().regex(/^-?\d{1,30}(\.\d{1,30})?$/, 'A decimal string is required.');

/** Schema of a value that a venue may omit or send as null. A missing value is parsed as null. */
export const absent = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);

/** Schema like `absent`, for a value that the paper exchange always sends but other venues may omit. */
export const given = <T extends z.ZodType>(schema: T) => absent(schema).meta({ isAlwaysGiven: true });

/** Schema of a body field that a caller may omit or send as null. A missing or null field is parsed as undefined. */
export const ungiven = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

export const unixSeconds = z.number().int();

/** Schema of text with at most `max` characters. */
export const text = (max: number) => z.string().max(max, `Ensure this field has no more than ${max} characters.`);

/** Schema of a query parameter that is sent as `true` or `false`. */
export const queryBoolean = z
  .enum(['true', 'false'], { error: 'Must be true or false.' })
  .transform((value) => value === 'true')
  .meta({ type: 'boolean', enum: undefined });

/** Schema of an integer query parameter. A value outside the bounds is rejected, not clamped. */
export const queryInteger = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, 'A valid integer is required.')
    .transform(Number)
    .pipe(
      z
        .number()
        .min(min, `Ensure this value is greater than or equal to ${min}.`)
        .max(max, `Ensure this value is less than or equal to ${max}.`),
    )
    .meta({ type: 'integer', pattern: undefined, minimum: min, maximum: max });

/** Schema of one of the listed words, in upper or lower case. The parsed word is lower case. */
export const anyCase = <const T extends readonly [string, ...string[]]>(words: T) =>
  z
    .string()
    .transform((value) => value.toLowerCase())
    .pipe(z.enum(words, { error: `Must be one of: ${words.join(', ')}.` }))
    .meta({ enum: words });

/** Schema of a comma-separated list of at least one of the given words, in upper or lower case. */
export const commaList = <const T extends readonly [string, ...string[]]>(words: T) =>
  z
    .string()
    .transform((value) => value.split(',').map((word) => word.trim().toLowerCase()))
    .pipe(z.array(z.enum(words, { error: `Must be a comma-separated list of: ${words.join(', ')}.` })).min(1))
    .meta({ type: 'array', minItems: 1, items: { type: 'string', enum: words } });

/** Schema of a decimal query parameter of 0 or more, parsed into exact Micros. */
export const queryDecimal = money
  .refine((value) => value >= 0, 'Ensure this value is greater than or equal to 0.')
  .meta({ pattern: '^\\d{1,16}(\\.\\d{1,6}0*)?$' });

/** Schema of a leverage: a JSON number from 1 to 1000 with at most six decimals, parsed into exact Micros. */
export const leverageNumber = z
  .number()
  .min(1, 'Ensure this value is greater than or equal to 1.')
  .max(1000, 'Ensure this value is less than or equal to 1000.')
  .transform((value, context): Micros => {
    const micros = parseDecimal(String(value));
    if (micros !== null) return micros;
    context.addIssue({ code: 'custom', message: 'Ensure that there are no more than 6 decimal places.' });
    return z.NEVER;
  });

/** Schema of a fee rate as a fraction of price x amount. A negative rate is a rebate. */
export const rate = money
  .refine((value) => Math.abs(value) <= ONE, 'A rate from -1 to 1 is required.')
  .meta({ pattern: '^-?\\d{1,16}(\\.\\d{1,6}0*)?$' });
