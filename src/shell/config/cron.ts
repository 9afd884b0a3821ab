/** Checks cron expressions with six fields. */

import { validate } from 'node-cron';

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly words: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const FIELDS: readonly Field[] = [
  { name: 'second', min: 0, max: 59, words: [] },
  { name: 'minute', min: 0, max: 59, words: [] },
  { name: 'hour', min: 0, max: 23, words: [] },
  { name: 'day', min: 1, max: 31, words: [] },
  { name: 'month', min: 1, max: 12, words: MONTHS },
  // 7 is Sunday too, as everywhere in cron.
  { name: 'weekday', min: 0, max: 7, words: WEEKDAYS },
];

/**
 * Null for a usable expression, else its fault. Stricter than the scheduler that runs it: node-cron accepts every
 * expression that passes (a test ensures it).
 */
export function cronProblem(expression: string, second: '*' | '0' = '*'): string | null {
  const texts = expression.trim() === '' ? [] : expression.trim().split(/\s+/);
  if (texts.length !== FIELDS.length) {
    const hint = texts.length === 5 ? `; ${fiveFieldHint(`${second} ${texts.join(' ')}`)}` : '';
    return `wants six cron fields (second minute hour day month weekday), got ${texts.length}${hint}`;
  }
  for (const [index, field] of FIELDS.entries()) {
    const problem = fieldProblem(texts[index] ?? '', field);
    if (problem !== null) return `cron field ${field.name}: ${problem}`;
  }
  // Each field is valid alone, so the day is in none of the months.
  return validate(expression) ? null : 'cron field day: no month that it names has this day';
}

/** A proposed expression must be valid. */
function fiveFieldHint(longer: string): string {
  const problem = cronProblem(longer);
  if (problem === null) return `for a five-field expression write "${longer}"`;
  return `a five-field expression lacks the second, and here is also wrong in ${problem}`;
}

function fieldProblem(text: string, field: Field): string | null {
  for (const part of text.toLowerCase().split(',')) {
    const match = /^(?:(\*)|([a-z0-9]+)(?:-([a-z0-9]+))?)(?:\/(\d{1,3}))?$/.exec(part);
    if (match === null) return `cannot read "${part}"`;
    const [, all, from = '', to, step] = match;
    if (all === undefined && to === undefined && step !== undefined) {
      return `a step needs a range or *, got "${part}"; write "${from}-${field.max}/${step}"`;
    }
    const low = all === undefined ? parseNumber(from, field) : field.min;
    const high = all !== undefined ? field.max : to === undefined ? low : parseNumber(to, field);
    if (low === null || high === null || low > high || Number(step ?? 1) === 0) {
      return `wants values from ${field.min} to ${field.max}, got "${part}"`;
    }
  }
  return null;
}

function parseNumber(text: string, field: Field): number | null {
  const word = field.words.indexOf(text);
  if (word >= 0) return field.min + word;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= field.min && value <= field.max ? value : null;
}
