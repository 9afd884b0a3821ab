/** Formats and parses single values of the wire. A schema that converts text has its JSON Schema in `meta`. */

import { z } from 'zod';
import { type Micros, ONE, parseDecimal } from '../base/micros.js';

/** Parses of a schema before its code is compiled: about as many as its compiling costs. */
const PARSES_UNCOMPILED = 100;

/** Number of parses, for schemas whose code is not compiled. */
const parses = new WeakMap<z.ZodType, number>();

/** As `schema.safeParse(value)`. The first parses are uncompiled: compiling takes a fifteenth of a trader's start. */
export function parseBySchema<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> {
  const before = parses.get(schema) ?? 0;
  if (before >= PARSES_UNCOMPILED) return schema.safeParse(value);
  parses.set(schema, before + 1);
  return schema.safeParse(value, { jitless: true });
}

/** A decimal string parsed into exact Micros. More than six significant decimals are rejected, never rounded. */
export const money = z
  .string()
  .transform((text, context): Micros => {
    const value = parseDecimal(text);
    if (value !== null) return value;
    context.addIssue({ code: 'custom', message: 'A decimal string with at most 6 decimal places is required.' });
    return z.NEVER;
  })
  .meta({ pattern: '^-?\\d{1,16}(\\.\\d{1,6}0*)?$' });

/** Non-negative money with an upper bound in units: more is a venue's error. */
const upTo = (units: number) =>
  money
    .refine((value) => value >= 0, 'Ensure this value is greater than or equal to 0.')
    .refine((value) => value <= units * 1_000_000, `Ensure this value is less than or equal to ${units}.`)
    .meta({ pattern: '^\\d{1,16}(\\.\\d{1,6}0*)?$' });

/** The price of an outcome, 0 to 1. */
export const price = upTo(1);

/** Maximum `amount`. The sum of nine such amounts is exact. */
export const LARGEST_AMOUNT = 1_000_000_000_000_000 as Micros;

/** Shares or currency held, paid or owed, 0 to 10^9. */
export const amount = upTo(LARGEST_AMOUNT / ONE);

/** A decimal string of any precision, kept as text: information that is never computed with. */
export const decimalText = z.string().regex(/^-?\d{1,30}(\.\d{1,30})?$/, 'A decimal string is required.');

/** A value that a venue may omit or send as null; absent becomes null. */
export const absent = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);

/** A value that a client must accept as null from any venue, and that the paper exchange always gives. */
export const given = <T extends z.ZodType>(schema: T) => absent(schema).meta({ isAlwaysGiven: true });

/** A body field that a caller may omit or send as null, with the same meaning. */
export const ungiven = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

export const unixSeconds = z.number().int();

/** Text of bounded length, for foreign values. */
export const text = (max: number) => z.string().max(max, `Ensure this field has no more than ${max} characters.`);

/** A query parameter that is sent as `true` or `false`. */
export const queryBoolean = z
  .enum(['true', 'false'], { error: 'Must be true or false.' })
  .transform((value) => value === 'true')
  .meta({ type: 'boolean', enum: undefined });

/** An integer query parameter within bounds; anything else is rejected, never clamped. */
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

/** Schema of a fixed set of words in any case; the parsed word is lower case. */
export const anyCase = <const T extends readonly [string, ...string[]]>(words: T) =>
  z
    .string()
    .transform((value) => value.toLowerCase())
    .pipe(z.enum(words, { error: `Must be one of: ${words.join(', ')}.` }))
    .meta({ enum: words });

/** A comma-separated list of such words, at least one. */
export const commaList = <const T extends readonly [string, ...string[]]>(words: T) =>
  z
    .string()
    .transform((value) => value.split(',').map((word) => word.trim().toLowerCase()))
    .pipe(z.array(z.enum(words, { error: `Must be a comma-separated list of: ${words.join(', ')}.` })).min(1))
    .meta({ type: 'array', minItems: 1, items: { type: 'string', enum: words } });

/** A decimal query parameter of 0 or more, read into exact Micros. */
export const queryDecimal = money
  .refine((value) => value >= 0, 'Ensure this value is greater than or equal to 0.')
  .meta({ pattern: '^\\d{1,16}(\\.\\d{1,6}0*)?$' });

/** A JSON number with at most six decimals, 1 or more, read into exact Micros: a leverage. */
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

/** A fraction of price x amount; negative for a rebate. */
export const rate = money
  .refine((value) => Math.abs(value) <= ONE, 'A rate from -1 to 1 is required.')
  .meta({ pattern: '^-?\\d{1,16}(\\.\\d{1,6}0*)?$' });
