/** A small language for what a document says about a value: a shape looks at a value and tells what is wrong with it. */

export type Shape = (value: unknown, at: string) => readonly string[];

const seen = (value: unknown): string => JSON.stringify(value)?.slice(0, 80) ?? 'nothing';

const shape =
  (wanted: string, fits: (value: unknown) => boolean): Shape =>
  (value, at) =>
    fits(value) ? [] : [`${at}: wanted ${wanted}, came ${seen(value)}`];

const matching = (wanted: string, pattern: RegExp): Shape =>
  shape(wanted, (value) => typeof value === 'string' && pattern.test(value));

export const text = shape('a string', (value) => typeof value === 'string');
export const flag = shape('a boolean', (value) => typeof value === 'boolean');
export const integer = shape('an integer', Number.isInteger);
export const nothing = shape('null', (value) => value === null);
export const decimal = matching('a decimal string', /^-?\d+(\.\d+)?$/);
/** Base58 of 32 bytes. */
export const pubkey = matching('a public key', /^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
/** Unix seconds; milliseconds would be a thousand times as many. */
export const seconds = shape('Unix seconds', (value) => Number.isInteger(value) && Number(value) < 100_000_000_000);

export const oneOf = (...allowed: readonly string[]): Shape =>
  shape(`one of ${allowed.join(', ')}`, (value) => typeof value === 'string' && allowed.includes(value));

export const nullOr =
  (inner: Shape): Shape =>
  (value, at) =>
    value === null ? [] : inner(value, at);

export const listOf =
  (inner: Shape): Shape =>
  (value, at) =>
    Array.isArray(value) ? value.flatMap((item, index) => inner(item, `${at}[${index}]`)) : [`${at}: wanted an array`];

/** Exactly these fields: a missing one is wrong, and so is one more. */
export const record =
  (fields: Readonly<Record<string, Shape>>, mayBeAbsent: Readonly<Record<string, Shape>> = {}): Shape =>
  (value, at) => {
    if (!isRecord(value)) return [`${at}: wanted an object, came ${seen(value)}`];
    const known = { ...fields, ...mayBeAbsent };
    const missing = Object.keys(fields).filter((name) => !Object.hasOwn(value, name));
    const extra = Object.keys(value).filter((name) => !Object.hasOwn(known, name));
    return [
      ...missing.map((name) => `${at}.${name}: missing`),
      ...extra.map((name) => `${at}.${name}: not in the document`),
      ...Object.entries(known).flatMap(([name, inner]) =>
        Object.hasOwn(value, name) ? inner(value[name], `${at}.${name}`) : [],
      ),
    ];
  };

/** The first of some shapes that is meant for the value, as `kind` finds it. */
export const byField =
  (name: string, shapes: Readonly<Record<string, Shape>>): Shape =>
  (value, at) => {
    const found = isRecord(value) ? shapes[String(value[name])] : undefined;
    return found === undefined ? [`${at}.${name}: none of ${Object.keys(shapes).join(', ')}`] : found(value, at);
  };

/** A shape and a sentence about several of its fields. */
export const both =
  (...shapes: readonly Shape[]): Shape =>
  (value, at) =>
    shapes.flatMap((inner) => inner(value, at));

export const holds =
  (sentence: string, test: (row: Readonly<Record<string, unknown>>) => boolean): Shape =>
  (value, at) =>
    isRecord(value) && !test(value) ? [`${at}: not true that ${sentence}: ${JSON.stringify(value)}`] : [];

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
