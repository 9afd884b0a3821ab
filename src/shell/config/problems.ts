/** Problems of a configuration and their text: place, field, value, expected form. */

import { relative } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';

/** A place in a file, both counted from 1. */
export interface SourcePlace {
  readonly line: number;
  readonly column: number;
}

export interface Problem {
  /** `FILE:LINE:COLUMN`, or `environment TWINBOOK__…`. */
  readonly where: string;
  /** For sorting; absent for the environment. */
  readonly place?: SourcePlace;
  /** `risk.max_loss_day`; empty for the whole file. */
  readonly field: string;
  readonly text: string;
}

/** Maximum problems shown: the rest usually follows from the first ones. */
const SHOWN = 12;

const LOOK_UP = '`twinbook config explain` lists every setting with its range, default and meaning.';

export const configError = (problems: readonly Problem[], hint = LOOK_UP): TwinbookError =>
  new ConfigInvalid(problems, hint);

/** Keeps each problem separate, so that one message can list those of several places. */
class ConfigInvalid extends TwinbookError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], hint: string) {
    super('config_invalid', formatLines(problems), hint);
    this.problems = problems;
  }
}

/** File by file, each from its top; the environment first. */
function formatLines(problems: readonly Problem[]): string {
  const getFile = ({ where, place }: Problem): string => (place === undefined ? '' : where.replace(/:\d+:\d+$/, ''));
  const files = ['', ...new Set(problems.map(getFile))];
  const order = (problem: Problem): readonly number[] => {
    const { line, column } = problem.place ?? { line: 0, column: 0 };
    return [files.indexOf(getFile(problem)), line, column];
  };
  const lines = [...problems]
    .sort(
      (a, b) =>
        order(a)
          .map((rank, at) => rank - (order(b)[at] ?? 0))
          .find((difference) => difference !== 0) ?? 0,
    )
    .slice(0, SHOWN)
    .map(({ where, field, text }) => `${where}: ${field === '' ? '' : `${field}: `}${text}`);
  if (problems.length > SHOWN) lines.push(`… and ${problems.length - SHOWN} more`);
  return lines.join('\n');
}

/** Problems in several places of a configuration, for one message. */
export class ProblemList {
  readonly #problems: Problem[] = [];
  readonly #hints = new Set<string>();

  add(...problems: readonly Problem[]): void {
    this.#problems.push(...problems);
  }

  /** Result of the work; null when the configuration prevents it: its problems are then kept. */
  attempt<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      return this.#keep(error);
    }
  }

  /** The same for asynchronous work. */
  async attemptLater<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      return this.#keep(error);
    }
  }

  /** Throws `config_invalid` with all of them, when there are any. */
  throwIfAny(): void {
    if (this.#problems.length > 0) throw configError(this.#problems, [...this.#hints].join('\n  '));
  }

  #keep(error: unknown): null {
    if (!(error instanceof ConfigInvalid)) throw error;
    this.add(...error.problems);
    if (error.hint !== '') this.#hints.add(error.hint);
    return null;
  }
}

/** A file's name as a person would type it: relative to the working folder unless that is longer. */
export function shownPath(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path === '' || path.startsWith('../../..') ? file : path;
}

/** Writes `['risk', 'rows', 2, 'x']` as `risk.rows[2].x`. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`;
    return name === '' ? String(part) : `${name}.${String(part)}`;
  }, '');
}

/** A value for an error text: its kind and itself, shortened. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'nothing (an empty value)';
  if (typeof value === 'string') return `the text ${shorten(JSON.stringify(value))}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : String(value);
}

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 56)}…"` : text);

/** `a, b or c` for messages. */
export const joinWithOr = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
