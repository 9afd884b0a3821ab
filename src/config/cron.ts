/** Cron expressions with six fields, as a set of seconds: which moments they name, and what is wrong with one. */

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

/** Null for a usable expression, else what is wrong with it. */
export function cronProblem(expression: string): string | null {
  const parsed = parseCron(expression);
  return typeof parsed === 'string' ? parsed : null;
}

/** Whether an expression names the second of this moment (local time of `when`). False for an unusable expression. */
export function cronMatches(expression: string, when: Date): boolean {
  const parsed = parseCron(expression);
  if (typeof parsed === 'string') return false;
  const [second, minute, hour, day, month, weekday] = parsed;
  if (!second?.has(when.getSeconds()) || !minute?.has(when.getMinutes()) || !hour?.has(when.getHours())) return false;
  if (!month?.has(when.getMonth() + 1)) return false;
  return dayMatches(expression, day?.has(when.getDate()) ?? false, weekday?.has(when.getDay()) ?? false);
}

/** Cron's old rule: when both day fields are restricted, either of them is enough. */
function dayMatches(expression: string, day: boolean, weekday: boolean): boolean {
  const [, , , dayText, , weekdayText] = expression.trim().split(/\s+/);
  return dayText !== '*' && weekdayText !== '*' ? day || weekday : day && weekday;
}

function parseCron(expression: string): readonly ReadonlySet<number>[] | string {
  const texts = expression.trim().split(/\s+/);
  if (texts.length !== FIELDS.length) {
    const hint = texts.length === 5 ? `; for a five-field expression write "* ${texts.join(' ')}"` : '';
    return `wants six cron fields (second minute hour day month weekday), got ${expression.trim() === '' ? 0 : texts.length}${hint}`;
  }
  const sets: Set<number>[] = [];
  for (const [index, field] of FIELDS.entries()) {
    const set = fieldValues(texts[index] ?? '', field);
    if (typeof set === 'string') return set;
    sets.push(set);
  }
  return sets;
}

function fieldValues(text: string, field: Field): Set<number> | string {
  const values = new Set<number>();
  for (const part of text.toLowerCase().split(',')) {
    const match = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d{1,3}))?$/.exec(part);
    if (match === null) return `cron field ${field.name}: cannot read "${part}"`;
    const [, from = '*', to, stepText] = match;
    const low = from === '*' ? field.min : numberOf(from, field);
    const high = to !== undefined ? numberOf(to, field) : from === '*' || stepText !== undefined ? field.max : low;
    const step = stepText === undefined ? 1 : Number(stepText);
    if (low === null || high === null || low > high || step === 0 || (from === '*' && to !== undefined)) {
      return `cron field ${field.name}: wants values from ${field.min} to ${field.max}, got "${part}"`;
    }
    for (let value = low; value <= high; value += step) values.add(value);
  }
  if (field.name === 'weekday' && values.has(7)) values.add(0);
  return values;
}

function numberOf(text: string, field: Field): number | null {
  const word = field.words.indexOf(text);
  if (word >= 0) return field.min + word;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= field.min && value <= field.max ? value : null;
}
