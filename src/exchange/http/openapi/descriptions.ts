/** Adds the notes on records, and example values, to the schemas of the document. */

import type { z } from 'zod';
import { RECORD_NOTES } from '../../../shared/protocol/notes/records.js';

type Schema = z.core.JSONSchema.BaseSchema;

/** Describes a record's component, `name` as in protocol/records.ts; changes it in place. */
export function describeRecord(name: string, schema: Schema): void {
  const note = Object.entries(RECORD_NOTES).find(([record]) => record === name)?.[1];
  if (note === undefined) throw new Error(`no note on the record ${name}`);
  schema.description = note.about;
  for (const [path, text] of Object.entries(note.fields)) {
    for (const property of propertiesAt(schema, path.split('.'))) property.description = text;
  }
  for (const alternative of [schema, ...(schema.oneOf ?? [])]) giveExamples(alternative);
}

/** The property of this path: of a union in each alternative, of a nullable object in the object. */
function propertiesAt(schema: Schema, [name = '', ...rest]: readonly string[]): Schema[] {
  const property = schema.properties?.[name];
  const here = typeof property === 'object' ? [property] : [];
  const within = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap((some) =>
    propertiesAt(some, [name, ...rest]),
  );
  return [...(rest.length === 0 ? here : here.flatMap((inner) => propertiesAt(inner, rest))), ...within];
}

/** Example values by property name; the first match counts. */
const EXAMPLES: readonly (readonly [RegExp, string | number])[] = [
  [/condition_id$|^market$/, '8kQm3Vn1xw6Yb4ZrD2fTgH9sLcJpE5uA7oNiXeCvB1dR'],
  [/pubkey$|^address$|txid$/, '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM1'],
  [/^message$/, 'SVC draft v1 | cancel-order | Market: 8kQm… | Order: 4uQe… | Draft: 4uQe… | Expires: 1714300060'],
  [/^symbol$/, '8kQm3Vn1xw6Yb4ZrD2fTgH9sLcJpE5uA7oNiXeCvB1dR-LPT'],
  [/^(created|timestamp|resolution_date)$|_at$/, 1_714_300_000],
  [/_(precision|decimals)$/, 2],
  [/^(expires_in_seconds)$/, 600],
  [/^trade_count$/, 17],
  [/^max_price$/, '0.99'],
  [/^min_price$/, '0.01'],
  [/price$|^(open|high|low|close)$/, '0.42'],
  [/leverage/, '2'],
  [/fee|rate$/, '0.01'],
  [/pnl/, '-1.5'],
];
/** Of any other decimal. */
const EXAMPLE_AMOUNT = '10';

function giveExamples(schema: Schema): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (typeof property !== 'object') continue;
    giveExamples(property);
    const example = chooseExample(name, property);
    if (example !== null) property.examples = [example];
  }
}

function chooseExample(name: string, { type, pattern, ...rest }: Schema): string | number | null {
  if (rest.enum !== undefined || rest.const !== undefined) return null;
  const types = Array.isArray(type) ? type : [type];
  const known = EXAMPLES.find(([names]) => names.test(name))?.[1] ?? (pattern === undefined ? null : EXAMPLE_AMOUNT);
  if (typeof known === 'number') return types.includes('integer') ? known : null;
  return types.includes('string') ? known : null;
}
