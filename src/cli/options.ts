/** Declares options of commands with the types of their values, and parses the given texts. */

import { InvalidArgumentError, Option } from 'commander';
import { type Micros, parseDecimal } from '../shared/base/micros.js';

/** An option with the type of its value. The field `value` is never set; it only carries this type. */
export interface OptionRow<T> extends Option {
  readonly value?: T;
}

export type OptionRows = Readonly<Record<string, OptionRow<unknown>>>;
export type OptionValues<Rows extends OptionRows> = {
  readonly [Key in keyof Rows]: Rows[Key] extends OptionRow<infer T> ? T : never;
};
type OptionReader<T> = (text: string) => T;

/** An option without a value: true if given, else undefined. */
export const flag = (flags: string, help: string): OptionRow<true | undefined> => new Option(flags, help);

/** An option such as `--no-crowd`: false if given, else true. */
export const unless = (flags: string, help: string): OptionRow<boolean> => new Option(flags, help);

/** An option with a text value. `conflicts`: options that may not be given together with this one. */
export const text = (flags: string, help: string, ...conflicts: string[]): OptionRow<string | undefined> =>
  new Option(flags, help).conflicts(conflicts);

export const read = <T>(flags: string, help: string, reader: OptionReader<T>): OptionRow<T | undefined> =>
  new Option(flags, help).argParser(reader);

export const usual = <T>(
  flags: string,
  help: string,
  value: T,
  reader: OptionReader<T>,
  shown?: string,
): OptionRow<T> => new Option(flags, help).default(value, shown).argParser(reader);

export function required(flags: string, help: string): OptionRow<string>;
export function required<T>(flags: string, help: string, reader: OptionReader<T>): OptionRow<T>;
export function required(flags: string, help: string, reader: OptionReader<unknown> = String): OptionRow<unknown> {
  return new Option(flags, help).makeOptionMandatory().argParser(reader);
}

type Texts = readonly string[];

/** An option with several values, such as `--name <value...>`. */
export const list = (flags: string, help: string, ...conflicts: string[]): OptionRow<Texts | undefined> =>
  new Option(flags, help).conflicts(conflicts);

export const requiredList = (flags: string, help: string): OptionRow<Texts> =>
  new Option(flags, help).makeOptionMandatory();

/** An option that may be repeated. The option's reader also receives the earlier values. */
export const repeated = <T>(
  flags: string,
  help: string,
  reader: (text: string, before: readonly T[]) => T,
): OptionRow<readonly T[]> =>
  new Option(flags, help)
    .default([])
    .argParser((given: string, before: readonly T[]) => [...before, reader(given, before)]);

export const choice = <T extends string>(
  flags: string,
  help: string,
  words: readonly T[],
  value: NoInfer<T>,
): OptionRow<T> => new Option(flags, help).choices(words).default(value);

export const changedCode = flag(
  '--accept-changed-code',
  "run the present code of the strategy files, even if its hash differs from the recorded run's",
);

export const csv = (help = 'print CSV instead of a table'): OptionRow<true | undefined> =>
  new Option('--csv', help).conflicts('json');

/** Default timeout, s: enough for canceling all orders and two reads within the request budget. */
export const SLOW_S = 90;
export const QUICK_S = 10;

export const timeout = (timeoutS: number): OptionRow<number> =>
  integer('--timeout <s>', 'maximum wait for the trader, s', [1, 3600], timeoutS);

type Range = readonly [min: number, max: number];

/** An option with a whole number. Its reader has the properties `min` and `max`, which tool schemas use. */
export function integer<T extends number | undefined = undefined>(
  flags: string,
  help: string,
  [min, max]: Range,
  value?: T,
  shown?: string,
): OptionRow<number | T> {
  const reader = numberReader(/^-?\d{1,16}$/, 'a whole number', [min, max]);
  return new Option(flags, help).default(value, shown).argParser(Object.assign(reader, { min, max }));
}

export const number = (flags: string, help: string, range: Range, value: number): OptionRow<number> =>
  usual(flags, help, value, numberReader(/^\d+(\.\d+)?$/, 'a number', range));

const numberReader =
  (form: RegExp, wanted: string, [min, max]: Range) =>
  (given: string): number => {
    const value = form.test(given) ? Number(given) : Number.NaN;
    if (!(value >= min && value <= max)) throw new InvalidArgumentError(`Wanted ${wanted} from ${min} to ${max}.`);
    return value;
  };

export function positiveAmount(given: string): Micros {
  const value = parseDecimal(given);
  if (value === null || value < 0) throw new InvalidArgumentError('Wanted a decimal such as 10000 or 0.5.');
  return value;
}

/** Parses a time to Unix ms; a day means the start of this day. A text without a time zone is UTC. */
export function momentIn(given: string): number {
  const [, day = '', time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(given) ?? [];
  const ms = Date.parse(`${day}T${time}${zone}`);
  // JavaScript parses 31 February as 3 March, so the parsed day must equal the text.
  if (Number.isNaN(ms) || !new Date(Date.parse(`${day}T00:00Z`)).toISOString().startsWith(day))
    throw new InvalidArgumentError("Wanted a day or a time in UTC: '2026-11-25' or '2026-11-25 21:03:10'.");
  return ms;
}

export function nonEmpty(given: string): string {
  if (given.trim() === '') throw new InvalidArgumentError('Wanted a text that is not empty.');
  return given;
}
