/** Readers of option values: each says what it wants. */

import { InvalidArgumentError } from 'commander';
import { parseDecimal } from '../shared/base/decimal.js';
import type { Micros } from '../shared/base/micros.js';

export const integerBetween =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new InvalidArgumentError(`Wanted a whole number from ${min} to ${max}.`);
    return value;
  };

export const numberBetween =
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

/** A moment, Unix ms: UTC where no zone is given. */
export function momentIn(text: string): number {
  const [, day, time, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`);
  if (Number.isNaN(ms)) throw new InvalidArgumentError("Wanted a time in UTC such as '2026-11-25 21:03:10'.");
  return ms;
}

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Wanted some text.');
  return text;
}
