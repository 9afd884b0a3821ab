/** What is wrong with a configuration, and how it is said: where, which field, what came, what to write instead. */

import { relative } from 'node:path';
import { TwinbookError } from '../base/errors.js';

/** A place in a file, both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Problem {
  /** `FILE:LINE:COLUMN`, or `environment TWINBOOK__…`. */
  readonly where: string;
  /** For sorting; absent for the environment. */
  readonly place?: Place;
  /** `risk.max_loss_day`; empty for the file as a whole. */
  readonly field: string;
  readonly text: string;
}

/** Problems shown at most: the rest usually follows from the first ones. */
const SHOWN = 12;

export function configError(problems: readonly Problem[], hint = ''): TwinbookError {
  const order = ({ place }: Problem): number => (place === undefined ? 0 : place.line * 1e6 + place.column);
  const lines = [...problems]
    .sort((a, b) => order(a) - order(b))
    .slice(0, SHOWN)
    .map(({ where, field, text }) => `${where}: ${field === '' ? '' : `${field}: `}${text}`);
  if (problems.length > SHOWN) lines.push(`… and ${problems.length - SHOWN} more`);
  return new TwinbookError('config_invalid', lines.join('\n'), hint);
}

/** A file's name as a person would type it: relative to the working folder unless that leads far away. */
export function shownPath(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path === '' || path.startsWith('../..') ? file : path;
}

/** Writes `['risk', 'rows', 2, 'x']` as `risk.rows[2].x`. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`;
    return name === '' ? String(part) : `${name}.${String(part)}`;
  }, '');
}

/** A value as it stands in an error: its kind and itself, shortened. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'nothing (an empty value)';
  if (typeof value === 'string') return `the text ${shortened(JSON.stringify(value))}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : String(value);
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 56)}…"` : text);

/** `a, b or c` for messages. */
export const oneOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
