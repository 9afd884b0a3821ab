/** Declares options of commands with the types of their values, and parses the given texts. */

import { InvalidArgumentError, Option } from 'commander';
import { type Micros, parseDecimal } from '../shared/base/micros.js';

/** An option with the type of its value. */
export interface OptionRow<T> {
  readonly option: Option;
  /** `value` is never set; the field only carries the type of the option's value. */
  readonly value?: T;
}

export type OptionRows = Readonly<Record<string, OptionRow<unknown>>>;
export type OptionValues<Rows extends OptionRows> = {
  readonly [Key in keyof Rows]: Rows[Key] extends OptionRow<infer T> ? T : never;
};
type OptionReader<T> = (text: string) => T;

/** An option without a value: true if given, else undefined. */
export const flag = (flags: string, help: string): OptionRow<true | undefined> => ({ option: new Option(flags, help) });

/** An option such as `--no-crowd`: false if given, else true. */
export const unless = (flags: string, help: string): OptionRow<boolean> => ({ option: new Option(flags, help) });

/** An option with a text value. `conflicts`: options that may not be given together with this one. */
export const text = (flags: string, help: string, ...conflicts: string[]): OptionRow<string | undefined> => ({
  option: new Option(flags, help).conflicts(conflicts),
});

export const read = <T>(flags: string, help: string, reader: OptionReader<T>): OptionRow<T | undefined> => ({
  option: new Option(flags, help).argParser(reader),
});

/** An option with a parsed value and a default value. */
export const usual = <T>(
  flags: string,
  help: string,
  value: T,
  reader: OptionReader<T>,
  shown?: string,
): OptionRow<T> => ({
  option: new Option(flags, help).default(value, shown).argParser(reader),
});

export function required(flags: string, help: string): OptionRow<string>;
export function required<T>(flags: string, help: string, reader: OptionReader<T>): OptionRow<T>;
export function required(flags: string, help: string, reader: OptionReader<unknown> = String): OptionRow<unknown> {
  return { option: new Option(flags, help).makeOptionMandatory().argParser(reader) };
}

type Texts = readonly string[];

/** An option with several values, such as `--name <value...>`. */
export const list = (flags: string, help: string, ...conflicts: string[]): OptionRow<Texts | undefined> => ({
  option: new Option(flags, help).conflicts(conflicts),
});

export const requiredList = (flags: string, help: string): OptionRow<Texts> => ({
  option: new Option(flags, help).makeOptionMandatory(),
});

/** An option that may be repeated. The option's reader also receives the earlier values. */
export const repeated = <T = string>(
  flags: string,
  help: string,
  reader: (text: string, before: readonly T[]) => T = (given) => given as T,
): OptionRow<readonly T[]> => ({
  option: new Option(flags, help)
    .default([])
    .argParser((given: string, before: readonly T[]) => [...before, reader(given, before)]),
});

export const choice = <T extends string>(
  flags: string,
  help: string,
  words: readonly T[],
  value: NoInfer<T>,
): OptionRow<T> => ({ option: new Option(flags, help).choices(words).default(value) });

export const changedCode = flag(
  '--accept-changed-code',
  "run the present code of the strategy files, even if its hash differs from the recorded run's",
);

export const csv = (help = 'print CSV instead of a table'): OptionRow<true | undefined> => ({
  option: new Option('--csv', help).conflicts('json'),
});

/** Default timeout, s: enough for canceling all orders and two reads within the request budget. */
export const SLOW_S = 90;
export const QUICK_S = 10;

export const timeout = (timeoutS: number): OptionRow<number> =>
  integer('--timeout <s>', 'maximum wait for the trader, s', [1, 3600], timeoutS);

type Range = readonly [min: number, max: number];

type Whole<T> = OptionRow<number | T>;
export function integer(flags: string, help: string, range: Range, value?: undefined, shown?: string): Whole<undefined>;
export function integer(flags: string, help: string, range: Range, value: number, shown?: string): OptionRow<number>;
export function integer(flags: string, help: string, [min, max]: Range, value?: number, shown?: string) {
  return { option: new Option(flags, help).default(value, shown).argParser(integerBetween(min, max)) };
}

export const number = (flags: string, help: string, [min, max]: Range, value: number): OptionRow<number> =>
  usual(flags, help, value, numberBetween(min, max));

/** Returns a reader of whole numbers. The reader has its range as a property, from which schemas are made. */
const integerBetween = (min: number, max: number) =>
  Object.assign(
    (text: string): number => {
      const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max))
        throw new InvalidArgumentError(`Wanted a whole number from ${min} to ${max}.`);
      return value;
    },
    { min, max },
  );

const numberBetween =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new InvalidArgumentError(`Wanted a number from ${min} to ${max}.`);
    return value;
  };

export function positiveAmount(text: string): Micros {
  const value = parseDecimal(text);
  if (value === null || value < 0) throw new InvalidArgumentError('Wanted a decimal such as 10000 or 0.5.');
  return value;
}

/** Parses a time to Unix ms; a day means the start of this day. A text without a time zone is UTC. */
export function momentIn(text: string): number {
  const [, day = '', time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  const ms = Date.parse(`${day}T${time}${zone}`);
  // JavaScript parses 31 February as 3 March, so the parsed day must equal the text.
  if (Number.isNaN(ms) || !new Date(Date.parse(`${day}T00:00Z`)).toISOString().startsWith(day))
    throw new InvalidArgumentError("Wanted a day or a time in UTC: '2026-11-25' or '2026-11-25 21:03:10'.");
  return ms;
}

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Wanted a text that is not empty.');
  return text;
}
