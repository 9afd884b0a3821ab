/** Parsers of option values: each names its expected form. */

import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { parseDecimal } from '../shared/base/decimal.js';
import type { Micros } from '../shared/base/micros.js';
import type { CliIo } from './output/io.js';

/** The returned reader carries its range, for schemas. */
export const integerBetween = (min: number, max: number) =>
  Object.assign(
    (text: string): number => {
      const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max))
        throw new InvalidArgumentError(`Wanted a whole number from ${min} to ${max}.`);
      return value;
    },
    { min, max },
  );

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

/** A time, Unix ms: UTC without a zone. */
export function momentIn(text: string): number {
  const [, day, time, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`);
  if (Number.isNaN(ms)) throw new InvalidArgumentError("Wanted a time in UTC such as '2026-11-25 21:03:10'.");
  return ms;
}

/** As `momentIn`, or the beginning of a day, UTC. Unix ms. */
export function dayOrMomentIn(text: string): number {
  const [, day = '', time = ' 00:00'] = /^(\d{4}-\d\d-\d\d)(.*)$/.exec(text) ?? [];
  // JavaScript reads 31 February as 3 March.
  const isDay = new Date(Date.parse(`${day}T00:00Z`) || 0).toISOString().startsWith(day);
  if (day === '' || !isDay)
    throw new InvalidArgumentError("Wanted a day or a time in UTC: '2026-11-25' or '2026-11-25 21:03:10'.");
  return momentIn(`${day}${time || ' 00:00'}`);
}

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Wanted some text.');
  return text;
}

/** Paths of recordings, relative to the user's working folder. */
export const resolveData = (paths: readonly string[], io: CliIo): string[] =>
  paths.map((path) => resolve(io.cwd, path));
